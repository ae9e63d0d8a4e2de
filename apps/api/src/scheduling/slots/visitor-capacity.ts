import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { countLiveBookings } from '@atrium/db/scheduling/bookings'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import type { HostRow } from '@atrium/db/scheduling/hosts'

type Most = Pick<EventTypeRow, 'bookingsPerVisitor'>

/**
 * One visitor does not fill a host's days. Throws AppError `limit_reached` for an address that has
 * as many bookings as it can.
 */
export async function requireCapacity(
  trx: Trx,
  hostId: string,
  eventType: Most,
  email: string,
  now: Date,
): Promise<void> {
  const { bookingsPerVisitor: most } = eventType
  if (most === null) return
  const counts = await countLiveBookings(trx, [hostId], email, now)
  if ((counts.get(hostId) ?? 0) < most) return
  throw new AppError('limit_reached', errorText('visitorBookingLimit', { most }))
}

/** Of these hosts the ones with whom the address can have one booking more. */
export async function hostsWithCapacity(
  db: Db | Trx,
  hosts: readonly HostRow[],
  { bookingsPerVisitor: most }: Most,
  email: string,
  now: Date,
): Promise<HostRow[]> {
  if (most === null || hosts.length === 0) return [...hosts]
  const ids = hosts.map(({ id }) => id)
  const counts = await countLiveBookings(db, ids, email, now)
  return hosts.filter(({ id }) => (counts.get(id) ?? 0) < most)
}
