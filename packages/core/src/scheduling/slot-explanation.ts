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

export interface RuleOutcome {
  rule: ExplanationRule
  passed: boolean
  /** A sentence for the host. */
  detail: string
}

const minuteMs = 60_000
const openWindow = { kind: 'open' } as const

/**
 * Why a start is on offer or not: every rule by itself, as if it were the only one. All of them
 * pass exactly when `isOffered` says so. For the tenant's own people: it tells what is in the
 * host's calendar.
 */
export function explainStart(asked: Omit<SlotQuestion, 'range'>, start: number): RuleOutcome[] {
  const { settings } = asked
  const duration = settings.durationMinutes * minuteMs
  const end = start + duration
  const question: SlotQuestion = { ...asked, range: { start, end: start + 1 } }
  const clock = clockOver(question, duration)
  const { grids, open } = openHours(question.schedule, clock, question.range, duration)
  const allowed = (over: Partial<SlotQuestion['settings']>, bookings = question.bookings) =>
    dateRules({ ...question, settings: { ...settings, ...over }, bookings }, clock)(start)
  const clear = (over: Partial<SlotQuestion>) =>
    obstacles({ ...question, busy: [], bookings: [], locks: [], held: [], ...over })(start, end) > 0
  const day = clock.dayAt(start)
  const date = dateOf(day)
  const zone = question.schedule.zone
  const step = settings.stepMinutes * minuteMs
  const earliest = question.now + settings.noticeMinutes * minuteMs
  const noLimits = { limits: {}, hostLimits: {} }
  return [
    outcome(
      'hours',
      open.some((hours) => hours.start <= start && end <= hours.end),
      `The whole time lies in the open hours around ${date} (${zone}).`,
      `The time is not, or not wholly, in the open hours around ${date} (${zone}).`,
    ),
    outcome(
      'grid',
      grids.some(
        (grid) => start >= grid.start && start < grid.end && (start - grid.start) % step === 0,
      ),
      `A start falls on this minute: there is one every ${settings.stepMinutes} minutes from the beginning of the hours.`,
      `No start falls on this minute: there is one every ${settings.stepMinutes} minutes from the beginning of the hours.`,
    ),
    outcome(
      'notice',
      start >= earliest,
      `It is at least ${settings.noticeMinutes} minutes from now.`,
      `It is less than ${settings.noticeMinutes} minutes from now, or over.`,
    ),
    outcome(
      'window',
      allowed({ ...noLimits }, []),
      `${date} is within the booking window.`,
      `${date} is outside of the booking window.`,
    ),
    outcome(
      'event_type_limits',
      allowed({ bookingWindow: openWindow, hostLimits: {} }),
      'The event type has room in its limits.',
      'The event type has as many bookings on this day, in this week or in this month as it may have.',
    ),
    outcome(
      'host_limits',
      allowed({ bookingWindow: openWindow, limits: {} }),
      'The host has room in their limits.',
      'The host has as many bookings on this day, in this week or in this month as they may have.',
    ),
    outcome(
      'calendar',
      clear({ busy: question.busy }),
      'Nothing in the calendar is in the way.',
      'Something in the calendar is in the way, buffers included.',
    ),
    outcome(
      'bookings',
      clear({ bookings: question.bookings }),
      'No other booking is in the way.',
      'Another booking is in the way, buffers included, or all places are taken.',
    ),
    outcome(
      'locks',
      clear({
        bookings: question.bookings.filter(sharedWith(question)),
        locks: question.locks,
        held: question.held ?? [],
      }) ||
        // Where bookings alone fill it, locks are not what is in the way.
        (!clear({ bookings: question.bookings.filter(sharedWith(question)) }) &&
          clear({ locks: question.locks, held: question.held ?? [] })),
      'Nobody holds this time at this moment.',
      'Somebody is booking this time at this moment, and holds it.',
    ),
  ]
}

/** Places are counted together: a held one may be the last of those that bookings left. */
function sharedWith({
  settings,
}: SlotQuestion): (booking: SlotQuestion['bookings'][number]) => boolean {
  return (booking) => settings.seats > 1 && booking.eventTypeId === settings.eventTypeId
}

function outcome(rule: ExplanationRule, passed: boolean, yes: string, no: string): RuleOutcome {
  return { rule, passed, detail: passed ? yes : no }
}
