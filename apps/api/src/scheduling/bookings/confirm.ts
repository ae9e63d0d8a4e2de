import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import type { Actor } from './actor.ts'
import { readRequestedTime, requireFree } from './move-check.ts'
import { requireAllowed } from './state.ts'
import { changeBooking } from './transition.ts'

/**
 * Accepts a request. All checks of its creation run again, without counting its own time, except
 * for the notice: it applies to requests, not to their confirmation. Throws AppError
 * `invalid_state` (also for the second of two callers), `slot_taken`, `outside_window`,
 * `calendar_unavailable`, `host_not_connected`.
 */
export async function confirmBooking(
  services: Services,
  actor: Actor,
  found: BookingRow,
): Promise<BookingRow> {
  const now = services.clock.now()
  requireAllowed('confirm', 'host', found, now)
  const time = await readRequestedTime(services, found, {
    start: found.startAt.getTime(),
    end: found.endAt.getTime(),
  })
  return changeBooking(services, {
    actor,
    found,
    now,
    command: { action: 'confirm' },
    async takeTime(trx, { booking, hosts }) {
      if (booking.startAt.getTime() !== time.start || booking.endAt.getTime() !== time.end)
        throw new AppError('invalid_state', errorText('visitorMovedIt'))
      await requireFree(trx, time, { booking, hosts, now, ignoreNotice: true })
      return {}
    },
  })
}
