import { divideRounded } from './money.ts'

/**
 * What a change costs for the rest of the period, in minor units: what was paid and is not used,
 * and what is used now.
 */
export interface Proration {
  /** Not above 0. */
  credit: bigint
  /** Not below 0. */
  charge: bigint
  net: bigint
}

/**
 * The estimate of a change from `before` to `after` (totals of a whole period, minor units) at
 * `at`, by the second: two lines, each rounded half away from zero by itself. The payment
 * processor's own preview is the truth where it can be asked. A moment outside the period counts as
 * its nearer end. RangeError for a period without length.
 */
export function prorate(
  before: bigint,
  after: bigint,
  { start, end, at }: { start: Date; end: Date; at: Date },
): Proration {
  const length = seconds(end.getTime()) - seconds(start.getTime())
  const moment = Math.min(Math.max(at.getTime(), start.getTime()), end.getTime())
  const left = seconds(end.getTime()) - seconds(moment)
  const credit = -divideRounded(before * left, length)
  const charge = divideRounded(after * left, length)
  return { credit, charge, net: credit + charge }
}

const seconds = (milliseconds: number) => BigInt(Math.floor(milliseconds / 1000))
