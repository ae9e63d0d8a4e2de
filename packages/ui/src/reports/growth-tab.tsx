import { growthCsv } from '@atrium/core/reports/report-csv'
import { monthly } from '@atrium/core/reports/report-figures'
import type { GrowthMonth, Movement } from '@atrium/core/reports/reports'
import { Button, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { lazy, useState } from 'react'
import { ChartFigure } from '../charts/figure.tsx'
import {
  formatCount,
  formatMoney,
  formatMoneyShort,
  formatMonth,
  formatRatio,
  inSentence,
} from '../format.ts'
import { translations } from '../messages.ts'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { FigureButton } from './figure-button.tsx'
import { movementName, percent } from './labels.ts'
import { ReportPanel } from './report-panel.tsx'
import classes from './reports.module.css'
import type { FigureQuery, ReportSource } from './source.ts'

const t = translations('ui.reports')

const LineChart = lazy(() => import('../charts/line-chart.tsx'))
const StackedBars = lazy(() => import('../charts/stacked-bars.tsx'))

interface Props {
  source: ReportSource
  from: string | undefined
  currency: string | undefined
  onAsk: (figureQuery: FigureQuery) => void
  fileName: string
}

const height = 260

/**
 * What recurring revenue began and ended each month with, and what moved it: drawn, and exactly,
 * per currency.
 */
export function GrowthTab({ source, from, currency, onAsk, fileName }: Props) {
  const growth = source.useGrowth({ from })
  return (
    <ReportPanel
      title={t('growth.title')}
      description={t('growth.description')}
      query={growth}
      csv={{ name: `${fileName}-growth`, of: growthCsv }}
      empty={{
        when: ({ months }) => months.length === 0,
        text: t('growth.empty'),
      }}
    >
      {({ months }) => (
        <Stack gap="xl">
          {[...Map.groupBy(months, (month) => month.currency)]
            .filter(([one]) => currency === undefined || one === currency)
            .map(([one, of]) => (
              <CurrencyGrowth key={one} currency={one} months={of} onAsk={onAsk} />
            ))}
        </Stack>
      )}
    </ReportPanel>
  )
}

const gains = () => [
  { name: 'new', label: movementName('new'), color: 'green.5' },
  { name: 'reactivation', label: movementName('reactivation'), color: 'cyan.5' },
  { name: 'expansion', label: movementName('expansion'), color: 'blue.5' },
  { name: 'switched', label: t('columns.otherCurrency'), color: 'gray.5' },
]
const losses = () => [
  { name: 'contraction', label: movementName('contraction'), color: 'yellow.4' },
  { name: 'churn', label: movementName('churn'), color: 'red.4' },
]

function CurrencyGrowth({
  currency,
  months,
  onAsk,
}: {
  currency: string
  months: readonly GrowthMonth[]
  onAsk: Props['onAsk']
}) {
  const unit = currency.toUpperCase()
  const exact = (minor: number) => formatMoney(minor, currency)
  const axis = (minor: number) => formatMoneyShort(minor, currency)
  const rows = months.map((month) => ({
    label: formatMonth(month.month),
    end: month.endMrrMinor,
    new: monthly(month.newArrMinor),
    reactivation: monthly(month.reactivationArrMinor),
    expansion: monthly(month.expansionArrMinor),
    switched: monthly(month.currencySwitchArrMinor),
    contraction: -monthly(month.contractionArrMinor),
    churn: -monthly(month.churnArrMinor),
  }))
  const narrow = useMediaQuery('(max-width: 48em)', false)
  const [rates, setRates] = useState(false)
  const switches = months.some((month) => month.currencySwitchArrMinor !== 0)
  return (
    <Stack gap="md" component="section" aria-label={t('growth.inCurrency', { currency: unit })}>
      <ChartFigure caption={t('growth.mrrCaption', { currency: unit })} height={height}>
        <LineChart
          data={rows}
          series={[
            {
              name: 'end',
              label: t('revenue.mrrIn', { currency: unit }),
              color: 'light-dark(var(--mantine-primary-color-6), var(--mantine-primary-color-3))',
            },
          ]}
          formatValue={exact}
          formatAxis={axis}
          height={height}
        />
      </ChartFigure>
      <ChartFigure caption={t('growth.movesCaption')} height={height}>
        <StackedBars
          data={rows}
          series={[...gains().filter(({ name }) => name !== 'switched' || switches), ...losses()]}
          formatValue={exact}
          formatAxis={axis}
          height={height}
        />
      </ChartFigure>
      <ResponsiveTable
        caption={t('growth.byMonth', { currency: unit })}
        columns={narrow ? narrowColumns(onAsk) : movementColumns(onAsk, switches)}
        rows={[...months].reverse()}
        rowKey={({ month }) => month}
      />
      <Button
        variant="subtle"
        size="xs"
        style={{ alignSelf: 'start' }}
        aria-expanded={rates}
        onClick={() => setRates(!rates)}
      >
        {t(rates ? 'growth.hideRates' : 'growth.showRates', { currency: unit })}
      </Button>
      {rates && (
        <ResponsiveTable
          caption={t('growth.ratesByMonth', { currency: unit })}
          columns={rateColumns()}
          rows={[...months].reverse()}
          rowKey={({ month }) => month}
        />
      )}
    </Stack>
  )
}

const monthColumn = (): Column<GrowthMonth> => ({
  key: 'month',
  header: t('columns.month'),
  primary: true,
  cell: ({ month, partial }) => (
    <span className={classes.whole}>
      {formatMonth(month)}
      {partial && (
        <Text span inherit c="dimmed" fw={400}>
          {' '}
          {t('columns.soFar')}
        </Text>
      )}
    </span>
  ),
})

interface Moved {
  movement: Movement
  arr: number
  sign: string
}

function movedIn(month: GrowthMonth): Moved[] {
  const switched = month.currencySwitchArrMinor
  return [
    { movement: 'new', arr: month.newArrMinor, sign: '+' },
    { movement: 'reactivation', arr: month.reactivationArrMinor, sign: '+' },
    { movement: 'expansion', arr: month.expansionArrMinor, sign: '+' },
    { movement: 'contraction', arr: month.contractionArrMinor, sign: '−' },
    { movement: 'churn', arr: month.churnArrMinor, sign: '−' },
    switched < 0
      ? { movement: 'switch_out', arr: -switched, sign: '−' }
      : { movement: 'switch_in', arr: switched, sign: '+' },
  ]
}

function MovedFigure({
  month,
  moved,
  onAsk,
}: {
  month: GrowthMonth
  moved: Moved
  onAsk: Props['onAsk']
}) {
  const { movement, arr, sign } = moved
  return (
    <FigureButton
      label={t('growth.show', {
        movement: inSentence(movementName(movement)),
        month: formatMonth(month.month),
      })}
      figureQuery={{ report: 'growth', month: month.month, currency: month.currency, movement }}
      onAsk={onAsk}
    >
      {sign}
      {formatMoney(monthly(arr), month.currency)}
    </FigureButton>
  )
}

const endColumn = (): Column<GrowthMonth> => ({
  key: 'end',
  header: t('columns.end'),
  align: 'end',
  cell: (month) => (
    <Text span inherit fw={600}>
      {formatMoney(month.endMrrMinor, month.currency)}
    </Text>
  ),
})
const tenantsColumn = (): Column<GrowthMonth> => ({
  key: 'tenants',
  header: t('columns.tenants'),
  align: 'end',
  cell: ({ endTenants }) => formatCount(endTenants),
})

function movementColumns(onAsk: Props['onAsk'], switches: boolean): Column<GrowthMonth>[] {
  const names = [...gains(), ...losses()].filter(({ name }) => name !== 'switched' || switches)
  return [
    monthColumn(),
    ...names.map(
      ({ name, label }): Column<GrowthMonth> => ({
        key: name,
        header: label,
        align: 'end',
        cell: (month) => {
          const moved = movedIn(month).find(({ movement }) =>
            name === 'switched' ? movement.startsWith('switch') : movement === name,
          )
          return moved && moved.arr !== 0 ? (
            <MovedFigure month={month} moved={moved} onAsk={onAsk} />
          ) : (
            '–'
          )
        },
      }),
    ),
    endColumn(),
    tenantsColumn(),
  ]
}

/** On a phone a month says only what moved. */
function narrowColumns(onAsk: Props['onAsk']): Column<GrowthMonth>[] {
  return [
    monthColumn(),
    {
      key: 'moved',
      header: t('columns.moved'),
      cell: (month) => {
        const moved = movedIn(month).filter(({ arr }) => arr !== 0)
        if (moved.length === 0) return t('columns.nothing')
        return moved.map((one) => (
          <div key={one.movement}>
            {movementName(one.movement)} <MovedFigure month={month} moved={one} onAsk={onAsk} />
          </div>
        ))
      },
    },
    endColumn(),
    tenantsColumn(),
  ]
}

const rateColumns = (): readonly Column<GrowthMonth>[] => [
  monthColumn(),
  {
    key: 'growth',
    header: t('columns.growth'),
    align: 'end',
    cell: ({ rates }) => percent(rates.growth),
  },
  {
    key: 'lost',
    header: t('columns.tenantsLost'),
    align: 'end',
    cell: ({ churnedTenants, rates }) =>
      t('countWithShare', {
        count: formatCount(churnedTenants),
        share: percent(rates.customerChurn),
      }),
  },
  {
    key: 'gross',
    header: t('columns.grossChurn'),
    align: 'end',
    cell: ({ rates }) => percent(rates.grossChurn),
  },
  {
    key: 'retention',
    header: t('columns.netRetention'),
    align: 'end',
    cell: ({ rates }) => percent(rates.netRetention),
  },
  {
    key: 'quick',
    header: t('columns.quickRatio'),
    align: 'end',
    cell: ({ rates }) => (rates.quickRatio === null ? '–' : formatRatio(rates.quickRatio)),
  },
  {
    key: 'arpa',
    header: t('columns.perTenant'),
    align: 'end',
    cell: ({ rates, currency }) => money(rates.arpaMinor, currency),
  },
  {
    key: 'ltv',
    header: t('columns.lifetimeValue'),
    align: 'end',
    cell: ({ rates, currency }) => money(rates.ltvMinor, currency),
  },
]

function money(minor: number | null, currency: string): string {
  return minor === null ? '–' : formatMoney(minor, currency)
}
