import { hasExpired } from '@atrium/core/booking-life'
import { findBooking, listExpiredBookings } from '@atrium/db/bookings'
import type { House } from '../house.ts'
import { actingAsPlatform } from './booking-acting.ts'
import { changeBooking, finishStep, momentsOf, writeStep } from './booking-change.ts'
import { releaseClaims } from './claim.ts'

const batch = 100

/**
 * Lets go of every pending booking that was not decided in time. Each one in a transaction of its own that looks again under the locks, so
 * that several processes may do this at once, and a host's confirmation that came first stands. One that fails is left to the next run.
 */
export async function expireBookings(house: House): Promise<void> {
  let last: string | undefined
  for (;;) {
    const ids = await listExpiredBookings(house.database.db, house.clock.now(), { after: last, limit: batch })
    for (const id of ids) {
      if (house.background.ending) return
      await expireBooking(house, id).catch((err: unknown) => house.log.error({ err, bookingId: id }, 'a booking could not be let go'))
    }
    if (ids.length < batch) return
    last = ids.at(-1)
  }
}

async function expireBooking(house: House, id: string): Promise<void> {
  const found = await findBooking(house.database.db, id)
  if (!found) return
  const now = house.clock.now()
  const acting = actingAsPlatform(house)
  const expired = await changeBooking(house, found, async (trx, booking) => {
    if (!hasExpired(momentsOf(booking), now.getTime())) return false
    await releaseClaims(trx, booking.id)
    const changes = { status: 'expired' as const, ended_at: now, ended_by: acting.by }
    await writeStep(trx, house, booking, { kind: 'expired', acting, changes, now })
    return true
  })
  if (expired) await finishStep(house, acting, found, 'booking.expired')
}
