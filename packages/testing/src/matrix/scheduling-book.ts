import { randomUUID } from 'node:crypto'
import {
  adminsOrOperators,
  callers,
  type Expected,
  membersOrOperators,
  type Row,
  type Rows,
  type World,
} from './rows.ts'

const start = '2027-01-04T10:00:00Z'
const attendee = { name: 'Vera', email: 'vera@example.org', timeZone: 'UTC' }

/** Everyone gets the same, signed in or not. */
const everybodyTold = (code: string): Expected =>
  Object.fromEntries(callers.map((caller) => [caller, code])) as Expected

/** An event type of a host without a calendar: permitted actors learn that it cannot be read. */
async function eventType(
  { testApp, tenantId, slug, colleague, self }: World,
  whose: 'own' | 'other' = 'other',
) {
  const { db } = testApp.database
  // All calls of a test come from one address.
  await db.deleteFrom('rate_limits').execute()
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
  const allDay = JSON.stringify(Array.from({ length: 7 }, () => [{ start: 0, end: 1440 }]))
  await db
    .insertInto('availability_schedules')
    .values({
      tenant_id: tenantId,
      host_id: host.id,
      name: 'Always',
      zone: 'UTC',
      weekly: allDay,
      standard: true,
    })
    .execute()
  // The caller as a host may not be a member at all; anyone offered here has to be.
  await db
    .insertInto('memberships')
    .values({ tenant_id: tenantId, user_id: colleague, role: 'member', status: 'active' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await db
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
  return { slug, id }
}

const visitor = (input: Row['input'], code: string): Row[] => [
  { input, expected: everybodyTold(code), oneAtATime: true },
]
const page = { hostSlug: 'host', eventSlug: 'intro' }

export const schedulingBookRows: Rows = {
  'scheduling.pages.tenant': visitor(
    async (world) => ({ tenantSlug: (await eventType(world)).slug }),
    'ok',
  ),
  'scheduling.pages.host': visitor(
    async (world) => ({ tenantSlug: (await eventType(world)).slug, hostSlug: page.hostSlug }),
    'ok',
  ),
  'scheduling.pages.eventType': visitor(
    async (world) => ({ tenantSlug: (await eventType(world)).slug, ...page }),
    'ok',
  ),
  'scheduling.slots.list': visitor(
    async (world) => ({
      id: (await eventType(world)).id,
      from: '2027-01-04',
      to: '2027-01-05',
      timeZone: 'UTC',
    }),
    'calendar_unavailable',
  ),
  'scheduling.slots.explain': [
    {
      input: async (world) => {
        const made = await eventType(world)
        return { slug: made.slug, eventTypeId: made.id, start }
      },
      expected: {
        ...membersOrOperators,
        member: 'host_not_connected',
        admin: 'host_not_connected',
        owner: 'host_not_connected',
        operator: 'host_not_connected',
      },
      oneAtATime: true,
    },
  ],
  'scheduling.locks.take': visitor(
    async (world) => ({ eventTypeId: (await eventType(world)).id, start }),
    'calendar_unavailable',
  ),
  'scheduling.locks.renew': visitor(async (world) => {
    await eventType(world)
    return { id: randomUUID() }
  }, 'not_found'),
  'scheduling.locks.release': visitor(async (world) => {
    await eventType(world)
    return { id: randomUUID() }
  }, 'ok'),
  'scheduling.book.create': visitor(
    async (world) => ({ eventTypeId: (await eventType(world)).id, start, attendee }),
    'calendar_unavailable',
  ),
  'scheduling.book.forTenant': [
    {
      input: async (world) => {
        const made = await eventType(world)
        return { slug: made.slug, eventTypeId: made.id, start, attendee }
      },
      expected: {
        ...adminsOrOperators,
        admin: 'host_not_connected',
        owner: 'host_not_connected',
        operator: 'host_not_connected',
      },
      oneAtATime: true,
    },
  ],
}
