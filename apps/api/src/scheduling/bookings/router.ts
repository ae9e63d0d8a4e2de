import {
  BookingPath,
  CancelBooking,
  DeclineBooking,
  ListBookings,
  RenewedManageLink,
  RescheduleBooking,
  TenantBooking,
  TenantBookingDetail,
  TenantBookingPage,
} from '@atrium/core/scheduling/bookings'
import { GetMoveSlots, SlotsView } from '@atrium/core/scheduling/slot-availability'
import { memberOrOperator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import {
  cancelForTenant,
  confirmForTenant,
  declineForTenant,
  markNoShowForTenant,
  renewLinkForTenant,
  rescheduleForTenant,
} from './act.ts'
import { tenantActionErrors, tenantMoveErrors } from './errors.ts'
import { getBooking, listBookings } from './get.ts'
import { getMoveSlots } from './move-slots.ts'

const tags = ['scheduling']
const path = '/tenants/{slug}/bookings' as const
const one = `${path}/{bookingId}` as const

/**
 * Admins and operators act for every host, other members for their own. The functions check that,
 * because a guard does not know the hosts of a booking.
 */
export const bookingsRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: { method: 'GET', path: `/api/v1${path}`, tags, summary: 'List bookings' },
    })
    .input(ListBookings)
    .output(TenantBookingPage)
    .query(({ ctx, input }) => listBookings(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: {
        method: 'GET',
        path: `/api/v1${one}`,
        tags,
        summary: 'Read a booking with its history',
      },
      errors: ['not_admin'],
    })
    .input(BookingPath)
    .output(TenantBookingDetail)
    .query(({ ctx, input }) => getBooking(ctx, ctx.access, input.bookingId)),
  slots: memberOrOperator
    .meta({
      scope: 'scheduling:read',
      delegable: ['scheduling'],
      openapi: {
        method: 'GET',
        path: `/api/v1${one}/slots`,
        tags,
        summary: 'List the times that a booking can be moved to',
      },
      errors: [
        'limit_reached',
        'cutoff_passed',
        'invalid_state',
        'range_too_long',
        'not_admin',
        'calendar_unavailable',
        'host_not_connected',
        'scheduling_not_configured',
      ],
    })
    .input(GetMoveSlots)
    .output(SlotsView)
    .query(({ ctx, input }) => getMoveSlots(ctx, ctx.access, input)),
  confirm: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `/api/v1${one}/confirm`,
        tags,
        summary: 'Confirm a requested booking',
      },
      audit: 'booking.confirmed',
      errors: tenantMoveErrors,
    })
    .input(BookingPath)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => confirmForTenant(ctx, ctx.access, input)),
  decline: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `/api/v1${one}/decline`,
        tags,
        summary: 'Decline a requested booking',
      },
      audit: 'booking.declined',
      errors: tenantActionErrors,
    })
    .input(DeclineBooking)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => declineForTenant(ctx, ctx.access, input)),
  cancel: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `/api/v1${one}/cancel`,
        tags,
        summary: 'Cancel a booking as its host',
      },
      audit: 'booking.canceled',
      errors: tenantActionErrors,
    })
    .input(CancelBooking)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => cancelForTenant(ctx, ctx.access, input)),
  reschedule: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `/api/v1${one}/reschedule`,
        tags,
        summary: 'Move a booking as its host',
      },
      audit: 'booking.rescheduled',
      errors: tenantMoveErrors,
    })
    .input(RescheduleBooking)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => rescheduleForTenant(ctx, ctx.access, input)),
  noShow: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `/api/v1${one}/no-show`,
        tags,
        summary: 'Record that the visitor did not come',
      },
      audit: 'booking.no_show',
      errors: tenantActionErrors,
    })
    .input(BookingPath)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => markNoShowForTenant(ctx, ctx.access, input)),
  newLink: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: `/api/v1${one}/new-link`,
        tags,
        summary: 'Send the visitor a new manage link and revoke the old one',
      },
      audit: 'booking.link_renewed',
      secretResponse: true,
      errors: tenantActionErrors,
    })
    .input(BookingPath)
    .output(RenewedManageLink)
    .mutation(({ ctx, input }) => renewLinkForTenant(ctx, ctx.access, input)),
})
