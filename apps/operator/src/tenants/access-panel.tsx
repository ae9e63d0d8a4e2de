import { provisioningSteps } from '@atrium/core/provisioning/provisioning'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ErrorState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { Panel } from '@atrium/ui/panel'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const names = { identity: 'Sign-in', mail: 'Mail', files: 'Files' } as const
const requestedLabel = {
  open: 'Open to all members.',
  read_only: 'Read-only: no mail is sent and no file is changed.',
  shut: 'No sign-in: only owner and admins reach the portal.',
} as const
/** How often the page looks again while a system is behind. */
const pollIntervalMs = 3_000

/**
 * What the tenant's people may do in the upstream systems, and how far each system has followed.
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
        title="The access of members could not be loaded."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  if (!access) return null
  return (
    <Panel title="Access of members" description={requestedLabel[access.wanted]}>
      <DetailList>
        {provisioningSteps.map((step) => (
          <DetailItem key={step} label={names[step]}>
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
        ? `Done for ${total === 1 ? 'one member' : `all ${total} members`}`
        : `Done for ${done} of ${total} members`}
      {problem && (
        <Text size="sm" c="red">
          {failed > 0 && `Failed for ${failed}. `}
          {problem} It is tried again by itself.
        </Text>
      )}
    </>
  )
}
