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
} from '@atrium/core/bookings'
import { GetMoveSlots, SlotsView } from '@atrium/core/slot-offers'
import { memberOrOperator } from '../guards.ts'
import { router } from '../trpc.ts'
import {
  cancelForTenant,
  confirmForTenant,
  declineForTenant,
  markNoShowForTenant,
  renewLinkForTenant,
  rescheduleForTenant,
} from './bookings-act.ts'
import { getBooking, listBookings } from './bookings-get.ts'
import { getMoveSlots } from './move-slots.ts'

const tags = ['scheduling']
const path = '/tenants/{slug}/bookings' as const
const one = `${path}/{bookingId}` as const

/** Admins and operators for every host, other members for the host that they are: the verbs look. */
export const bookingsRouter = router({
  list: memberOrOperator
    .meta({ openapi: { method: 'GET', path: `/api/v1${path}`, tags, summary: 'List bookings' } })
    .input(ListBookings)
    .output(TenantBookingPage)
    .query(({ ctx, input }) => listBookings(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({ openapi: { method: 'GET', path: `/api/v1${one}`, tags, summary: 'Read a booking with its history' } })
    .input(BookingPath)
    .output(TenantBookingDetail)
    .query(({ ctx, input }) => getBooking(ctx, ctx.access, input.bookingId)),
  slots: memberOrOperator
    .meta({ openapi: { method: 'GET', path: `/api/v1${one}/slots`, tags, summary: 'List the times that a booking can be moved to' } })
    .input(GetMoveSlots)
    .output(SlotsView)
    .query(({ ctx, input }) => getMoveSlots(ctx, ctx.access, input)),
  confirm: memberOrOperator
    .meta({
      openapi: { method: 'POST', path: `/api/v1${one}/confirm`, tags, summary: 'Accept a requested booking' },
      audit: 'booking.confirmed',
    })
    .input(BookingPath)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => confirmForTenant(ctx, ctx.access, input)),
  decline: memberOrOperator
    .meta({
      openapi: { method: 'POST', path: `/api/v1${one}/decline`, tags, summary: 'Turn a requested booking down' },
      audit: 'booking.declined',
    })
    .input(DeclineBooking)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => declineForTenant(ctx, ctx.access, input)),
  cancel: memberOrOperator
    .meta({
      openapi: { method: 'POST', path: `/api/v1${one}/cancel`, tags, summary: 'Cancel a booking as its host' },
      audit: 'booking.canceled',
    })
    .input(CancelBooking)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => cancelForTenant(ctx, ctx.access, input)),
  reschedule: memberOrOperator
    .meta({
      openapi: { method: 'POST', path: `/api/v1${one}/reschedule`, tags, summary: 'Move a booking as its host' },
      audit: 'booking.rescheduled',
    })
    .input(RescheduleBooking)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => rescheduleForTenant(ctx, ctx.access, input)),
  noShow: memberOrOperator
    .meta({
      openapi: { method: 'POST', path: `/api/v1${one}/no-show`, tags, summary: 'Note that the visitor did not come' },
      audit: 'booking.no_show',
    })
    .input(BookingPath)
    .output(TenantBooking)
    .mutation(({ ctx, input }) => markNoShowForTenant(ctx, ctx.access, input)),
  newLink: memberOrOperator
    .meta({
      openapi: { method: 'POST', path: `/api/v1${one}/new-link`, tags, summary: 'Send the visitor a new manage link; the old one dies' },
      audit: 'booking.link_renewed',
      secretAnswer: true,
    })
    .input(BookingPath)
    .output(RenewedManageLink)
    .mutation(({ ctx, input }) => renewLinkForTenant(ctx, ctx.access, input)),
})
