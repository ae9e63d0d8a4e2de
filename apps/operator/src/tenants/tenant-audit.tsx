import { Group } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { AuditExplorer } from '../audit/audit-explorer.tsx'
import { AuditExport } from '../audit/audit-export.tsx'
import { tenantAuditQuery } from '../audit/search.ts'
import { useTRPC } from '../trpc.ts'

const route = getRouteApi('/authenticated/tenants/$slug')

/** The audit log of one tenant, with the filters that make sense inside it. */
export default function TenantAudit({ slug }: { slug: string }) {
  const { tab: _, role: __, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const log = useQuery(
    useTRPC().tenants.audit.queryOptions(tenantAuditQuery(slug, search), {
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <AuditExport search={{ ...search, tenantSlug: slug }} />
      </Group>
      <AuditExplorer
        search={search}
        fields={['q', 'action', 'outcome', 'actorEmail', 'actorIpTrusted', 'since', 'until']}
        log={log}
        onSearch={({ tenantSlug: _tenant, partnerSlug: _partner, ...change }) =>
          void navigate({
            search: (before) => ({ ...before, ...change }),
            replace: change.cursors === undefined,
          })
        }
      />
    </>
  )
}
