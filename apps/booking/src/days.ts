import { dateOf, dayOf, monthOf, weekdayOf } from '@atrium/core/scheduling/time-zones'

/**
 * Months are `2027-03`, dates `2027-03-28`. Nothing here knows a zone: it is arithmetic on the
 * calendar.
 */

/** The date of an instant (milliseconds since 1970) in a zone. */
export function dateIn(zone: string, instant: number): string {
  return Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .toString()
}

export function addDays(date: string, days: number): string {
  return dateOf(dayOf(date) + days)
}

export function monthOfDate(date: string): string {
  return date.slice(0, 7)
}

export function addMonths(month: string, months: number): string {
  const index = monthOf(dayOf(`${month}-01`)) + months
  return `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`
}

export function lastDayOf(month: string): string {
  return addDays(`${addMonths(month, 1)}-01`, -1)
}

/**
 * The weeks of a month as rows of seven; null marks days of the neighbouring months.
 * `firstWeekday`: 0 for Monday.
 */
export function monthGrid(month: string, firstWeekday: number): (string | null)[][] {
  const first = dayOf(`${month}-01`)
  const last = dayOf(lastDayOf(month))
  const weeks: (string | null)[][] = []
  for (let day = first - ((weekdayOf(first) - firstWeekday + 7) % 7); day <= last; day += 7) {
    weeks.push(
      Array.from({ length: 7 }, (_, index) =>
        day + index < first || day + index > last ? null : dateOf(day + index),
      ),
    )
  }
  return weeks
}

/** The seven dates of the week that a date is in. */
export function weekOf(date: string, firstWeekday: number): string[] {
  const day = dayOf(date)
  const first = day - ((weekdayOf(day) - firstWeekday + 7) % 7)
  return Array.from({ length: 7 }, (_, index) => dateOf(first + index))
}

/** True for a calendar date within a century of now, so that no one can request the year 9999. */
export function isDate(text: string | undefined): text is string {
  if (text === undefined || !/^20\d{2}-\d{2}-\d{2}$/.test(text)) return false
  try {
    dayOf(text)
    return true
  } catch {
    return false
  }
}

export function isMonth(text: string | undefined): text is string {
  return text !== undefined && isDate(`${text}-01`)
}
