import { growthRates, type Movements, monthAfter, monthly, monthsFromTo, unexplained } from '@atrium/core/report-figures'
import { type GrowthMonth, type GrowthQuery, type GrowthReport, longestGrowth } from '@atrium/core/reports'
import { type BalanceRow, type MovementRow, readGrowth } from '@atrium/db/reports'
import type { House } from '../house.ts'
import { monthsOf } from './months.ts'
import { readReport } from './read.ts'

/** Months before the first one that its lifetime value looks back to. */
const lookBack = 2

/**
 * What recurring revenue began and ended with in each month, and what moved it. The balances and the movements are kept apart from each
 * other: a month in which they do not agree is a fault of ours (500), logged and counted, and never shown.
 */
export async function getGrowth(house: House, scope: string, input: GrowthQuery): Promise<GrowthReport> {
  const { from, to, current } = monthsOf(house, input, { usual: 12, most: longestGrowth })
  const asked = { from: monthAfter(from, -lookBack), after: monthAfter(to, 1) }
  const { balances, movements, moment } = await readReport(house, (run) => readGrowth(run, scope, house.clock.now(), asked))
  const all = toMovements(monthsFromTo(asked.from, to), balances, movements)
  const wrong = all.find((month) => unexplained(month) !== 0)
  if (wrong) {
    house.metrics.reportFaults.inc()
    throw new Error(`the movements of ${wrong.month} in ${wrong.currency} leave ${unexplained(wrong)} unexplained (scope ${scope})`)
  }
  const shown = all.filter(({ month, currency }) => month >= from && (input.currency === undefined || currency === input.currency))
  return { asOf: moment.toISOString(), months: shown.map((month) => toMonth(month, all, current)) }
}

function toMovements(months: readonly string[], balances: readonly BalanceRow[], moved: readonly MovementRow[]): Movements[] {
  const balanceOf = new Map(balances.map((row) => [`${row.month} ${row.currency}`, row]))
  const movedIn = new Map(moved.map((row) => [`${row.month} ${row.currency}`, row]))
  const currencies = [...new Set([...balances, ...moved].map((row) => row.currency))].sort()
  return months.flatMap((month) =>
    currencies.flatMap((currency) => {
      const start = balanceOf.get(`${month} ${currency}`)
      const end = balanceOf.get(`${monthAfter(month, 1)} ${currency}`)
      const row = movedIn.get(`${month} ${currency}`)
      if (!row && !start?.arr && !end?.arr) return []
      return [
        {
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
        },
      ]
    }),
  )
}

function toMonth(month: Movements, all: readonly Movements[], current: string): GrowthMonth {
  const since = monthAfter(month.month, -lookBack)
  const trailing = all.filter((one) => one.currency === month.currency && one.month >= since && one.month <= month.month)
  return {
    ...month,
    partial: month.month === current,
    startMrrMinor: monthly(month.startArrMinor),
    endMrrMinor: monthly(month.endArrMinor),
    rates: growthRates(month, trailing),
  }
}
