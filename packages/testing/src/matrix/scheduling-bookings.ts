import { randomBytes, randomUUID } from 'node:crypto'
import {
  adminsOrOperators,
  type Caller,
  callers,
  type Expected,
  membersOrOperators,
  type Rows,
  slug,
  type World,
} from './rows.ts'

const hourMs = 3_600_000

interface Made {
  slug: string
  bookingId: string
}

/** A booking with a colleague or with the caller, of a host without a calendar. */
function booking(whose: 'own' | 'other', fields: Record<string, unknown> = {}, hours = 48) {
  return async ({ testApp, slug: named, tenantId, self, colleague }: World): Promise<Made> => {
    const { db } = testApp.database
    const host = await db
      .insertInto('hosts')
      .values({
        tenant_id: tenantId,
        user_id: whose === 'own' ? (self ?? colleague) : colleague,
        slug: 'host',
        name: 'Host',
        zone: 'UTC',
        mail_address: 'calendar@example.org',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const eventType = await db
      .insertInto('event_types')
      .values({
        tenant_id: tenantId,
        host_id: host.id,
        slug: 'intro',
        title: 'Introduction',
        durations: [30],
        booking_window: JSON.stringify({ kind: 'open' }),
        location_kind: 'in_person',
        location: 'Room 4',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const id = randomUUID()
    const start = new Date(Math.ceil(Date.now() / hourMs) * hourMs + hours * hourMs)
    const end = new Date(start.getTime() + hourMs / 2)
    await db
      .insertInto('bookings')
      .values({
        id,
        tenant_id: tenantId,
        event_type_id: eventType.id,
        host_id: host.id,
        status: 'confirmed',
        source: 'public',
        uid: `${id}@example.org`,
        title: 'Introduction',
        location_kind: 'in_person',
        start_at: start,
        end_at: end,
        host_zone: 'UTC',
        host_wall: '2027-01-01T10:00',
        visitor_name: 'Vera',
        visitor_email: 'vera@example.org',
        visitor_zone: 'UTC',
        visitor_locale: 'en',
        manage_hash: randomBytes(32),
        approval_expires_at: end,
        confirmed_at: new Date(),
        ...fields,
      })
      .execute()
    await db
      .insertInto('booking_hosts')
      .values({
        booking_id: id,
        host_id: host.id,
        claim_start: start,
        claim_end: end,
        active: true,
        seat_group: id,
      })
      .execute()
    return { slug: named, bookingId: id }
  }
}

const pending = { status: 'pending', confirmed_at: null }
const past = -48

/**
 * The same call about a colleague's booking, for admins, and about one of the caller's own, for
 * every member.
 */
function both(
  fields: Record<string, unknown>,
  input: (made: Made) => Record<string, unknown>,
  options: { hours?: number; code?: string } = {},
) {
  const told = (expected: Expected) =>
    Object.fromEntries(
      Object.entries(expected).map(([caller, code]) => [
        caller,
        code === 'ok' ? (options.code ?? 'ok') : code,
      ]),
    ) as Expected
  return (
    [
      ['other', adminsOrOperators],
      ['own', membersOrOperators],
    ] as const
  ).map(([whose, expected]) => ({
    input: async (world: World) => input(await booking(whose, fields, options.hours)(world)),
    expected: told(expected),
  }))
}

/** The same for everyone without a manage token; the guesses are not counted here. */
const noToken = Object.fromEntries(
  callers.map((caller): [Caller, string] => [caller, 'not_found']),
) as Expected
const visitor = (fields: Record<string, unknown>) => [
  {
    input: async ({ testApp }: World) => {
      await testApp.database.db.deleteFrom('rate_limits').execute()
      return fields
    },
    expected: noToken,
    oneAtATime: true,
  },
]

export const schedulingBookingsRows: Rows = {
  'scheduling.bookings.list': [{ input: slug, expected: membersOrOperators }],
  'scheduling.bookings.get': both({}, (made) => ({ ...made })),
  // The host has no calendar: permitted actors learn that it is not connected.
  'scheduling.bookings.slots': both(
    {},
    (made) => ({ ...made, from: '2199-01-04', to: '2199-01-04', timeZone: 'UTC' }),
    {
      code: 'host_not_connected',
    },
  ),
  'scheduling.bookings.confirm': both(pending, (made) => ({ ...made }), {
    code: 'host_not_connected',
  }),
  'scheduling.bookings.decline': both(pending, (made) => ({ ...made })),
  'scheduling.bookings.cancel': both({}, (made) => ({ ...made, reason: 'Ill' })),
  'scheduling.bookings.reschedule': both(
    {},
    (made) => ({ ...made, start: '2027-01-04T10:00:00Z' }),
    { code: 'host_not_connected' },
  ),
  'scheduling.bookings.noShow': both({}, (made) => ({ ...made }), { hours: past }),
  'scheduling.bookings.newLink': both({}, (made) => ({ ...made })),
  'scheduling.manage.get': visitor({}),
  'scheduling.manage.calendar': visitor({}),
  'scheduling.manage.sendLink': [
    {
      input: async ({ testApp }: World) => {
        await testApp.database.db.deleteFrom('rate_limits').execute()
        return { bookingId: '0199a000-0000-7000-8000-000000000001', email: 'vera@example.org' }
      },
      expected: Object.fromEntries(
        callers.map((caller): [Caller, string] => [caller, 'ok']),
      ) as Expected,
      oneAtATime: true,
    },
  ],
  'scheduling.manage.cancel': visitor({}),
  'scheduling.manage.inviteGuests': visitor({ proof: 'x' }),
  'scheduling.manage.reschedule': visitor({ start: '2027-01-04T10:00:00Z' }),
}
