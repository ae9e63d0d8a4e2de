import { isLive } from '@atrium/core/booking-life'
import type { SendManageLink } from '@atrium/core/bookings'
import { findBooking } from '@atrium/db/bookings'
import type { Context } from '../context.ts'
import { momentsOf } from './booking-change.ts'
import { sendLinkMail } from './booking-mails.ts'
import { takeAllowance } from './limits.ts'

/**
 * Sends the visitor the mail with the manage link once more, when the address is the one of the booking: what stands
 * in a calendar leads here and opens nothing by itself. At most one mail an hour for a booking. The answer is the
 * same whatever there is. Throws AppError `rate_limited`.
 */
export async function sendManageLink(ctx: Context, { bookingId, email }: SendManageLink): Promise<void> {
  await takeAllowance(ctx, 'manage_writes')
  const { house } = ctx
  const now = house.clock.now()
  const booking = await findBooking(house.database.db, bookingId)
  if (!booking || booking.visitorEmail.toLowerCase() !== email) return
  const open = booking.tenantStatus !== 'suspended' && booking.tenantStatus !== 'deleted'
  if (!open || !isLive(momentsOf(booking), now.getTime())) return
  await house.database.db.transaction().execute((trx) => sendLinkMail(trx, house, booking, now))
}
