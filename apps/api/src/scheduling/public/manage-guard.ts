import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Context } from '../../rpc/context.ts'
import { guardedWithoutToken } from '../../rpc/procedure.ts'
import { checkAllowance, type LimitedRoute, takeAllowance } from '../../rpc/visitor-limits.ts'
import { findManagedBooking } from './manage.ts'

/**
 * The booking of the bearer token. A wrong token, one of an expired link and none at all get the
 * same response, and each counts against the caller's address: after ten in ten minutes that
 * address is rejected with any token. Throws AppError `not_found`, `rate_limited`.
 */
export async function openManageLink(ctx: Context): Promise<BookingRow> {
  await checkAllowance(ctx, 'manage_failures')
  const booking = await findManagedBooking(ctx.services, ctx.bearerToken() ?? '')
  if (booking) return booking
  await takeAllowance(ctx, 'manage_failures')
  throw new AppError('not_found', errorText('manageLinkInvalid'))
}

function manageGuard(route: LimitedRoute) {
  return guardedWithoutToken(
    async (ctx: Context): Promise<{ booking: BookingRow }> => {
      const booking = await openManageLink(ctx)
      await takeAllowance(ctx, route)
      ctx.request.logFields.tenant = booking.tenantSlug
      return { booking }
    },
    ['not_found', 'rate_limited'],
  )
}

export const manageReader = manageGuard('manage_reads')
export const manageWriter = manageGuard('manage_writes')
