import { AppError } from '@atrium/core/errors'
import type { Span } from '@atrium/core/slots'
import type { BookingRow } from '@atrium/db/bookings'
import type { Trx } from '@atrium/db/connect'
import { type EventTypeRow, findEventType } from '@atrium/db/event-types'
import { findHostsById, type HostRow } from '@atrium/db/hosts'
import type { House } from '../house.ts'
import { type BusyOfHosts, readBusy } from './busy-times.ts'
import { type Leniency, offerFor, onlyStart, requireOffered } from './offer.ts'

const minuteMs = 60_000

/** A time that a booking is to have, with what its hosts' calendars say of it. */
export interface WantedTime extends Span {
  readonly hosts: readonly HostRow[]
  readonly busy: BusyOfHosts
}

/** Asks the calendars of all hosts of a booking, past every cache. Throws AppError `calendar_unavailable`, `host_not_connected`. */
export async function readWantedTime(house: House, booking: BookingRow, time: Span): Promise<WantedTime> {
  const hosts = await findHostsById(
    house.database.db,
    booking.hosts.map(({ hostId }) => hostId),
  )
  const options = { fresh: true, movedBookingId: booking.id }
  return { start: time.start, end: time.end, hosts, busy: await readBusy(house, hosts, onlyStart(time.start), options) }
}

export interface MoveQuestion extends Leniency {
  booking: BookingRow
  now: Date
  /** Of the visitor who asks. */
  lockToken?: string | undefined
}

/**
 * Holds a time against the same rules that it was offered by, for every host of the booking and without the booking itself. Throws
 * AppError `too_soon`, `outside_window`, `slot_locked`, `slot_taken`. Call it under the hosts' locks. Answers the event type as it is now.
 */
export async function requireFree(
  trx: Trx,
  time: WantedTime,
  { booking, now, lockToken, ...leniency }: MoveQuestion,
): Promise<EventTypeRow> {
  const eventType = await findEventType(trx, booking.eventTypeId)
  if (!eventType) throw new AppError('not_found')
  for (const host of time.hosts) {
    const offer = await offerFor(trx, {
      eventType,
      host,
      minutes: (time.end - time.start) / minuteMs,
      now,
      span: onlyStart(time.start),
      busy: time.busy,
      movedBookingId: booking.id,
      lockToken,
      ...leniency,
    })
    requireOffered(offer, time.start)
  }
  return eventType
}
