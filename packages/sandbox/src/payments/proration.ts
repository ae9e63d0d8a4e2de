import type { Seconds } from './periods.ts'

/** `numerator / denominator` rounded half away from zero, in whole numbers. */
function rounded(numerator: bigint, denominator: bigint): number {
  const magnitude = numerator < 0n ? -numerator : numerator
  const quotient = (2n * magnitude + denominator) / (2n * denominator)
  return Number(numerator < 0n ? -quotient : quotient)
}

export interface ProrationInput {
  /** What a whole period costs before and after, in minor units. */
  readonly before: number
  readonly after: number
  readonly periodStart: Seconds
  readonly periodEnd: Seconds
  readonly at: Seconds
}

/**
 * What is given back and what is charged for the rest of the period, to the second, each rounded by
 * itself.
 */
export function prorate({ before, after, periodStart, periodEnd, at }: ProrationInput): {
  credit: number
  charge: number
} {
  const whole = BigInt(periodEnd - periodStart)
  const left = BigInt(periodEnd - Math.min(Math.max(at, periodStart), periodEnd))
  // Zero must not come out as minus zero.
  return {
    credit: 0 - rounded(BigInt(before) * left, whole),
    charge: rounded(BigInt(after) * left, whole),
  }
}

/** The tax on an amount without it. `percent` has at most four decimals. */
export function taxOn(amount: number, percent: number): number {
  return rounded(BigInt(amount) * BigInt(Math.round(percent * 10_000)), 1_000_000n)
}

/** The tax that an amount contains. */
export function taxWithin(amount: number, percent: number): number {
  const rate = BigInt(Math.round(percent * 10_000))
  return rounded(BigInt(amount) * rate, 1_000_000n + rate)
}

/** What of `amount` belongs to `part` out of `whole`. */
export function partOf(amount: number, part: number, whole: number): number {
  return rounded(BigInt(amount) * BigInt(part), BigInt(whole))
}
