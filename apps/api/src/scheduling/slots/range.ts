import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { Span } from '@atrium/core/scheduling/slots'
import { dateOf, dayOf, localClock } from '@atrium/core/scheduling/time-zones'

const dayMs = 86_400_000
const isDate = (edge: string) => /^\d{4}-\d{2}-\d{2}$/.test(edge)

/**
 * The span that `from` and `to` name: instants as they are, half-open; bare dates in `timeZone`,
 * both included. Throws AppError `range_too_long` over 62 days, `invalid_input` at `to` for a range
 * that is empty or over, or too far ahead.
 */
export function rangeOf(
  { from, to, timeZone }: { from: string; to: string; timeZone: string },
  now: number,
): Span {
  const reject = (path: string, message: ErrorText) =>
    new AppError('invalid_input', undefined, { issues: [{ path, message }] })
  for (const [path, edge] of Object.entries({ from, to })) {
    const year = Number(edge.slice(0, 4))
    if (year < 1970 || year > schedulingLimits.lastYear)
      throw reject(path, errorText('tooFarFromNow'))
  }
  const start = isDate(from) ? midnightOf(dayOf(from), timeZone) : Date.parse(from)
  const end = isDate(to) ? midnightOf(dayOf(to) + 1, timeZone) : Date.parse(to)
  if (end <= start) throw reject('to', errorText('rangeReversed'))
  if (end <= now) throw reject('to', errorText('rangePast'))
  // A day more for the hour that a clock change may add, and dates count as whole days.
  if (end - start > schedulingLimits.rangeDays * dayMs + 3 * 3_600_000) {
    const message = errorText('rangeTooLong', { rangeDays: schedulingLimits.rangeDays })
    throw new AppError('range_too_long', message, { issues: [{ path: 'to', message }] })
  }
  return { start, end }
}

function midnightOf(day: number, timeZone: string): number {
  const around = day * dayMs
  return localClock(timeZone, around - 2 * dayMs, around + 2 * dayMs).instantOf(day, 0)
}

/** Every local date of the span that the zone has, ascending, as `2027-06-01`. */
export function datesOf({ start, end }: Span, timeZone: string): string[] {
  const clock = localClock(timeZone, start, end)
  const dates: string[] = []
  for (let day = clock.dayAt(start); day <= clock.dayAt(end - 1); day++)
    if (clock.hasDay(day)) dates.push(dateOf(day))
  return dates
}

/** The local date of an instant in a span's zone, for grouping. */
export function dater({ start, end }: Span, timeZone: string): (instant: number) => string {
  const clock = localClock(timeZone, start, end)
  let [lastDay, lastDate] = [Number.NaN, '']
  return (instant) => {
    const day = clock.dayAt(instant)
    if (day !== lastDay) [lastDay, lastDate] = [day, dateOf(day)]
    return lastDate
  }
}

/**
 * The slots under the local dates of their starts: every date of the span that the zone has, in its
 * order, also without slots.
 */
export function byDate<Slot extends { start: number }>(
  slots: readonly Slot[],
  span: Span,
  timeZone: string,
): Map<string, Slot[]> {
  const dates = new Map<string, Slot[]>(datesOf(span, timeZone).map((date) => [date, []]))
  const dateAt = dater(span, timeZone)
  for (const slot of slots) dates.get(dateAt(slot.start))?.push(slot)
  return dates
}

/** Start and end as they go over the wire. */
export function inIso({ start, end }: Span): { start: string; end: string } {
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
}
