import { ledgerEntryType, ledgerEntryTypes } from '@atrium/core/billing/payouts'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LedgerTable } from '@atrium/ui/ledger-table'
import { Pager } from '@atrium/ui/pager'
import { Panel } from '@atrium/ui/panel'
import { ledgerEntryName } from '@atrium/ui/payout-status-meta'
import { Button, NativeSelect } from '@mantine/core'
import { IconListDetails } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'
import { type LedgerSearch, ledgerQuery, readLedgerSearch } from './money-search.ts'
import { usePartner } from './use-partner.ts'

/** Every entry, newest first. */
export function LedgerPanel({ currencies }: { currencies: readonly string[] }) {
  const partner = usePartner()
  const router = useRouter()
  const search = readLedgerSearch(useSearch({ strict: false }))
  const query = useQuery(
    useTRPC().payouts.ledger.queryOptions(ledgerQuery(partner.slug, search), {
      placeholderData: keepPreviousData,
    }),
  )
  const go = (change: Partial<LedgerSearch>) =>
    void router.navigate({
      ...links.partnerBilling({ ...search, trail: undefined, ...change }),
      replace: true,
      resetScroll: false,
    })
  const filtered = search.currency !== undefined || search.type !== undefined
  return (
    <Panel
      title="Ledger"
      description="Every cent with the invoice that it comes from and the statement that pays it."
    >
      <FilterBar label="Filter the ledger">
        <NativeSelect
          label="Entry"
          value={search.type ?? ''}
          data={[
            { value: '', label: 'Any' },
            ...ledgerEntryTypes.map((value) => ({ value, label: ledgerEntryName(value) })),
          ]}
          onChange={(event) =>
            go({ type: ledgerEntryType.safeParse(event.currentTarget.value).data })
          }
        />
        {currencies.length > 1 && (
          <NativeSelect
            label="Currency"
            value={search.currency ?? ''}
            data={[
              { value: '', label: 'Any' },
              ...currencies.map((value) => ({ value, label: value.toUpperCase() })),
            ]}
            onChange={(event) => go({ currency: event.currentTarget.value || undefined })}
          />
        )}
      </FilterBar>
      {query.isPending ? (
        <LoadingRows label="Loading the ledger" />
      ) : query.isError ? (
        <ErrorState
          title="The ledger could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : query.data.items.length === 0 ? (
        <EmptyState
          icon={<IconListDetails size={32} stroke={1.5} aria-hidden />}
          title={filtered ? 'No entry fits these filters' : 'Nothing earned yet'}
          action={
            filtered && (
              <Button
                variant="default"
                onClick={() => go({ currency: undefined, type: undefined })}
              >
                Clear filters
              </Button>
            )
          }
        >
          {filtered
            ? 'Choose another kind of entry.'
            : 'Your share appears here when a customer of yours has paid an invoice.'}
        </EmptyState>
      ) : (
        <>
          <LedgerTable
            caption={`Ledger of ${partner.name}`}
            entries={query.data.items}
            withPayout
            stale={query.isPlaceholderData}
          />
          <Pager
            label="Pages of the ledger"
            trail={search.trail}
            nextCursor={query.data.nextCursor}
            onChange={(trail) => go({ trail })}
          />
        </>
      )}
    </Panel>
  )
}
