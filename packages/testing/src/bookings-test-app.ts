import { randomBytes, randomUUID } from 'node:crypto'
import type { Config } from '@atrium/api/platform/config'
import { withHostLocks, writeClaims } from '@atrium/api/scheduling/bookings/claim'
import { queueEffects, syncCalendar } from '@atrium/api/scheduling/bookings/effects'
import { secretContext } from '@atrium/api/scheduling/calendars/access'
import { withHosts } from '@atrium/api/scheduling/calendars/invitation'
import { newManageToken } from '@atrium/api/scheduling/public/manage-token'
import { demoClients } from '@atrium/core/demo/demo'
import type { BookingStatus } from '@atrium/core/scheduling/scheduling'
import { wallTimeOf } from '@atrium/core/scheduling/time-zones'
import { findBooking, insertBookingChange } from '@atrium/db/scheduling/bookings'
import { findEventType } from '@atrium/db/scheduling/event-types'
import type { DatabaseAccounts } from '@atrium/db/server/provision-database'
import type { Integrations } from '@atrium/integrations/connect'
import { type Issuer, personClaims, startIssuer } from './issuer.ts'
import { giveMailbox, mailOf } from './mailboxes.ts'
import { tenantIdOf } from './records.ts'
import { startTestApp, type TestApp, type TestResponse } from './test-app.ts'

export interface TestHost {
  id: string
  userId: string
  tenantId: string
  address: string
  token: () => Promise<string>
}

export interface TestBooking {
  id: string
  /** Of its manage link. */
  token: string
  host: TestHost
  eventTypeId: string
}

export interface BookingFields {
  host: TestHost
  /** Further hosts of a collective booking. */
  with?: readonly TestHost[]
  eventTypeId: string
  start: Date
  minutes?: number
  status?: Extract<BookingStatus, 'pending' | 'confirmed'>
  approvalExpiresAt?: Date
  name?: string
  email?: string
  answers?: Record<string, string>
}

export interface BookingsTestApp extends TestApp {
  issuer: Issuer
  /** The time by which the service goes; tests move it. */
  time: { now: Date }
  /** Hours after the beginning of the workplace's time, which is a midnight in UTC. */
  at(hours: number): Date
  newHost(fields?: Record<string, unknown>): Promise<TestHost>
  /** Open day and night, in steps of half an hour, without notice, unless said otherwise. */
  newEventType(host: TestHost, fields?: Record<string, unknown>): Promise<string>
  book(fields: BookingFields): Promise<TestBooking>
  /** As the visitor, from an address of its own unless one is given. */
  visit(
    method: string,
    path: string,
    token: string | undefined,
    body?: object,
    address?: string,
  ): Promise<TestResponse>
  /** As a member of the tenant, below its bookings. */
  act(token: string, method: string, path: string, body?: object): Promise<TestResponse>
  admin(): Promise<string>
  operator(): Promise<string>
  member(): Promise<string>
  /**
   * The current period of the booking's event in the host's calendar; undefined when there is none.
   */
  event(booking: TestBooking, host?: TestHost): Promise<{ start: number; end: number } | undefined>
  /** Templates of the mails about the booking, oldest first. */
  mails(booking: TestBooking): Promise<string[]>
  /** Kinds of what happened to the booking, oldest first. */
  history(booking: TestBooking): Promise<string[]>
  /** The zone that floating times of the host's calendar are read in. */
  calendarZone(host: TestHost): Promise<string | null>
  /** Adds an entry of the host's own to the calendar. */
  block(host: TestHost, start: Date, end: Date): Promise<void>
}

const dayMs = 86_400_000
const hourMs = 3_600_000
export const tenant = 'acme'

/** The real app with hosts whose calendars are on the sandbox's mail server. */
export async function startBookingsTestApp({
  env,
  ...options
}: {
  integrations?: (integrations: Integrations, config: Config) => Integrations
  mailer?: boolean
  env?: Record<string, string>
  accounts?: DatabaseAccounts
  manyChanges?: true
  poolSize?: number
} = {}): Promise<BookingsTestApp> {
  const midnight = Math.ceil(Date.now() / dayMs) * dayMs
  const time = { now: new Date(midnight) }
  const clock = { now: () => time.now }
  const issuer = await startIssuer(clock.now)
  const testApp = await startTestApp({
    provisioned: false,
    clock,
    env: {
      IDP_ISSUER: issuer.url,
      ...(options.manyChanges ? {} : { LIMITS: 'visitor_mails_recipient_day=10000' }),
      ...env,
    },
    ...options,
  })
  const { db } = testApp.database
  const api = testApp.app.services
  const keyring = api.config.keyring
  if (!keyring) throw new Error('the test app has no keyring')
  const tenantId = await tenantIdOf(db, tenant)
  const unique = (prefix: string) => `${prefix}-${randomBytes(5).toString('hex')}`
  const calendars = () => {
    if (!api.systems.calendars) throw new Error('the test app has no calendars')
    return api.systems.calendars
  }
  const secrets = new Map<
    string,
    { username: string; secret: string; accountId: string; calendarId: string }
  >()

  const newHost = async (fields: Record<string, unknown> = {}): Promise<TestHost> => {
    const subject = randomBytes(32).toString('hex')
    const slug = unique('host')
    const { id: userId } = await db
      .insertInto('users')
      .values({ idp_subject_id: subject, email: `${slug}@example.test`, name: slug })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('memberships')
      .values({ tenant_id: tenantId, user_id: userId, role: 'member', status: 'active' })
      .execute()
    const { address, accountId } = await giveMailbox(testApp, {
      slug: tenant,
      userId,
      localPart: slug,
    })
    const { id: externalId, secret } = await mailOf(testApp).createAppPassword({
      accountId,
      description: 'scheduling',
    })
    const credential = { username: address, secret }
    const calendar = await calendars().open(credential)
    const { id } = await db
      .insertInto('hosts')
      .values({
        tenant_id: tenantId,
        user_id: userId,
        slug,
        name: slug,
        zone: 'UTC',
        mail_address: address,
        mail_account_id: calendar.accountId,
        calendar_id: calendar.calendarId,
        ...fields,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    secrets.set(id, {
      ...credential,
      accountId: calendar.accountId,
      calendarId: calendar.calendarId,
    })
    await db
      .insertInto('mail_credentials')
      .values({
        host_id: id,
        source: 'minted',
        username: address,
        external_id: externalId,
        ok: true,
        secret: keyring.encrypt(secret, secretContext(id)),
      })
      .execute()
    const allDay = JSON.stringify(Array.from({ length: 7 }, () => [{ start: 0, end: 1440 }]))
    await db
      .insertInto('availability_schedules')
      .values({
        tenant_id: tenantId,
        host_id: id,
        name: 'Always',
        zone: 'UTC',
        weekly: allDay,
        standard: true,
      })
      .execute()
    return {
      id,
      userId,
      tenantId,
      address,
      token: () => issuer.sign({ sub: subject, groups: undefined }),
    }
  }

  return {
    ...testApp,
    issuer,
    time,
    at: (hours) => new Date(midnight + hours * hourMs),
    newHost,
    async newEventType(host, fields = {}) {
      const { id } = await db
        .insertInto('event_types')
        .values({
          tenant_id: tenantId,
          host_id: host.id,
          slug: unique('event'),
          title: 'Introduction',
          durations: [30, 60],
          step_minutes: 30,
          notice_minutes: 0,
          booking_window: JSON.stringify({ kind: 'open' }),
          location_kind: 'video',
          location: 'https://meet.test/1',
          ...fields,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },
    async book({
      host,
      with: others = [],
      eventTypeId,
      start,
      minutes = 30,
      status = 'confirmed',
      ...fields
    }) {
      const id = randomUUID()
      const { token, hash, sealed } = newManageToken(keyring, id)
      const hostIds = [host, ...others].map((one) => one.id)
      const end = new Date(start.getTime() + minutes * 60_000)
      await withHostLocks(db, hostIds, async (trx) => {
        const eventType = await findEventType(trx, eventTypeId)
        if (!eventType) throw new Error('there is no such event type')
        await trx
          .insertInto('bookings')
          .values({
            id,
            tenant_id: tenantId,
            event_type_id: eventTypeId,
            host_id: host.id,
            status,
            source: 'public',
            uid: `${id}@${tenant}.tenants.local`,
            invited: status === 'confirmed',
            title: eventType.title,
            location_kind: eventType.locationKind,
            location: eventType.location,
            start_at: start,
            end_at: end,
            before_minutes: eventType.beforeMinutes,
            after_minutes: eventType.afterMinutes,
            organizer: host.address,
            host_zone: 'UTC',
            host_wall: wallTimeOf('UTC', start.getTime()),
            visitor_zone: 'Europe/Paris',
            visitor_locale: 'en',
            visitor_name: fields.name ?? 'Vera Visitor',
            visitor_email: fields.email ?? 'vera@example.org',
            answers: JSON.stringify(fields.answers ?? {}),
            manage_hash: hash,
            manage_sealed: sealed,
            approval_expires_at:
              status === 'pending'
                ? (fields.approvalExpiresAt ?? new Date(time.now.getTime() + 72 * hourMs))
                : null,
            confirmed_at: status === 'confirmed' ? time.now : null,
            created_at: time.now,
          })
          .execute()
        await writeClaims(
          trx,
          {
            booking: { id, uid: `${id}@${tenant}.tenants.local` },
            eventType,
            start: start.getTime(),
            end: end.getTime(),
            now: time.now,
          },
          hostIds,
        )
        const kind = status === 'confirmed' ? 'confirmed' : 'requested'
        const actor = { by: 'visitor', actorId: null } as const
        await insertBookingChange(trx, { id, tenantId }, { kind, ...actor, at: time.now })
        const booking = await findBooking(trx, id)
        if (!booking) throw new Error('the booking is not there')
        await queueEffects(trx, api, { ...(await withHosts(trx, booking)), event: kind, actor })
      })
      await syncCalendar(api, id)
      return { id, token, host, eventTypeId }
    },
    visit: (
      method,
      path,
      token,
      body,
      address = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`,
    ) =>
      testApp.request(method, `/api/v1/manage/booking${path}`, {
        token,
        ...(body ? { body } : {}),
        headers: {
          'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
          'x-forwarded-for': address,
        },
      }),
    act: (token, method, path, body) =>
      testApp.request(method, `/api/v1/tenants/${tenant}/bookings${path}`, {
        token,
        ...(body ? { body } : {}),
      }),
    admin: () => issuer.sign(personClaims('admin@acme.test')),
    operator: () =>
      issuer.sign({ ...personClaims('operator@atrium.test'), aud: demoClients.operator.clientId }),
    member: () => issuer.sign(personClaims('member@acme.test')),
    async event(booking, host = booking.host) {
      const row = await findBooking(db, booking.id)
      const { calendar_event_id: eventId } = await db
        .selectFrom('booking_hosts')
        .select('calendar_event_id')
        .where('booking_id', '=', booking.id)
        .where('host_id', '=', host.id)
        .executeTakeFirstOrThrow()
      const secret = secrets.get(host.id)
      if (!row || eventId === null || !secret) return undefined
      return calendars().readEvent({
        credential: secret,
        calendar: { accountId: secret.accountId },
        eventId,
      })
    },
    async mails({ id }) {
      const rows = await db
        .selectFrom('outbox')
        .select('template')
        .where('booking_id', '=', id)
        .orderBy('id')
        .execute()
      return rows.map(({ template }) => template)
    },
    async history({ id }) {
      const rows = await db
        .selectFrom('booking_changes')
        .select('kind')
        .where('booking_id', '=', id)
        .orderBy('id')
        .execute()
      return rows.map(({ kind }) => kind)
    },
    async calendarZone(host) {
      const secret = secrets.get(host.id)
      if (!secret) throw new Error('the host has no calendar')
      return (await calendars().open(secret)).timeZone
    },
    async block(host, start, end) {
      const secret = secrets.get(host.id)
      if (!secret) throw new Error('the host has no calendar')
      await calendars().putEvent({
        credential: secret,
        calendar: { accountId: secret.accountId, calendarId: secret.calendarId, timeZone: 'UTC' },
        event: {
          uid: `${randomUUID()}@own.test`,
          title: 'Dentist',
          description: '',
          location: null,
          timeZone: 'UTC',
          start: start.getTime(),
          end: end.getTime(),
          organizer: { address: host.address, name: 'Host' },
          participants: [],
        },
        eventId: null,
      })
    },
    async [Symbol.asyncDispose]() {
      await testApp[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}
