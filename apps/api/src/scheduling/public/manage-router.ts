import {
  Booking,
  BookingCalendarFile,
  CancelManagedBooking,
  GetManagedBooking,
  InviteGuests,
  ManagedBooking,
  RescheduleManagedBooking,
  SendManageLink,
} from '@atrium/core/scheduling/bookings'
import { z } from 'zod'
import { publicProcedure } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { actionErrors, moveErrors } from '../bookings/errors.ts'
import {
  cancelAsVisitor,
  downloadCalendarFile,
  getManagedBooking,
  inviteGuestsAsVisitor,
  rescheduleAsVisitor,
} from './manage.ts'
import { manageReader, manageWriter } from './manage-guard.ts'
import { sendManageLink } from './send-manage-link.ts'

const tags = ['scheduling']
const path = '/api/v1/manage/booking' as const

/** What a visitor does with the token of a manage link, which comes as the bearer token. */
export const manageRouter = router({
  get: manageReader
    .meta({ openapi: { method: 'GET', path, tags, summary: 'Read the booking of a manage link' } })
    .input(GetManagedBooking)
    .output(ManagedBooking)
    .query(({ ctx }) => getManagedBooking(ctx.services, ctx.booking)),
  cancel: manageWriter
    .meta({
      openapi: {
        method: 'POST',
        path: `${path}/cancel`,
        tags,
        summary: 'Cancel the booking of a manage link',
      },
      audit: 'booking.canceled',
      creates: false,
      visitors: 'manage_writes',
      errors: actionErrors,
    })
    .input(CancelManagedBooking)
    .output(Booking)
    .mutation(({ ctx, input }) => cancelAsVisitor(ctx, ctx.booking, input)),
  reschedule: manageWriter
    .meta({
      openapi: {
        method: 'POST',
        path: `${path}/reschedule`,
        tags,
        summary: 'Move the booking of a manage link',
      },
      audit: 'booking.rescheduled',
      creates: false,
      visitors: 'manage_writes',
      errors: moveErrors,
    })
    .input(RescheduleManagedBooking)
    .output(Booking)
    .mutation(({ ctx, input }) => rescheduleAsVisitor(ctx, ctx.booking, input)),
  sendLink: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/api/v1/manage-links',
        tags,
        protect: false,
        summary: 'Have the manage link sent to the visitor',
      },
      creates: false,
      visitors: 'manage_writes',
    })
    .input(SendManageLink)
    .output(z.void())
    .mutation(({ ctx, input }) => sendManageLink(ctx, input)),
  inviteGuests: manageWriter
    .meta({
      openapi: {
        method: 'POST',
        path: `${path}/guests`,
        tags,
        summary: 'Confirm the visitor’s address and invite the guests',
      },
      audit: 'booking.guests_invited',
      creates: false,
      visitors: 'manage_writes',
      errors: [
        'scheduling_not_configured',
        'invalid_state',
        'slot_taken',
        'host_not_connected',
        'calendar_unavailable',
      ],
    })
    .input(InviteGuests)
    .output(Booking)
    .mutation(({ ctx, input }) => inviteGuestsAsVisitor(ctx, ctx.booking, input)),
  calendar: manageReader
    .meta({
      openapi: {
        method: 'GET',
        path: `${path}/calendar.ics`,
        tags,
        summary: 'Download the booking of a manage link as a calendar file',
      },
      file: ['text/calendar'],
      errors: ['invalid_state'],
    })
    .input(GetManagedBooking)
    .output(BookingCalendarFile)
    .query(({ ctx }) => downloadCalendarFile(ctx.services, ctx.booking)),
})
