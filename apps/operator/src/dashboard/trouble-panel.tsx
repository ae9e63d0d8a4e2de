import type { AuditEvent } from '@atrium/core/audit/audit'
import { AuditEntryDrawer } from '@atrium/ui/audit-entry'
import { AuditTable } from '@atrium/ui/audit-table'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Group, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.dashboard')

const shown = 5

/** The newest audit entries with outcome `failure` or `denied`. */
export function TroublePanel() {
  const trpc = useTRPC()
  const [opened, setOpened] = useState<AuditEvent>()
  const denied = useQuery(trpc.audit.query.queryOptions({ outcome: 'denied', limit: shown }))
  const failed = useQuery(trpc.audit.query.queryOptions({ outcome: 'failure', limit: shown }))
  const broken = [denied, failed].find((query) => query.isError)
  return (
    <Panel
      title={t('trouble.title')}
      actions={
        <>
          <LinkAnchor to="/audit" search={{ outcome: 'failure' }} size="sm">
            {t('trouble.allFailed')}
          </LinkAnchor>
          <LinkAnchor to="/audit" search={{ outcome: 'denied' }} size="sm">
            {t('trouble.allDenied')}
          </LinkAnchor>
        </>
      }
    >
      {broken ? (
        <ErrorState
          title={t('trouble.loadFailed')}
          error={broken.error}
          onRetry={() => void Promise.all([denied.refetch(), failed.refetch()])}
          retrying={denied.isFetching || failed.isFetching}
        />
      ) : !denied.data || !failed.data ? (
        <LoadingRows label={t('trouble.loading')} rows={3} />
      ) : denied.data.items.length + failed.data.items.length === 0 ? (
        <Group gap="xs" c="dimmed" wrap="nowrap">
          <IconCircleCheck size={20} stroke={1.75} aria-hidden />
          <Text size="sm">{t('trouble.none')}</Text>
        </Group>
      ) : (
        <AuditTable
          caption={t('trouble.title')}
          events={[...denied.data.items, ...failed.data.items]
            .toSorted(newestFirst)
            .slice(0, shown)}
          onOpen={setOpened}
          showTenant
        />
      )}
      <AuditEntryDrawer event={opened} onClose={() => setOpened(undefined)} />
    </Panel>
  )
}

function newestFirst(a: AuditEvent, b: AuditEvent): number {
  return Date.parse(b.at) - Date.parse(a.at)
}
