import { invoiceDisplayStatuses } from '@atrium/core/platform/choices'
import { NoRows } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { invoiceMeta } from '@atrium/ui/invoice-status-meta'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { Panel } from '@atrium/ui/panel'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { countFilters, narrowedBy } from '@atrium/ui/search-params'
import { Button, Stack } from '@mantine/core'
import { IconDownload, IconFileInvoice } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { PageTabs } from '../parts/page-tabs.tsx'
import { useTRPC } from '../trpc.ts'
import { CorrectionsTab } from './corrections-tab.tsx'
import { invoiceColumns, totalColumns } from './invoice-columns.tsx'
import { exportAddress, type InvoicesSearch, invoiceFilters, invoicesQuery } from './search.ts'

const t = translations('operator.invoices')

const route = getRouteApi('/authenticated/invoices')

export const Route = createLazyRoute('/authenticated/invoices')({ component: InvoicesPage })

function InvoicesPage() {
  const search = route.useSearch()
  const { tab } = search
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          tab !== 'corrections' && (
            <Button
              component="a"
              href={exportAddress(search)}
              download
              variant="default"
              leftSection={<IconDownload size={17} aria-hidden />}
            >
              {t('export')}
            </Button>
          )
        }
      />
      <PageTabs
        label={t('tabs.label')}
        open={tab}
        onChange={(name) => void navigate({ search: { tab: name } })}
        tabs={[
          { name: 'invoices', label: t('tabs.invoices'), content: <InvoiceList /> },
          { name: 'corrections', label: t('tabs.corrections'), content: <CorrectionsTab /> },
        ]}
      />
    </>
  )
}

const statusChoices = () =>
  invoiceDisplayStatuses
    .filter((status) => status !== 'draft')
    .map((value) => ({ value, label: invoiceMeta(value).label }))

function InvoiceList() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const invoices = useQuery(
    useTRPC().operatorInvoices.list.queryOptions(invoicesQuery(search), {
      placeholderData: keepPreviousData,
    }),
  )
  const narrow = (change: Partial<InvoicesSearch>) =>
    void navigate({ search: narrowedBy(change), replace: true })
  const clear = () => void navigate({ search: {} })
  const filtered = countFilters(search) > 0
  return (
    <Stack gap="lg">
      <FilterBar label={t('filters.label')} onClear={filtered && clear}>
        <DebouncedInput
          label={t('filters.number')}
          value={search.number}
          onChange={(number) => narrow({ number })}
        />
        <DebouncedInput
          label={t('filters.tenant')}
          placeholder={t('filters.slug')}
          value={search.tenantSlug}
          onChange={(tenantSlug) => narrow({ tenantSlug })}
        />
        <DebouncedInput
          label={t('filters.partner')}
          placeholder={t('filters.slug')}
          value={search.partnerSlug}
          onChange={(partnerSlug) => narrow({ partnerSlug })}
        />
        <ChoiceFilter
          label={t('columns.status')}
          value={search.status}
          choices={statusChoices()}
          onChange={(status) => narrow({ status })}
        />
        <DebouncedInput
          label={t('totals.currency')}
          placeholder="EUR"
          maxLength={3}
          value={search.currency}
          onChange={(currency) => narrow({ currency: currency?.toLowerCase() })}
        />
        <DebouncedInput
          label={t('filters.from')}
          type="date"
          value={search.from}
          onChange={(from) => narrow({ from })}
        />
        <DebouncedInput
          label={t('filters.to')}
          type="date"
          value={search.to}
          onChange={(to) => narrow({ to })}
        />
      </FilterBar>
      <Totals search={search} />
      <PagedTable
        of={t('items')}
        found={invoices}
        columns={invoiceColumns()}
        rowKey={({ id }) => id}
        cursors={search.cursors}
        onCursorHistory={(cursors) =>
          void navigate({ search: (before) => ({ ...before, cursors }) })
        }
        empty={
          <NoRows
            icon={<IconFileInvoice size={32} stroke={1.5} aria-hidden />}
            filtered={filtered}
            noMatch={{ title: t('noMatch.title'), hint: t('noMatch.hint') }}
            none={{ title: t('empty.title'), hint: t('empty.hint') }}
            onClear={clear}
          />
        }
      />
    </Stack>
  )
}

function Totals({ search }: { search: InvoicesSearch }) {
  const totals = useQuery(
    useTRPC().operatorInvoices.totals.queryOptions(invoiceFilters(search), {
      placeholderData: keepPreviousData,
    }),
  )
  if (!totals.data || totals.data.currencies.length === 0) return null
  return (
    <Panel title={t('totals.title')} description={t('totals.description')}>
      <ResponsiveTable
        caption={t('totals.title')}
        columns={totalColumns()}
        rows={totals.data.currencies}
        rowKey={({ currency }) => currency}
        stale={totals.isPlaceholderData}
      />
    </Panel>
  )
}
