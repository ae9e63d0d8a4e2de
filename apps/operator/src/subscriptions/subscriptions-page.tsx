import { plans } from '@atrium/core/billing/plans'
import { subscriptionSources, subscriptionStatuses } from '@atrium/core/billing/subscriptions'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { countFilters } from '@atrium/ui/search-params'
import { planName, subscriptionStatusMeta } from '@atrium/ui/subscription-status-meta'
import { Button } from '@mantine/core'
import { IconPlus, IconRepeat, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { type SubscriptionsSearch, subscriptionsQuery } from './search.ts'
import { subscriptionColumns } from './subscription-columns.tsx'

const t = translations('operator.subscriptions')
const frame = translations('ui.frame')

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
  ...{ q: undefined, status: undefined, plan: undefined, source: undefined },
  ...{ currency: undefined, tenantSlug: undefined, partnerSlug: undefined, cursors: undefined },
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
    void navigate({
      search: (before) => ({ ...before, ...change, cursors: undefined }),
      replace: true,
    })
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
      <FilterBar label={t('filters.label')}>
        <DebouncedInput
          label={t('filters.search')}
          type="search"
          placeholder={t('filters.searchPlaceholder')}
          leftSection={<IconSearch size={16} aria-hidden />}
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
        {filters > 0 && (
          <Button variant="subtle" color="gray" onClick={() => narrow(none)}>
            {frame('clearFilters')}
          </Button>
        )}
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
          <NoSubscriptions
            filtered={filters > 0 || search.cursors !== undefined}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}

function NoSubscriptions({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconRepeat size={32} stroke={1.5} aria-hidden />
  return filtered ? (
    <EmptyState
      title={t('empty.filtered.title')}
      icon={icon}
      action={
        <Button variant="default" onClick={onClear}>
          {frame('clearFilters')}
        </Button>
      }
    >
      {t('empty.filtered.hint')}
    </EmptyState>
  ) : (
    <EmptyState
      title={t('empty.none.title')}
      icon={icon}
      action={<LinkButton to="/subscriptions/new">{t('new')}</LinkButton>}
    >
      {t('empty.none.hint')}
    </EmptyState>
  )
}
