import { NoRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'
import { type TenantsSearch, tenantsQuery } from './search.ts'
import { tenantColumns } from './tenant-columns.tsx'
import { TenantFilters } from './tenant-filters.tsx'

const t = translations('operator.tenants')
const route = getRouteApi('/authenticated/tenants')

export const Route = createLazyRoute('/authenticated/tenants')({ component: TenantsPage })

function TenantsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const tenants = useQuery(
    trpc.tenants.list.queryOptions(tenantsQuery(search), { placeholderData: keepPreviousData }),
  )
  const narrow = (change: Partial<TenantsSearch>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <LinkButton to="/tenants/new" leftSection={<IconPlus size={18} aria-hidden />}>
            {t('new')}
          </LinkButton>
        }
      />
      <TenantFilters search={search} onChange={narrow} />
      <PagedTable
        of={t('items')}
        found={tenants}
        columns={tenantColumns()}
        rowKey={(tenant) => tenant.id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        loadingRows={8}
        empty={
          <NoRows
            icon={<IconBuilding size={32} stroke={1.5} aria-hidden />}
            filtered={countFilters(search) > 0 || search.cursors !== undefined}
            noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
            none={{
              title: t('empty.none.title'),
              hint: t('empty.none.hint'),
              action: <LinkButton to="/tenants/new">{t('new')}</LinkButton>,
            }}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}
