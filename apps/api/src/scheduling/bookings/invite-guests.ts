import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { isLive } from '@atrium/core/scheduling/booking-state'
import { markCalendarsDue } from '@atrium/db/scheduling/booking-calendars'
import { type BookingRow, updateBooking } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import { isAddressProof } from '../public/manage-token.ts'
import type { Actor } from './actor.ts'
import { changeBooking, deadlinesOf, finishStep, readAgain } from './change.ts'
import { inviteGuestsByMail } from './mails.ts'

/**
 * Invites the guests of a booking, now that its visitor is known to read the mail of the address
 * that was given: at once where it is confirmed, else with the host's confirmation. A second time
 * changes nothing. Throws AppError `invalid_input` for a wrong proof, `invalid_state` for a booking
 * that is over, `scheduling_not_configured`.
 */
export async function inviteGuests(
  services: Services,
  actor: Actor,
  found: BookingRow,
  proof: string,
): Promise<BookingRow> {
  const { keyring } = services.config
  if (!keyring) throw new AppError('scheduling_not_configured')
  if (!isAddressProof(keyring, found, proof)) {
    const message = errorText('proofInvalid')
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'proof', message }] })
  }
  const now = services.clock.now()
  const invited = await changeBooking(services, found, async (trx, booking) => {
    if (booking.visitorConfirmedAt !== null) return false
    if (!isLive(deadlinesOf(booking), now.getTime())) throw new AppError('invalid_state')
    if (!(await updateBooking(trx, booking, { visitor_confirmed_at: now }, now)))
      throw new AppError('invalid_state')
    const current = { ...booking, visitorConfirmedAt: now, version: booking.version + 1 }
    if (booking.status === 'confirmed') await inviteGuestsByMail(trx, services, current)
    // The events in the hosts' calendars name the guests from now on.
    if (await markCalendarsDue(trx, booking.id, now))
      await services.jobs.enqueueCalendars(booking.id, 6, trx)
    return true
  })
  return invited
    ? finishStep(services, actor, found, 'booking.guests_invited')
    : readAgain(services, found)
}
