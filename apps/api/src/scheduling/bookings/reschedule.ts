import { randomUUID } from 'node:crypto'
import type { BookingPatch } from '@atrium/core/scheduling/booking-transitions'
import { wallTimeOf } from '@atrium/core/scheduling/time-zones'
import type { Trx } from '@atrium/db/platform/connect'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import type { AvailabilityOverrides } from '../slots/availability.ts'
import { durationOf } from '../slots/bookable.ts'
import type { Chosen } from '../slots/choose-hosts.ts'
import type { Actor } from './actor.ts'
import { handOverClaims, moveClaims } from './claim.ts'
import { type BookingWithHosts, eventUid } from './facts.ts'
import { chooseForMove, type RequestedTime, readTimeToMoveTo } from './move-check.ts'
import { confirmationDue, requireAllowed } from './state.ts'
import { changeBooking } from './transition.ts'

export interface Move extends AvailabilityOverrides {
  /** ISO 8601. */
  start: string
  /** In minutes; as before when absent. */
  duration?: number | undefined
  lockToken?: string | undefined
  reason?: string | undefined
}

const minuteMs = 60_000

/**
 * Moves a booking: it keeps id and link, and the old time becomes free in the same transaction. Its
 * host keeps it if free at the new time; otherwise another host of the round robin gets it, if the
 * event type allows that. A move to its current time returns it unchanged and sends nothing. Throws
 * AppError `invalid_input` for a duration that is not on offer, `invalid_state`, `cutoff_passed`
 * (visitors), `too_soon`, `outside_window`, `slot_locked`, `slot_taken`, `calendar_unavailable`,
 * `host_not_connected`; nothing is changed then.
 */
export async function rescheduleBooking(
  services: Services,
  actor: Actor & { by: 'visitor' | 'host' },
  found: BookingRow,
  move: Move,
): Promise<BookingRow> {
  const now = services.clock.now()
  requireAllowed('reschedule', actor.by, found, now)
  const start = Date.parse(move.start)
  const end = start + minutesFor(found, move.duration) * minuteMs
  if (found.startAt.getTime() === start && found.endAt.getTime() === end) return found
  const time = await readTimeToMoveTo(
    services,
    { booking: found, by: actor.by, now },
    { start, end },
  )
  return changeBooking(services, {
    actor,
    found,
    now,
    candidates: time.hosts,
    command: { action: 'reschedule', start, end, reason: move.reason },
    takeTime: (trx, current) => takeNewTime(trx, time, { current, move, by: actor.by, now }),
  })
}

/** Moves the claims to the new time, which may give the booking to another host. */
async function takeNewTime(
  trx: Trx,
  time: RequestedTime,
  { current, move, by, now }: NewTime,
): Promise<BookingPatch> {
  const { booking } = current
  const { start, end } = time
  const { ignoreNotice, ignoreWindow, lockToken } = move
  const question = { ...current, by, now, lockToken, ignoreNotice, ignoreWindow }
  const { eventType, newHost } = await chooseForMove(trx, time, question)
  const organizer = newHost && organizerOf(booking, newHost)
  const claim = { booking: { ...booking, ...organizer }, eventType, start, end, lockToken, now }
  if (organizer) await handOverClaims(trx, claim, { from: booking.hostId, to: organizer.hostId })
  else await moveClaims(trx, claim)
  return {
    beforeMinutes: eventType.beforeMinutes,
    afterMinutes: eventType.afterMinutes,
    hostWall: wallTimeOf(organizer?.hostZone ?? booking.hostZone, start),
    ...organizer,
    // Another time is another question: the old one's end would let the request lapse long before
    // its start.
    ...(booking.status === 'pending' && {
      approvalExpiresAt: confirmationDue(eventType, start, now),
    }),
  }
}

interface NewTime {
  current: BookingWithHosts
  move: Move
  by: 'visitor' | 'host'
  now: Date
}

/**
 * What a booking gets from a new host. RFC 5546 lets a new organizer take over an event, but
 * calendar programs ignore changes to an event that come from another organizer. So it gets a new
 * UID with the new organizer, and the old event is cancelled.
 */
function organizerOf(booking: BookingRow, { host, offer }: Chosen) {
  return {
    hostId: host.id,
    uid: eventUid(booking, randomUUID()),
    organizerAddress: host.mailAddress,
    hostZone: offer.schedule.zone,
  }
}

/**
 * The duration that is asked for, or the present one, which may be one that is no longer offered.
 */
export function minutesFor(booking: BookingRow, requested: number | undefined): number {
  const present = (booking.endAt.getTime() - booking.startAt.getTime()) / minuteMs
  return requested === undefined || requested === present ? present : durationOf(booking, requested)
}
