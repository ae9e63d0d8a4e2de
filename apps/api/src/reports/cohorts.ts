import {
  amountEach,
  monthly,
  monthsFromTo,
  signupCohort,
} from '@atrium/core/reports/report-figures'
import {
  type ChurnCohorts,
  type ChurnMonth,
  type CohortQuery,
  longestGrowth,
  type SignupCohorts,
} from '@atrium/core/reports/reports'
import {
  type ChurnRow,
  type CohortRow,
  readChurnCohorts,
  readSignupCohorts,
} from '@atrium/db/reports/reports'
import type { Services } from '../rpc/services.ts'
import { monthsOf } from './months.ts'
import { readReport } from './read.ts'

const range = { usual: 36, most: longestGrowth }

/**
 * Tenants by the month in which they paid for the first time, and how many and how much was left of
 * them month by month.
 */
export async function getSignupCohorts(
  services: Services,
  scope: string,
  input: CohortQuery,
): Promise<SignupCohorts> {
  const { from, to, current } = monthsOf(services, input, range)
  const { rows, moment } = await readReport(services, (run) =>
    readSignupCohorts(run, scope, services.clock.now(), { from, to }),
  )
  const cohorts = [...Map.groupBy(rows, (row) => row.cohort)].flatMap(([month, ofMonth]) => {
    const tenants = ofMonth.find((row) => row.currency === '')
    if (!tenants || tenants.size === 0) return []
    const money = ofMonth
      .filter((row) => isMoney(row, input.currency))
      .map(({ currency, changes }) => ({ currency, arr: changes }))
    return [signupCohort({ month, size: tenants.size, active: tenants.changes, money }, current)]
  })
  return { asOf: moment.toISOString(), cohorts }
}

function isMoney({ currency, changes }: CohortRow, requested: string | undefined): boolean {
  return (
    currency !== '' &&
    (requested === undefined || currency === requested) &&
    changes.some((change) => change !== 0)
  )
}

/**
 * What was lost in each month: tenants that paid at its start and not at its end, after how long,
 * and why.
 */
export async function getChurnCohorts(
  services: Services,
  scope: string,
  input: CohortQuery,
): Promise<ChurnCohorts> {
  const { from, to, current } = monthsOf(services, input, range)
  const { rows, moment } = await readReport(services, (run) =>
    readChurnCohorts(run, scope, services.clock.now(), { from, to }),
  )
  const byMonth = Map.groupBy(
    rows.filter((row) => input.currency === undefined || row.currency === input.currency),
    (row) => row.month,
  )
  const months = monthsFromTo(from, to).map((month) =>
    toMonth(month, byMonth.get(month) ?? [], month === current),
  )
  return { asOf: moment.toISOString(), months }
}

function toMonth(month: string, rows: readonly ChurnRow[], partial: boolean): ChurnMonth {
  const sum = (of: readonly ChurnRow[], key: 'tenants' | 'arr' | 'tenure_seconds') =>
    of.reduce((total, row) => total + row[key], 0)
  const tenants = sum(rows, 'tenants')
  return {
    month,
    partial,
    tenants,
    averageTenureDays: amountEach(sum(rows, 'tenure_seconds'), tenants * 86_400),
    reasons: [...Map.groupBy(rows, (row) => row.reason)]
      .map(([reason, of]) => ({ reason, tenants: sum(of, 'tenants') }))
      .sort((a, b) => b.tenants - a.tenants || (a.reason < b.reason ? -1 : 1)),
    money: [...Map.groupBy(rows, (row) => row.currency)].map(([currency, of]) => ({
      currency,
      tenants: sum(of, 'tenants'),
      lostArrMinor: sum(of, 'arr'),
      lostMrrMinor: monthly(sum(of, 'arr')),
    })),
  }
}
