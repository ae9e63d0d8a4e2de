import { type PartnerPayoutView, payoutStatus, payoutStatuses } from '@atrium/core/billing/payouts'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { formatDay } from '@atrium/ui/format'
import { Amount } from '@atrium/ui/ledger-table'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Pager } from '@atrium/ui/pager'
import { payoutMeta } from '@atrium/ui/payout-status-meta'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, NativeSelect } from '@mantine/core'
import { IconCashBanknote } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import {
  type PartnerPayoutsSearch,
  payoutsQuery,
  readPartnerPayoutsSearch,
} from './money-search.ts'
import { NoPartnerAccess } from './partner-frame.tsx'
import { maySee, usePartner } from './use-partner.ts'

const t = translations('portal.partner-payouts')
const frame = translations('ui.frame')

const PayoutDrawer = lazy(() => import('./payout-drawer.tsx'))

/** What was paid to the partner and what is under way, each with its statement. */
export function PartnerPayoutsPage() {
  const partner = usePartner()
  const router = useRouter()
  const search = readPartnerPayoutsSearch(useSearch({ strict: false }))
  const allowed = maySee(partner, 'finance')
  const list = useTRPC().payouts.partnerList.queryOptions(payoutsQuery(partner.slug, search), {
    placeholderData: keepPreviousData,
  })
  const query = useQuery({ ...list, enabled: allowed })
  const go = (change: Partial<PartnerPayoutsSearch>) =>
    void router.navigate({
      ...links.partnerPayouts({ ...search, cursors: undefined, ...change }),
      replace: true,
      resetScroll: false,
    })
  if (!allowed) return <NoPartnerAccess />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { partner: partner.name })}
        description={t('description')}
        actions={
          <LinkButton {...links.partnerBilling()} variant="default">
            {t('balance')}
          </LinkButton>
        }
      />
      <FilterBar label={t('filters')}>
        <NativeSelect
          label={t('status')}
          value={search.status ?? ''}
          data={[
            { value: '', label: t('anyStatus') },
            ...payoutStatuses.map((value) => ({ value, label: payoutMeta(value).label })),
          ]}
          onChange={(event) =>
            go({ status: payoutStatus.safeParse(event.currentTarget.value).data })
          }
        />
      </FilterBar>
      {query.isPending ? (
        <LoadingRows label={t('loading')} />
      ) : query.isError ? (
        <ErrorState
          title={t('loadFailed')}
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : query.data.items.length === 0 ? (
        <EmptyState
          icon={<IconCashBanknote size={32} stroke={1.5} aria-hidden />}
          title={search.status ? t('noMatch.title') : t('empty.title')}
          action={
            search.status && (
              <Button variant="default" onClick={() => go({ status: undefined })}>
                {frame('clearFilters')}
              </Button>
            )
          }
        >
          {search.status ? t('noMatch.hint') : t('empty.hint')}
        </EmptyState>
      ) : (
        <>
          <ResponsiveTable
            caption={t('tabTitle', { partner: partner.name })}
            columns={columnsFor(search)}
            rows={query.data.items}
            rowKey={({ id }) => id}
            stale={query.isPlaceholderData}
          />
          <Pager
            label={t('pages')}
            cursors={search.cursors}
            nextCursor={query.data.nextCursor}
            onChange={(cursors) => go({ cursors })}
          />
        </>
      )}
      <Suspense>
        {search.payout && (
          <PayoutDrawer
            key={search.payout}
            id={search.payout}
            onClose={() => go({ cursors: search.cursors, payout: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}

function columnsFor(search: PartnerPayoutsSearch): Column<PartnerPayoutView>[] {
  return [
    {
      key: 'period',
      header: t('columns.payout'),
      primary: true,
      cell: ({ id, periodTo, statementNumber }) => (
        <LinkAnchor
          {...links.partnerPayouts({ ...search, payout: id })}
          data-row-link
          resetScroll={false}
          size="sm"
          fw={550}
          c="inherit"
          underline="hover"
        >
          {statementNumber ?? t('until', { day: formatDay(periodTo) })}
        </LinkAnchor>
      ),
    },
    {
      key: 'status',
      header: t('columns.status'),
      cell: ({ status }) => <StatusBadge {...payoutMeta(status)} />,
    },
    {
      key: 'made',
      header: t('columns.made'),
      cell: ({ createdAt, requested }) =>
        t('made', { day: formatDay(createdAt), requested: String(requested) }),
    },
    {
      key: 'paid',
      header: t('columns.paid'),
      cell: ({ paidAt }) => (paidAt ? formatDay(paidAt) : '–'),
    },
    {
      key: 'amount',
      header: t('columns.amount'),
      align: 'end',
      cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} />,
    },
  ]
}
