import { invoiceDisplayStatuses } from '@atrium/core/platform/choices'
import { EmptyState } from '@atrium/ui/data-states'
import { DebouncedInput } from '@atrium/ui/debounced-input'
import { FilterBar } from '@atrium/ui/filter-bar'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { PagedTable } from '@atrium/ui/paged-table'
import { Panel } from '@atrium/ui/panel'
import { ResponsiveTable } from '@atrium/ui/responsive-table'
import { countFilters } from '@atrium/ui/search-params'
import { Button, Stack, Tabs } from '@mantine/core'
import { IconDownload, IconFileInvoice } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { ChoiceFilter } from '../parts/choice-filter.tsx'
import { useTRPC } from '../trpc.ts'
import { CorrectionsTab } from './corrections-tab.tsx'
import { invoiceColumns, totalColumns } from './invoice-columns.tsx'
import { invoiceMeta } from './labels.ts'
import {
  exportAddress,
  type InvoicesSearch,
  invoiceFilters,
  invoicesQuery,
  invoiceTabs,
} from './search.ts'

const t = translations('operator.invoices')
const frame = translations('ui.frame')

const route = getRouteApi('/authenticated/invoices')

export const Route = createLazyRoute('/authenticated/invoices')({ component: InvoicesPage })

function InvoicesPage() {
  const search = route.useSearch()
  const { tab = 'invoices' } = search
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          tab === 'invoices' && (
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
      <Tabs
        value={tab}
        onChange={(value) =>
          void navigate({
            search: { tab: invoiceTabs.find((name) => name !== 'invoices' && name === value) },
          })
        }
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label={t('tabs.label')}>
          {invoiceTabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="invoices">
          <InvoiceList />
        </Tabs.Panel>
        <Tabs.Panel value="corrections">
          <CorrectionsTab />
        </Tabs.Panel>
      </Tabs>
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
    void navigate({
      search: (before) => ({ ...before, ...change, cursors: undefined }),
      replace: true,
    })
  const clear = () => void navigate({ search: {} })
  const filtered = countFilters(search) > 0
  return (
    <Stack gap="lg">
      <FilterBar label={t('filters.label')}>
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
        {filtered && (
          <Button variant="subtle" color="gray" onClick={clear}>
            {frame('clearFilters')}
          </Button>
        )}
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
        empty={<NoInvoices filtered={filtered} onClear={clear} />}
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

function NoInvoices({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const icon = <IconFileInvoice size={32} stroke={1.5} aria-hidden />
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
