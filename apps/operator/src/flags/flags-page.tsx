import { flagStates } from '@atrium/core/flags/flags'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters } from '@atrium/ui/search-params'
import { Button } from '@mantine/core'
import { IconFlag, IconPlus, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { flagColumns } from './flag-columns.tsx'
import { stateNames } from './labels.ts'
import { type FlagsSearch, flagsQuery } from './search.ts'

const route = getRouteApi('/authenticated/flags')

export const Route = createLazyRoute('/authenticated/flags')({ component: FlagsPage })

const stateChoices = flagStates.map((value) => ({ value, label: stateNames[value] }))

function FlagsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const flags = useQuery(
    useTRPC().flags.list.queryOptions(flagsQuery(search), { placeholderData: keepPreviousData }),
  )
  const filtered = countFilters(search) > 0 || search.trail !== undefined
  const narrow = (change: Partial<FlagsSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, trail: undefined }),
      replace: true,
    })
  return (
    <>
      <PageHeader
        title="Flags"
        description="Features that are turned on tenant by tenant, and off again in seconds."
        actions={
          <LinkButton to="/flags/new" leftSection={<IconPlus size={18} aria-hidden />}>
            New flag
          </LinkButton>
        }
      />
      <FilterBar label="Filter flags">
        <DebouncedInput
          label="Search"
          type="search"
          placeholder="Key, description, owner or note"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter
          label="State"
          value={search.state}
          choices={stateChoices}
          onChange={(state) => narrow({ state })}
        />
        {countFilters(search) > 0 && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => narrow({ q: undefined, state: undefined })}
          >
            Clear filters
          </Button>
        )}
      </FilterBar>
      <PagedTable
        of="flags"
        found={flags}
        columns={flagColumns}
        rowKey={(flag) => flag.id}
        trail={search.trail}
        onCursorHistory={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
        empty={<NoFlags filtered={filtered} onClear={() => void navigate({ search: {} })} />}
      />
    </>
  )
}

function NoFlags({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconFlag size={32} stroke={1.5} aria-hidden />
  return filtered ? (
    <EmptyState
      title="No flag matches"
      icon={icon}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Search by part of the key, or take a filter away.
    </EmptyState>
  ) : (
    <EmptyState
      title="No flags yet"
      icon={icon}
      action={<LinkButton to="/flags/new">New flag</LinkButton>}
    >
      A flag that does not exist is off everywhere. Create one to turn a feature on for some tenants
      first.
    </EmptyState>
  )
}
