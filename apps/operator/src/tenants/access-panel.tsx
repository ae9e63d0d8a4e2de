import { provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.tenants')

/** Delay between two requests while a system is behind. */
const pollIntervalMs = 3_000

/**
 * What members may do in the upstream systems, and for how many of them each system has applied it.
 */
export function AccessPanel({ tenant }: { tenant: TenantView }) {
  const query = useQuery({
    ...useTRPC().tenants.get.queryOptions({ slug: tenant.slug, expand: 'access' }),
    refetchInterval: ({ state }) => {
      const access = state.data?.expanded?.access
      const behind =
        access && provisioningSteps.some((step) => access[step].waiting + access[step].failed > 0)
      return behind ? pollIntervalMs : false
    },
  })
  const access = query.data?.expanded?.access
  if (query.isError)
    return (
      <ErrorState
        title={t('access.failed')}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  if (!access) return null
  return (
    <Panel title={t('access.title')} description={t(`access.requested.${access.wanted}`)}>
      <DetailList>
        {provisioningSteps.map((step) => (
          <DetailItem key={step} label={t(`access.systems.${step}`)}>
            <Progress {...access[step]} />
          </DetailItem>
        ))}
      </DetailList>
    </Panel>
  )
}

function Progress({
  done,
  waiting,
  failed,
  error,
  tenant,
}: {
  done: number
  waiting: number
  failed: number
  error: string | null
  tenant: { error?: string | undefined }
}) {
  const total = done + waiting + failed
  const problem = tenant.error ?? error
  return (
    <>
      {waiting + failed === 0
        ? t('access.done', { count: total })
        : t('access.partlyDone', { done, count: total })}
      {problem && (
        <Text size="sm" c="red">
          {failed > 0
            ? t('access.failedFor', { count: failed, problem })
            : t('access.problem', { problem })}
        </Text>
      )}
    </>
  )
}
