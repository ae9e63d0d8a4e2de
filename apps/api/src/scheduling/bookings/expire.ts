import { findBooking, listExpiredBookings } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import { platformActor } from './actor.ts'
import { runEffects, transitionBooking } from './transition.ts'

const batch = 100

/**
 * Expires every pending booking that was not decided in time. Each one has a transaction of its own
 * that checks again under the locks, so that several processes may run at once, and a host's
 * earlier confirmation wins. The next run retries those that fail.
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
        services.log.error({ err, bookingId: id }, 'failed to expire booking'),
      )
    }
    if (ids.length < batch) return
    last = ids.at(-1)
  }
}

async function expireBooking(services: Services, id: string): Promise<void> {
  const found = await findBooking(services.database.db, id)
  if (!found) return
  const expired = await transitionBooking(services, {
    actor: platformActor(services),
    found,
    now: services.clock.now(),
    command: { action: 'expire' },
  })
  await runEffects(services, expired)
}
