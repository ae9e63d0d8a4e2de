import { formatMinorUnits, minorUnitDigits } from '@atrium/core/billing/minor-units'
import { viewerLocale as locale, pageLanguage } from './page-language.ts'

const absolute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const precise = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const whole = new Intl.NumberFormat(locale)
const minutes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute' })
const month = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' })
const seconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second' })
const decimals = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})
const size = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const list = new Intl.ListFormat(locale)
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })

/** Day and minute in the viewer's zone. */
export function formatTime(at: string): string {
  return absolute.format(new Date(at))
}

/** Day, second and zone: what the title of a time says. */
export function formatPreciseTime(at: string): string {
  return precise.format(new Date(at))
}

/**
 * The day of an instant in the viewer's zone; of a date without a time, that date wherever the
 * viewer is.
 */
export function formatDay(at: string): string {
  return day.format(new Date(at.includes('T') ? at : `${at}T00:00`))
}

/** "Nov 2026" of `2026-11`. */
export function formatMonth(at: string): string {
  return month.format(new Date(`${at}-01T00:00:00Z`))
}

/** "a", "a and b", "a, b and c", as the language writes lists. */
export function formatList(items: readonly string[]): string {
  return list.format(items)
}

/**
 * A label within an English sentence begins small: "Client id" is "client id". German labels are
 * nouns and stay as they are.
 */
export function inSentence(label: string): string {
  return pageLanguage === 'de' ? label : label.charAt(0).toLowerCase() + label.slice(1)
}

/**
 * Percent as the language writes it, with at most two decimals: `formatPercent(12.5)` is "12.5%" or
 * "12,5 %".
 */
export function formatPercent(percent: number): string {
  return share.format(percent / 100)
}

export function formatCount(count: number): string {
  return whole.format(count)
}

/** A ratio with two decimals: "1.50". */
export function formatRatio(ratio: number): string {
  return decimals.format(ratio)
}

/**
 * Whole minor units as people write them: `formatMoney(1050, 'eur')` is "€10.50". `currency` is ISO
 * 4217 in any case. The digits are those that the payment processor counts in (`minorUnitDigits`),
 * and every one of them is shown.
 */
export function formatMoney(minor: number, currency: string): string {
  return formatMinorUnits(minor, currency, locale)
}

/** The same in few characters, rounded, for the axes of charts: "€1.2K". */
export function formatMoneyShort(minor: number, currency: string): string {
  const style = {
    style: 'currency',
    currency: currency.toUpperCase(),
    notation: 'compact',
    maximumFractionDigits: 1,
  } as const
  const compact = new Intl.NumberFormat(locale, { ...style, minimumFractionDigits: 0 })
  return compact.format(minor / 10 ** minorUnitDigits(currency.toLowerCase()))
}

/** Minor units as a field shows them for typing: 1050 of `eur` is "10.50". */
export function toMoneyInput(minor: number, currency: string): string {
  const digits = minorUnitDigits(currency.toLowerCase())
  const size = minor.toString().padStart(digits + 1, '0')
  return digits === 0 ? size : `${size.slice(0, -digits)}.${size.slice(-digits)}`
}

/**
 * What was typed as an amount, in minor units: "10.5" and "10,50" of `eur` are 1050. Undefined for
 * what is none, or has too many digits.
 */
export function fromMoneyInput(typed: string, currency: string): number | undefined {
  const digits = minorUnitDigits(currency.trim().toLowerCase())
  const parts = /^(\d{1,12})(?:[.,](\d{0,3}))?$/.exec(typed.trim())
  const fraction = parts?.[2] ?? ''
  if (!parts || fraction.length > digits) return undefined
  return Number(`${parts[1]}${fraction.padEnd(digits, '0')}`)
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/**
 * "3 minutes ago", "in 2 days"; within 45 seconds "now". Units are cut, not rounded: 119 minutes
 * is an hour ago.
 */
export function formatRelative(at: string, now: Date): string {
  const seconds = (new Date(at).getTime() - now.getTime()) / 1000
  const size = Math.abs(seconds)
  if (size < 45) return relative.format(0, 'second')
  for (const [unit, length] of units)
    if (size >= length) return relative.format(Math.trunc(seconds / length), unit)
  return relative.format(Math.sign(seconds), 'minute')
}

/** A duration as people say it: "4 sec", "1 min 20 sec". Negative ones count as zero. */
export function formatElapsed(milliseconds: number): string {
  const all = Math.max(0, Math.floor(milliseconds / 1000))
  const rest = seconds.format(all % 60)
  return all < 60 ? rest : `${minutes.format(Math.floor(all / 60))} ${rest}`
}

/** Whole minutes as a duration: "8 hours", "1 day 30 minutes"; empty for zero. */
export function formatMinutes(minutes: number): string {
  const parts = [
    [Math.floor(minutes / 1440), 'day'],
    [Math.floor((minutes % 1440) / 60), 'hour'],
    [minutes % 60, 'minute'],
  ] as const
  const shown = parts.filter(([count]) => count > 0)
  // Not as a list: German separates units by commas, as it does several durations.
  return shown
    .map(([count, unit]) =>
      new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    )
    .join(' ')
}

/** A size in binary units, as file quotas are counted: "100 GB", "1 TB". */
export function formatBytes(bytes: number): string {
  const names = ['B', 'KB', 'MB', 'GB', 'TB'] as const
  let value = bytes
  let step = 0
  while (value >= 1024 && step < names.length - 1) {
    value /= 1024
    step += 1
  }
  return `${size.format(value)} ${names[step]}`
}

/** What a `datetime-local` input shows for an instant, in the viewer's zone; empty for none. */
export function toLocalInput(at: string | undefined): string {
  if (!at) return ''
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? ''
    : new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/**
 * The instant that a `datetime-local` input names in the viewer's zone; undefined when it is empty
 * or half typed.
 */
export function fromLocalInput(value: string): string | undefined {
  // Checked by shape first: Date takes "2026-" for a whole year.
  const date = /^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) ? new Date(value) : undefined
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
