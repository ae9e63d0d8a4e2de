import { findBooking } from '@atrium/db/scheduling/bookings'
import type { Services } from '../../rpc/services.ts'
import type { CalendarMethod } from './calendar-object.ts'
import { invitation, withHosts } from './invitation.ts'

/**
 * The booking as an iCalendar file to keep, with the current sequence: METHOD PUBLISH, or CANCEL
 * once it is over for good, so that a copy kept before goes away. Undefined for an unknown booking.
 */
export async function calendarFile(
  services: Services,
  bookingId: string,
): Promise<{ method: CalendarMethod; text: string } | undefined> {
  const booking = await findBooking(services.database.db, bookingId)
  if (!booking) return undefined
  const holds = booking.status === 'pending' || booking.status === 'confirmed'
  const method = holds ? 'PUBLISH' : 'CANCEL'
  const text = invitation(await withHosts(services.database.db, booking), {
    reader: 'visitor',
    withAnswers: true,
    method,
    sequence: booking.sequence,
    now: services.clock.now(),
    start: booking.startAt,
    end: booking.endAt,
  })
  return { method, text }
}
