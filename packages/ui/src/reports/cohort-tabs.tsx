import {
  churnCohortsCsv,
  invoicedCsv,
  partnerChurnCohortsCsv,
  partnerSignupCohortsCsv,
  signupCohortsCsv,
} from '@atrium/core/reports/report-csv'
import { ratio } from '@atrium/core/reports/report-figures'
import type { ChurnMonth, InvoicedRevenue, SignupCohort } from '@atrium/core/reports/reports'
import { NativeSelect, Stack, Text } from '@mantine/core'
import { type CSSProperties, useState } from 'react'
import { formatCount, formatMoney, formatMonth } from '../format.ts'
import { translations } from '../messages.ts'
import { type Column, ResponsiveTable } from '../responsive-table.tsx'
import { FigureButton } from './figure-button.tsx'
import { percent, reasonName } from './labels.ts'
import { ReportPanel } from './report-panel.tsx'
import classes from './reports.module.css'
import type { FigureQuery, ReportSource } from './source.ts'

const t = translations('ui.reports')

interface Props {
  source: ReportSource
  onAsk: (figureQuery: FigureQuery) => void
  fileName: string
  /** Partners' exports do not contain cohorts that are too small. */
  forPartner: boolean
}

/** Tenants by the month in which they paid for the first time, and what was left of them. */
export function RetentionTab({ source, onAsk, fileName, forPartner }: Props) {
  const signups = source.useSignups()
  const [measure, setMeasure] = useState('tenants')
  return (
    <ReportPanel
      title={t('retention.title')}
      description={t('retention.description')}
      query={signups}
      csv={{
        name: `${fileName}-signup-cohorts`,
        of: forPartner ? partnerSignupCohortsCsv : signupCohortsCsv,
      }}
      empty={{
        when: ({ cohorts }) => cohorts.length === 0,
        text: t('retention.empty'),
      }}
    >
      {({ cohorts }) => {
        const currencies = [
          ...new Set(cohorts.flatMap((cohort) => cohort.money.map(({ currency }) => currency))),
        ].sort()
        const choices = [
          { value: 'tenants', label: t('retention.tenants') },
          ...currencies.map((value) => ({
            value,
            label: t('retention.revenueIn', { currency: value.toUpperCase() }),
          })),
        ]
        return (
          <Stack gap="md">
            <NativeSelect
              label={t('retention.shown')}
              maw={240}
              data={choices}
              value={measure}
              onChange={(event) => setMeasure(event.currentTarget.value)}
            />
            <CohortTable cohorts={cohorts} measure={measure} onAsk={onAsk} />
          </Stack>
        )
      }}
    </ReportPanel>
  )
}

function CohortTable({
  cohorts,
  measure,
  onAsk,
}: {
  cohorts: readonly SignupCohort[]
  measure: string
  onAsk: Props['onAsk']
}) {
  const width = Math.max(...cohorts.map(({ active }) => active.length))
  const valuesOf = (cohort: SignupCohort) =>
    measure === 'tenants'
      ? cohort.active
      : (cohort.money.find(({ currency }) => currency === measure)?.mrrMinor ?? [])
  const shown = cohorts.filter((cohort) => valuesOf(cohort).some((value) => value !== 0))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it
    <section className={classes.scroll} tabIndex={0} aria-label={t('retention.scrolls')}>
      <table className={classes.cohorts}>
        <caption hidden>{t('retention.caption')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('retention.firstPaid')}</th>
            <th scope="col">{t('columns.tenants')}</th>
            {Array.from({ length: width }, (_, n) => (
              <th key={n} scope="col">
                +{n}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((cohort) => {
            const values = valuesOf(cohort)
            const first =
              measure === 'tenants' ? cohort.size : (values.find((value) => value > 0) ?? 0)
            return (
              <tr key={cohort.month}>
                <th scope="row">{formatMonth(cohort.month)}</th>
                <td>
                  <FigureButton
                    label={t('retention.show', { month: formatMonth(cohort.month) })}
                    figureQuery={{
                      report: 'signups',
                      month: cohort.month,
                      n: Math.max(0, cohort.active.length - 1),
                    }}
                    onAsk={onAsk}
                  >
                    {formatCount(cohort.size)}
                  </FigureButton>
                </td>
                {values.map((value, n) => {
                  const kept = ratio(value, first)
                  return (
                    <td
                      key={n}
                      className={classes.cell}
                      data-partial={(cohort.partial && n === values.length - 1) || undefined}
                      style={{ '--heat': Math.min(1, Math.max(0, kept ?? 0)) } as CSSProperties}
                      title={
                        measure === 'tenants'
                          ? t('retention.ofFirst', {
                              count: formatCount(value),
                              first: formatCount(first),
                            })
                          : formatMoney(value, measure)
                      }
                    >
                      {percent(kept === null ? null : Math.round(kept * 100) / 100)}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Who left in each month, after how long and why. */
export function ChurnTab({ source, onAsk, fileName, forPartner }: Props) {
  const churn = source.useChurn()
  return (
    <ReportPanel
      title={t('churn.title')}
      description={t('churn.description')}
      query={churn}
      csv={{
        name: `${fileName}-churn-cohorts`,
        of: forPartner ? partnerChurnCohortsCsv : churnCohortsCsv,
      }}
      empty={{
        when: ({ months }) => months.every(({ tenants }) => tenants === 0),
        text: t('churn.empty'),
      }}
    >
      {({ months }) => (
        <ResponsiveTable
          caption={t('churn.title')}
          columns={churnColumns(onAsk)}
          rows={months.filter(({ tenants, partial }) => tenants > 0 || partial).reverse()}
          rowKey={({ month }) => month}
        />
      )}
    </ReportPanel>
  )
}

function churnColumns(onAsk: Props['onAsk']): Column<ChurnMonth>[] {
  return [
    {
      key: 'month',
      header: t('columns.month'),
      primary: true,
      cell: ({ month, partial }) =>
        partial ? t('columns.monthSoFar', { month: formatMonth(month) }) : formatMonth(month),
    },
    {
      key: 'tenants',
      header: t('columns.tenantsLost'),
      align: 'end',
      cell: ({ month, tenants }) =>
        tenants === 0 ? (
          '0'
        ) : (
          <FigureButton
            label={t('churn.show', { month: formatMonth(month) })}
            figureQuery={{ report: 'churn', month }}
            onAsk={onAsk}
          >
            {formatCount(tenants)}
          </FigureButton>
        ),
    },
    {
      key: 'money',
      header: t('columns.mrrLost'),
      align: 'end',
      cell: ({ money }) => (
        <>
          {money.map(({ currency, lostMrrMinor }) => (
            <div key={currency}>{formatMoney(lostMrrMinor, currency)}</div>
          ))}
        </>
      ),
    },
    {
      key: 'tenure',
      header: t('columns.paidFor'),
      align: 'end',
      cell: ({ averageTenureDays }) => days(averageTenureDays),
    },
    {
      key: 'reasons',
      header: t('columns.why'),
      cell: ({ month, reasons }) => (
        <Stack gap={2}>
          {reasons.map(({ reason, tenants }) => (
            <Text key={reason} size="sm" component="div">
              <FigureButton
                label={t('churn.showReason', {
                  month: formatMonth(month),
                  reason: reasonName(reason),
                })}
                figureQuery={{ report: 'churn', month, reason }}
                onAsk={onAsk}
              >
                {formatCount(tenants)}
              </FigureButton>{' '}
              {reasonName(reason)}
            </Text>
          ))}
        </Stack>
      ),
    },
  ]
}

function days(count: number | null): string {
  return count === null ? '–' : t('days', { count })
}

const invoicedAmounts = [
  ['billedMinor', 'columns.billed'],
  ['creditedMinor', 'columns.credited'],
  ['collectedMinor', 'columns.collected'],
  ['refundedMinor', 'columns.refunded'],
  ['disputedMinor', 'columns.disputed'],
  ['recognizedMinor', 'columns.recognized'],
] as const

/** What invoices did to the books, month by month. */
export function InvoicedTab({ source, fileName }: Pick<Props, 'source' | 'fileName'>) {
  const invoiced = source.useInvoiced()
  const columns: Column<InvoicedRevenue['months'][number]>[] = [
    {
      key: 'month',
      header: t('columns.month'),
      primary: true,
      cell: ({ month, partial }) =>
        partial ? t('columns.monthSoFar', { month: formatMonth(month) }) : formatMonth(month),
    },
    {
      key: 'currency',
      header: t('columns.currency'),
      cell: ({ currency }) => currency.toUpperCase(),
    },
    {
      key: 'invoices',
      header: t('columns.invoices'),
      align: 'end',
      cell: ({ invoices }) => formatCount(invoices),
    },
    ...invoicedAmounts.map(
      ([key, header]): Column<InvoicedRevenue['months'][number]> => ({
        key,
        header: t(header),
        align: 'end',
        cell: (row) => formatMoney(row[key], row.currency),
      }),
    ),
  ]
  return (
    <ReportPanel
      title={t('invoiced.title')}
      description={t('invoiced.description')}
      query={invoiced}
      csv={{ name: `${fileName}-invoiced-revenue`, of: invoicedCsv }}
      empty={{
        when: ({ months }) => months.length === 0,
        text: t('invoiced.empty'),
      }}
    >
      {({ months }) => (
        <ResponsiveTable
          caption={t('invoiced.title')}
          columns={columns}
          rows={[...months].reverse()}
          rowKey={({ month, currency }) => `${month} ${currency}`}
        />
      )}
    </ReportPanel>
  )
}
