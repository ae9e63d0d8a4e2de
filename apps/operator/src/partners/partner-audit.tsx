import { Group } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { AuditExplorer } from '../audit/audit-explorer.tsx'
import { AuditExport } from '../audit/audit-export.tsx'
import { auditQuery } from '../audit/search.ts'
import { useTRPC } from '../trpc.ts'

const route = getRouteApi('/authenticated/partners/$slug')

/** The audit log of a partner, and of its customers while they were its customers. */
export function PartnerAudit({ slug }: { slug: string }) {
  const { tab: _, status: __, ...filters } = route.useSearch()
  const search = { ...filters, partnerSlug: slug }
  const navigate = route.useNavigate()
  const log = useQuery(
    useTRPC().audit.query.queryOptions(auditQuery(search), { placeholderData: keepPreviousData }),
  )
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <AuditExport search={search} />
      </Group>
      <AuditExplorer
        search={search}
        fields={['q', 'action', 'outcome', 'actorEmail', 'tenantSlug', 'since', 'until']}
        log={log}
        onSearch={({ partnerSlug: _partner, ...change }) =>
          void navigate({
            search: (before) => ({ ...before, ...change }),
            replace: change.cursors === undefined,
          })
        }
      />
    </>
  )
}
