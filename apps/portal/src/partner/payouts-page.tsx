import { type PartnerPayoutView, payoutStatus, payoutStatuses } from '@atrium/core/billing/payouts'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { formatDay } from '@atrium/ui/format'
import { Amount } from '@atrium/ui/ledger-table'
import { LinkAnchor, LinkButton } from '@atrium/ui/links'
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
      ...links.partnerPayouts({ ...search, trail: undefined, ...change }),
      replace: true,
      resetScroll: false,
    })
  if (!allowed) return <NoPartnerAccess />
  return (
    <>
      <PageHeader
        title="Payouts"
        tabTitle={`Payouts to ${partner.name}`}
        description="Made on the first of each month from what is available, or when an owner asks for one."
        actions={
          <LinkButton {...links.partnerBilling()} variant="default">
            See the balance
          </LinkButton>
        }
      />
      <FilterBar label="Filter payouts">
        <NativeSelect
          label="Status"
          value={search.status ?? ''}
          data={[
            { value: '', label: 'Any' },
            ...payoutStatuses.map((value) => ({ value, label: payoutMeta(value).label })),
          ]}
          onChange={(event) =>
            go({ status: payoutStatus.safeParse(event.currentTarget.value).data })
          }
        />
      </FilterBar>
      {query.isPending ? (
        <LoadingRows label="Loading payouts" />
      ) : query.isError ? (
        <ErrorState
          title="The payouts could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : query.data.items.length === 0 ? (
        <EmptyState
          icon={<IconCashBanknote size={32} stroke={1.5} aria-hidden />}
          title={search.status ? 'No payout has this status' : 'No payouts yet'}
          action={
            search.status && (
              <Button variant="default" onClick={() => go({ status: undefined })}>
                Clear filters
              </Button>
            )
          }
        >
          {search.status
            ? 'Choose another status.'
            : 'The first one is made when enough of what you earned is available.'}
        </EmptyState>
      ) : (
        <>
          <ResponsiveTable
            caption={`Payouts to ${partner.name}`}
            columns={columnsFor(search)}
            rows={query.data.items}
            rowKey={({ id }) => id}
            stale={query.isPlaceholderData}
          />
          <Pager
            label="Pages of payouts"
            trail={search.trail}
            nextCursor={query.data.nextCursor}
            onChange={(trail) => go({ trail })}
          />
        </>
      )}
      <Suspense>
        {search.payout && (
          <PayoutDrawer
            key={search.payout}
            id={search.payout}
            onClose={() => go({ trail: search.trail, payout: undefined })}
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
      header: 'Payout',
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
          {statementNumber ?? `Until ${formatDay(periodTo)}`}
        </LinkAnchor>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      cell: ({ status }) => <StatusBadge {...payoutMeta(status)} />,
    },
    {
      key: 'made',
      header: 'Made',
      cell: ({ createdAt, requested }) =>
        `${formatDay(createdAt)}, ${requested ? 'asked for' : 'monthly run'}`,
    },
    { key: 'paid', header: 'Paid', cell: ({ paidAt }) => (paidAt ? formatDay(paidAt) : '–') },
    {
      key: 'amount',
      header: 'Amount',
      align: 'end',
      cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} />,
    },
  ]
}
