import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { Group, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { attentionColumns } from './attention-columns.tsx'

const t = translations('operator.dashboard')

const read = 50
const shown = 8

/** Tenants that are not set up yet, those with a failed step first. */
export function AttentionPanel() {
  const trpc = useTRPC()
  const pending = useQuery(
    trpc.tenants.list.queryOptions({ status: 'pending', limit: read }, { refetchInterval: 30_000 }),
  )
  return (
    <Panel
      title={t('attention.title')}
      description={t('attention.hint')}
      actions={
        <LinkAnchor to="/tenants" search={{ status: 'pending' }} size="sm">
          {t('attention.all')}
        </LinkAnchor>
      }
    >
      {pending.isError ? (
        <ErrorState
          title={t('attention.loadFailed')}
          error={pending.error}
          onRetry={() => void pending.refetch()}
          retrying={pending.isFetching}
        />
      ) : pending.isPending ? (
        <LoadingRows label={t('attention.loading')} rows={3} />
      ) : pending.data.items.length === 0 ? (
        <Group gap="xs" c="dimmed" wrap="nowrap">
          <IconCircleCheck size={20} stroke={1.75} aria-hidden />
          <Text size="sm">{t('attention.none')}</Text>
        </Group>
      ) : (
        <ResponsiveTable
          caption={t('attention.title')}
          columns={attentionColumns()}
          rows={pending.data.items.toSorted((a, b) => failures(b) - failures(a)).slice(0, shown)}
          rowKey={(tenant) => tenant.id}
        />
      )}
    </Panel>
  )
}

function failures({ provisioningErrors }: { provisioningErrors: object }): number {
  return Object.keys(provisioningErrors).length
}
