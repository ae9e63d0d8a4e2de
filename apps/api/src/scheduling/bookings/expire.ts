import { hasExpired } from '@atrium/core/scheduling/booking-state'
import { findBooking, listExpiredBookings } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import { platformActor } from './actor.ts'
import { changeBooking, deadlinesOf, finishStep, writeStep } from './change.ts'
import { releaseClaims } from './claim.ts'

const batch = 100

/**
 * Lets go of every pending booking that was not decided in time. Each one in a transaction of its
 * own that looks again under the locks, so that several processes may do this at once, and a host's
 * confirmation that came first stands. One that fails is left to the next run.
 */
export async function expireBookings(services: Services): Promise<void> {
  let last: string | undefined
  for (;;) {
    const ids = await listExpiredBookings(services.database.db, services.clock.now(), {
      after: last,
      limit: batch,
    })
    for (const id of ids) {
      if (services.background.ending) return
      await expireBooking(services, id).catch((err: unknown) =>
        services.log.error({ err, bookingId: id }, 'a booking could not be let go'),
      )
    }
    if (ids.length < batch) return
    last = ids.at(-1)
  }
}

async function expireBooking(services: Services, id: string): Promise<void> {
  const found = await findBooking(services.database.db, id)
  if (!found) return
  const now = services.clock.now()
  const actor = platformActor(services)
  const expired = await changeBooking(services, found, async (trx, booking) => {
    if (!hasExpired(deadlinesOf(booking), now.getTime())) return false
    await releaseClaims(trx, booking.id)
    const changes = { status: 'expired' as const, ended_at: now, ended_by: actor.by }
    await writeStep(trx, services, booking, { kind: 'expired', actor, changes, now })
    return true
  })
  if (expired) await finishStep(services, actor, found, 'booking.expired')
}
