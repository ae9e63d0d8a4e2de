import { defaultLanguage, formatLocale, type PageLanguage } from '@atrium/messages/languages'
import { z } from 'zod'
import { says } from '../platform/issue-text.ts'
import { formatMinorUnits, minorUnitDigits } from './minor-units.ts'

/**
 * Amounts are whole numbers of the currency's minor unit, as the payment processor counts it; never
 * fractions.
 */
export const minorAmount = z
  .number()
  .int()
  .min(Number.MIN_SAFE_INTEGER)
  .max(Number.MAX_SAFE_INTEGER)

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** A code that ISO 4217 lists, lower-cased. */
export const currencyCode = z
  .string()
  .max(20)
  .transform((value) => value.trim().toLowerCase())
  .pipe(
    z
      .string()
      .regex(/^[a-z]{3}$/, { ...says('currency'), abort: true })
      .refine((code) => currencies.has(code.toUpperCase()), says('currency')),
  )
  .meta({ openapi: { minLength: 3, maxLength: 3, pattern: '^[A-Za-z]{3}$' } })

export { minorUnitDigits }

/**
 * `numerator / denominator`, rounded half away from zero, in whole numbers. RangeError for a
 * denominator that is not positive.
 */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  if (denominator <= 0n) throw new RangeError('The denominator must be positive.')
  const magnitude = numerator < 0n ? -numerator : numerator
  const rounded = (2n * magnitude + denominator) / (2n * denominator)
  return numerator < 0n ? -rounded : rounded
}

/** A percentage with at most two decimals as hundredths of a percent: 17.5 is 1750. */
export function toBasisPoints(percent: number): bigint {
  return BigInt(Math.round(percent * 100))
}

/** The share of an amount, rounded half away from zero once. `percent` has at most two decimals. */
export function percentOf(amount: bigint, percent: number): bigint {
  return divideRounded(amount * toBasisPoints(percent), 10_000n)
}

/** A stored `bigint` as a number. RangeError beyond 2^53 - 1, where a number is no longer exact. */
export function toMinorNumber(value: bigint | string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError('The amount is too large to be exact.')
  return number
}

/**
 * The same for lists and reports, where one absurd amount must not hide all others: beyond 2^53 - 1
 * it is shown as that.
 */
export function toShownNumber(value: bigint | string): number {
  const number = Number(value)
  return Math.min(Math.max(number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

/**
 * Whole minor units as mails and documents write them: 1050 in `eur` is "€10.50". Every digit that
 * is counted in is shown.
 */
export function formatAmount(
  minor: bigint,
  currency: string,
  language: PageLanguage = defaultLanguage,
): string {
  return formatMinorUnits(minor, currency, formatLocale(language))
}
