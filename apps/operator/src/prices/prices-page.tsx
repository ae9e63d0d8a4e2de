import { plans } from '@atrium/core/billing/plans'
import { priceStates } from '@atrium/core/billing/prices'
import { billingCycles } from '@atrium/core/billing/subscriptions'
import { EmptyState } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters } from '@atrium/ui/search-params'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import { Button } from '@mantine/core'
import { IconPlus, IconTag } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { priceStateMeta } from './labels.ts'
import { priceColumns } from './price-columns.tsx'
import { type PricesSearch, pricesQuery } from './search.ts'

const route = getRouteApi('/authenticated/prices')

export const Route = createLazyRoute('/authenticated/prices')({ component: PricesPage })

const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const cycleChoices = () => billingCycles.map((value) => ({ value, label: cycleName(value) }))
const stateChoices = priceStates.map((value) => ({ value, label: priceStateMeta[value].label }))

function PricesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const prices = useQuery(
    useTRPC().prices.list.queryOptions(pricesQuery(search), { placeholderData: keepPreviousData }),
  )
  const narrow = (change: Partial<PricesSearch>) =>
    void navigate({
      search: (before) => ({ ...before, ...change, trail: undefined }),
      replace: true,
    })
  const clear = () => void navigate({ search: {} })
  return (
    <>
      <PageHeader
        title="Prices"
        description="What plans cost. A price on sale is never changed: other amounts are a new version, and who subscribed before keeps theirs."
        actions={
          <LinkButton to="/prices/new" leftSection={<IconPlus size={18} aria-hidden />}>
            New price
          </LinkButton>
        }
      />
      <FilterBar label="Filter prices">
        <ChoiceFilter
          label="Plan"
          value={search.plan}
          choices={planChoices()}
          onChange={(plan) => narrow({ plan })}
        />
        <ChoiceFilter
          label="Cycle"
          value={search.cycle}
          choices={cycleChoices()}
          onChange={(cycle) => narrow({ cycle })}
        />
        <ChoiceFilter
          label="State"
          value={search.state}
          choices={stateChoices}
          onChange={(state) => narrow({ state })}
        />
        {countFilters(search) > 0 && (
          <Button variant="subtle" color="gray" onClick={clear}>
            Clear filters
          </Button>
        )}
      </FilterBar>
      <PagedTable
        of="prices"
        found={prices}
        columns={priceColumns}
        rowKey={(price) => price.id}
        trail={search.trail}
        onCursorHistory={(trail) => void navigate({ search: (before) => ({ ...before, trail }) })}
        empty={
          <NoPrices
            filtered={countFilters(search) > 0 || search.trail !== undefined}
            onClear={clear}
          />
        }
      />
    </>
  )
}

function NoPrices({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconTag size={32} stroke={1.5} aria-hidden />
  return filtered ? (
    <EmptyState
      title="No price matches"
      icon={icon}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Take a filter away to see the others.
    </EmptyState>
  ) : (
    <EmptyState
      title="No prices yet"
      icon={icon}
      action={<LinkButton to="/prices/new">New price</LinkButton>}
    >
      Tenants can subscribe by themselves once a plan has a price on sale.
    </EmptyState>
  )
}
