import { AppError } from '@atrium/core/errors'
import type { BookingRow } from '@atrium/db/bookings'
import type { House } from '../house.ts'
import type { Acting } from './booking-acting.ts'
import { changeBooking, finishStep, readAgain, requireAllowed, writeStep } from './booking-change.ts'
import { manageLink, newManageToken } from './manage-token.ts'

/** Notes that the visitor did not come. A second time changes nothing. Throws AppError `invalid_state` before the end of the booking. */
export async function markNoShow(house: House, acting: Acting, found: BookingRow): Promise<BookingRow> {
  const now = house.clock.now()
  const marked = await changeBooking(house, found, async (trx, booking) => {
    requireAllowed('no_show', 'host', booking, now)
    if (booking.noShow) return false
    await writeStep(trx, house, booking, { kind: 'no_show', acting, changes: { no_show: true }, now })
    return true
  })
  return marked ? finishStep(house, acting, found, 'booking.no_show') : readAgain(house, found)
}

/**
 * Gives the visitor a new manage link, by mail and in the answer; the old one opens nothing from then on. Throws AppError `invalid_state`
 * for a booking that is over, `scheduling_not_configured` without a key to keep the link by.
 */
export async function renewManageLink(
  house: House,
  acting: Acting,
  found: BookingRow,
): Promise<{ booking: BookingRow; manageToken: string; manageUrl: string | null }> {
  const { keyring } = house.config
  if (keyring === null) throw new AppError('scheduling_not_configured')
  const now = house.clock.now()
  const { token, hash, sealed } = newManageToken(keyring, found.id)
  await changeBooking(house, found, async (trx, booking) => {
    requireAllowed('new_link', 'host', booking, now)
    await writeStep(trx, house, booking, { kind: 'link_renewed', acting, changes: { manage_hash: hash, manage_sealed: sealed }, now })
  })
  const booking = await finishStep(house, acting, found, 'booking.link_renewed')
  return { booking, manageToken: token, manageUrl: manageLink(house.config, token) || null }
}
