import { isObject, type Json, type JsonObject, own, textOf } from '../json.ts'

/** Days of the week as JSCalendar writes them, by ISO number. */
const weekdays: readonly Json[] = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su']

/** Periods in which nothing is found before a rule counts as one that never happens again. */
const emptyPeriods = 1_000

interface NthDay {
  /** 1 for Monday to 7. */
  readonly day: number
  /** The how manieth of its month or year, from the end when negative; undefined: every one. */
  readonly nth: number | undefined
}

/** A rule of RFC 8984 section 4.3.3, as far as calendars of people use them. */
export interface RecurrenceRule {
  readonly frequency: 'yearly' | 'monthly' | 'weekly' | 'daily'
  readonly interval: number
  readonly count: number | undefined
  readonly until: Temporal.PlainDateTime | undefined
  readonly firstDayOfWeek: number
  readonly byDay: readonly NthDay[]
  readonly byMonthDay: readonly number[]
  readonly byMonth: readonly number[]
  readonly bySetPosition: readonly number[]
}

const known = new Set(
  '@type frequency interval count until firstDayOfWeek byDay byMonthDay byMonth bySetPosition rscale skip'.split(
    ' ',
  ),
)

/**
 * Undefined for what is no rule, or one of those that nobody's calendar has (by hour, by week
 * number).
 */
export function parseRule(value: Json): RecurrenceRule | undefined {
  if (!isObject(value) || Object.keys(value).some((name) => !known.has(name))) return undefined
  const frequency = (['yearly', 'monthly', 'weekly', 'daily'] as const).find(
    (one) => one === value.frequency,
  )
  const interval = own(value, 'interval') ?? 1
  const count = own(value, 'count') ?? undefined
  const until = parseLocal(textOf(value, 'until'))
  const first = weekdays.indexOf(own(value, 'firstDayOfWeek') ?? 'mo') + 1
  const byDay = listOf(value, 'byDay').map(parseNthDay)
  const numbers = {
    byMonthDay: numbersOf(value, 'byMonthDay'),
    bySetPosition: numbersOf(value, 'bySetPosition'),
  }
  // Months are texts in JSCalendar, because some calendars have a leap month.
  const byMonth = listOf(value, 'byMonth').map((month) =>
    typeof month === 'string' ? Number(month) : Number.NaN,
  )
  const whole = (number: unknown, least: number) =>
    typeof number === 'number' && Number.isInteger(number) && number >= least
  if (!frequency || !whole(interval, 1) || (count !== undefined && !whole(count, 1)) || first === 0)
    return undefined
  if (own(value, 'until') !== undefined && !until) return undefined
  if (
    byDay.includes(undefined) ||
    [...numbers.byMonthDay, ...numbers.bySetPosition].some(
      (number) => !Number.isInteger(number) || number === 0,
    )
  )
    return undefined
  if (byMonth.some((month) => !Number.isInteger(month) || month < 1 || month > 12)) return undefined
  return {
    frequency,
    interval: Number(interval),
    count: count === undefined ? undefined : Number(count),
    until,
    firstDayOfWeek: first,
    byDay: byDay.filter((day) => day !== undefined),
    byMonth,
    ...numbers,
  }
}

function listOf(object: JsonObject, name: string): readonly Json[] {
  const value = own(object, name)
  return Array.isArray(value) ? value : []
}

function numbersOf(object: JsonObject, name: string): number[] {
  return listOf(object, name).map((one) => (typeof one === 'number' ? one : Number.NaN))
}

function parseNthDay(value: Json): NthDay | undefined {
  if (!isObject(value)) return undefined
  const day = weekdays.indexOf(own(value, 'day') ?? null) + 1
  const nth = own(value, 'nthOfPeriod')
  if (
    day === 0 ||
    (nth !== undefined && (typeof nth !== 'number' || !Number.isInteger(nth) || nth === 0))
  )
    return undefined
  return { day, nth: typeof nth === 'number' ? nth : undefined }
}

/** A local date-time of RFC 8984 section 1.4.5; undefined for anything else. */
export function parseLocal(text: string): Temporal.PlainDateTime | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text)) return undefined
  try {
    return Temporal.PlainDateTime.from(text, { overflow: 'reject' })
  } catch {
    return undefined
  }
}

/** Wall times of a rule, ascending from `start`, which is always the first. At most `most`. */
export function occurrences(
  rule: RecurrenceRule,
  start: Temporal.PlainDateTime,
  most: number,
): Temporal.PlainDateTime[] {
  const found: Temporal.PlainDateTime[] = []
  const limit = Math.min(rule.count ?? most, most)
  const add = (at: Temporal.PlainDateTime): boolean => {
    if (rule.until && Temporal.PlainDateTime.compare(at, rule.until) > 0) return false
    found.push(at)
    return found.length < limit
  }
  if (!add(start)) return found
  for (let period = 0, empty = 0; empty < emptyPeriods; period += 1) {
    const dates = datesOfPeriod(rule, start.toPlainDate(), period * rule.interval)
    const later = dates
      .map((date) => date.toPlainDateTime(start.toPlainTime()))
      .filter((at) => Temporal.PlainDateTime.compare(at, start) > 0)
    for (const at of later) if (!add(at)) return found
    empty = later.length > 0 ? 0 : empty + 1
  }
  return found
}

/**
 * The dates of the period that is `steps` days, weeks, months or years after the one of `start`,
 * ascending.
 */
function datesOfPeriod(
  rule: RecurrenceRule,
  start: Temporal.PlainDate,
  steps: number,
): readonly Temporal.PlainDate[] {
  const dates = candidates(rule, start, steps)
    .filter((date) => rule.byMonth.length === 0 || rule.byMonth.includes(date.month))
    .sort(Temporal.PlainDate.compare)
  if (rule.bySetPosition.length === 0) return dates
  return dates.filter(
    (_, index) =>
      rule.bySetPosition.includes(index + 1) || rule.bySetPosition.includes(index - dates.length),
  )
}

function candidates(
  rule: RecurrenceRule,
  start: Temporal.PlainDate,
  steps: number,
): Temporal.PlainDate[] {
  switch (rule.frequency) {
    case 'daily': {
      const date = start.add({ days: steps })
      return isDay(rule, date) && isMonthDay(rule, date) ? [date] : []
    }
    case 'weekly': {
      const monday = start
        .subtract({ days: (start.dayOfWeek - rule.firstDayOfWeek + 7) % 7 })
        .add({ weeks: steps })
      const week = Array.from({ length: 7 }, (_, day) => monday.add({ days: day }))
      return week.filter((date) =>
        rule.byDay.length === 0 ? date.dayOfWeek === start.dayOfWeek : isDay(rule, date),
      )
    }
    case 'monthly':
      return inMonth(rule, start, start.toPlainYearMonth().add({ months: steps }))
    case 'yearly': {
      const year = start.year + steps
      if (rule.byDay.length === 0 && rule.byMonthDay.length === 0)
        return months(rule, start).flatMap((month) => dayOf(year, month, start.day))
      if (rule.byMonth.length === 0 && rule.byMonthDay.length === 0)
        return nthDays(rule, Temporal.PlainDate.from({ year, month: 1, day: 1 }), { years: 1 })
      const all =
        rule.byMonth.length > 0 ? rule.byMonth : Array.from({ length: 12 }, (_, index) => index + 1)
      return all.flatMap((month) =>
        inMonth(rule, start, Temporal.PlainYearMonth.from({ year, month })),
      )
    }
  }
}

function months(rule: RecurrenceRule, start: Temporal.PlainDate): readonly number[] {
  return rule.byMonth.length > 0 ? rule.byMonth : [start.month]
}

/** A month without that day has no occurrence (`skip` of RFC 8984: omit). */
function dayOf(year: number, month: number, day: number): Temporal.PlainDate[] {
  const { daysInMonth } = Temporal.PlainYearMonth.from({ year, month })
  return day >= 1 && day <= daysInMonth ? [Temporal.PlainDate.from({ year, month, day })] : []
}

function inMonth(
  rule: RecurrenceRule,
  start: Temporal.PlainDate,
  { year, month, daysInMonth }: Temporal.PlainYearMonth,
): Temporal.PlainDate[] {
  const numbered = rule.byMonthDay.flatMap((day) =>
    dayOf(year, month, day > 0 ? day : daysInMonth + 1 + day),
  )
  if (rule.byDay.length === 0)
    return rule.byMonthDay.length > 0 ? numbered : dayOf(year, month, start.day)
  const named = nthDays(rule, Temporal.PlainDate.from({ year, month, day: 1 }), { months: 1 })
  return rule.byMonthDay.length === 0
    ? named
    : named.filter((date) => numbered.some((one) => one.equals(date)))
}

/** Named weekdays of a period, such as the second Tuesday or the last Friday. */
function nthDays(
  rule: RecurrenceRule,
  first: Temporal.PlainDate,
  length: Temporal.DurationLike,
): Temporal.PlainDate[] {
  const days = first.until(first.add(length), { largestUnit: 'days' }).days
  const all = Array.from({ length: days }, (_, day) => first.add({ days: day }))
  return rule.byDay.flatMap(({ day, nth }) => {
    const named = all.filter((date) => date.dayOfWeek === day)
    if (nth === undefined) return named
    const one = named.at(nth > 0 ? nth - 1 : nth)
    return one ? [one] : []
  })
}

function isDay(rule: RecurrenceRule, date: Temporal.PlainDate): boolean {
  return rule.byDay.length === 0 || rule.byDay.some(({ day }) => day === date.dayOfWeek)
}

function isMonthDay(rule: RecurrenceRule, date: Temporal.PlainDate): boolean {
  return (
    rule.byMonthDay.length === 0 ||
    rule.byMonthDay.some((day) => date.day === (day > 0 ? day : date.daysInMonth + 1 + day))
  )
}
