import type { MailboxCredential } from '@atrium/integrations/calendars/port'
import { expect } from 'vitest'
import { giveMailbox, mailOf } from './mailboxes.ts'
import { clientsWithDeadline } from './outside.ts'
import { tenantIdOf, userIdOf } from './records.ts'
import { startTestApp, type TestApp, type TestResponse } from './test-app.ts'

/** A test app whose Acme has mailboxes, and short ways to its hosts. */
export interface SchedulingTestApp extends TestApp {
  as: { owner: string; admin: string; member: string; operator: string; outsider: string }
  people: { owner: Person; admin: Person; member: Person }
  acmeId: string
  /** A call below `/api/v1/tenants/acme`, by the admin by default. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<TestResponse>
  /** A host, not connected. */
  newHost(person: Person, fields?: Record<string, unknown>): Promise<Host>
  /** A host with a mailbox that the platform made an app password for. */
  connectedHost(person: Person, fields?: Record<string, unknown>): Promise<Host>
  /**
   * A visitor's booking with the host, at the first offered time in the coming days; returns its
   * id.
   */
  book(host: Host): Promise<string>
  /** Descriptions of the app passwords that the mail server has for the person's mailbox. */
  appPasswords(person: Person): Promise<{ id: string; description: string }[]>
  /** Removes every host of Acme, with all that hangs on it. */
  clear(): Promise<void>
}

export interface Person {
  id: string
  email: string
  address: string
  accountId: string
  password: string
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire brought
export type Host = Record<string, any> & { id: string; slug: string; version: number }

export async function startSchedulingTestApp(
  options: Parameters<typeof startTestApp>[0] = {},
): Promise<SchedulingTestApp> {
  const testApp = await startTestApp({
    integrations: clientsWithDeadline(2_000),
    ...options,
    sandbox: { identity: { accessTokenSeconds: 3600 }, ...options.sandbox },
  })
  const { db } = testApp.database
  const acmeId = await tenantIdOf(db, 'acme')
  const person = async (name: 'owner' | 'admin' | 'member', localPart: string): Promise<Person> => {
    const email = `${name}@acme.test`
    const id = await userIdOf(db, email)
    const { address, accountId } = await giveMailbox(testApp, {
      slug: 'acme',
      userId: id,
      localPart,
    })
    const password = `Own-password-of-${localPart}-1!`
    await mailOf(testApp).setAccountPassword({ id: accountId, password })
    return { id, email, address, accountId, password }
  }
  const people = {
    owner: await person('owner', 'anna'),
    admin: await person('admin', 'adam'),
    member: await person('member', 'mira'),
  }
  const as = {
    owner: await testApp.token('owner@acme.test'),
    admin: await testApp.token('admin@acme.test'),
    member: await testApp.token('member@acme.test'),
    operator: await testApp.token('operator@atrium.test'),
    outsider: await testApp.token('owner@globex.test'),
  }
  const call: SchedulingTestApp['call'] = (method, path, body, token = as.admin) =>
    testApp.request(method, `/api/v1/tenants/acme${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
    })
  const newHost: SchedulingTestApp['newHost'] = async (who, fields = {}) => {
    const { status, body } = await call('POST', '/hosts', {
      userId: who.id,
      zone: 'Europe/Berlin',
      ...fields,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  return {
    ...testApp,
    as,
    people,
    acmeId,
    call,
    newHost,
    async connectedHost(who, fields) {
      const host = await newHost(who, fields)
      const { status, body } = await call('PUT', `/hosts/${host.id}/mail-credential`, {
        mode: 'mint',
      })
      expect(status, JSON.stringify(body)).toBe(204)
      return (await call('GET', `/hosts/${host.id}`)).body
    },
    async book(host) {
      const settings = {
        hostId: host.id,
        title: 'Meeting',
        durations: [30],
        locationKind: 'in_person',
        location: 'Room 1',
      }
      const { body: eventType } = await call('POST', '/event-types', settings)
      const day = (days: number) =>
        new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const { status, body } = await testApp.request(
        'GET',
        `/api/v1/event-types/${eventType.id}/slots?from=${day(1)}&to=${day(7)}&timeZone=UTC`,
      )
      expect(status, JSON.stringify(body)).toBe(200)
      const [first] = Object.values<{ start: string }[]>(body.slots).flat()
      const attendee = {
        name: 'Vera Visitor',
        email: 'vera@elsewhere.example',
        timeZone: 'Europe/Berlin',
      }
      const booked = await testApp.request('POST', '/api/v1/bookings', {
        body: { eventTypeId: eventType.id, start: first?.start, attendee },
      })
      expect(booked.status, JSON.stringify(booked.body)).toBe(201)
      return booked.body.booking.id
    },
    appPasswords: ({ accountId }) => mailOf(testApp).listAppPasswords({ accountId }),
    async clear() {
      testApp.sandbox.clearFaults()
      await db.deleteFrom('outbox').where('booking_id', 'is not', null).execute()
      await db.deleteFrom('bookings').execute()
      await db.deleteFrom('app_password_removals').execute()
      await db.deleteFrom('rate_limits').execute()
      await db.deleteFrom('hosts').execute()
      for (const { accountId } of Object.values(people)) {
        for (const { id } of await mailOf(testApp).listAppPasswords({ accountId }))
          await mailOf(testApp).removeAppPassword({ accountId, id })
      }
    },
  }
}

/** The credential as it is used, opened. */
export async function storedCredential(
  testApp: TestApp,
  hostId: string,
): Promise<MailboxCredential | undefined> {
  const row = await testApp.database.db
    .selectFrom('mail_credentials')
    .selectAll()
    .where('host_id', '=', hostId)
    .executeTakeFirst()
  const { keyring } = testApp.config
  if (!row || !keyring) return undefined
  return {
    username: row.username,
    secret: keyring.decrypt(row.secret, `mail_credentials.secret:${hostId}`),
  }
}
