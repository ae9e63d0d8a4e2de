import { AppError } from '@atrium/core/platform/errors'
import { isLive } from '@atrium/core/scheduling/booking-state'
import type { SendManageLink } from '@atrium/core/scheduling/bookings'
import { findBooking } from '@atrium/db/scheduling/bookings'
import type { Context } from '../../rpc/context.ts'
import { takeAllowance } from '../../rpc/visitor-limits.ts'
import { sendLinkMail } from '../bookings/mails.ts'
import { stateOf } from '../bookings/state.ts'

/**
 * Sends the visitor the mail with the manage link again, when the address is the booking's: the
 * link in a calendar leads here and opens nothing by itself. At most one mail an hour for a
 * booking, within the daily limit for one recipient. The response is always the same. Throws
 * AppError `rate_limited`.
 */
export async function sendManageLink(
  ctx: Context,
  { bookingId, email }: SendManageLink,
): Promise<void> {
  await takeAllowance(ctx, 'manage_writes')
  const { services } = ctx
  const now = services.clock.now()
  const booking = await findBooking(services.database.db, bookingId)
  if (!booking || booking.visitorEmail.toLowerCase() !== email) return
  const open = booking.tenantStatus !== 'suspended' && booking.tenantStatus !== 'deleted'
  if (!open || !isLive(stateOf(booking), now.getTime())) return
  await services.database.db
    .transaction()
    .execute((trx) => sendLinkMail(trx, services, booking, now))
    .catch((error: unknown) => {
      // Said aloud, it would tell that the address is the one of the booking.
      if (!(error instanceof AppError && error.code === 'rate_limited')) throw error
    })
}
