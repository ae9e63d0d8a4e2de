import { adminsOrOperators, membersOrOperators, type Rows, slug, type World } from './rows.ts'

/** A host with standard hours and a second schedule; the caller, or a colleague. */
async function host(
  { testApp, slug: named, tenantId, self, colleague }: World,
  whose: 'own' | 'other',
) {
  const { db } = testApp.database
  const user_id = whose === 'own' ? (self ?? colleague) : colleague
  const { id } = await db
    .insertInto('hosts')
    .values({
      tenant_id: tenantId,
      user_id,
      slug: 'host',
      name: 'Host',
      zone: 'Europe/Berlin',
      mail_address: 'calendar@example.org',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const weekly = JSON.stringify(Array.from({ length: 7 }, () => [{ start: 540, end: 1_020 }]))
  const common = { tenant_id: tenantId, host_id: id, name: 'Hours', zone: 'Europe/Berlin', weekly }
  await db
    .insertInto('availability_schedules')
    .values({ ...common, standard: true })
    .execute()
  const schedule = await db
    .insertInto('availability_schedules')
    .values({ ...common, standard: false })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { slug: named, hostId: id, scheduleId: schedule.id }
}

async function eventType(world: World, whose: 'own' | 'other') {
  const { hostId } = await host(world, whose)
  const { id } = await world.testApp.database.db
    .insertInto('event_types')
    .values({
      tenant_id: world.tenantId,
      host_id: hostId,
      slug: 'intro',
      title: 'Introduction',
      durations: [30],
      booking_window: JSON.stringify({ kind: 'open' }),
      location_kind: 'in_person',
      location: 'Room 4',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { slug: world.slug, hostId, eventTypeId: id }
}

const hours = { name: 'Hours', timeZone: 'Europe/Berlin', weekly: {} }
const meeting = {
  title: 'Introduction',
  durations: [30],
  locationKind: 'in_person',
  location: 'Room 4',
}
const timing = {
  scheduleId: null,
  durations: [30],
  stepMinutes: null,
  noticeMinutes: 0,
  beforeMinutes: 0,
  afterMinutes: 0,
  bookingWindow: { kind: 'open' },
  limits: {},
  seats: 1,
  assignment: 'host',
}

/**
 * The same call about a colleague's host, for admins, and about the caller's own, for every member.
 */
function both<Made>(
  make: (world: World, whose: 'own' | 'other') => Promise<Made>,
  input: (made: Made) => Record<string, unknown>,
) {
  return [
    {
      input: async (world: World) => input(await make(world, 'other')),
      expected: adminsOrOperators,
    },
    {
      input: async (world: World) => input(await make(world, 'own')),
      expected: membersOrOperators,
    },
  ]
}

const ofSchedule = ({ slug: named, scheduleId }: { slug: string; scheduleId: string }) => ({
  slug: named,
  scheduleId,
})
const ofEventType = ({ slug: named, eventTypeId }: { slug: string; eventTypeId: string }) => ({
  slug: named,
  eventTypeId,
})
const ofHost = ({ slug: named, hostId }: { slug: string; hostId: string }) => ({
  slug: named,
  hostId,
})

export const schedulingOffersRows: Rows = {
  'scheduling.schedules.list': [
    { input: slug, expected: membersOrOperators },
    ...both(host, ofHost),
  ],
  'scheduling.schedules.get': both(host, ofSchedule),
  'scheduling.schedules.create': both(host, (made) => ({ ...ofHost(made), ...hours })),
  'scheduling.schedules.replace': both(host, (made) => ({
    ...ofSchedule(made),
    version: 1,
    ...hours,
  })),
  'scheduling.schedules.remove': both(host, ofSchedule),
  'scheduling.eventTypes.list': [
    { input: slug, expected: membersOrOperators },
    ...both(host, ofHost),
  ],
  'scheduling.eventTypes.get': both(eventType, ofEventType),
  'scheduling.eventTypes.create': both(host, (made) => ({ ...ofHost(made), ...meeting })),
  'scheduling.eventTypes.update': both(eventType, (made) => ({
    ...ofEventType(made),
    version: 1,
    title: 'Renamed',
  })),
  'scheduling.eventTypes.remove': both(eventType, ofEventType),
  'scheduling.eventTypes.preview': both(host, (made) => ({ ...ofHost(made), ...timing })),
}
