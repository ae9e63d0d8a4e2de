import { randomBytes } from 'node:crypto'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { seedDemo } from '@atrium/db/demo/demo'
import { type Database, openDatabase } from '@atrium/db/platform/connect'
import { createKeyring } from '@atrium/db/platform/encryption'
import { createMigratedDatabase, dropDatabase } from '@atrium/db/server/provision-database'
import { stalwartCalendars } from '@atrium/integrations/calendars/stalwart'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { type Server, sandboxEnvironment, startProduct } from './rows/product.ts'
import type { Session } from './session.ts'

/**
 * Two processes of the product on one database, with a host whose calendar is on the sandbox's mail
 * server.
 */
export interface BookingWorkplace extends AsyncDisposable {
  products: readonly [Server, Server]
  database: Database
  bookingSecret: string
  hostId: string
  hostAddress: string
  /** Of five minutes, in steps of five, open day and night. */
  eventTypeId: string
  /** The same in steps of half an hour. */
  halfHourId: string
  /** How many events of the host's calendar begin then. */
  eventsAt(start: number): number
  /** Asks the host's calendar for its busy periods, without the product. */
  freeBusy(from: number, to: number): Promise<number>
}

const tenant = '/tenants/acme'
const scheduling = '/api/v1/tenants/acme'

export async function startBookingWorkplace(
  session: Session,
  bookingUrl: string,
): Promise<BookingWorkplace> {
  const sandbox = await startSandbox({ identity: { accessTokenSeconds: 7_200 } })
  const name = 'atrium_bookings'
  const accounts = await createMigratedDatabase(session.adminUrl, name)
  const database = openDatabase({
    url: accounts.appUrl,
    applicationName: 'bench',
    onError: () => {},
  })
  const products: Server[] = []
  const close = async () => {
    for (const { process } of products) await process.stop()
    await database.close()
    await sandbox.close()
    await dropDatabase(session.adminUrl, name)
  }
  try {
    await seedDemo(database.db, 'tenants.local')
    const keys = `bench:${randomBytes(32).toString('base64')}`
    const environment = {
      ...sandboxEnvironment(sandbox),
      DATABASE_URL: accounts.appUrl,
      ENCRYPTION_KEYS: keys,
      BOOKING_URL: bookingUrl,
      BOOKING_APP_SECRET: demoServiceCredentials.bookingAppSecret,
    }
    const first = await startProduct(session, environment)
    products.push(first)
    const second = await startProduct(session, environment)
    products.push(second)
    const made = await makeHost(first, sandbox)
    const always = JSON.stringify(Array.from({ length: 7 }, () => [{ start: 0, end: 1_440 }]))
    await database.db
      .updateTable('availability_schedules')
      .set({ weekly: always })
      .where('host_id', '=', made.hostId)
      .execute()
    const { secret, username } = await database.db
      .selectFrom('mail_credentials')
      .select(['secret', 'username'])
      .where('host_id', '=', made.hostId)
      .executeTakeFirstOrThrow()
    const calendars = stalwartCalendars({
      baseUrl: sandbox.mailUrl,
      deadlineMs: 10_000,
      retries: 0,
      backoffMs: { initial: 10, max: 10 },
      circuit: { failures: 1_000, openMs: 1 },
      onCall: () => {},
    })
    const credential = {
      username,
      secret: createKeyring(keys).decrypt(secret, `mail_credentials.secret:${made.hostId}`),
    }
    const calendar = await calendars.open(credential)
    return {
      products: [first, second],
      database,
      bookingSecret: environment.BOOKING_APP_SECRET,
      ...made,
      eventsAt: (start) =>
        (sandbox.mail.calendars.list()[made.hostAddress] ?? []).filter(
          (event) => event.start === start,
        ).length,
      freeBusy: async (from, to) =>
        (await calendars.busyPeriods({ credential, calendar, from, to })).length,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Made = Pick<BookingWorkplace, 'hostId' | 'hostAddress' | 'eventTypeId' | 'halfHourId'>

/**
 * Through the API, as people would: the owner gets a mailbox, becomes a host, and the platform
 * connects the calendar.
 */
async function makeHost(product: Server, sandbox: Sandbox): Promise<Made> {
  const token = await sandbox.token('owner@acme.test', 'portal')
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${product.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text === '' ? 'null' : text) as Answer
  }
  for (
    let tries = 0;
    (await call<{ status: string }>('GET', tenant)).status !== 'active';
    tries++
  ) {
    if (tries === 300) throw new Error('the tenant acme was not provisioned in half a minute')
    await new Promise((done) => setTimeout(done, 100))
  }
  const { items } = await call<{ items: { id: string; email: string }[] }>('GET', `${tenant}/users`)
  const owner = items.find(({ email }) => email === 'owner@acme.test')
  const { member } = await call<{ member: { mailboxAddress: string } }>(
    'POST',
    `${tenant}/users/${owner?.id}/mailbox`,
    { address: 'anna' },
  )
  const host = await call<{ id: string }>('POST', `${scheduling}/hosts`, {
    userId: owner?.id,
    zone: 'Europe/Berlin',
    hostSlug: 'anna',
  })
  await call('PUT', `${scheduling}/hosts/${host.id}/mail-credential`, { mode: 'mint' })
  const eventType = async (eventSlug: string, minutes: number) => {
    const { id } = await call<{ id: string }>('POST', `${scheduling}/event-types`, {
      hostId: host.id,
      title: 'Introduction',
      eventSlug,
      durations: [minutes],
      stepMinutes: minutes,
      noticeMinutes: 0,
      bookingWindow: { kind: 'rolling', days: 365 },
      locationKind: 'video',
      location: 'https://meet.example/acme',
    })
    return id
  }
  const [eventTypeId, halfHourId] = [
    await eventType('introduction', 5),
    await eventType('half-hour', 30),
  ]
  return { hostId: host.id, hostAddress: member.mailboxAddress, eventTypeId, halfHourId }
}
