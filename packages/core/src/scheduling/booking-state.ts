import { type BookingParty, type BookingStatus, schedulingLimits } from './scheduling.ts'

/**
 * What may be done to a booking, by whom and when: the table of states in
 * docs/reference/contract.md, scheduling, as pure functions. Instants are milliseconds since 1970.
 */

export const bookingActions = [
  'confirm',
  'decline',
  'cancel',
  'reschedule',
  'no_show',
  'new_link',
] as const
export type BookingAction = (typeof bookingActions)[number]

/** What the rules look at. */
export interface BookingDeadlines {
  readonly status: BookingStatus
  readonly start: number
  readonly end: number
  /** Until when the host can decide; null for a booking that needed no decision. */
  readonly approvalExpiresAt: number | null
  readonly noShow: boolean
  readonly cancelCutoffMinutes: number
  readonly rescheduleCutoffMinutes: number
  /**
   * Whether the event type and its host still take bookings: where not, a visitor has nothing to
   * move to.
   */
  readonly offered: boolean
  /** How often the visitor has moved it: each move sends mails to strangers. */
  readonly visitorMoves: number
}

/** Why an action is rejected, as an error code. */
export type BookingRejection = 'invalid_state' | 'cutoff_passed' | 'limit_reached'

const minuteMs = 60_000
/** A manage link can be read for so long after the end of what it is about. */
export const manageLinkLifeMs = 24 * 60 * minuteMs

/** True once a pending booking can no longer be decided: it started, or its deadline has passed. */
export function hasExpired(
  { status, start, approvalExpiresAt }: BookingDeadlines,
  now: number,
): boolean {
  return (
    status === 'pending' &&
    (start <= now || (approvalExpiresAt !== null && approvalExpiresAt <= now))
  )
}

/** True while the booking holds its time. */
export function isLive(booking: BookingDeadlines, now: number): boolean {
  if (booking.status === 'pending') return !hasExpired(booking, now)
  return booking.status === 'confirmed' && booking.end > now
}

/**
 * Undefined when the action may go on. Cut-offs hold for visitors, to the millisecond, and the last
 * moment counts.
 */
export function rejectionOf(
  action: BookingAction,
  by: Exclude<BookingParty, 'system'>,
  booking: BookingDeadlines,
  now: number,
): BookingRejection | undefined {
  const visitor = by === 'visitor'
  switch (action) {
    case 'confirm':
    case 'decline':
      return !visitor && booking.status === 'pending' && isLive(booking, now)
        ? undefined
        : 'invalid_state'
    case 'cancel':
      if (!hasTime(booking)) return 'invalid_state'
      if (visitor && now > cancelUntil(booking)) return 'cutoff_passed'
      return isLive(booking, now) ? undefined : 'invalid_state'
    case 'reschedule':
      if (!hasTime(booking) || (visitor && !booking.offered)) return 'invalid_state'
      if (visitor && now > rescheduleUntil(booking)) return 'cutoff_passed'
      if (!isLive(booking, now)) return 'invalid_state'
      return visitor && booking.visitorMoves >= schedulingLimits.movesPerBooking
        ? 'limit_reached'
        : undefined
    case 'no_show':
      return !visitor && booking.status === 'confirmed' && booking.end <= now
        ? undefined
        : 'invalid_state'
    case 'new_link':
      return !visitor && isLive(booking, now) ? undefined : 'invalid_state'
  }
}

/** What the party may do now, in the order in which pages show it. */
export function allowedActions(
  by: Exclude<BookingParty, 'system'>,
  booking: BookingDeadlines,
  now: number,
): BookingAction[] {
  return bookingActions.filter(
    (action) =>
      !(action === 'no_show' && booking.noShow) &&
      rejectionOf(action, by, booking, now) === undefined,
  )
}

/** The last moment at which the visitor can cancel. */
export function cancelUntil({
  start,
  cancelCutoffMinutes,
}: Pick<BookingDeadlines, 'start' | 'cancelCutoffMinutes'>): number {
  return start - cancelCutoffMinutes * minuteMs
}

/** The last moment at which the visitor can move the booking. */
export function rescheduleUntil({
  start,
  rescheduleCutoffMinutes,
}: Pick<BookingDeadlines, 'start' | 'rescheduleCutoffMinutes'>): number {
  return start - rescheduleCutoffMinutes * minuteMs
}

/** From this moment on the manage link opens nothing. */
export function manageLinkEnds({ end }: { end: number }): number {
  return end + manageLinkLifeMs
}

/**
 * The SEQUENCE after a change (RFC 5546 section 2.1.4): it counts what visitors' calendars
 * received, so nothing before the first REQUEST.
 */
export function nextSequence({
  sequence,
  invited,
}: {
  sequence: number
  invited: boolean
}): number {
  return invited ? sequence + 1 : sequence
}

function hasTime({ status }: BookingDeadlines): boolean {
  return status === 'pending' || status === 'confirmed'
}
