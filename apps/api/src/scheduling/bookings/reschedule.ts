import { randomUUID } from 'node:crypto'
import { nextSequence } from '@atrium/core/scheduling/booking-state'
import { wallTimeOf } from '@atrium/core/scheduling/time-zones'
import type { Trx } from '@atrium/db/platform/connect'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import type { AvailabilityOverrides } from '../slots/availability.ts'
import { durationOf } from '../slots/bookable.ts'
import type { Chosen } from '../slots/choose-hosts.ts'
import type { Actor } from './actor.ts'
import {
  answerDue,
  changeBooking,
  finishTaking,
  readAgain,
  requireAllowed,
  writeStep,
} from './change.ts'
import { handOverClaims, moveClaims } from './claim.ts'
import { eventUid } from './facts.ts'
import { chooseForMove, readTimeToMoveTo } from './move-check.ts'

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
 * Moves a booking: same id and link, and the old time is free in the same moment. Its host keeps it
 * where free at the new time; else another host of the round robin gets it, where the event type
 * allows that. The time that it has already is returned as it is, and nobody is told. Throws
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
  if (isAt(found, start, end)) return readAgain(services, found)
  const time = await readTimeToMoveTo(
    services,
    { booking: found, by: actor.by, now },
    { start, end },
  )
  const work = async (trx: Trx, booking: BookingRow) => {
    requireAllowed('reschedule', actor.by, booking, now)
    if (isAt(booking, start, end)) return undefined
    const { ignoreNotice, ignoreWindow, lockToken, reason } = move
    const question = { booking, by: actor.by, now, lockToken, ignoreNotice, ignoreWindow }
    const { eventType, newHost } = await chooseForMove(trx, time, question)
    const { beforeMinutes, afterMinutes } = eventType
    const organizer = newHost && organizerOf(booking, newHost)
    const claim = { booking: { ...booking, ...organizer }, eventType, start, end, lockToken, now }
    if (organizer) await handOverClaims(trx, claim, { from: booking.hostId, to: organizer.host_id })
    else await moveClaims(trx, claim)
    const changes = {
      sequence: nextSequence(booking),
      start_at: new Date(start),
      end_at: new Date(end),
      before_minutes: beforeMinutes,
      after_minutes: afterMinutes,
      host_wall: wallTimeOf(organizer?.host_zone ?? booking.hostZone, start),
      ...organizer,
      // Another time is another question: the old one's end would let the request lapse long before
      // its start.
      ...(booking.status === 'pending'
        ? { approval_expires_at: answerDue(eventType, start, now) }
        : {}),
    }
    const step = {
      kind: 'rescheduled' as const,
      actor,
      changes,
      reason,
      now,
      movedTo: new Date(start),
    }
    await writeStep(trx, services, booking, { ...step, newHostId: organizer?.host_id })
    return { before: booking, newHostId: organizer?.host_id }
  }
  const moved = await changeBooking(services, found, work, time.hosts)
  if (!moved) return readAgain(services, found)
  const { before, newHostId } = moved
  const metadata = {
    by: actor.by,
    to: new Date(start).toISOString(),
    ...(newHostId === undefined ? {} : { toHostId: newHostId }),
  }
  return finishTaking(services, actor, before, 'booking.rescheduled', metadata)
}

/**
 * What a booking gets from a new host. RFC 5546 lets a new organizer take over an event, but
 * calendar programs ignore changes to an event that come from another organizer. So it gets a new
 * UID with the new organizer, and the old event is cancelled.
 */
function organizerOf(booking: BookingRow, { host, offer }: Chosen) {
  return {
    host_id: host.id,
    uid: eventUid(booking, randomUUID()),
    organizer: host.mailAddress,
    host_zone: offer.schedule.zone,
  }
}

/**
 * The duration that is asked for, or the present one, which may be one that is no longer offered.
 */
export function minutesFor(booking: BookingRow, asked: number | undefined): number {
  const present = (booking.endAt.getTime() - booking.startAt.getTime()) / minuteMs
  return asked === undefined || asked === present ? present : durationOf(booking, asked)
}

function isAt({ startAt, endAt }: BookingRow, start: number, end: number): boolean {
  return startAt.getTime() === start && endAt.getTime() === end
}
