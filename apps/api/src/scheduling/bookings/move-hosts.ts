import { AppError } from '@atrium/core/platform/errors'
import type { BookingParty } from '@atrium/core/scheduling/scheduling'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import { findHostsById, type HostRow } from '@atrium/db/scheduling/hosts'
import { type Bookable, hostsWhoTake } from '../slots/bookable.ts'
import { hostsWithCapacity } from '../slots/visitor-capacity.ts'
import { hostMayChange } from './facts.ts'

/** A move in question: of which booking, by whom, when. */
export interface MoveInQuestion {
  eventType: EventTypeRow
  booking: BookingRow
  by: Exclude<BookingParty, 'system'>
  now: Date
}

/** The hosts who have the booking, removed ones too. */
export function hostsOf(db: Db | Trx, { hosts }: BookingRow): Promise<HostRow[]> {
  return findHostsById(
    db,
    hosts.map(({ hostId }) => hostId),
  )
}

/**
 * Who can have the booking after a move: its hosts, or each one of its round robin where the event
 * type lets the host change. For visitors these are the hosts who take bookings and with whom they
 * can have one more. The tenant's own people can leave it with its present host in any case, unless
 * that one was removed and there are others.
 */
export async function hostsForMove(
  db: Db | Trx,
  { eventType, booking, by, now }: MoveInQuestion,
): Promise<HostRow[]> {
  if (!hostMayChange(booking)) return hostsOf(db, booking)
  const taking = await hostsWhoTake(db, eventType)
  const present = await hostsOf(db, booking)
  const isPresent = ({ id }: HostRow) => id === booking.hostId
  const others = taking.filter((host) => !isPresent(host))
  if (by === 'visitor') {
    const withCapacity = await hostsWithCapacity(db, others, eventType, booking.visitorEmail, now)
    return [...taking.filter(isPresent), ...withCapacity]
  }
  const staying = present.filter(({ removedAt }) => removedAt === null || others.length === 0)
  return [...staying, ...others]
}

/**
 * The hosts who can take a visitor's booking after a move to a time that is still to be chosen.
 * Throws AppError `slot_taken` when a host who stays takes no more bookings, and when no host can
 * take it.
 */
export async function hostsForVisitorsMove(
  db: Db,
  { eventType, hosts }: Bookable,
  booking: BookingRow,
  now: Date,
): Promise<HostRow[]> {
  const able = hostMayChange(booking)
    ? await hostsForMove(db, { eventType, booking, by: 'visitor', now })
    : hosts.filter(({ id }) => booking.hosts.some(({ hostId }) => hostId === id))
  const needed = hostMayChange(booking) ? 1 : booking.hosts.length
  if (able.length < needed) throw new AppError('slot_taken')
  return able
}
