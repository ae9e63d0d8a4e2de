import type { MailboxCredential } from '@atrium/integrations/calendars/port'
import { expect } from 'vitest'
import { type Answer, openHouse, type TestHouse } from './house.ts'
import { giveMailbox, mailOf } from './mailboxes.ts'
import { clientsWithDeadline } from './outside.ts'

/** A house whose Acme has mailboxes, and short ways to its hosts. */
export interface SchedulingHouse extends TestHouse {
  as: { owner: string; admin: string; member: string; operator: string; stranger: string }
  people: { owner: Person; admin: Person; member: Person }
  acmeId: string
  /** A call below `/api/v1/tenants/acme`, by the admin unless told otherwise. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  /** A host, not connected. */
  newHost(person: Person, fields?: Record<string, unknown>): Promise<Host>
  /** A host with a mailbox that the platform made an app password for. */
  connectedHost(person: Person, fields?: Record<string, unknown>): Promise<Host>
  /** A visitor's booking with the host, at the first time that is offered in the coming days; answers its id. */
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

export async function openSchedulingHouse(options: Parameters<typeof openHouse>[0] = {}): Promise<SchedulingHouse> {
  const house = await openHouse({
    integrations: clientsWithDeadline(2_000),
    ...options,
    sandbox: { identity: { accessTokenSeconds: 3600 }, ...options.sandbox },
  })
  const { db } = house.database
  const { id: acmeId } = await db.selectFrom('tenants').select('id').where('slug', '=', 'acme').executeTakeFirstOrThrow()
  const person = async (name: 'owner' | 'admin' | 'member', localPart: string): Promise<Person> => {
    const email = `${name}@acme.test`
    const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
    const { address, accountId } = await giveMailbox(house, { slug: 'acme', userId: id, localPart })
    const password = `Own-password-of-${localPart}-1!`
    await mailOf(house).setAccountPassword({ id: accountId, password })
    return { id, email, address, accountId, password }
  }
  const people = { owner: await person('owner', 'anna'), admin: await person('admin', 'adam'), member: await person('member', 'mira') }
  const as = {
    owner: await house.token('owner@acme.test'),
    admin: await house.token('admin@acme.test'),
    member: await house.token('member@acme.test'),
    operator: await house.token('operator@atrium.test'),
    stranger: await house.token('owner@globex.test'),
  }
  const call: SchedulingHouse['call'] = (method, path, body, token = as.admin) =>
    house.request(method, `/api/v1/tenants/acme${path}`, { token, ...(body === undefined ? {} : { body }) })
  const newHost: SchedulingHouse['newHost'] = async (who, fields = {}) => {
    const { status, body } = await call('POST', '/hosts', { userId: who.id, zone: 'Europe/Berlin', ...fields })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  return {
    ...house,
    as,
    people,
    acmeId,
    call,
    newHost,
    async connectedHost(who, fields) {
      const host = await newHost(who, fields)
      const { status, body } = await call('PUT', `/hosts/${host.id}/mail-credential`, { mode: 'mint' })
      expect(status, JSON.stringify(body)).toBe(204)
      return (await call('GET', `/hosts/${host.id}`)).body
    },
    async book(host) {
      const settings = { hostId: host.id, title: 'Meeting', durations: [30], locationKind: 'in_person', location: 'Room 1' }
      const { body: eventType } = await call('POST', '/event-types', settings)
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const { status, body } = await house.request(
        'GET',
        `/api/v1/event-types/${eventType.id}/slots?from=${day(1)}&to=${day(7)}&timeZone=UTC`,
      )
      expect(status, JSON.stringify(body)).toBe(200)
      const [first] = Object.values<{ start: string }[]>(body.slots).flat()
      const attendee = { name: 'Vera Visitor', email: 'vera@elsewhere.example', timeZone: 'Europe/Berlin' }
      const booked = await house.request('POST', '/api/v1/bookings', {
        body: { eventTypeId: eventType.id, start: first?.start, attendee },
      })
      expect(booked.status, JSON.stringify(booked.body)).toBe(201)
      return booked.body.booking.id
    },
    appPasswords: ({ accountId }) => mailOf(house).listAppPasswords({ accountId }),
    async clear() {
      house.sandbox.clearFaults()
      await db.deleteFrom('outbox').where('booking_id', 'is not', null).execute()
      await db.deleteFrom('bookings').execute()
      await db.deleteFrom('app_password_removals').execute()
      await db.deleteFrom('rate_limits').execute()
      await db.deleteFrom('hosts').execute()
      for (const { accountId } of Object.values(people)) {
        for (const { id } of await mailOf(house).listAppPasswords({ accountId })) await mailOf(house).removeAppPassword({ accountId, id })
      }
    },
  }
}

/** The credential as it is used, opened. */
export async function storedCredential(house: TestHouse, hostId: string): Promise<MailboxCredential | undefined> {
  const row = await house.database.db.selectFrom('mail_credentials').selectAll().where('host_id', '=', hostId).executeTakeFirst()
  const { keyring } = house.config
  if (!row || !keyring) return undefined
  return { username: row.username, secret: keyring.decrypt(row.secret, `mail_credentials.secret:${hostId}`) }
}
