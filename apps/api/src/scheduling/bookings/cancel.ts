import { nextSequence } from '@atrium/core/scheduling/booking-state'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import type { Actor } from './actor.ts'
import { changeBooking, finishStep, readAgain, requireAllowed, writeStep } from './change.ts'
import { releaseClaims } from './claim.ts'

/**
 * Gives the time back for good. A booking that is cancelled already is answered as it is, and
 * nobody is told again. Throws AppError `invalid_state`, and to visitors `cutoff_passed`.
 */
export async function cancelBooking(
  services: Services,
  actor: Actor & { by: 'visitor' | 'host' },
  found: BookingRow,
  reason: string | undefined,
): Promise<BookingRow> {
  const now = services.clock.now()
  const cancelled = await changeBooking(services, found, async (trx, booking) => {
    if (booking.status === 'cancelled') return false
    requireAllowed('cancel', actor.by, booking, now)
    await releaseClaims(trx, booking.id)
    const changes = {
      status: 'cancelled' as const,
      sequence: nextSequence(booking),
      ended_at: now,
      ended_by: actor.by,
      reason: reason ?? null,
    }
    await writeStep(trx, services, booking, { kind: 'cancelled', actor, changes, reason, now })
    return true
  })
  return cancelled
    ? finishStep(services, actor, found, 'booking.canceled', { by: actor.by })
    : readAgain(services, found)
}
