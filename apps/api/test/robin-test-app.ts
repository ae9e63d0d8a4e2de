import type { BookingsTestApp, TestBooking, TestHost } from '@atrium/testing/bookings-test-app'
import { offered } from '@atrium/testing/visitors'

/**
 * A round robin of these hosts, the first one its own host. Moved bookings may change the host
 * unless told otherwise.
 */
export async function newRobin(
  testApp: BookingsTestApp,
  hosts: readonly TestHost[],
  fields: Record<string, unknown> = {},
): Promise<string> {
  const [own] = hosts
  if (!own) throw new Error('a round robin has hosts')
  const eventTypeId = await testApp.newEventType(own, {
    durations: [60],
    step_minutes: 60,
    reminders: [],
    assignment: 'round_robin',
    reschedule_host: 'any',
    ...fields,
  })
  await testApp.database.db
    .insertInto('event_type_hosts')
    .values(hosts.map(({ id }) => ({ event_type_id: eventTypeId, host_id: id })))
    .execute()
  return eventTypeId
}

/**
 * Hours of the starts between two hours of the workplace's time that the visitor is offered for the
 * move.
 */
export async function offeredForMove(
  testApp: BookingsTestApp,
  booking: TestBooking,
  from: number,
  to: number,
): Promise<number[]> {
  const visitor = { token: booking.token, query: `&rescheduleOf=${booking.id}` }
  const starts = await offered(
    testApp,
    booking.eventTypeId,
    testApp.at(from),
    testApp.at(to),
    visitor,
  )
  return starts.map((start) => (Date.parse(start) - testApp.at(0).getTime()) / 3_600_000)
}

/** Whose booking it is, and each host who has or had it. */
export async function hostsInBooking({ database: { db } }: BookingsTestApp, { id }: TestBooking) {
  const rows = await db
    .selectFrom('booking_hosts')
    .selectAll()
    .where('booking_id', '=', id)
    .execute()
  const booking = await db
    .selectFrom('bookings')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return {
    booking,
    present: rows.filter(({ active }) => active),
    former: rows.filter(({ left_at: left }) => left !== null),
  }
}
