import { type LocalClock, localClock, monthOf, weekdayOf, weekOf } from './time-zones.ts'

/**
 * What a host offers. One pure function decides for the list, the lock, the booking and the move,
 * so that what was shown can be booked. Instants are milliseconds since 1970, spans are half-open,
 * dates are day numbers (`time-zones.ts`). docs/reference/contract.md, scheduling, has the rules in
 * words.
 */

/**
 * Minutes after midnight, `end` up to 1440. An end that is not after the start belongs to the next
 * day; the same twice is 24 hours.
 */
export interface DayWindow {
  readonly start: number
  readonly end: number
}

export interface Span {
  readonly start: number
  readonly end: number
}

export interface SlotSchedule {
  /** IANA name. Windows, limits and the booking window are read in it. */
  readonly zone: string
  /** Monday first. */
  readonly weekly: readonly (readonly DayWindow[])[]
  /** By day number. Takes the place of the weekday's windows; an empty list closes the day. */
  readonly overrides: ReadonlyMap<number, readonly DayWindow[]>
}

/**
 * How many bookings may start in a local day, ISO week or calendar month. A start that several
 * visitors share counts once.
 */
export interface SlotLimits {
  readonly day?: number | undefined
  readonly week?: number | undefined
  readonly month?: number | undefined
}

/**
 * `rolling`: today and this many days more. `fixed`: both days included. In the schedule's zone.
 */
export type BookingWindow =
  | { readonly kind: 'rolling'; readonly days: number }
  | { readonly kind: 'fixed'; readonly from: number; readonly to: number }
  | { readonly kind: 'open' }

export interface SlotSettings {
  readonly eventTypeId: string
  readonly durationMinutes: number
  /** Minutes from one start to the next. */
  readonly stepMinutes: number
  readonly noticeMinutes: number
  readonly beforeMinutes: number
  readonly afterMinutes: number
  readonly bookingWindow: BookingWindow
  /** Of this event type. */
  readonly limits: SlotLimits
  /** Of the host, over all event types. */
  readonly hostLimits: SlotLimits
  /** Above 1 several visitors may share one start. */
  readonly seats: number
}

/** A booking that is pending or confirmed. `claim` has the buffers that held when it was made. */
export interface TakenSlot extends Span {
  readonly eventTypeId: string
  readonly claimStart: number
  readonly claimEnd: number
  /** Visitors in it. */
  readonly seatsTaken: number
}

export interface SlotQuestion {
  readonly schedule: SlotSchedule
  readonly settings: SlotSettings
  /** The host's calendar without the events that we wrote, in any order. */
  readonly busy: readonly Span[]
  /**
   * The host's own bookings, without the one that is being moved: all that touch the range, and for
   * limits those of its whole months.
   */
  readonly bookings: readonly TakenSlot[]
  /**
   * Bookings of the event type with all of its hosts, where its limits hold for all of them
   * together.
   */
  readonly counted?: readonly TakenSlot[] | undefined
  /** Unexpired locks of others, with their buffers. */
  readonly locks: readonly Span[]
  /**
   * Places of shared starts that others hold at this moment: they count as taken, and for no limit.
   */
  readonly held?: readonly TakenSlot[] | undefined
  readonly now: number
  /** Starts that are asked for. */
  readonly range: Span
}

export interface Slot extends Span {
  /** Places that are left; 1 where seats are not shared. */
  readonly seatsLeft: number
}

const minuteMs = 60_000

/**
 * Every start that is on offer in the range, ascending. RangeError for an unknown zone or a range
 * that ends before it begins.
 */
export function findSlots(question: SlotQuestion): Slot[] {
  const { settings, range, now } = question
  if (range.end < range.start) throw new RangeError('The range ends before it begins.')
  const duration = settings.durationMinutes * minuteMs
  const clock = clockOver(question, duration)
  const { grids, open } = openHours(question.schedule, clock, range, duration)
  const allowed = dateRules(question, clock)
  const blocked = obstacles(question)
  const earliest = Math.max(range.start, now + settings.noticeMinutes * minuteMs)
  const step = settings.stepMinutes * minuteMs
  const slots: Slot[] = []
  let o = 0
  for (const start of startsOf(grids, step, earliest, range.end)) {
    const end = start + duration
    while (o < open.length && (open[o] as Span).end < end) o++
    const hours = open[o]
    if (!hours) break
    if (start < hours.start || !allowed(start)) continue
    const seatsLeft = blocked(start, end)
    if (seatsLeft > 0) slots.push({ start, end, seatsLeft })
  }
  return slots
}

/**
 * Over everything that has to be placed in a local day: the range, now, and the bookings that
 * limits count.
 */
export function clockOver(
  { schedule, range, now, bookings, counted = [] }: SlotQuestion,
  duration: number,
): LocalClock {
  let [from, to] = [Math.min(range.start, now), Math.max(range.end, now) + duration]
  for (const { start } of [...bookings, ...counted]) {
    if (start < from) from = start
    if (start > to) to = start
  }
  return localClock(schedule.zone, from, to)
}

/** True when this very start is on offer. Asks the same as `findSlots`. */
export function isOffered(question: Omit<SlotQuestion, 'range'>, start: number): boolean {
  return findSlots({ ...question, range: { start, end: start + 1 } }).length === 1
}

/**
 * The windows of every local date that can matter for the range: per date, for each date starts a
 * grid of its own, and all of them as one, because a slot may cross from one date's hours into the
 * next one's.
 */
export function openHours(
  schedule: SlotSchedule,
  clock: LocalClock,
  range: Span,
  duration: number,
): { grids: Span[]; open: Span[] } {
  // Two days back: a night's window may reach over a date that its zone left out.
  const [first, last] = [clock.dayAt(range.start) - 2, clock.dayAt(range.end + duration) + 1]
  const grids: Span[] = []
  for (let day = first; day <= last; day++) {
    if (!clock.hasDay(day)) continue
    const windows = schedule.overrides.get(day) ?? schedule.weekly[weekdayOf(day)] ?? []
    // The windows of an overridden date are all that it has: what the night before would spill into
    // it is cut off at its midnight.
    const next = clock.hasDay(day + 1) ? day + 1 : day + 2
    const cut = schedule.overrides.has(next) ? clock.instantOf(next, 0) : Number.POSITIVE_INFINITY
    const spans = windows.map(({ start, end }) => ({
      start: clock.instantOf(day, start),
      end: Math.min(cut, clock.instantOf(day, end <= start ? end + 1_440 : end)),
    }))
    grids.push(...merged(spans))
  }
  return { grids, open: merged(grids) }
}

/**
 * True where the whole span lies in the schedule's open hours, which may be those of two dates that
 * meet.
 */
export function isWithinHours(schedule: SlotSchedule, span: Span): boolean {
  const clock = localClock(schedule.zone, span.start, span.end)
  const { open } = openHours(schedule, clock, span, 0)
  return open.some((hours) => hours.start <= span.start && span.end <= hours.end)
}

/** Overlapping and touching spans made one, ascending; those without length left out. */
export function merged(spans: readonly Span[]): Span[] {
  const sorted = spans.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start)
  const result: Span[] = []
  for (const span of sorted) {
    const before = result.at(-1)
    if (before && span.start <= before.end) {
      if (span.end > before.end) result[result.length - 1] = { start: before.start, end: span.end }
    } else result.push(span)
  }
  return result
}

/**
 * Starts of all grids in `[earliest, end)`, ascending and each once. Grids of neighbouring dates
 * overlap where a night's window does.
 */
function startsOf(grids: readonly Span[], step: number, earliest: number, end: number): number[] {
  const starts: number[] = []
  let ordered = true
  for (const grid of grids) {
    const skipped = Math.max(0, Math.ceil((earliest - grid.start) / step))
    for (let at = grid.start + skipped * step; at < grid.end && at < end; at += step) {
      if (starts.length > 0 && at <= (starts[starts.length - 1] as number)) ordered = false
      starts.push(at)
    }
  }
  if (ordered) return starts
  return [...new Set(starts)].sort((a, b) => a - b)
}

/**
 * Booking window and limits: what is decided by the local date of a start, and by who has it
 * already.
 */
export function dateRules(
  { settings, bookings, counted, now }: SlotQuestion,
  clock: LocalClock,
): (start: number) => boolean {
  const today = clock.dayAt(now)
  const { bookingWindow } = settings
  const [from, to] =
    bookingWindow.kind === 'rolling'
      ? [today, today + bookingWindow.days]
      : bookingWindow.kind === 'fixed'
        ? [bookingWindow.from, bookingWindow.to]
        : [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  const own = bookings.filter(({ eventTypeId }) => eventTypeId === settings.eventTypeId)
  const full = [
    fullDates(counted ?? own, settings.limits, clock),
    fullDates(bookings, settings.hostLimits, clock),
  ]
  // Joining a start that counts already adds nothing to a limit.
  const joinable = new Set(settings.seats > 1 ? own.map(({ start }) => start) : [])
  let lastDay = Number.NaN
  let verdict = { inWindow: false, full: false }
  return (start) => {
    const day = clock.dayAt(start)
    if (day !== lastDay)
      verdict = { inWindow: day >= from && day <= to, full: full.some((isFull) => isFull(day)) }
    lastDay = day
    return verdict.inWindow && (!verdict.full || joinable.has(start))
  }
}

/**
 * Whether the starts of a day, its week or its month are as many as there may be; pending bookings
 * count as confirmed ones do, and the bookings of one shared start count once.
 */
function fullDates(
  bookings: readonly TakenSlot[],
  limits: SlotLimits,
  clock: LocalClock,
): (day: number) => boolean {
  if (Object.values(limits).every((limit) => limit === undefined)) return () => false
  const starts = new Map(
    bookings.map(({ eventTypeId, start, end }) => [`${eventTypeId} ${start} ${end}`, start]),
  )
  const rules = (
    [
      [limits.day, (day: number) => day],
      [limits.week, weekOf],
      [limits.month, monthOf],
    ] as const
  )
    .filter(([limit]) => limit !== undefined)
    .map(([limit, periodOf]) => {
      const counts = new Map<number, number>()
      for (const start of starts.values()) {
        const period = periodOf(clock.dayAt(start))
        counts.set(period, (counts.get(period) ?? 0) + 1)
      }
      return (day: number) => (counts.get(periodOf(day)) ?? 0) >= (limit as number)
    })
  return (day) => rules.some((isFull) => isFull(day))
}

/**
 * How many visitors a slot can still take; 0 when something is in its way. Has to be asked with
 * starts that ascend: everything is sorted once and walked through once.
 */
export function obstacles({
  settings,
  busy,
  bookings,
  locks,
  held = [],
}: SlotQuestion): (start: number, end: number) => number {
  const [before, after] = [settings.beforeMinutes * minuteMs, settings.afterMinutes * minuteMs]
  const shares = (booking: TakenSlot) =>
    settings.seats > 1 && booking.eventTypeId === settings.eventTypeId
  const walls = merged([
    ...busy,
    ...locks,
    ...[...bookings, ...held]
      .filter((booking) => !shares(booking))
      .map(({ claimStart, claimEnd }) => ({ start: claimStart, end: claimEnd })),
  ])
  const shared = new Map<number, TakenSlot>()
  for (const booking of [...bookings, ...held].filter(shares)) {
    const known = shared.get(booking.start)
    shared.set(
      booking.start,
      known ? { ...known, seatsTaken: known.seatsTaken + booking.seatsTaken } : booking,
    )
  }
  const classes = [...shared.values()].sort((a, b) => a.claimStart - b.claimStart)
  let w = 0
  return (start, end) => {
    const [from, to] = [start - before, end + after]
    while (w < walls.length && (walls[w] as Span).end <= from) w++
    const wall = walls[w]
    if (wall && wall.start < to) return 0
    const own = shared.get(start)
    for (const other of classes) {
      if (other.claimStart >= to) break
      if (other !== own && other.claimEnd > from) return 0
    }
    if (!own) return settings.seats
    return own.end === end ? Math.max(0, settings.seats - own.seatsTaken) : 0
  }
}
