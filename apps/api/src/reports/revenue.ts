import { billingCycle } from '@atrium/core/billing/subscriptions'
import { amountEach, monthly, ratio } from '@atrium/core/reports/report-figures'
import type {
  DataQuality,
  MrrQuery,
  MrrReport,
  RevenueByPlan,
  TopQuery,
  TopTenants,
} from '@atrium/core/reports/reports'
import { plan } from '@atrium/core/tenants/tenants'
import {
  type QualityRow,
  readMrr,
  readRevenueByPlan,
  readTop,
  type StateRow,
  type TopRow,
} from '@atrium/db/reports/reports'
import { errorTexts } from '@atrium/messages/error-texts'
import { keptHealthDays } from '../health-scores/compute.ts'
import { readerLanguage } from '../rpc/reader-language.ts'
import type { Services } from '../rpc/services.ts'
import { momentOf, readReport } from './read.ts'

/** Recurring revenue per currency at a moment. `scope` is a partner's id or `platformScope`. */
export async function getMrr(
  services: Services,
  scope: string,
  input: MrrQuery,
): Promise<MrrReport> {
  const requested = momentOf(services, input.asOf)
  const { rows, quality, moment } = await readReport(services, (run) =>
    readMrr(run, scope, requested),
  )
  return {
    asOf: moment.toISOString(),
    currencies: of(rows, input.currency).filter(holdsSomething).map(toCurrency),
    dataQuality: requested.past ? [] : quality.map(toDataQuality),
  }
}

function toCurrency(row: StateRow): MrrReport['currencies'][number] {
  const mrrMinor = monthly(row.arr)
  return {
    currency: row.currency,
    arrMinor: row.arr,
    mrrMinor,
    atRiskMrrMinor: monthly(row.at_risk_arr),
    committedMrrMinor: monthly(row.committed_arr),
    trialMrrMinor: monthly(row.trial_arr),
    pausedMrrMinor: monthly(row.paused_arr),
    payingTenants: row.tenants,
    paidSeats: row.seats,
    arpaMinor: amountEach(mrrMinor, row.tenants),
  }
}

function holdsSomething(row: StateRow): boolean {
  return row.arr !== 0 || row.trial_arr !== 0 || row.paused_arr !== 0
}

const qualityTexts = {
  suspended_paying: 'details.suspendedPaying',
  unknown_status: 'details.unknownSubscriptionState',
  drift: 'details.reportDrift',
} as const satisfies Record<QualityRow['kind'], string>

function toDataQuality({ kind, tenants, checked_at }: QualityRow): DataQuality {
  return {
    kind,
    tenants,
    detail: errorTexts(readerLanguage())(qualityTexts[kind], { count: tenants }),
    checkedAt: new Date(checked_at).toISOString(),
  }
}

/** Recurring revenue per currency, plan and cycle at a moment, the largest first. */
export async function getRevenueByPlan(
  services: Services,
  scope: string,
  input: MrrQuery,
): Promise<RevenueByPlan> {
  const requested = momentOf(services, input.asOf)
  const { rows, moment } = await readReport(services, (run) =>
    readRevenueByPlan(run, scope, requested),
  )
  const totals = new Map<string, number>()
  for (const { currency, arr } of rows) totals.set(currency, (totals.get(currency) ?? 0) + arr)
  return {
    asOf: moment.toISOString(),
    rows: of(rows, input.currency).map((row) => ({
      currency: row.currency,
      plan: plan.parse(row.plan),
      cycle: billingCycle.parse(row.cycle),
      tenants: row.tenants,
      seats: row.seats,
      arrMinor: row.arr,
      mrrMinor: monthly(row.arr),
      share: ratio(row.arr, totals.get(row.currency) ?? 0) ?? 0,
    })),
  }
}

/** The tenants that bring most, per currency. */
export async function getTopTenants(
  services: Services,
  scope: string,
  input: TopQuery,
): Promise<TopTenants> {
  const requested = momentOf(services, input.asOf)
  const healthKept =
    requested.at.getTime() > services.clock.now().getTime() - (keptHealthDays + 1) * 86_400_000
  const { rows, moment } = await readReport(services, (run) =>
    readTop(run, scope, requested, { limit: input.limit, healthKept }),
  )
  const ranked = [...Map.groupBy(of(rows, input.currency), (row) => row.currency).values()]
  return {
    asOf: moment.toISOString(),
    rows: ranked.flatMap((all) => all.slice(0, input.limit).map(toTop)),
  }
}

function toTop(row: TopRow, index: number): TopTenants['rows'][number] {
  const { currency, slug, name, partnerSlug, cycle, seats, arr, total, healthBand, since } = row
  return {
    currency,
    rank: index + 1,
    slug,
    name,
    partnerSlug,
    plan: row.plan,
    cycle,
    seats,
    arrMinor: arr,
    mrrMinor: monthly(arr),
    share: ratio(arr, total) ?? 0,
    healthBand,
    since: new Date(since).toISOString(),
  }
}

function of<Row extends { currency: string }>(
  rows: readonly Row[],
  currency: string | undefined,
): Row[] {
  return rows.filter((row) => currency === undefined || row.currency === currency)
}
