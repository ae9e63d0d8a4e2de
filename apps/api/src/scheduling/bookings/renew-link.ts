import { AppError } from '@atrium/core/platform/errors'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import { manageLink, newManageToken } from '../public/manage-token.ts'
import type { Actor } from './actor.ts'
import { changeBooking } from './transition.ts'

/**
 * Gives the visitor a new manage link, by mail and in the response; the old one opens nothing from
 * then on. Throws AppError `invalid_state` for a booking that is over, `scheduling_not_configured`
 * without a key to keep the link by.
 */
export async function renewManageLink(
  services: Services,
  actor: Actor,
  found: BookingRow,
): Promise<{ booking: BookingRow; manageToken: string; manageUrl: string | null }> {
  const { keyring } = services.config
  if (keyring === null) throw new AppError('scheduling_not_configured')
  const { token, hash, sealed } = newManageToken(keyring, found.id)
  const booking = await changeBooking(services, {
    actor,
    found,
    now: services.clock.now(),
    command: { action: 'new_link', manageHash: hash, manageSealed: sealed },
  })
  return { booking, manageToken: token, manageUrl: manageLink(services.config, token) || null }
}
