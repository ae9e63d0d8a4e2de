import { EmptyState } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters } from '@atrium/ui/search-params'
import { Button } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'
import { type TenantsSearch, tenantsQuery } from './search.ts'
import { tenantColumns } from './tenant-columns.tsx'
import { TenantFilters } from './tenant-filters.tsx'

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
    void navigate({
      search: (before) => ({ ...before, ...change, trail: undefined }),
      replace: true,
    })
  return (
    <>
      <PageHeader
        title="Tenants"
        description="Every customer workspace, newest first."
        actions={
          <LinkButton to="/tenants/new" leftSection={<IconPlus size={18} aria-hidden />}>
            New tenant
          </LinkButton>
        }
      />
      <TenantFilters search={search} onChange={narrow} />
      <PagedTable
        of="tenants"
        found={tenants}
        columns={tenantColumns}
        rowKey={(tenant) => tenant.id}
        trail={search.trail}
        onCursorHistory={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
        loadingRows={8}
        empty={
          <NoTenants
            filtered={countFilters(search) > 0 || search.trail !== undefined}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}

function NoTenants({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  return filtered ? (
    <EmptyState
      title="No tenant matches"
      icon={<IconBuilding size={32} stroke={1.5} aria-hidden />}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Search by part of the name or slug, or take a filter away.
    </EmptyState>
  ) : (
    <EmptyState
      title="No tenants yet"
      icon={<IconBuilding size={32} stroke={1.5} aria-hidden />}
      action={<LinkButton to="/tenants/new">New tenant</LinkButton>}
    >
      Create the first one; its identity group, mail domain and file space are set up for it.
    </EmptyState>
  )
}
