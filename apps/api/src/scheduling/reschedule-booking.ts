import { nextSequence } from '@atrium/core/booking-life'
import { wallTimeOf } from '@atrium/core/time-zones'
import type { BookingRow } from '@atrium/db/bookings'
import type { House } from '../house.ts'
import { durationOf } from './bookable.ts'
import type { Acting } from './booking-acting.ts'
import { answerDue, changeBooking, finishTaking, readAgain, requireAllowed, writeStep } from './booking-change.ts'
import { moveClaims } from './claim.ts'
import { readWantedTime, requireFree } from './move-check.ts'
import type { Leniency } from './offer.ts'

export interface Move extends Leniency {
  /** ISO 8601. */
  start: string
  /** In minutes; as before when absent. */
  duration?: number | undefined
  lockToken?: string | undefined
  reason?: string | undefined
}

const minuteMs = 60_000

/**
 * Moves a booking: same id, uid and link, and the old time is free in the same moment. The time that it has already is answered as it is,
 * and nobody is told. Throws AppError `invalid_input` for a duration that is not on offer, `invalid_state`, `cutoff_passed` (visitors),
 * `too_soon`, `outside_window`, `slot_locked`, `slot_taken`, `calendar_unavailable`, `host_not_connected`; nothing is changed then.
 */
export async function rescheduleBooking(
  house: House,
  acting: Acting & { by: 'visitor' | 'host' },
  found: BookingRow,
  move: Move,
): Promise<BookingRow> {
  const now = house.clock.now()
  requireAllowed('reschedule', acting.by, found, now)
  const start = Date.parse(move.start)
  const end = start + minutesFor(found, move.duration) * minuteMs
  if (isAt(found, start, end)) return readAgain(house, found)
  const time = await readWantedTime(house, found, { start, end })
  const moved = await changeBooking(house, found, async (trx, booking) => {
    requireAllowed('reschedule', acting.by, booking, now)
    if (isAt(booking, start, end)) return false
    const { ignoreNotice, ignoreWindow, lockToken, reason } = move
    const eventType = await requireFree(trx, time, { booking, now, lockToken, ignoreNotice, ignoreWindow })
    const { beforeMinutes, afterMinutes } = eventType
    await moveClaims(trx, { booking, eventType, start, end, lockToken, now })
    const changes = {
      sequence: nextSequence(booking),
      start_at: new Date(start),
      end_at: new Date(end),
      before_minutes: beforeMinutes,
      after_minutes: afterMinutes,
      host_wall: wallTimeOf(booking.hostZone, start),
      // Another time is another question: the old one's end would let the request lapse long before its start.
      ...(booking.status === 'pending' ? { approval_expires_at: answerDue(eventType, start, now) } : {}),
    }
    await writeStep(trx, house, booking, { kind: 'rescheduled', acting, changes, reason, now, movedTo: new Date(start) })
    return true
  })
  if (!moved) return readAgain(house, found)
  return finishTaking(house, acting, found, 'booking.rescheduled', { by: acting.by, to: new Date(start).toISOString() })
}

/** The duration that is asked for, or the present one, which may be one that is no longer offered. */
export function minutesFor(booking: BookingRow, asked: number | undefined): number {
  const present = (booking.endAt.getTime() - booking.startAt.getTime()) / minuteMs
  return asked === undefined || asked === present ? present : durationOf(booking, asked)
}

function isAt({ startAt, endAt }: BookingRow, start: number, end: number): boolean {
  return startAt.getTime() === start && endAt.getTime() === end
}
