import type { BookingRow } from '@atrium/db/scheduling/bookings'
import { findHostsById } from '@atrium/db/scheduling/hosts'
import type { Services } from '../../rpc/services.ts'
import { readBusy } from '../calendars/busy-times.ts'
import { reportConflict } from './effects.ts'

const minuteMs = 60_000

/**
 * Checks the hosts' calendars once more after a booking was created: our lock does not cover an
 * entry of their own from the same second. The host is notified and decides; nothing is cancelled.
 * Returns whether there is a conflict. A calendar that cannot be read shows none, which is logged:
 * there is no further check.
 */
export async function findConflict(services: Services, booking: BookingRow): Promise<boolean> {
  const [from, to] = [
    booking.startAt.getTime() - booking.beforeMinutes * minuteMs,
    booking.endAt.getTime() + booking.afterMinutes * minuteMs,
  ]
  const ids = booking.hosts.map(({ hostId }) => hostId)
  const hosts = await findHostsById(services.database.db, ids)
  const span = { start: booking.startAt.getTime(), end: booking.endAt.getTime() }
  const busy = await readBusy(services, hosts, span, { fresh: true }).catch((err: unknown) => {
    services.log.warn(
      { err, bookingId: booking.id },
      'failed to check the calendar after a booking',
    )
    return undefined
  })
  const hit = hosts.filter(({ id }) =>
    busy?.get(id)?.some((period) => period.start < to && period.end > from),
  )
  for (const { id } of hit) {
    await services.database.db
      .transaction()
      .execute((trx) => reportConflict(trx, services, { bookingId: booking.id, hostId: id }))
  }
  return hit.length > 0
}
