import { AppError } from '@atrium/core/platform/errors'
import type { GetMoveSlots, SlotsView } from '@atrium/core/scheduling/slot-availability'
import { findEventType } from '@atrium/db/scheduling/event-types'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { reasonForHosts } from '../calendars/reason.ts'
import { rangeOf } from '../slots/range.ts'
import { slotsOf, toSlotsView } from '../slots/slots.ts'
import { openBooking } from './get.ts'
import { hostsForMove } from './move-hosts.ts'
import { minutesFor } from './reschedule.ts'
import { requireAllowed } from './state.ts'

/**
 * Where a booking can be moved to by its hosts: the times that all of them offer, or one host of
 * the round robin where another one may get it. Its own time is free. Also while the event type
 * takes no new bookings. Throws AppError `not_found`, `not_admin`, `invalid_state`,
 * `invalid_input`, `range_too_long`, `calendar_unavailable`, `host_not_connected`.
 */
export async function getMoveSlots(
  { services }: Context,
  access: Access,
  input: GetMoveSlots,
): Promise<SlotsView> {
  const { db } = services.database
  const now = services.clock.now()
  const booking = await openBooking(db, access, input.bookingId)
  requireAllowed('reschedule', 'host', booking, now)
  const minutes = minutesFor(booking, input.duration)
  const span = rangeOf(input, now.getTime())
  const eventType = await findEventType(db, booking.eventTypeId)
  if (!eventType) throw new AppError('not_found')
  const hosts = await hostsForMove(db, { eventType, booking, by: 'host', now })
  const slots = await slotsOf(
    services,
    { eventType, hosts },
    { minutes, now, span, moved: booking },
  ).catch(reasonForHosts)
  return toSlotsView(slots, {
    timeZone: input.timeZone,
    minutes,
    now,
    span,
    shared: eventType.seats > 1,
  })
}
