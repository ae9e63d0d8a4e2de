import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'
import { AuditExplorer } from './audit-explorer.tsx'
import { AuditExport } from './audit-export.tsx'
import { auditQuery } from './search.ts'

const t = translations('operator.audit')

const route = getRouteApi('/authenticated/audit')

export const Route = createLazyRoute('/authenticated/audit')({ component: AuditPage })

function AuditPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const log = useQuery(
    useTRPC().audit.query.queryOptions(auditQuery(search), { placeholderData: keepPreviousData }),
  )
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={<AuditExport search={search} />}
      />
      <AuditExplorer
        search={search}
        fields={[
          'q',
          'action',
          'outcome',
          'actorEmail',
          'actorIpTrusted',
          'tenantSlug',
          'partnerSlug',
          'since',
          'until',
        ]}
        log={log}
        showTenant
        onSearch={(change) =>
          void navigate({
            search: (before) => ({ ...before, ...change }),
            replace: !('cursors' in change) || change.cursors === undefined,
          })
        }
      />
    </>
  )
}
