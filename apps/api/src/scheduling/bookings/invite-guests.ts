import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import { isAddressProof } from '../public/manage-token.ts'
import type { Actor } from './actor.ts'
import { changeBooking } from './transition.ts'

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
  return changeBooking(services, {
    actor,
    found,
    now: services.clock.now(),
    command: { action: 'invite_guests' },
  })
}
