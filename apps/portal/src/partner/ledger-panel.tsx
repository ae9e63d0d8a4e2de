import { ledgerEntryType, ledgerEntryTypes } from '@atrium/core/billing/payouts'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { FilterBar } from '@atrium/ui/filter-bar'
import { LedgerTable } from '@atrium/ui/ledger-table'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.partner-earnings')
const frame = translations('ui.frame')

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
      ...links.partnerBilling({ ...search, cursors: undefined, ...change }),
      replace: true,
      resetScroll: false,
    })
  const filtered = search.currency !== undefined || search.type !== undefined
  return (
    <Panel title={t('ledger.title')} description={t('ledger.description')}>
      <FilterBar label={t('ledger.filters')}>
        <NativeSelect
          label={t('ledger.entry')}
          value={search.type ?? ''}
          data={[
            { value: '', label: t('ledger.any') },
            ...ledgerEntryTypes.map((value) => ({ value, label: ledgerEntryName(value) })),
          ]}
          onChange={(event) =>
            go({ type: ledgerEntryType.safeParse(event.currentTarget.value).data })
          }
        />
        {currencies.length > 1 && (
          <NativeSelect
            label={t('ledger.currency')}
            value={search.currency ?? ''}
            data={[
              { value: '', label: t('ledger.any') },
              ...currencies.map((value) => ({ value, label: value.toUpperCase() })),
            ]}
            onChange={(event) => go({ currency: event.currentTarget.value || undefined })}
          />
        )}
      </FilterBar>
      {query.isPending ? (
        <LoadingRows label={t('ledger.loading')} />
      ) : query.isError ? (
        <ErrorState
          title={t('ledger.loadFailed')}
          error={query.error}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : query.data.items.length === 0 ? (
        <EmptyState
          icon={<IconListDetails size={32} stroke={1.5} aria-hidden />}
          title={filtered ? t('ledger.noMatch.title') : t('ledger.empty.title')}
          action={
            filtered && (
              <Button
                variant="default"
                onClick={() => go({ currency: undefined, type: undefined })}
              >
                {frame('clearFilters')}
              </Button>
            )
          }
        >
          {filtered ? t('ledger.noMatch.hint') : t('ledger.empty.hint')}
        </EmptyState>
      ) : (
        <>
          <LedgerTable
            caption={t('ledger.caption', { partner: partner.name })}
            entries={query.data.items}
            withPayout
            stale={query.isPlaceholderData}
          />
          <Pager
            label={t('ledger.pages')}
            cursors={search.cursors}
            nextCursor={query.data.nextCursor}
            onChange={(cursors) => go({ cursors })}
          />
        </>
      )}
    </Panel>
  )
}
