import type { AuditEvent } from '@atrium/core/audit/audit'
import { AuditEntryDrawer } from '@atrium/ui/audit-entry'
import { AuditTable } from '@atrium/ui/audit-table'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc.ts'
import { type AuditFilters, auditQuery } from './search.ts'

interface Props {
  title: string
  filters: AuditFilters
}

const shown = 8

/** The newest entries under some filters, with the way to all of them. */
export function AuditPreview({ title, filters }: Props) {
  const trpc = useTRPC()
  const [opened, setOpened] = useState<AuditEvent>()
  const log = useQuery(trpc.audit.query.queryOptions({ ...auditQuery(filters), limit: shown }))
  return (
    <Panel
      title={title}
      actions={
        <LinkAnchor to="/audit" search={filters} size="sm">
          Open in the audit log
        </LinkAnchor>
      }
    >
      {log.isError ? (
        <ErrorState
          title="The entries could not be loaded."
          error={log.error}
          onRetry={() => void log.refetch()}
          retrying={log.isFetching}
        />
      ) : log.data === undefined ? (
        <LoadingRows label={`Loading: ${title}`} rows={4} />
      ) : log.data.items.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is recorded yet.
        </Text>
      ) : (
        <AuditTable caption={title} events={log.data.items} onOpen={setOpened} showTenant />
      )}
      <AuditEntryDrawer event={opened} onClose={() => setOpened(undefined)} />
    </Panel>
  )
}
