import { AppError } from '@atrium/core/platform/errors'
import { manageLinkEnds } from '@atrium/core/scheduling/booking-state'
import type {
  Booking,
  BookingCalendarFile,
  CancelManagedBooking,
  InviteGuests,
  ManagedBooking,
  RescheduleManagedBooking,
} from '@atrium/core/scheduling/bookings'
import { findBranding } from '@atrium/db/branding/branding'
import { type BookingRow, findBookingByManageHash } from '@atrium/db/scheduling/bookings'
import { effectiveBranding } from '../../branding/get.ts'
import type { Context } from '../../rpc/context.ts'
import type { Services } from '../../rpc/services.ts'
import { visitorActor } from '../bookings/actor.ts'
import { inviteGuests } from '../bookings/invite-guests.ts'
import { rescheduleBooking } from '../bookings/reschedule.ts'
import { changeBooking } from '../bookings/transition.ts'
import { toBooking, toManagedBooking } from '../bookings/view.ts'
import { calendarFile } from '../calendars/file.ts'
import { hashOfManageToken } from './manage-token.ts'

/**
 * The booking that a manage token opens: until a day after its end, while its tenant is open.
 * Undefined for every other text, whatever the reason. Looking by hash needs no comparison in
 * constant time: what is compared is not what the caller chose.
 */
export async function findManagedBooking(
  { database, clock }: Services,
  token: string,
): Promise<BookingRow | undefined> {
  const hash = hashOfManageToken(token)
  const booking = hash && (await findBookingByManageHash(database.db, hash))
  if (!booking || booking.tenantStatus === 'suspended' || booking.tenantStatus === 'deleted')
    return undefined
  return manageLinkEnds({ end: booking.endAt.getTime() }) > clock.now().getTime()
    ? booking
    : undefined
}

export async function getManagedBooking(
  { database, clock }: Services,
  booking: BookingRow,
): Promise<ManagedBooking> {
  const branding = await findBranding(database.db, booking.tenantId)
  if (!branding) throw new AppError('not_found')
  return toManagedBooking(booking, effectiveBranding(branding), clock.now())
}

export async function cancelAsVisitor(
  ctx: Context,
  booking: BookingRow,
  { reason }: CancelManagedBooking,
): Promise<Booking> {
  const cancelled = await changeBooking(ctx.services, {
    actor: visitorActor(ctx),
    found: booking,
    now: ctx.services.clock.now(),
    command: { action: 'cancel', reason },
  })
  return toBooking(cancelled)
}

export async function inviteGuestsAsVisitor(
  ctx: Context,
  booking: BookingRow,
  { proof }: InviteGuests,
): Promise<Booking> {
  return toBooking(await inviteGuests(ctx.services, visitorActor(ctx), booking, proof))
}

export async function rescheduleAsVisitor(
  ctx: Context,
  booking: BookingRow,
  input: RescheduleManagedBooking,
): Promise<Booking> {
  return toBooking(await rescheduleBooking(ctx.services, visitorActor(ctx), booking, input))
}

/**
 * For the visitor's own calendar: enters the meeting, or takes it out again once it is cancelled.
 * Throws AppError `invalid_state` for a booking that was never confirmed: there is nothing to
 * enter.
 */
export async function downloadCalendarFile(
  services: Services,
  booking: BookingRow,
): Promise<BookingCalendarFile> {
  if (!booking.invited) throw new AppError('invalid_state')
  const file = await calendarFile(services, booking.id)
  if (file === undefined) throw new AppError('not_found')
  // RFC 5546 section 1.4 and RFC 6047 section 2.4: the type names the method of the object in it.
  return {
    fileName: 'booking.ics',
    contentType: `text/calendar; charset=utf-8; method=${file.method}`,
    text: file.text,
  }
}
