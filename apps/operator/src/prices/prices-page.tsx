import { plans } from '@atrium/core/billing/plans'
import { priceStates } from '@atrium/core/billing/prices'
import { billingCycles } from '@atrium/core/billing/subscriptions'
import { NoRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { cycleName, planName } from '@atrium/ui/subscription-status-meta'
import { IconPlus, IconTag } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { priceStateMeta } from './labels.ts'
import { priceColumns } from './price-columns.tsx'
import { type PricesSearch, pricesQuery } from './search.ts'

const t = translations('operator.prices')

const route = getRouteApi('/authenticated/prices')

export const Route = createLazyRoute('/authenticated/prices')({ component: PricesPage })

const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const cycleChoices = () => billingCycles.map((value) => ({ value, label: cycleName(value) }))
const stateChoices = () =>
  priceStates.map((value) => ({ value, label: priceStateMeta(value).label }))

function PricesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const prices = useQuery(
    useTRPC().prices.list.queryOptions(pricesQuery(search), { placeholderData: keepPreviousData }),
  )
  const narrow = (change: Partial<PricesSearch>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  const clear = () => void navigate({ search: {} })
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <LinkButton to="/prices/new" leftSection={<IconPlus size={18} aria-hidden />}>
            {t('new')}
          </LinkButton>
        }
      />
      <FilterBar label={t('filters.label')} onClear={countFilters(search) > 0 && clear}>
        <ChoiceFilter
          label={t('filters.plan')}
          value={search.plan}
          choices={planChoices()}
          onChange={(plan) => narrow({ plan })}
        />
        <ChoiceFilter
          label={t('filters.cycle')}
          value={search.cycle}
          choices={cycleChoices()}
          onChange={(cycle) => narrow({ cycle })}
        />
        <ChoiceFilter
          label={t('filters.state')}
          value={search.state}
          choices={stateChoices()}
          onChange={(state) => narrow({ state })}
        />
      </FilterBar>
      <PagedTable
        of={t('items')}
        found={prices}
        columns={priceColumns()}
        rowKey={(price) => price.id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        empty={
          <NoRows
            icon={<IconTag size={32} stroke={1.5} aria-hidden />}
            filtered={countFilters(search) > 0 || search.cursors !== undefined}
            noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
            none={{
              title: t('empty.none.title'),
              hint: t('empty.none.hint'),
              action: <LinkButton to="/prices/new">{t('new')}</LinkButton>,
            }}
            onClear={clear}
          />
        }
      />
    </>
  )
}
