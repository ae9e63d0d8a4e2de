import type { TenantPurge, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ErrorState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { Button, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrashX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { usePurgeTenant } from './mutations.ts'

const t = translations('operator.tenants')

const pollIntervalMs = 5_000

/** How far the purge of a deleted tenant is, and a button that starts or retries it. */
export function PurgePanel({ tenant }: { tenant: TenantView }) {
  const [opened, { open, close }] = useDisclosure(false)
  const purge = usePurgeTenant()
  const { slug, name } = tenant
  const query = useQuery({
    ...useTRPC().tenants.get.queryOptions({ slug, expand: 'purge' }),
    refetchInterval: ({ state }) => {
      const shown = state.data?.expanded?.purge
      return shown?.startedAt && !shown.purgedAt ? pollIntervalMs : false
    },
  })
  const shown = query.data?.expanded?.purge
  if (query.isError) {
    return (
      <ErrorState
        title={t('purge.failed')}
        error={query.error}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    )
  }
  if (!shown) return null
  const started = shown.startedAt !== null
  const act = started ? 'retry' : 'start'
  return (
    <Panel title={t('purge.title')} description={t(`purge.states.${stateOf(shown)}`)}>
      <Stack gap="md" align="flex-start">
        {started && (
          <DetailList>
            {shown.parts.map((part) => (
              <DetailItem key={part.part} label={t(`purge.parts.${part.part}`)}>
                <PartState part={part} />
              </DetailItem>
            ))}
          </DetailList>
        )}
        {shown.purgedAt === null && (
          <Button
            variant="outline"
            color="red"
            leftSection={<IconTrashX size={17} aria-hidden />}
            onClick={open}
          >
            {t(`purge.${act}.action`)}
          </Button>
        )}
      </Stack>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={t(`purge.${act}.question`, { tenant: name })}
        confirmLabel={t(`purge.${act}.submit`)}
        typedWord={slug}
        reason="optional"
        onConfirm={async (reason) => {
          await purge.mutateAsync({ slug, confirm: slug, reason })
          done(t('purge.started', { tenant: name }))
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>{t('purge.effects.data', { tenant: name })}</List.Item>
          <List.Item>{t('purge.effects.accounts')}</List.Item>
          <List.Item>{t('purge.effects.domains')}</List.Item>
          <List.Item>{t('purge.effects.kept')}</List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}

function stateOf({ startedAt, purgedAt }: TenantPurge) {
  if (purgedAt !== null) return 'done'
  return startedAt === null ? 'offered' : 'running'
}

function PartState({ part: { state, error, finishedAt } }: { part: TenantPurge['parts'][number] }) {
  if (state === 'ok')
    return finishedAt ? <Time at={finishedAt} show="both" /> : t('purge.part.done')
  if (state === 'pending') return t('purge.part.waiting')
  return (
    <Text size="sm" c="red">
      {t('purge.part.failed', { error: error ?? '' })}
    </Text>
  )
}
