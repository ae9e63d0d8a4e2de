import { drainOutbox } from '@atrium/api/outbox/drain'
import {
  type BookingsTestApp,
  type TestBooking,
  type TestHost,
  tenant,
} from '@atrium/testing/bookings-test-app'
import { caughtMails } from '@atrium/testing/mails'
import type { Write } from './kills.ts'

/**
 * A booking to be made or changed, with a host of its own, so that writes that are held side by
 * side do not wait for each other.
 */
interface Target {
  host: TestHost
  /** What a call shows, which the clock of the machine has to find valid. */
  token: string
  eventTypeId: string
  visitor: string
  /** The booking that is changed; undefined while it is to be made. */
  booking: TestBooking | undefined
  /** Run of a step, and since when it is seen: a dead process's does not move on. */
  seen: Map<string, number>
}

let made = 0

/** The life cycle of a booking, each step with its caller. */
export function bookingWrites(testApp: BookingsTestApp): readonly Write<Target>[] {
  const start = (hours: number) => testApp.at(hours).toISOString()
  const manage =
    (path: string, body: object) =>
    (send: Parameters<Write['call']>[0], { booking }: Target) =>
      send('POST', `/api/v1/manage/booking${path}`, booking?.token ?? '', body)
  const decide =
    (path: string) =>
    (send: Parameters<Write['call']>[0], { booking, token }: Target) =>
      send('POST', `/api/v1/tenants/${tenant}/bookings/${booking?.id}${path}`, token)
  const book: Write<Target>['call'] = (send, { eventTypeId, visitor, token }) => {
    const attendee = {
      name: 'Vera Visitor',
      email: visitor,
      timeZone: 'Europe/Paris',
      locale: 'en',
    }
    return send('POST', '/api/v1/bookings', token, { eventTypeId, start: start(30), attendee })
  }
  const write = (
    name: string,
    prepare: () => Promise<Target>,
    call: Write<Target>['call'],
  ): Write<Target> => ({
    name,
    prepare,
    async call(send, target) {
      // All visitors of this machine have one address, and what it may ask for is another goal's.
      await testApp.database.db.deleteFrom('rate_limits').execute()
      return call(send, target)
    },
    state: (target) => stateOf(testApp, target),
    settled: (target) => isSettled(testApp, target),
  })
  return [
    write('book', () => prepare(testApp, 'nothing'), book),
    write('move', () => prepare(testApp, 'confirmed'), manage('/reschedule', { start: start(40) })),
    write('cancel', () => prepare(testApp, 'confirmed'), manage('/cancel', {})),
    write('accept', () => prepare(testApp, 'pending'), decide('/confirm')),
    write('decline', () => prepare(testApp, 'pending'), decide('/decline')),
    write('ask for', () => prepare(testApp, 'nothing', { requires_confirmation: true }), book),
  ]
}

async function prepare(
  testApp: BookingsTestApp,
  what: 'nothing' | 'confirmed' | 'pending',
  fields: object = {},
): Promise<Target> {
  testApp.time.now = new Date()
  const host = await testApp.newHost()
  const eventTypeId = await testApp.newEventType(host, { ...fields })
  const visitor = `visitor-${process.pid}-${++made}@example.org`
  const booking =
    what === 'nothing'
      ? undefined
      : await testApp.book({
          host,
          eventTypeId,
          start: testApp.at(30),
          status: what,
          email: visitor,
        })
  await drainOutbox(testApp.app.services)
  return { host, token: await host.token(), eventTypeId, visitor, booking, seen: new Map() }
}

/**
 * Bookings with their claims and history, the content of the host's calendar, and the delivered
 * mails, without repetitions.
 */
async function stateOf(testApp: BookingsTestApp, { host, eventTypeId, visitor }: Target) {
  const { db } = testApp.database
  const bookings = await db
    .selectFrom('bookings as b')
    .leftJoin('booking_hosts as p', 'p.booking_id', 'b.id')
    .select([
      'b.id',
      'b.status',
      'b.sequence',
      'b.version',
      'b.start_at',
      'p.active',
      'p.claim_start',
      'p.calendar_state',
    ])
    .where('b.event_type_id', '=', eventTypeId)
    .execute()
  const ids = bookings.map(({ id }) => id)
  const rows =
    ids.length > 0
      ? db.selectFrom('booking_changes').select('kind').where('booking_id', 'in', ids)
      : undefined
  const mails =
    ids.length > 0
      ? db.selectFrom('outbox').select(['template', 'state']).where('booking_id', 'in', ids)
      : undefined
  return {
    bookings: bookings.map(({ id: _, ...row }) => row),
    history: (await rows?.orderBy('id').execute())?.map(({ kind }) => kind) ?? [],
    queue:
      (await mails?.orderBy('id').execute())?.map(
        ({ template, state }) => `${template} ${state}`,
      ) ?? [],
    calendar: (testApp.sandbox.mail.calendars.list()[host.address] ?? []).map(
      (event) => event.start,
    ),
    delivered: delivered(testApp, [visitor, host.address])
      .map(
        ({ to, subject }) =>
          `${to === visitor ? 'visitor' : 'host'}: ${subject.replaceAll(host.address, 'host')}`,
      )
      .sort(),
  }
}

/**
 * One per Message-ID: a mail whose sending was cut off is sent again under it, and its recipients'
 * mail programs see it once.
 */
function delivered(
  testApp: BookingsTestApp,
  people: readonly string[],
): { to: string; subject: string }[] {
  const mails = caughtMails(testApp).filter(({ envelope }) =>
    envelope.to.some((to) => people.includes(to)),
  )
  return [
    ...new Map(
      mails.map((mail) => [
        mail.messageId,
        { to: mail.envelope.to[0] ?? '', subject: mail.subject },
      ]),
    ).values(),
  ]
}

/** How often mails came again under their Message-ID. */
export function repeatedMails(testApp: BookingsTestApp): number {
  const mails = caughtMails(testApp)
  return mails.length - new Set(mails.map(({ messageId }) => messageId)).size
}

/**
 * After so long a step that is still the same run's is taken for a dead process's, and its lease of
 * a minute ended at once.
 */
const patienceMs = 5_000

async function isSettled(testApp: BookingsTestApp, target: Target): Promise<boolean> {
  const { db } = testApp.database
  const bookings = db
    .selectFrom('bookings')
    .select('id')
    .where('event_type_id', '=', target.eventTypeId)
  const calendars = await db
    .selectFrom('booking_hosts')
    .select(['booking_id as id', 'calendar_run as run'])
    .where('booking_id', 'in', bookings)
    .where('calendar_state', '=', 'pending')
    .execute()
  const mails = await db
    .selectFrom('outbox')
    .select(['id', 'run'])
    .where('booking_id', 'in', bookings)
    .where('state', 'in', ['queued', 'sending', 'failed'])
    .execute()
  const dead = ({ run }: { run: string | null }) => run !== null && isStale(target.seen, run)
  const lapsed = new Date(Date.now() - 1_000)
  for (const row of calendars.filter(dead)) {
    await db
      .updateTable('booking_hosts')
      .set({ calendar_lease_until: lapsed })
      .where('calendar_run', '=', row.run)
      .execute()
    await testApp.app.services.jobs.enqueueCalendars(row.id, 0)
  }
  for (const row of mails.filter(dead)) {
    await db.updateTable('outbox').set({ lease_until: lapsed }).where('run', '=', row.run).execute()
    await testApp.app.services.jobs.enqueueOutbox(row.id, 0)
  }
  return calendars.length + mails.length === 0
}

function isStale(seen: Map<string, number>, run: string): boolean {
  const since = seen.get(run) ?? performance.now()
  seen.set(run, since)
  if (performance.now() - since < patienceMs) return false
  seen.delete(run)
  return true
}
