import type { DayWindow, Slot, SlotQuestion, Span } from '../../src/scheduling/slots.ts'
import { dayOf } from '../../src/scheduling/time-zones.ts'

const minuteMs = 60_000
const day = { days: 1 }

/**
 * The rules once more, one date object per step and nothing shared with the code under test: slow,
 * and plain to read.
 */
export function slotsByTheBook({
  schedule,
  settings,
  busy,
  bookings,
  locks,
  now,
  range,
}: SlotQuestion): Slot[] {
  const { zone } = schedule
  const dateAt = (instant: number) =>
    Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).toPlainDate()
  const instantOf = (date: Temporal.PlainDate, minutes: number) =>
    date
      .add({ days: Math.floor(minutes / 1440) })
      .toPlainDateTime({ hour: Math.floor((minutes % 1440) / 60), minute: minutes % 60 })
      .toZonedDateTime(zone).epochMilliseconds
  const exists = (date: Temporal.PlainDate) => date.toZonedDateTime(zone).toPlainDate().equals(date)
  const overrideOf = (date: Temporal.PlainDate) => schedule.overrides.get(dayOf(date.toString()))
  const windowsOf = (date: Temporal.PlainDate): readonly DayWindow[] =>
    overrideOf(date) ?? schedule.weekly[date.dayOfWeek - 1] ?? []

  const duration = settings.durationMinutes * minuteMs
  const grids: Span[] = []
  for (
    let date = dateAt(range.start).subtract({ days: 2 });
    Temporal.PlainDate.compare(date, dateAt(range.end).add({ days: 4 })) < 0;
    date = date.add(day)
  ) {
    if (!exists(date)) continue
    let next = date.add(day)
    if (!exists(next)) next = next.add(day)
    const midnight = overrideOf(next) ? instantOf(next, 0) : Number.POSITIVE_INFINITY
    const spans = windowsOf(date).map(({ start, end }) => ({
      start: instantOf(date, start),
      end: Math.min(midnight, instantOf(date, end > start ? end : end + 1440)),
    }))
    grids.push(...union(spans))
  }
  const open = union(grids)
  const claims = (span: Span) => ({
    start: span.start - settings.beforeMinutes * minuteMs,
    end: span.end + settings.afterMinutes * minuteMs,
  })
  const overlaps = (a: Span, b: Span) =>
    a.start < b.end && b.start < a.end && a.end > a.start && b.end > b.start
  const periods = {
    day: (date: Temporal.PlainDate) => date.toString(),
    week: (date: Temporal.PlainDate) => `${date.yearOfWeek} ${date.weekOfYear}`,
    month: (date: Temporal.PlainDate) => date.toString().slice(0, 7),
  }
  const sameStart = (one: (typeof bookings)[number], other: (typeof bookings)[number]) =>
    one.eventTypeId === other.eventTypeId && one.start === other.start && one.end === other.end
  const isFull = (start: number, of: typeof bookings, limits: typeof settings.limits) =>
    (['day', 'week', 'month'] as const).some((period) => {
      const limit = limits[period]
      if (limit === undefined) return false
      if (
        settings.seats > 1 &&
        of.some((one) => one.eventTypeId === settings.eventTypeId && one.start === start)
      )
        return false
      const mine = periods[period](dateAt(start))
      const inPeriod = of.filter((booking) => periods[period](dateAt(booking.start)) === mine)
      return (
        inPeriod.filter(
          (one, at) => !inPeriod.slice(0, at).some((earlier) => sameStart(one, earlier)),
        ).length >= limit
      )
    })
  const { bookingWindow } = settings

  const seatsAt = (slot: Span): number => {
    const claim = claims(slot)
    if ([...busy, ...locks].some((other) => overlaps(claim, other))) return 0
    let left = settings.seats
    for (const booking of bookings) {
      const shared =
        settings.seats > 1 &&
        booking.eventTypeId === settings.eventTypeId &&
        booking.start === slot.start &&
        booking.end === slot.end
      if (shared) left -= booking.seatsTaken
      else if (overlaps(claim, { start: booking.claimStart, end: booking.claimEnd })) return 0
    }
    return Math.max(0, left)
  }

  const starts = new Set<number>()
  for (const grid of grids)
    for (let at = grid.start; at < grid.end; at += settings.stepMinutes * minuteMs) starts.add(at)
  return [...starts]
    .sort((a, b) => a - b)
    .filter(
      (start) =>
        start >= range.start &&
        start < range.end &&
        start >= now + settings.noticeMinutes * minuteMs,
    )
    .filter((start) => open.some((hours) => start >= hours.start && start + duration <= hours.end))
    .filter((start) => {
      const date = dayOf(dateAt(start).toString())
      if (bookingWindow.kind === 'rolling') {
        const today = dateAt(now)
        return (
          date >= dayOf(today.toString()) &&
          date <= dayOf(today.add({ days: bookingWindow.days }).toString())
        )
      }
      return (
        bookingWindow.kind === 'open' || (date >= bookingWindow.from && date <= bookingWindow.to)
      )
    })
    .filter(
      (start) =>
        !isFull(
          start,
          bookings.filter(({ eventTypeId }) => eventTypeId === settings.eventTypeId),
          settings.limits,
        ),
    )
    .filter((start) => !isFull(start, bookings, settings.hostLimits))
    .map((start) => ({
      start,
      end: start + duration,
      seatsLeft: seatsAt({ start, end: start + duration }),
    }))
    .filter(({ seatsLeft }) => seatsLeft > 0)
}

function union(spans: readonly Span[]): Span[] {
  const result: Span[] = []
  for (const span of [...spans]
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start)) {
    const last = result.pop()
    if (last === undefined) result.push(span)
    else if (span.start <= last.end)
      result.push({ start: last.start, end: Math.max(last.end, span.end) })
    else result.push(last, span)
  }
  return result
}

/** For messages of failing tests. */
export const written = (slots: readonly Slot[]) =>
  slots.map(({ start, seatsLeft }) => `${new Date(start).toISOString()} ${seatsLeft}`)
