import { payoutStatuses } from '@atrium/core/billing/payouts'
import { NoRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { IconCashBanknote } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { PageTabs } from '../parts/page-tabs.tsx'
import { useTRPC } from '../trpc.ts'
import { AdjustmentsTab } from './adjustments-tab.tsx'
import { CreateAdjustment } from './create-adjustment.tsx'
import { payoutColumns } from './payout-columns.tsx'
import { type PayoutsSearch, payoutsQuery } from './search.ts'

const t = translations('operator.payouts')

const route = getRouteApi('/authenticated/payouts')

export const Route = createLazyRoute('/authenticated/payouts')({ component: PayoutsPage })

function PayoutsPage() {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={<CreateAdjustment />}
      />
      <PageTabs
        label={t('tabs.label')}
        open={tab}
        onChange={(name) => void navigate({ search: { tab: name } })}
        tabs={[
          { name: 'payouts', label: t('tabs.payouts'), content: <PayoutList /> },
          { name: 'adjustments', label: t('tabs.adjustments'), content: <AdjustmentsTab /> },
        ]}
      />
    </>
  )
}

const statusChoices = () =>
  payoutStatuses.map((value) => ({ value, label: payoutMeta(value).label }))

function PayoutList() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const payouts = useQuery(
    useTRPC().payouts.list.queryOptions(payoutsQuery(search), {
      placeholderData: keepPreviousData,
    }),
  )
  const filtered = countFilters(search) > 0 || search.cursors !== undefined
  const narrow = (change: Partial<PayoutsSearch>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  return (
    <>
      <FilterBar
        label={t('filter')}
        onClear={countFilters(search) > 0 && (() => void navigate({ search: {} }))}
      >
        <DebouncedInput
          label={t('columns.partner')}
          placeholder={t('partnerPlaceholder')}
          value={search.partnerSlug}
          onChange={(partnerSlug) => narrow({ partnerSlug })}
        />
        <ChoiceFilter
          label={t('columns.status')}
          value={search.status}
          choices={statusChoices()}
          onChange={(status) => narrow({ status })}
        />
      </FilterBar>
      <PagedTable
        of={t('items')}
        found={payouts}
        columns={payoutColumns()}
        rowKey={(payout) => payout.id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        empty={
          <NoRows
            icon={<IconCashBanknote size={32} stroke={1.5} aria-hidden />}
            filtered={filtered}
            noMatch={{ title: t('noMatch.title'), hint: t('noMatch.hint') }}
            none={{ title: t('empty.title'), hint: t('empty.hint') }}
            onClear={() => void navigate({ search: {} })}
          />
        }
      />
    </>
  )
}
