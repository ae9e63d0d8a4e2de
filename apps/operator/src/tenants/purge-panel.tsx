import type { PurgePart, TenantPurge, TenantView } from '@atrium/core/tenants/tenants'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { ErrorState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { Button, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTrashX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { usePurgeTenant } from './mutations.ts'

const names: Readonly<Record<PurgePart, string>> = {
  files: 'Files',
  members: 'Members',
  mail: 'Lists and domains',
  identity: 'Apps and group',
  records: 'Records',
}
const pollIntervalMs = 5_000

/** What became of a deleted tenant's data, and the way to purge it now. */
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
        title="The purge could not be loaded."
        error={query.error}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    )
  }
  if (!shown) return null
  const started = shown.startedAt !== null
  return (
    <Panel title="Purge" description={words(shown)}>
      <Stack gap="md" align="flex-start">
        {started && (
          <DetailList>
            {shown.parts.map((part) => (
              <DetailItem key={part.part} label={names[part.part]}>
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
            {started ? 'Try again now' : 'Purge now'}
          </Button>
        )}
      </Stack>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={started ? `Try the purge of ${name} again?` : `Purge ${name}?`}
        confirmLabel={started ? 'Try again' : 'Purge tenant'}
        typedWord={slug}
        reason="optional"
        onConfirm={async (reason) => {
          await purge.mutateAsync({ slug, confirm: slug, reason })
          done(`The purge of ${name} has begun.`)
        }}
      >
        <List size="sm" spacing={4}>
          <List.Item>
            All mailboxes, mail, lists, files and apps of {name} are destroyed. Nobody can bring
            them back.
          </List.Item>
          <List.Item>Accounts that no other tenant needs are deleted.</List.Item>
          <List.Item>Its domains are free for others afterwards. The slug stays taken.</List.Item>
          <List.Item>Invoices and the audit log are kept.</List.Item>
        </List>
      </ConfirmDialog>
    </Panel>
  )
}

function words({ startedAt, purgedAt }: TenantPurge): string {
  if (purgedAt !== null) return 'Everything was taken away. Invoices and the audit log are kept.'
  return startedAt === null
    ? 'Destroys what the tenant left, in every system.'
    : 'Each system is asked until it has followed.'
}

function PartState({ part: { state, error, finishedAt } }: { part: TenantPurge['parts'][number] }) {
  if (state === 'ok') return finishedAt ? <Time at={finishedAt} show="both" /> : 'Done'
  if (state === 'pending') return 'Waiting'
  return (
    <Text size="sm" c="red">
      {error} It is tried again by itself.
    </Text>
  )
}
