import { clockOver, dateRules, obstacles, openHours, type SlotQuestion } from './slots.ts'
import { dateOf } from './time-zones.ts'

/** What decides about a start, in the order in which it is looked at. */
export const explanationRules = [
  'hours',
  'grid',
  'notice',
  'window',
  'event_type_limits',
  'host_limits',
  'calendar',
  'bookings',
  'locks',
] as const
export type ExplanationRule = (typeof explanationRules)[number]

export interface StartExplanation {
  /** The date of the start in the schedule's zone. */
  date: string
  rules: { rule: ExplanationRule; passed: boolean }[]
}

const minuteMs = 60_000
const openWindow = { kind: 'open' } as const

/**
 * Why a start is on offer or not: every rule by itself, as if it were the only one. All of them
 * pass exactly when `isOffered` returns true. Only for the tenant's own staff: it shows the content
 * of the host's calendar.
 */
export function explainStart(
  slotQuestion: Omit<SlotQuestion, 'range'>,
  start: number,
): StartExplanation {
  const { settings } = slotQuestion
  const duration = settings.durationMinutes * minuteMs
  const end = start + duration
  const question: SlotQuestion = { ...slotQuestion, range: { start, end: start + 1 } }
  const clock = clockOver(question, duration)
  const { grids, open } = openHours(question.schedule, clock, question.range, duration)
  const allowed = (over: Partial<SlotQuestion['settings']>, bookings = question.bookings) =>
    dateRules({ ...question, settings: { ...settings, ...over }, bookings }, clock)(start)
  const clear = (over: Partial<SlotQuestion>) =>
    obstacles({ ...question, busy: [], bookings: [], locks: [], held: [], ...over })(start, end) > 0
  const step = settings.stepMinutes * minuteMs
  const passed: Record<ExplanationRule, boolean> = {
    hours: open.some((hours) => hours.start <= start && end <= hours.end),
    grid: grids.some(
      (grid) => start >= grid.start && start < grid.end && (start - grid.start) % step === 0,
    ),
    notice: start >= question.now + settings.noticeMinutes * minuteMs,
    window: allowed({ limits: {}, hostLimits: {} }, []),
    event_type_limits: allowed({ bookingWindow: openWindow, hostLimits: {} }),
    host_limits: allowed({ bookingWindow: openWindow, limits: {} }),
    calendar: clear({ busy: question.busy }),
    bookings: clear({ bookings: question.bookings }),
    locks:
      clear({
        bookings: question.bookings.filter(sharedWith(question)),
        locks: question.locks,
        held: question.held ?? [],
      }) ||
      // Where bookings alone fill it, locks are not what is in the way.
      (!clear({ bookings: question.bookings.filter(sharedWith(question)) }) &&
        clear({ locks: question.locks, held: question.held ?? [] })),
  }
  return {
    date: dateOf(clock.dayAt(start)),
    rules: explanationRules.map((rule) => ({ rule, passed: passed[rule] })),
  }
}

/** Places are counted together: a held one may be the last of those that bookings left. */
function sharedWith({
  settings,
}: SlotQuestion): (booking: SlotQuestion['bookings'][number]) => boolean {
  return (booking) => settings.seats > 1 && booking.eventTypeId === settings.eventTypeId
}
