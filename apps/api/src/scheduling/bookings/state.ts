import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type BookingAction,
  type BookingRejection,
  rejectionOf,
} from '@atrium/core/scheduling/booking-state'
import type { DecidedBooking } from '@atrium/core/scheduling/booking-transitions'
import { type BookingParty, schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import { isOffered } from './facts.ts'

/** What the rules of `booking-state.ts` and `booking-transitions.ts` look at. */
export function stateOf(booking: BookingRow): DecidedBooking {
  return {
    status: booking.status,
    start: booking.startAt.getTime(),
    end: booking.endAt.getTime(),
    approvalExpiresAt: booking.approvalExpiresAt?.getTime() ?? null,
    noShow: booking.noShow,
    cancelCutoffMinutes: booking.cancelCutoffMinutes,
    rescheduleCutoffMinutes: booking.rescheduleCutoffMinutes,
    offered: isOffered(booking),
    visitorMoves: booking.visitorMoves,
    sequence: booking.sequence,
    invited: booking.invited,
    visitorConfirmed: booking.visitorConfirmedAt !== null,
  }
}

/**
 * Until when a host can decide about a request for `start` (milliseconds since 1970) that is made,
 * or moved there, at `now`.
 */
export function confirmationDue(
  { approvalHours }: Pick<EventTypeRow, 'approvalHours'>,
  start: number,
  now: Date,
): Date {
  return new Date(Math.min(start, now.getTime() + approvalHours * 3_600_000))
}

/** Throws AppError `invalid_state`, `cutoff_passed` or `limit_reached`. */
export function requireAllowed(
  action: BookingAction,
  by: Exclude<BookingParty, 'system'>,
  booking: BookingRow,
  now: Date,
): void {
  const rejection = rejectionOf(action, by, stateOf(booking), now.getTime())
  if (rejection) throw rejectionError(rejection, booking)
}

export function rejectionError(rejection: BookingRejection, { hostName }: BookingRow): AppError {
  return rejection === 'limit_reached'
    ? new AppError(
        rejection,
        errorText('moveLimit', { most: schedulingLimits.movesPerBooking, hostName }),
      )
    : new AppError(rejection)
}
