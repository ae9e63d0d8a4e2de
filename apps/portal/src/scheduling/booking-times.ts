import { dayOf } from '@atrium/core/scheduling/time-zones'
import { viewerLocale as locale } from '@atrium/ui/page-language'

const part = (options: Intl.DateTimeFormatOptions, timeZone?: string) =>
  new Intl.DateTimeFormat(locale, { ...options, ...(timeZone && { timeZone }) })

/** "Mon, 4 Jan 2027" in the zone, the viewer's own without one. */
export function dayIn(at: string, timeZone?: string): string {
  return part(
    { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    timeZone,
  ).format(new Date(at))
}

/** "10:00". */
export function timeIn(at: string, timeZone?: string): string {
  return part({ hour: '2-digit', minute: '2-digit' }, timeZone).format(new Date(at))
}

/** "Mon, 4 Jan 2027, 10:00–10:30". */
export function spanIn({ start, end }: { start: string; end: string }, timeZone?: string): string {
  const last =
    dayIn(start, timeZone) === dayIn(end, timeZone)
      ? timeIn(end, timeZone)
      : `${dayIn(end, timeZone)}, ${timeIn(end, timeZone)}`
  return `${dayIn(start, timeZone)}, ${timeIn(start, timeZone)}–${last}`
}

/**
 * The same for rows of a list: the year is only shown where it differs from the previous row, and
 * in the first row from the current year.
 */
export function spansIn(
  rows: readonly { start: string; end: string }[],
  now = new Date(),
): string[] {
  const yearOf = (at: string | Date) => part({ year: 'numeric' }).format(new Date(at))
  const short = part({ weekday: 'short', day: 'numeric', month: 'short' })
  let year = yearOf(now)
  return rows.map((row) => {
    const changes = yearOf(row.start) !== year || yearOf(row.end) !== yearOf(row.start)
    year = yearOf(row.start)
    if (changes) return spanIn(row)
    const [first, last] = [short.format(new Date(row.start)), short.format(new Date(row.end))]
    return `${first}, ${timeIn(row.start)}–${first === last ? '' : `${last}, `}${timeIn(row.end)}`
  })
}

/** Today as `2027-01-04` in the viewer's zone, or so many days later. */
export function localDate(daysFromToday = 0): string {
  const date = new Date()
  date.setDate(date.getDate() + daysFromToday)
  return dateOnClock(date)
}

function dateOnClock(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/**
 * Which week an instant is in, counted from today's date in the viewer's zone; 0 for this one and
 * for what is past.
 */
export function weeksUntil(at: string): number {
  return Math.max(0, Math.floor((dayOf(dateOnClock(new Date(at))) - dayOf(localDate())) / 7))
}

/** The length of a booking in minutes. */
export function minutesOf({ start, end }: { start: string; end: string }): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / 60_000)
}
