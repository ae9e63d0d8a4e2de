import { nextSequence } from '@atrium/core/booking-life'
import type { BookingRow } from '@atrium/db/bookings'
import type { House } from '../house.ts'
import type { Acting } from './booking-acting.ts'
import { changeBooking, finishStep, readAgain, requireAllowed, writeStep } from './booking-change.ts'
import { releaseClaims } from './claim.ts'

/**
 * Gives the time back for good. A booking that is cancelled already is answered as it is, and nobody is told again. Throws AppError
 * `invalid_state`, and to visitors `cutoff_passed`.
 */
export async function cancelBooking(
  house: House,
  acting: Acting & { by: 'visitor' | 'host' },
  found: BookingRow,
  reason: string | undefined,
): Promise<BookingRow> {
  const now = house.clock.now()
  const cancelled = await changeBooking(house, found, async (trx, booking) => {
    if (booking.status === 'cancelled') return false
    requireAllowed('cancel', acting.by, booking, now)
    await releaseClaims(trx, booking.id)
    const changes = {
      status: 'cancelled' as const,
      sequence: nextSequence(booking),
      ended_at: now,
      ended_by: acting.by,
      reason: reason ?? null,
    }
    await writeStep(trx, house, booking, { kind: 'cancelled', acting, changes, reason, now })
    return true
  })
  return cancelled ? finishStep(house, acting, found, 'booking.canceled', { by: acting.by }) : readAgain(house, found)
}
