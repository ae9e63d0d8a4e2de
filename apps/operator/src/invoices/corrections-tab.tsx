import { correctionStates } from '@atrium/core/platform/choices'
import { EmptyState, ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { Pager } from '@atrium/ui/pager'
import { narrowedBy } from '@atrium/ui/search-params'
import { IconFileDiff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { CorrectionsTable } from './corrections-table.tsx'
import { correctionMeta } from './labels.ts'
import { correctionsQuery, type InvoicesSearch } from './search.ts'

const t = translations('operator.invoices')

const route = getRouteApi('/authenticated/invoices')

const stateChoices = () =>
  correctionStates.map((value) => ({ value, label: correctionMeta(value).label }))

/** Corrections of all invoices, those that wait for a second operator among them. */
export function CorrectionsTab() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const corrections = useQuery(
    useTRPC().operatorInvoices.corrections.queryOptions(correctionsQuery(search), {
      placeholderData: keepPreviousData,
    }),
  )
  const narrow = (change: Partial<InvoicesSearch>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  return (
    <>
      <FilterBar label={t('corrections.filter')}>
        <DebouncedInput
          label={t('filters.tenant')}
          placeholder={t('filters.slug')}
          value={search.tenantSlug}
          onChange={(tenantSlug) => narrow({ tenantSlug })}
        />
        <ChoiceFilter
          label={t('columns.status')}
          value={search.state}
          choices={stateChoices()}
          onChange={(state) => narrow({ state })}
        />
      </FilterBar>
      {corrections.isError ? (
        <ErrorState
          title={t('corrections.loadFailed')}
          error={corrections.error}
          onRetry={() => void corrections.refetch()}
        />
      ) : corrections.isPending ? (
        <LoadingRows label={t('corrections.loading')} rows={4} />
      ) : corrections.data.items.length === 0 ? (
        <EmptyState
          title={t('corrections.empty.title')}
          icon={<IconFileDiff size={32} stroke={1.5} aria-hidden />}
        >
          {t('corrections.empty.hint')}
        </EmptyState>
      ) : (
        <>
          <CorrectionsTable
            corrections={corrections.data.items}
            withInvoice
            stale={corrections.isPlaceholderData}
          />
          <Pager
            label={t('corrections.pages')}
            cursors={search.cursors}
            nextCursor={corrections.data.nextCursor}
            onChange={(cursors) => void navigate({ search: (before) => ({ ...before, cursors }) })}
          />
        </>
      )}
    </>
  )
}
