import { plans } from '@atrium/core/billing/plans'
import { subscriptionSources, subscriptionStatuses } from '@atrium/core/billing/subscriptions'
import { NoRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { SearchInput } from '@atrium/ui/search-input'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { planName, subscriptionStatusMeta } from '@atrium/ui/subscription-status-meta'
import { IconPlus, IconRepeat } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { type SubscriptionsSearch, subscriptionsQuery } from './search.ts'
import { subscriptionColumns } from './subscription-columns.tsx'

const t = translations('operator.subscriptions')

const route = getRouteApi('/authenticated/subscriptions')

export const Route = createLazyRoute('/authenticated/subscriptions')({
  component: SubscriptionsPage,
})

const statusChoices = () =>
  subscriptionStatuses.map((value) => ({
    value,
    label: subscriptionStatusMeta(value).label,
  }))
const planChoices = () => plans.map((value) => ({ value, label: planName(value) }))
const sourceChoices = () =>
  subscriptionSources.map((value) => ({ value, label: t(`sources.${value}.name`) }))
const none: SubscriptionsSearch = {
  q: undefined,
  status: undefined,
  plan: undefined,
  source: undefined,
  currency: undefined,
  tenantSlug: undefined,
  partnerSlug: undefined,
  cursors: undefined,
}

function SubscriptionsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const found = useQuery(
    useTRPC().subscriptions.list.queryOptions(subscriptionsQuery(search), {
      placeholderData: keepPreviousData,
    }),
  )
  const narrow = (change: Partial<SubscriptionsSearch>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  const filters = countFilters(search)
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <LinkButton to="/subscriptions/new" leftSection={<IconPlus size={18} aria-hidden />}>
            {t('new')}
          </LinkButton>
        }
      />
      <FilterBar label={t('filters.label')} onClear={filters > 0 && (() => narrow(none))}>
        <SearchInput
          label={t('filters.search')}
          placeholder={t('filters.searchPlaceholder')}
          value={search.q}
          onChange={(q) => narrow({ q })}
        />
        <ChoiceFilter
          label={t('filters.status')}
          value={search.status}
          choices={statusChoices()}
          onChange={(status) => narrow({ status })}
        />
        <ChoiceFilter
          label={t('filters.plan')}
          value={search.plan}
          choices={planChoices()}
          onChange={(plan) => narrow({ plan })}
        />
        <ChoiceFilter
          label={t('sources.label')}
          value={search.source}
          choices={sourceChoices()}
          onChange={(source) => narrow({ source })}
        />
        <DebouncedInput
          label={t('filters.currency')}
          placeholder="EUR"
          value={search.currency}
          onChange={(currency) => narrow({ currency })}
        />
        <DebouncedInput
          label={t('filters.partner')}
          placeholder={t('filters.partnerPlaceholder')}
          value={search.partnerSlug}
          onChange={(partnerSlug) => narrow({ partnerSlug })}
        />
      </FilterBar>
      <PagedTable
        of={t('items')}
        found={found}
        columns={subscriptionColumns()}
        rowKey={(row) => row.id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        empty={
          <NoRows
            icon={<IconRepeat size={32} stroke={1.5} aria-hidden />}
            filtered={filters > 0 || search.cursors !== undefined}
            noMatch={{ title: t('empty.filtered.title'), hint: t('empty.filtered.hint') }}
            none={{
              title: t('empty.none.title'),
              hint: t('empty.none.hint'),
              action: <LinkButton to="/subscriptions/new">{t('new')}</LinkButton>,
            }}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}
