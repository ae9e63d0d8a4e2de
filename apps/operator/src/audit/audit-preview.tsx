import type { AuditEvent } from '@atrium/core/audit/audit'
import { AuditEntryDrawer } from '@atrium/ui/audit-entry'
import { AuditTable } from '@atrium/ui/audit-table'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { type AuditFilters, auditQuery } from './search.ts'

const t = translations('operator.audit')

interface Props {
  title: string
  filters: AuditFilters
}

const shown = 8

/** The newest entries that match some filters, with a link to all of them. */
export function AuditPreview({ title, filters }: Props) {
  const trpc = useTRPC()
  const [opened, setOpened] = useState<AuditEvent>()
  const log = useQuery(trpc.audit.query.queryOptions({ ...auditQuery(filters), limit: shown }))
  return (
    <Panel
      title={title}
      actions={
        <LinkAnchor to="/audit" search={filters} size="sm">
          {t('preview.all')}
        </LinkAnchor>
      }
    >
      {log.isError ? (
        <ErrorState
          title={t('preview.loadFailed')}
          error={log.error}
          onRetry={() => void log.refetch()}
          retrying={log.isFetching}
        />
      ) : log.data === undefined ? (
        <LoadingRows label={t('preview.loading', { title })} rows={4} />
      ) : log.data.items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('preview.none')}
        </Text>
      ) : (
        <AuditTable caption={title} events={log.data.items} onOpen={setOpened} showTenant />
      )}
      <AuditEntryDrawer event={opened} onClose={() => setOpened(undefined)} />
    </Panel>
  )
}
