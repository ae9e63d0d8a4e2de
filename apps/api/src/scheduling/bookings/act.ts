import type { BookingCommand } from '@atrium/core/scheduling/booking-transitions'
import type {
  BookingPath,
  CancelBooking,
  DeclineBooking,
  RenewedManageLink,
  RescheduleBooking,
  TenantBooking,
} from '@atrium/core/scheduling/bookings'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { rejectClosed } from '../../rpc/open-tenant.ts'
import { reasonForHosts } from '../calendars/reason.ts'
import { type Actor, hostActor } from './actor.ts'
import { confirmBooking } from './confirm.ts'
import { openBooking } from './get.ts'
import { renewManageLink } from './renew-link.ts'
import { rescheduleBooking } from './reschedule.ts'
import { changeBooking } from './transition.ts'
import { toTenantBooking } from './view.ts'

type HostActor = Actor & { by: 'host' }

/**
 * The booking under the caller's permission to change it, and the response as hosts see it. Throws
 * AppError `tenant_suspended`, `tenant_deleted`, and `host_not_connected` where a required calendar
 * is not connected.
 */
async function act(
  ctx: Context,
  access: Access,
  id: string,
  action: (actor: HostActor, booking: BookingRow) => Promise<BookingRow>,
): Promise<TenantBooking> {
  const { services } = ctx
  const booking = await openBooking(services.database.db, access, id)
  rejectClosed(access.tenant.status)
  return toTenantBooking(
    await action(hostActor(ctx, access), booking).catch(reasonForHosts),
    services.clock.now(),
  )
}

/** Carries out a command that needs nothing but the booking. */
function command(
  ctx: Context,
  access: Access,
  id: string,
  provided: BookingCommand,
): Promise<TenantBooking> {
  const { services } = ctx
  return act(ctx, access, id, (actor, found) =>
    changeBooking(services, { actor, found, command: provided, now: services.clock.now() }),
  )
}

export function confirmForTenant(
  ctx: Context,
  access: Access,
  { bookingId }: BookingPath,
): Promise<TenantBooking> {
  return act(ctx, access, bookingId, (actor, booking) =>
    confirmBooking(ctx.services, actor, booking),
  )
}

export function declineForTenant(
  ctx: Context,
  access: Access,
  { bookingId, reason }: DeclineBooking,
): Promise<TenantBooking> {
  return command(ctx, access, bookingId, { action: 'decline', reason })
}

export function cancelForTenant(
  ctx: Context,
  access: Access,
  { bookingId, reason }: CancelBooking,
): Promise<TenantBooking> {
  return command(ctx, access, bookingId, { action: 'cancel', reason })
}

export function rescheduleForTenant(
  ctx: Context,
  access: Access,
  input: RescheduleBooking,
): Promise<TenantBooking> {
  return act(ctx, access, input.bookingId, (actor, booking) =>
    rescheduleBooking(ctx.services, actor, booking, input),
  )
}

export function markNoShowForTenant(
  ctx: Context,
  access: Access,
  { bookingId }: BookingPath,
): Promise<TenantBooking> {
  return command(ctx, access, bookingId, { action: 'no_show' })
}

export async function renewLinkForTenant(
  ctx: Context,
  access: Access,
  { bookingId }: BookingPath,
): Promise<RenewedManageLink> {
  const { services } = ctx
  const found = await openBooking(services.database.db, access, bookingId)
  rejectClosed(access.tenant.status)
  const { booking, manageToken, manageUrl } = await renewManageLink(
    services,
    hostActor(ctx, access),
    found,
  )
  return { booking: toTenantBooking(booking, services.clock.now()), manageToken, manageUrl }
}
