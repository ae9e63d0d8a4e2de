import type { BookingPath, CancelBooking, DeclineBooking, RenewedManageLink, RescheduleBooking, TenantBooking } from '@atrium/core/bookings'
import type { BookingRow } from '@atrium/db/bookings'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { refuseClosed } from '../tenants/open.ts'
import { type Acting, actingAsHost } from './booking-acting.ts'
import { toTenantBooking } from './booking-view.ts'
import { openBooking } from './bookings-get.ts'
import { reasonForHosts } from './calendar-reason.ts'
import { cancelBooking } from './cancel-booking.ts'
import { confirmBooking, declineBooking } from './decide-booking.ts'
import { markNoShow, renewManageLink } from './mark-booking.ts'
import { rescheduleBooking } from './reschedule-booking.ts'

type ActingHost = Acting & { by: 'host' }

/**
 * The booking under the caller's right to change it, and the answer as hosts see it. Throws AppError `tenant_suspended`, `tenant_deleted`,
 * and `host_not_connected` where a calendar that had to be read is not connected.
 */
async function act(
  ctx: Context,
  access: Access,
  id: string,
  action: (acting: ActingHost, booking: BookingRow) => Promise<BookingRow>,
): Promise<TenantBooking> {
  const { house } = ctx
  const booking = await openBooking(house.database.db, access, id)
  refuseClosed(access.tenant.status)
  return toTenantBooking(await action(actingAsHost(ctx, access.caller), booking).catch(reasonForHosts), house.clock.now())
}

export function confirmForTenant(ctx: Context, access: Access, { bookingId }: BookingPath): Promise<TenantBooking> {
  return act(ctx, access, bookingId, (acting, booking) => confirmBooking(ctx.house, acting, booking))
}

export function declineForTenant(ctx: Context, access: Access, { bookingId, reason }: DeclineBooking): Promise<TenantBooking> {
  return act(ctx, access, bookingId, (acting, booking) => declineBooking(ctx.house, acting, booking, reason))
}

export function cancelForTenant(ctx: Context, access: Access, { bookingId, reason }: CancelBooking): Promise<TenantBooking> {
  return act(ctx, access, bookingId, (acting, booking) => cancelBooking(ctx.house, acting, booking, reason))
}

export function rescheduleForTenant(ctx: Context, access: Access, input: RescheduleBooking): Promise<TenantBooking> {
  return act(ctx, access, input.bookingId, (acting, booking) => rescheduleBooking(ctx.house, acting, booking, input))
}

export function markNoShowForTenant(ctx: Context, access: Access, { bookingId }: BookingPath): Promise<TenantBooking> {
  return act(ctx, access, bookingId, (acting, booking) => markNoShow(ctx.house, acting, booking))
}

export async function renewLinkForTenant(ctx: Context, access: Access, { bookingId }: BookingPath): Promise<RenewedManageLink> {
  const { house } = ctx
  const found = await openBooking(house.database.db, access, bookingId)
  refuseClosed(access.tenant.status)
  const { booking, manageToken, manageUrl } = await renewManageLink(house, actingAsHost(ctx, access.caller), found)
  return { booking: toTenantBooking(booking, house.clock.now()), manageToken, manageUrl }
}
