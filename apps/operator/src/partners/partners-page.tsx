import { partnerStatuses } from '@atrium/core/partner-access'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { partnerStatusLooks } from '@atrium/ui/partner-looks'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { countFilters } from '@atrium/ui/search-params'
import { Button } from '@mantine/core'
import { IconBriefcase, IconPlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { partnerColumns } from './partner-columns.tsx'
import { type PartnersSearch, partnersQuery } from './search.ts'

const route = getRouteApi('/house/partners')

export const Route = createLazyRoute('/house/partners')({ component: PartnersPage })

const statusChoices = partnerStatuses.map((value) => ({ value, label: partnerStatusLooks[value].label }))

function PartnersPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const trpc = useTRPC()
  const partners = useQuery(trpc.partners.list.queryOptions(partnersQuery(search), { placeholderData: keepPreviousData }))
  const narrow = (change: Partial<PartnersSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...change, trail: undefined }), replace: true })
  return (
    <>
      <PageHeader
        title="Partners"
        description="Resellers with the tenants they look after, newest first."
        actions={
          <LinkButton to="/partners/new" leftSection={<IconPlus size={18} aria-hidden />}>
            New partner
          </LinkButton>
        }
      />
      <FilterBar label="Filter partners">
        <DebouncedInput
          label="Search"
          type="search"
          placeholder="Name, slug, domain or contact"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter label="Status" value={search.status} choices={statusChoices} onChange={(status) => narrow({ status })} />
      </FilterBar>
      {partners.isError ? (
        <ErrorState
          title="The partners could not be loaded."
          error={partners.error}
          onRetry={() => void partners.refetch()}
          retrying={partners.isFetching}
        />
      ) : partners.isPending ? (
        <LoadingRows label="Loading partners" rows={8} />
      ) : partners.data.items.length === 0 ? (
        <NoPartners filtered={countFilters(search) > 0 || search.trail !== undefined} onClear={() => void navigate({ search: {} })} />
      ) : (
        <>
          <ResponsiveTable
            caption="Partners"
            columns={partnerColumns}
            rows={partners.data.items}
            rowKey={({ id }) => id}
            stale={partners.isPlaceholderData}
          />
          <Pager
            label="Pages of partners"
            trail={search.trail}
            nextCursor={partners.data.nextCursor}
            onChange={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
          />
        </>
      )}
    </>
  )
}

function NoPartners({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconBriefcase size={36} stroke={1.5} aria-hidden />
  if (filtered) {
    return (
      <EmptyState
        icon={icon}
        title="No partner fits"
        action={
          <Button variant="default" onClick={onClear}>
            Clear filters
          </Button>
        }
      >
        Try another word or status.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={icon} title="No partners yet" action={<LinkButton to="/partners/new">New partner</LinkButton>}>
      A partner sells to its own customers, earns a margin and runs them in its own area. Create the first one.
    </EmptyState>
  )
}
