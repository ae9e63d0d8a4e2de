import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import type { Actor } from './actor.ts'
import { changeBooking, finishStep, finishTaking, requireAllowed, writeStep } from './change.ts'
import { releaseClaims } from './claim.ts'
import { readRequestedTime, requireFree } from './move-check.ts'

/**
 * Accepts a request. Everything that was looked at when it was made is looked at again, its own
 * time aside; not so the notice, which holds for asking and not for answering. Throws AppError
 * `invalid_state` (also for whoever comes second), `slot_taken`, `outside_window`,
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
  await changeBooking(services, found, async (trx, booking) => {
    requireAllowed('confirm', 'host', booking, now)
    if (booking.startAt.getTime() !== time.start || booking.endAt.getTime() !== time.end) {
      throw new AppError('invalid_state', errorText('visitorMovedIt'))
    }
    await requireFree(trx, time, { booking, now, ignoreNotice: true })
    await writeStep(trx, services, booking, {
      kind: 'confirmed',
      actor,
      changes: { status: 'confirmed', invited: true, confirmed_at: now },
      now,
    })
  })
  return finishTaking(services, actor, found, 'booking.confirmed')
}

/** Turns a request down and gives its time back. Throws AppError `invalid_state`. */
export async function declineBooking(
  services: Services,
  actor: Actor,
  found: BookingRow,
  reason: string | undefined,
): Promise<BookingRow> {
  const now = services.clock.now()
  await changeBooking(services, found, async (trx, booking) => {
    requireAllowed('decline', 'host', booking, now)
    await releaseClaims(trx, booking.id)
    const changes = {
      status: 'declined' as const,
      ended_at: now,
      ended_by: actor.by,
      reason: reason ?? null,
    }
    await writeStep(trx, services, booking, { kind: 'declined', actor, changes, reason, now })
  })
  return finishStep(services, actor, found, 'booking.declined')
}
