import { AppError } from '@atrium/core/platform/errors'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import { manageLink, newManageToken } from '../public/manage-token.ts'
import type { Actor } from './actor.ts'
import { changeBooking, finishStep, readAgain, requireAllowed, writeStep } from './change.ts'

/**
 * Notes that the visitor did not come. A second time changes nothing. Throws AppError
 * `invalid_state` before the end of the booking.
 */
export async function markNoShow(
  services: Services,
  actor: Actor,
  found: BookingRow,
): Promise<BookingRow> {
  const now = services.clock.now()
  const marked = await changeBooking(services, found, async (trx, booking) => {
    requireAllowed('no_show', 'host', booking, now)
    if (booking.noShow) return false
    await writeStep(trx, services, booking, {
      kind: 'no_show',
      actor,
      changes: { no_show: true },
      now,
    })
    return true
  })
  return marked ? finishStep(services, actor, found, 'booking.no_show') : readAgain(services, found)
}

/**
 * Gives the visitor a new manage link, by mail and in the answer; the old one opens nothing from
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
  const now = services.clock.now()
  const { token, hash, sealed } = newManageToken(keyring, found.id)
  await changeBooking(services, found, async (trx, booking) => {
    requireAllowed('new_link', 'host', booking, now)
    await writeStep(trx, services, booking, {
      kind: 'link_renewed',
      actor,
      changes: { manage_hash: hash, manage_sealed: sealed },
      now,
    })
  })
  const booking = await finishStep(services, actor, found, 'booking.link_renewed')
  return { booking, manageToken: token, manageUrl: manageLink(services.config, token) || null }
}
