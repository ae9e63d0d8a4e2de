import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { ReportsView } from '@atrium/ui/reports/reports-view'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useReportSource } from './report-source.ts'

const t = translations('operator.reports')

const route = getRouteApi('/authenticated/reports')

export const Route = createLazyRoute('/authenticated/reports')({ component: ReportsPage })

function ReportsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const source = useReportSource()
  const current = source.useMrr({ asOf: search.asOf })
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <ReportsView
        source={source}
        search={search}
        onSearch={(change) =>
          void navigate({
            search: (before) => ({ ...before, ...change }),
            replace: true,
            resetScroll: false,
          })
        }
        currencies={(current.data?.currencies ?? []).map(({ currency }) => currency)}
        topTitle={t('topTenants')}
        nameOf={({ slug, name }) => (
          <LinkAnchor
            to="/tenants/$slug"
            params={{ slug }}
            size="sm"
            fw={550}
            c="inherit"
            underline="hover"
          >
            {name}
          </LinkAnchor>
        )}
        fileName="platform"
      />
    </>
  )
}
