import { payoutStatuses } from '@atrium/core/billing/payouts'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { countFilters } from '@atrium/ui/search-params'
import { Button, Tabs } from '@mantine/core'
import { IconCashBanknote } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { AdjustmentsTab } from './adjustments-tab.tsx'
import { CreateAdjustment } from './create-adjustment.tsx'
import { payoutColumns } from './payout-columns.tsx'
import { type PayoutsSearch, payoutsQuery, payoutTabs } from './search.ts'

const t = translations('operator.payouts')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/payouts')

export const Route = createLazyRoute('/authenticated/payouts')({ component: PayoutsPage })

function PayoutsPage() {
  const { tab = 'payouts' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={<CreateAdjustment />}
      />
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: { tab: payoutTabs.find((name) => name !== 'payouts' && name === value) },
          })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label={t('tabs.label')}>
          {payoutTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="payouts">
          <PayoutList />
        </Tabs.Panel>
        <Tabs.Panel value="adjustments">
          <AdjustmentsTab />
        </Tabs.Panel>
      </Tabs>
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
    void navigate({
      search: (before) => ({ ...before, ...change, cursors: undefined }),
      replace: true,
    })
  return (
    <>
      <FilterBar label={t('filter')}>
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
        {countFilters(search) > 0 && (
          <Button variant="subtle" color="gray" onClick={() => void navigate({ search: {} })}>
            {frame('clearFilters')}
          </Button>
        )}
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
        empty={<NoPayouts filtered={filtered} onClear={() => void navigate({ search: {} })} />}
      />
    </>
  )
}

function NoPayouts({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconCashBanknote size={32} stroke={1.5} aria-hidden />
  return filtered ? (
    <EmptyState
      title={t('noMatch.title')}
      icon={icon}
      action={
        <Button variant="default" onClick={onClear}>
          {frame('clearFilters')}
        </Button>
      }
    >
      {t('noMatch.hint')}
    </EmptyState>
  ) : (
    <EmptyState title={t('empty.title')} icon={icon}>
      {t('empty.hint')}
    </EmptyState>
  )
}
