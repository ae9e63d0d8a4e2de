import { AppError } from '@atrium/core/platform/errors'
import type { Span } from '@atrium/core/scheduling/slots'
import type { Trx } from '@atrium/db/platform/connect'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import { type EventTypeRow, findEventType } from '@atrium/db/scheduling/event-types'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import type { Services } from '../../rpc/services.ts'
import { type BusyOfHosts, readBusy, readBusyOfSome } from '../calendars/busy-times.ts'
import {
  type AvailabilityOverrides,
  availabilityFor,
  onlyStart,
  requireOffered,
} from '../slots/availability.ts'
import { type Chosen, chooseHosts } from '../slots/choose-hosts.ts'
import { type BookingWithHosts, hostMayChange } from './facts.ts'
import { hostsForMove, hostsOf, type MoveInQuestion } from './move-hosts.ts'

const minuteMs = 60_000

/** A time that a booking is to have, with what the calendars of those who can have it say of it. */
export interface RequestedTime extends Span {
  readonly hosts: readonly HostRow[]
  readonly busy: BusyOfHosts
}

/**
 * Asks the calendars of all hosts of a booking, past every cache. Throws AppError
 * `calendar_unavailable`, `host_not_connected`.
 */
export async function readRequestedTime(
  services: Services,
  booking: BookingRow,
  time: Span,
): Promise<RequestedTime> {
  const hosts = await hostsOf(services.database.db, booking)
  const options = { fresh: true, movedBookingId: booking.id }
  return {
    start: time.start,
    end: time.end,
    hosts,
    busy: await readBusy(services, hosts, onlyStart(time.start), options),
  }
}

/**
 * The same for a move, of all who can have the booking after it. Where another host may get it,
 * calendars that cannot be read are left out: AppError `calendar_unavailable` when that is all of
 * them.
 */
export async function readTimeToMoveTo(
  services: Services,
  { booking, by, now }: Omit<MoveInQuestion, 'eventType'>,
  time: Span,
): Promise<RequestedTime> {
  if (!hostMayChange(booking)) return readRequestedTime(services, booking, time)
  const { db } = services.database
  const eventType = await findEventType(db, booking.eventTypeId)
  if (!eventType) throw new AppError('not_found')
  const hosts = await hostsForMove(db, { eventType, booking, by, now })
  if (hosts.length === 0) throw new AppError('slot_taken')
  const options = { fresh: true, movedBookingId: booking.id }
  return {
    start: time.start,
    end: time.end,
    hosts,
    busy: await readBusyOfSome(services, hosts, onlyStart(time.start), options),
  }
}

export interface TimeQuestion extends AvailabilityOverrides, BookingWithHosts {
  now: Date
  /** Of the visitor who asks. */
  lockToken?: string | undefined
}

/**
 * Holds a time against the same rules that it was offered by, for every host of the booking and
 * without the booking itself. Throws AppError `too_soon`, `outside_window`, `slot_locked`,
 * `slot_taken`, and `calendar_unavailable` for a host who got the booking after the calendars were
 * read. Call it under the hosts' locks. Returns the event type as it is now.
 */
export async function requireFree(
  trx: Trx,
  time: RequestedTime,
  { booking, hosts, now, lockToken, ...overrides }: TimeQuestion,
): Promise<EventTypeRow> {
  const eventType = await eventTypeOf(trx, booking)
  for (const host of hosts) {
    const offer = await availabilityFor(trx, {
      eventType,
      host,
      minutes: (time.end - time.start) / minuteMs,
      now,
      span: onlyStart(time.start),
      busy: time.busy,
      movedBookingId: booking.id,
      lockToken,
      ...overrides,
    })
    requireOffered(offer, time.start)
  }
  return eventType
}

/**
 * Who has the booking at the wanted time: undefined for the hosts who have it already, else the
 * host of the round robin whose turn it is. The present host stays where that one is free. Rejects
 * as `requireFree` does, and has to be called the same way.
 */
export async function chooseForMove(
  trx: Trx,
  time: RequestedTime,
  { by, ...question }: TimeQuestion & Pick<MoveInQuestion, 'by'>,
): Promise<{ eventType: EventTypeRow; newHost?: Chosen }> {
  const { booking, now, ...rest } = question
  if (!hostMayChange(booking)) return { eventType: await requireFree(trx, time, question) }
  const eventType = await eventTypeOf(trx, booking)
  // Only those whose locks are held: checked again, because a host may have left the round robin or
  // reached the visitor's limit meanwhile.
  const able = await hostsForMove(trx, { eventType, booking, by, now })
  const hosts = able.filter(({ id }) => time.hosts.some((host) => host.id === id))
  const minutes = (time.end - time.start) / minuteMs
  const [chosen] = await chooseHosts(
    trx,
    { ...rest, eventType, hosts, minutes, start: time.start, now, moved: booking },
    time.busy,
  )
  return chosen && chosen.host.id !== booking.hostId
    ? { eventType, newHost: chosen }
    : { eventType }
}

async function eventTypeOf(trx: Trx, { eventTypeId }: BookingRow): Promise<EventTypeRow> {
  const eventType = await findEventType(trx, eventTypeId)
  if (!eventType) throw new AppError('not_found')
  return eventType
}
