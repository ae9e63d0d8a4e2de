import {
  growthRates,
  type Movements,
  monthAfter,
  monthly,
  monthsFromTo,
  unexplained,
} from '@atrium/core/reports/report-figures'
import {
  type GrowthMonth,
  type GrowthQuery,
  type GrowthReport,
  longestGrowth,
} from '@atrium/core/reports/reports'
import { type BalanceRow, type MovementRow, readGrowth } from '@atrium/db/reports/reports'
import type { Services } from '../rpc/services.ts'
import { monthsOf } from './months.ts'
import { readReport } from './read.ts'

/** Months before the first one that its lifetime value looks back to. */
const lookBack = 2

/**
 * Recurring revenue at the start and end of each month, and its movements. Balances and movements
 * are stored separately: a month in which they do not agree is a bug (500), logged and counted, and
 * never shown.
 */
export async function getGrowth(
  services: Services,
  scope: string,
  input: GrowthQuery,
): Promise<GrowthReport> {
  const { from, to, current } = monthsOf(services, input, { usual: 12, most: longestGrowth })
  const requested = { from: monthAfter(from, -lookBack), after: monthAfter(to, 1) }
  const { balances, movements, moment } = await readReport(services, (run) =>
    readGrowth(run, scope, services.clock.now(), requested),
  )
  const all = toMovements(monthsFromTo(requested.from, requested.after), balances, movements)
  const wrong = all
    .flat()
    .find((month) => month && isWithinLimits(month) && unexplained(month) !== 0)
  if (wrong) {
    services.metrics.reportFaults.inc()
    throw new Error(
      `the movements of ${wrong.month} in ${wrong.currency} leave ${unexplained(wrong)} unexplained (scope ${scope})`,
    )
  }
  const shown = all.filter(
    (months) =>
      input.currency === undefined || months.some((month) => month?.currency === input.currency),
  )
  const length = shown[0]?.length ?? 0
  const months: GrowthMonth[] = []
  for (let n = lookBack; n < length; n++)
    for (const ofCurrency of shown) addMonth(months, ofCurrency, n, current)
  return { asOf: moment.toISOString(), months }
}

/** Whether every figure is exact. A figure beyond 2^53 is shown as that, and cannot add up. */
function isWithinLimits(month: Movements): boolean {
  return Object.values(month).every(
    (figure) => typeof figure !== 'number' || Math.abs(figure) < Number.MAX_SAFE_INTEGER,
  )
}

/**
 * One entry per currency, by name, and month: the movements, or nothing where no one paid and
 * nothing moved.
 */
function toMovements(
  months: readonly string[],
  balances: readonly BalanceRow[],
  moved: readonly MovementRow[],
): (Movements | undefined)[][] {
  const placeOf = new Map(months.map((month, n) => [month, n]))
  const found = new Map<
    string,
    { balances: (BalanceRow | undefined)[]; moved: (MovementRow | undefined)[] }
  >()
  const ofCurrency = (currency: string) => {
    const known = found.get(currency)
    if (known) return known
    const fresh = { balances: months.map(() => undefined), moved: months.map(() => undefined) }
    found.set(currency, fresh)
    return fresh
  }
  const put = <Row extends { month: string }>(into: (Row | undefined)[], row: Row) => {
    const place = placeOf.get(row.month)
    if (place !== undefined) into[place] = row
  }
  for (const row of balances) put(ofCurrency(row.currency).balances, row)
  for (const row of moved) put(ofCurrency(row.currency).moved, row)
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, rows]) =>
      months
        .slice(0, -1)
        .map((month, n) =>
          toMonthOf(month, currency, rows.moved[n], rows.balances[n], rows.balances[n + 1]),
        ),
    )
}

function toMonthOf(
  month: string,
  currency: string,
  row: MovementRow | undefined,
  start: BalanceRow | undefined,
  end: BalanceRow | undefined,
): Movements | undefined {
  if (!row && !start?.arr && !end?.arr) return undefined
  return {
    month,
    currency,
    startArrMinor: start?.arr ?? 0,
    newArrMinor: row?.new_arr ?? 0,
    reactivationArrMinor: row?.reactivation_arr ?? 0,
    expansionArrMinor: row?.expansion_arr ?? 0,
    contractionArrMinor: row?.contraction_arr ?? 0,
    churnArrMinor: row?.churn_arr ?? 0,
    pausedChurnArrMinor: row?.paused_churn_arr ?? 0,
    currencySwitchArrMinor: row?.switch_arr ?? 0,
    endArrMinor: end?.arr ?? 0,
    startTenants: start?.tenants ?? 0,
    newTenants: row?.new_tenants ?? 0,
    reactivatedTenants: row?.reactivated_tenants ?? 0,
    churnedTenants: row?.churned_tenants ?? 0,
    endTenants: end?.tenants ?? 0,
  }
}

function addMonth(
  to: GrowthMonth[],
  ofCurrency: readonly (Movements | undefined)[],
  n: number,
  current: string,
): void {
  const month = ofCurrency[n]
  if (!month) return
  const trailing = ofCurrency.slice(n - lookBack, n + 1).filter((one) => one !== undefined)
  to.push({
    ...month,
    partial: month.month === current,
    startMrrMinor: monthly(month.startArrMinor),
    endMrrMinor: monthly(month.endArrMinor),
    rates: growthRates(month, trailing),
  })
}
