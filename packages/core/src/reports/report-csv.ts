import { csvLine } from '../audit/audit.ts'
import { ratio } from './report-figures.ts'
import {
  type ChurnCohorts,
  type GrowthReport,
  type InvoicedRevenue,
  type MrrReport,
  type RevenueByPlan,
  type SignupCohorts,
  smallestExportedCohort,
  type TopTenants,
} from './reports.ts'

/**
 * A report as CSV (RFC 4180): a header, then a line per row, with cells that no spreadsheet takes
 * for a formula. Amounts in minor units.
 */
export type ToCsv<Report> = (report: Report) => string

function table<Row>(
  columns: Readonly<Record<string, (row: Row) => unknown>>,
  rows: readonly Row[],
): string {
  return [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  ]
    .map(csvLine)
    .join('')
}

/** Columns of the same names as the fields. */
function fields<Row extends object>(
  names: readonly (keyof Row & string)[],
): Record<string, (row: Row) => unknown> {
  return Object.fromEntries(names.map((name) => [name, (row: Row) => row[name]]))
}

export const mrrCsv: ToCsv<MrrReport> = ({ asOf, currencies }) =>
  table<MrrReport['currencies'][number]>(
    {
      asOf: () => asOf,
      ...fields<MrrReport['currencies'][number]>([
        ...([
          'currency',
          'mrrMinor',
          'arrMinor',
          'atRiskMrrMinor',
          'committedMrrMinor',
          'trialMrrMinor',
          'pausedMrrMinor',
        ] as const),
        ...(['payingTenants', 'paidSeats', 'arpaMinor'] as const),
      ]),
    },
    currencies,
  )

type Growth = GrowthReport['months'][number]
const rates = [
  'customerChurn',
  'grossChurn',
  'netChurn',
  'netRetention',
  'quickRatio',
  'growth',
  'arpaMinor',
  'ltvMinor',
] as const

export const growthCsv: ToCsv<GrowthReport> = ({ months }) =>
  table<Growth>(
    {
      ...fields<Growth>([
        ...([
          'month',
          'currency',
          'partial',
          'startArrMinor',
          'newArrMinor',
          'reactivationArrMinor',
          'expansionArrMinor',
        ] as const),
        ...([
          'contractionArrMinor',
          'churnArrMinor',
          'pausedChurnArrMinor',
          'currencySwitchArrMinor',
          'endArrMinor',
        ] as const),
        ...([
          'startMrrMinor',
          'endMrrMinor',
          'startTenants',
          'newTenants',
          'reactivatedTenants',
          'churnedTenants',
          'endTenants',
        ] as const),
      ]),
      ...Object.fromEntries(rates.map((name) => [name, (month: Growth) => month.rates[name]])),
    },
    months,
  )

type PlanRow = RevenueByPlan['rows'][number]
export const revenueByPlanCsv: ToCsv<RevenueByPlan> = ({ asOf, rows }) =>
  table<PlanRow>(
    {
      asOf: () => asOf,
      ...fields<PlanRow>([
        'currency',
        'plan',
        'cycle',
        'tenants',
        'seats',
        'mrrMinor',
        'arrMinor',
        'share',
      ]),
    },
    rows,
  )

type TopRow = TopTenants['rows'][number]
export const topTenantsCsv: ToCsv<TopTenants> = ({ asOf, rows }) =>
  table<TopRow>(
    {
      asOf: () => asOf,
      ...fields<TopRow>([
        'currency',
        'rank',
        'slug',
        'name',
        'partnerSlug',
        'plan',
        'cycle',
        'seats',
        'mrrMinor',
        'arrMinor',
        'share',
      ]),
      ...fields<TopRow>(['healthBand', 'since']),
    },
    rows,
  )

/**
 * One line per cohort, month and currency; a cohort without money in any has one line with an empty
 * currency.
 */
export const signupCohortsCsv: ToCsv<SignupCohorts> = ({ cohorts }) => signupLines(cohorts)
/** Without cohorts that are too small to be taken away. */
export const partnerSignupCohortsCsv: ToCsv<SignupCohorts> = ({ cohorts }) =>
  signupLines(cohorts.filter(({ size }) => size >= smallestExportedCohort))

function signupLines(cohorts: SignupCohorts['cohorts']): string {
  const rows = cohorts.flatMap((cohort) => {
    const money = cohort.money.length > 0 ? cohort.money : [{ currency: '', mrrMinor: [] }]
    return cohort.active.flatMap((active, n) =>
      money.map(({ currency, mrrMinor }) => ({
        cohort,
        active,
        n,
        currency,
        mrrMinor: mrrMinor[n],
        first: mrrMinor[0],
      })),
    )
  })
  return table<(typeof rows)[number]>(
    {
      cohort: ({ cohort }) => cohort.month,
      size: ({ cohort }) => cohort.size,
      n: ({ n }) => n,
      partial: ({ cohort, n }) => cohort.partial && n === cohort.active.length - 1,
      active: ({ active }) => active,
      retention: ({ active, cohort }) => ratio(active, cohort.size),
      currency: ({ currency }) => currency,
      mrrMinor: ({ mrrMinor }) => mrrMinor,
      mrrRetention: ({ mrrMinor, first }) =>
        mrrMinor === undefined || first === undefined ? null : ratio(mrrMinor, first),
    },
    rows,
  )
}

/** Each month as a whole, then split by currency, then by reason. */
export const churnCohortsCsv: ToCsv<ChurnCohorts> = ({ months }) => churnLines(months)
/** Without months in which too few left. */
export const partnerChurnCohortsCsv: ToCsv<ChurnCohorts> = ({ months }) =>
  churnLines(months.filter(({ tenants }) => tenants === 0 || tenants >= smallestExportedCohort))

interface ChurnLine {
  month: ChurnCohorts['months'][number]
  split: 'all' | 'currency' | 'reason'
  of: string
  tenants: number
  lostMrrMinor: number | null
  lostArrMinor: number | null
}
function churnLines(months: ChurnCohorts['months']): string {
  const none = { lostMrrMinor: null, lostArrMinor: null }
  const rows = months.flatMap((month): ChurnLine[] => [
    { month, split: 'all', of: '', tenants: month.tenants, ...none },
    ...month.money.map(({ currency, ...lost }) => ({
      month,
      split: 'currency' as const,
      of: currency,
      ...lost,
    })),
    ...month.reasons.map(({ reason, tenants }) => ({
      month,
      split: 'reason' as const,
      of: reason,
      tenants,
      ...none,
    })),
  ])
  return table<ChurnLine>(
    {
      month: ({ month }) => month.month,
      partial: ({ month }) => month.partial,
      averageTenureDays: ({ month }) => month.averageTenureDays,
      ...fields<ChurnLine>(['split', 'of', 'tenants', 'lostMrrMinor', 'lostArrMinor']),
    },
    rows,
  )
}

type InvoicedRow = InvoicedRevenue['months'][number]
export const invoicedCsv: ToCsv<InvoicedRevenue> = ({ months }) =>
  table<InvoicedRow>(
    fields<InvoicedRow>([
      'month',
      'currency',
      'partial',
      'invoices',
      'billedMinor',
      'creditedMinor',
      'collectedMinor',
      'refundedMinor',
      'disputedMinor',
      'recognizedMinor',
    ]),
    months,
  )
