import { tenantStatuses } from '@atrium/core/tenants/tenants'
import { EmptyState } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PagedTable } from '@atrium/ui/paged-table'
import { currentCursor } from '@atrium/ui/paging'
import { SearchInput } from '@atrium/ui/search-input'
import { narrowedBy } from '@atrium/ui/search-params'
import { tenantStatusMeta } from '@atrium/ui/tones'
import { Button } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { tenantColumns } from '../tenants/tenant-columns.tsx'
import { useTRPC } from '../trpc.ts'
import { partnersPerPage } from './search.ts'

const t = translations('operator.partners')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/partners/$slug')

const statusChoices = () =>
  tenantStatuses.map((value) => ({
    value,
    label: tenantStatusMeta(value).label,
  }))

/** The tenants that are attached to a partner. */
export function PartnerCustomers({ slug }: { slug: string }) {
  const { q, status, cursors } = route.useSearch()
  const navigate = route.useNavigate()
  const tenants = useQuery(
    useTRPC().partners.tenants.queryOptions(
      { slug, q, status, cursor: currentCursor(cursors), limit: partnersPerPage },
      { placeholderData: keepPreviousData },
    ),
  )
  const narrow = (change: { q?: string | undefined; status?: typeof status }) =>
    void navigate({ search: narrowedBy(change), replace: true })
  const filtered = q !== undefined || status !== undefined
  return (
    <>
      <FilterBar label={t('customers.filters.label')}>
        <SearchInput
          label={t('filters.search')}
          placeholder={t('customers.filters.searchPlaceholder')}
          value={q}
          onChange={(words) => narrow({ q: words })}
        />
        <ChoiceFilter
          label={t('filters.status')}
          value={status}
          choices={statusChoices()}
          onChange={(chosen) => narrow({ status: chosen })}
        />
      </FilterBar>
      <PagedTable
        of={t('customers.items')}
        found={tenants}
        columns={tenantColumns()}
        rowKey={({ id }) => id}
        cursors={cursors}
        onCursorHistory={(next) =>
          void navigate({ search: (before) => ({ ...before, cursors: next }) })
        }
        loadingRows={5}
        empty={
          <EmptyState
            icon={<IconBuilding size={32} stroke={1.5} aria-hidden />}
            title={t(filtered ? 'customers.empty.filtered.title' : 'customers.empty.none.title')}
            action={
              filtered && (
                <Button
                  variant="default"
                  onClick={() => narrow({ q: undefined, status: undefined })}
                >
                  {frame('clearFilters')}
                </Button>
              )
            }
          >
            {t(filtered ? 'customers.empty.filtered.hint' : 'customers.empty.none.hint')}
          </EmptyState>
        }
      />
    </>
  )
}
