import { Button, NativeSelect, Tabs, TextInput } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { FilterBar } from '../filter-bar.tsx'
import { formatMonth } from '../format.ts'
import { translations } from '../messages.ts'
import { ChurnTab, InvoicedTab, RetentionTab } from './cohort-tabs.tsx'
import { readFigureQuery, writeFigureQuery } from './figure-query.ts'
import { GrowthTab } from './growth-tab.tsx'
import { RevenueTab } from './revenue-tab.tsx'
import { type ReportsSearch, type ReportTab, reportTabs } from './search.ts'
import type { FigureQuery, ReportSource } from './source.ts'

const t = translations('ui.reports')

const RowsDrawer = lazy(() => import('./rows-drawer.tsx'))

interface Props {
  source: ReportSource
  search: ReportsSearch
  onSearch: (change: Partial<ReportsSearch>) => void
  /** Currencies to choose from. */
  currencies: readonly string[]
  topTitle: string
  nameOf: (tenant: { slug: string; name: string }) => ReactNode
  fileName: string
  forPartner?: boolean
}

/**
 * Every report of a source in tabs, with what they are asked for, and the tenants behind a figure.
 */
export function ReportsView({
  source,
  search,
  onSearch,
  currencies,
  topTitle,
  nameOf,
  fileName,
  forPartner = false,
}: Props) {
  const tab = search.tab ?? 'revenue'
  const figureQuery = readFigureQuery(search.rows, search.asOf)
  const shared = {
    source,
    fileName,
    onAsk: (figure: FigureQuery) => onSearch({ rows: writeFigureQuery(figure) }),
  }
  return (
    <>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) =>
          onSearch({ tab: reportTabs.find((one) => one === value), rows: undefined })
        }
      >
        <Tabs.List mb="md">
          {reportTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`tabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Filters tab={tab} search={search} currencies={currencies} onSearch={onSearch} />
        <Tabs.Panel value="revenue">
          <RevenueTab
            {...shared}
            asOf={search.asOf}
            currency={search.currency}
            topTitle={topTitle}
            nameOf={nameOf}
          />
        </Tabs.Panel>
        <Tabs.Panel value="growth">
          <GrowthTab {...shared} from={search.from} currency={search.currency} />
        </Tabs.Panel>
        <Tabs.Panel value="retention">
          <RetentionTab {...shared} forPartner={forPartner} />
        </Tabs.Panel>
        <Tabs.Panel value="churn">
          <ChurnTab {...shared} forPartner={forPartner} />
        </Tabs.Panel>
        <Tabs.Panel value="invoiced">
          <InvoicedTab {...shared} />
        </Tabs.Panel>
      </Tabs>
      <Suspense>
        {figureQuery && (
          <RowsDrawer
            key={search.rows}
            source={source}
            figureQuery={figureQuery}
            nameOf={nameOf}
            onClose={() => onSearch({ rows: undefined })}
          />
        )}
      </Suspense>
    </>
  )
}

type FilterProps = Pick<Props, 'search' | 'onSearch' | 'currencies'> & { tab: ReportTab }

function Filters({ tab, search, currencies, onSearch }: FilterProps) {
  if (tab !== 'revenue' && tab !== 'growth') return null
  const today = new Date().toISOString().slice(0, 10)
  return (
    <FilterBar label={t('filters.title')}>
      {tab === 'revenue' ? (
        <TextInput
          label={t('filters.atEndOf')}
          type="date"
          max={today}
          value={search.asOf ?? ''}
          onChange={(event) => onSearch({ asOf: event.currentTarget.value || undefined })}
        />
      ) : (
        <NativeSelect
          label={t('filters.from')}
          value={search.from ?? ''}
          data={[{ value: '', label: t('filters.lastYear') }, ...firstMonths(today)]}
          onChange={(event) => onSearch({ from: event.currentTarget.value || undefined })}
        />
      )}
      {currencies.length > 1 && (
        <NativeSelect
          label={t('filters.currency')}
          value={search.currency ?? ''}
          data={[
            { value: '', label: t('filters.eachCurrency') },
            ...currencies.map((value) => ({ value, label: value.toUpperCase() })),
          ]}
          onChange={(event) => onSearch({ currency: event.currentTarget.value || undefined })}
        />
      )}
      {(search.asOf || search.from || search.currency) && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => onSearch({ asOf: undefined, from: undefined, currency: undefined })}
        >
          {t(tab === 'revenue' ? 'filters.backToNow' : 'filters.clear')}
        </Button>
      )}
    </FilterBar>
  )
}

/** Januaries and Julys of the last four years: where a longer view may begin. */
function firstMonths(today: string): { value: string; label: string }[] {
  const year = Number(today.slice(0, 4))
  return Array.from(
    { length: 8 },
    (_, half) => `${year - Math.floor(half / 2)}-${half % 2 === 0 ? '07' : '01'}`,
  )
    .filter((month) => month <= today)
    .map((value) => ({ value, label: formatMonth(value) }))
}
