import { divideRounded, toShownNumber } from '../billing/money.ts'
import { cohortMonths, type GrowthMonth, type GrowthRates, type SignupCohort } from './reports.ts'

/** A yearly amount as a monthly one, rounded half away from zero. */
export function monthly(arr: number): number {
  return amountOf(BigInt(arr), 12)
}

/** A part of a whole with four decimals; null of nothing. */
export function ratio(part: number, whole: number): number | null {
  if (whole === 0) return null
  const parts = BigInt(part) * 10_000n
  return Number(divideRounded(whole < 0 ? -parts : parts, BigInt(Math.abs(whole)))) / 10_000
}

/** An amount divided evenly, rounded; null among none. */
export function amountEach(amount: number, among: number): number | null {
  return among === 0 ? null : amountOf(BigInt(amount), among)
}

function amountOf(numerator: bigint, denominator: number): number {
  return toShownNumber(divideRounded(numerator, BigInt(denominator)))
}

/** The amounts and counts of a month that its rates are computed from. */
export type Movements = Omit<GrowthMonth, 'rates' | 'startMrrMinor' | 'endMrrMinor' | 'partial'>

/**
 * What the movements of a month leave unexplained:
 * `start + new + reactivation + expansion − contraction − churn + currencySwitch − end`. Anything
 * but zero means that the figures are wrong.
 */
export function unexplained(month: Movements): number {
  return (
    month.startArrMinor +
    month.newArrMinor +
    month.reactivationArrMinor +
    month.expansionArrMinor -
    month.contractionArrMinor -
    month.churnArrMinor +
    month.currencySwitchArrMinor -
    month.endArrMinor
  )
}

/**
 * Rates of a month (docs/reference/contract.md, reports). `trailing` is the month itself with up to
 * two before it, of the same currency: the churn that the lifetime value goes by.
 */
export function growthRates(month: Movements, trailing: readonly Movements[]): GrowthRates {
  const start = month.startArrMinor
  const lost = month.churnArrMinor + month.contractionArrMinor
  const won = month.expansionArrMinor + month.reactivationArrMinor
  const arpaMinor = amountEach(monthly(month.endArrMinor), month.endTenants)
  const sum = (key: 'startTenants' | 'churnedTenants') =>
    trailing.reduce((total, one) => total + one[key], 0)
  const [stood, left] = [sum('startTenants'), sum('churnedTenants')]
  return {
    customerChurn: ratio(month.churnedTenants, month.startTenants),
    grossChurn: ratio(lost, start),
    netChurn: ratio(lost - won, start),
    netRetention: ratio(start - lost + won, start),
    quickRatio: ratio(month.newArrMinor + won, lost),
    growth: ratio(month.endArrMinor - start, start),
    arpaMinor,
    ltvMinor:
      arpaMinor === null || left === 0 ? null : amountOf(BigInt(arpaMinor) * BigInt(stood), left),
  }
}

/** The first day of a month that lies `months` after `month`, as `YYYY-MM`. */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const index = year * 12 + (number - 1) + months
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`
}

/** Whole months from one to the other. */
export function monthsBetween(from: string, to: string): number {
  const index = (month: string) => {
    const [year = 0, number = 1] = month.split('-').map(Number)
    return year * 12 + number
  }
  return index(to) - index(from)
}

/** The calendar month in UTC of a moment. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7)
}

/** The moment at which a month begins. */
export function monthStart(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`)
}

/** Every month from one to the other, both included. */
export function monthsFromTo(from: string, to: string): string[] {
  return Array.from({ length: Math.max(0, monthsBetween(from, to) + 1) }, (_, n) =>
    monthAfter(from, n),
  )
}

/**
 * Changes of a cohort by months after the first one; what comes after the last change stays as it
 * is.
 */
export interface CohortChanges {
  month: string
  size: number
  active: readonly number[]
  money: readonly { currency: string; arr: readonly number[] }[]
}

/** A cohort as it stood at the end of each month up to `current`, the month that is not over. */
export function signupCohort(changes: CohortChanges, current: string): SignupCohort {
  const length = Math.min(cohortMonths, monthsBetween(changes.month, current) + 1)
  const partial = length === monthsBetween(changes.month, current) + 1
  return {
    month: changes.month,
    size: changes.size,
    partial,
    active: runningSums(changes.active, length),
    money: changes.money.map(({ currency, arr }) => ({
      currency,
      mrrMinor: runningSums(arr, length).map(monthly),
    })),
  }
}

function runningSums(changes: readonly number[], length: number): number[] {
  const sums: number[] = []
  let sum = 0
  for (let n = 0; n < length; n++) {
    sum += changes[n] ?? 0
    sums.push(sum)
  }
  return sums
}
