import { openDatabase } from '@atrium/db/platform/connect'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { newAddress, offered, visit, wish } from '@atrium/testing/visitors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type App, createApp } from '../src/app.ts'
import { createLogger } from '../src/platform/log.ts'
import { withHostLocks } from '../src/scheduling/bookings/claim.ts'

let testApp: BookingsTestApp
let second: { app: App; close: () => Promise<void> }
let host: TestHost
let eventType: string
let day = 0

/** A further process of the same installation: its own pools, caches and queues. */
async function anotherInstance(): Promise<typeof second> {
  const { config, systems, clock } = testApp.app.services
  const database = openDatabase({
    url: config.databaseUrl,
    applicationName: 'second',
    onError: () => {},
  })
  const log = createLogger('info', { write: (line: string) => void testApp.logLines.push(line) })
  const app = createApp({ config, database, integrations: systems, log, clock })
  await app.services.jobs.startSending()
  return {
    app,
    close: async () => {
      await app.stop()
      await database.close()
    },
  }
}

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(5_000) })
  second = await anotherInstance()
}, 60_000)
afterAll(async () => {
  await second.close()
  await testApp[Symbol.asyncDispose]()
})
beforeEach(async () => {
  day += 48
  testApp.time.now = testApp.at(day)
  host = await testApp.newHost()
  eventType = await testApp.newEventType(host)
})

const at = (hours: number) => testApp.at(day + hours)

interface Told {
  status: number
  code: string | undefined
}

/** A visitor's POST to one of the two instances. */
async function post(app: App, path: string, body: object): Promise<Told> {
  const headers = {
    'content-type': 'application/json',
    'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
    'x-forwarded-for': newAddress(),
  }
  const response = await app.fetch(
    new Request(`http://api.test/api/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }),
    {},
  )
  const answer = (await response.json()) as { code?: string }
  return { status: response.status, code: answer.code }
}

/** That many visitors at once, in turn to each instance. */
function visitorConcurrency(
  size: number,
  path: string,
  body: (n: number) => object,
): Promise<Told[]> {
  return Promise.all(
    Array.from({ length: size }, (_, n) =>
      post(n % 2 === 0 ? testApp.app : second.app, path, body(n)),
    ),
  )
}

const count = (responses: readonly Told[], status: number) =>
  responses.filter((one) => one.status === status).length
const codes = (responses: readonly Told[]) => [
  ...new Set(
    responses.flatMap(({ status, code }) => (status === 201 ? [] : [`${status} ${code}`])),
  ),
]

/** Bookings of these event types, and every row that hangs on them. */
async function kept(...eventTypes: string[]) {
  const { db } = testApp.database
  const bookings = await db
    .selectFrom('bookings')
    .selectAll()
    .where('event_type_id', 'in', eventTypes)
    .execute()
  const ids = bookings.map(({ id }) => id)
  const claims =
    ids.length > 0
      ? await db.selectFrom('booking_hosts').selectAll().where('booking_id', 'in', ids).execute()
      : []
  const changes =
    ids.length > 0
      ? await db.selectFrom('booking_changes').selectAll().where('booking_id', 'in', ids).execute()
      : []
  const mails =
    ids.length > 0
      ? await db.selectFrom('outbox').select('booking_id').where('booking_id', 'in', ids).execute()
      : []
  return { bookings, claims, changes, mails }
}

/** Rows without the booking that they are of, which a half-done transaction would leave. */
async function orphans(): Promise<number> {
  const { db } = testApp.database
  const claims = await db
    .selectFrom('bookings')
    .leftJoin('booking_hosts', 'booking_hosts.booking_id', 'bookings.id')
    .select('bookings.id')
    .where('booking_hosts.booking_id', 'is', null)
    .execute()
  return claims.length
}

describe('a crowd that wants one time', () => {
  it('gets it once, with everything that belongs to it, and nothing is left of the others', async () => {
    const responses = await visitorConcurrency(50, '/bookings', () => wish(eventType, at(5)))
    expect(count(responses, 201), JSON.stringify(responses)).toBe(1)
    expect(count(responses, 409)).toBe(49)
    expect(codes(responses)).toEqual(['409 slot_taken'])
    const { bookings, claims, changes, mails } = await kept(eventType)
    expect([bookings.length, claims.length, changes.length]).toEqual([1, 1, 1])
    expect(new Set(mails.map((mail) => mail.booking_id))).toEqual(new Set([bookings[0]?.id]))
    expect(await orphans()).toBe(0)
    const events = testApp.sandbox.mail.calendars.list()[host.address]
    expect(events).toHaveLength(1)
  }, 60_000)

  it('gets one of times that overlap, or two that only touch', async () => {
    const long = await testApp.newEventType(host, { durations: [60], step_minutes: 15 })
    const starts = [5, 5.25, 5.5, 5.75]
    const responses = await visitorConcurrency(40, '/bookings', (n) =>
      wish(long, at(starts[n % starts.length] ?? 5)),
    )
    expect(count(responses, 201), JSON.stringify(responses)).toBe(1)
    expect(count(responses, 409)).toBe(39)
    expect((await kept(long)).bookings).toHaveLength(1)
  }, 60_000)

  it('holds it once', async () => {
    const responses = await visitorConcurrency(30, '/slot-locks', () => ({
      eventTypeId: eventType,
      start: at(5),
    }))
    expect(count(responses, 201), JSON.stringify(responses)).toBe(1)
    expect(codes(responses)).toEqual(['409 slot_locked'])
    expect(
      await testApp.database.db
        .selectFrom('slot_locks')
        .selectAll()
        .where('host_id', '=', host.id)
        .execute(),
    ).toHaveLength(1)
  }, 60_000)

  it('takes as many places as there are', async () => {
    const classes = await testApp.newEventType(host, { seats: 7 })
    const responses = await visitorConcurrency(40, '/bookings', () => wish(classes, at(5)))
    expect(count(responses, 201), JSON.stringify(responses)).toBe(7)
    expect(codes(responses)).toEqual(['409 slot_taken'])
    const { claims } = await kept(classes)
    expect(claims.map(({ seat }) => seat).sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(new Set(claims.map((claim) => claim.seat_group)).size).toBe(1)
  }, 60_000)

  it('cannot have a host alone and together with another at once', async () => {
    const other = await testApp.newHost()
    const all = await testApp.newEventType(host, { assignment: 'collective' })
    const turned = await testApp.newEventType(other, { assignment: 'collective' })
    for (const id of [all, turned]) {
      await testApp.database.db
        .insertInto('event_type_hosts')
        .values([host, other].map((one) => ({ event_type_id: id, host_id: one.id })))
        .execute()
    }
    const ofOther = await testApp.newEventType(other)
    const requested = [eventType, all, ofOther, turned]
    const responses = await visitorConcurrency(40, '/bookings', (n) =>
      wish(requested[Math.floor(n / 2) % 4] ?? all, at(5)),
    )
    expect(
      codes(responses).every((one) => one === '409 slot_taken'),
      JSON.stringify(responses),
    ).toBe(true)
    const { claims } = await kept(...requested)
    for (const { id } of [host, other])
      expect(claims.filter((claim) => claim.host_id === id).length).toBeLessThanOrEqual(1)
    expect(count(responses, 201)).toBeGreaterThanOrEqual(1)
    expect(await orphans()).toBe(0)
  }, 60_000)

  it('fills a round robin to the last host', async () => {
    const others = [await testApp.newHost(), await testApp.newHost()]
    const robin = await testApp.newEventType(host, { assignment: 'round_robin' })
    await testApp.database.db
      .insertInto('event_type_hosts')
      .values([host, ...others].map((one) => ({ event_type_id: robin, host_id: one.id })))
      .execute()
    const responses = await visitorConcurrency(30, '/bookings', () => wish(robin, at(5)))
    expect(count(responses, 201), JSON.stringify(responses)).toBe(3)
    expect(codes(responses)).toEqual(['409 slot_taken'])
    expect(new Set((await kept(robin)).claims.map((claim) => claim.host_id)).size).toBe(3)
  }, 60_000)

  it('does not pass a daily limit', async () => {
    const limited = await testApp.newEventType(host, { durations: [30], limit_day: 3 })
    const responses = await visitorConcurrency(30, '/bookings', (n) => wish(limited, at(2 + n / 2)))
    expect(count(responses, 201), JSON.stringify(responses)).toBe(3)
    expect(count(responses, 409)).toBe(27)
  }, 60_000)

  it('does not let one visitor have more than five', async () => {
    const attendee = { name: 'Vera', email: 'greedy@example.org', timeZone: 'UTC' }
    const responses = await visitorConcurrency(20, '/bookings', (n) =>
      wish(eventType, at(2 + n / 2), { attendee }),
    )
    expect(count(responses, 201), JSON.stringify(responses)).toBe(5)
    expect(codes(responses)).toEqual(['409 limit_reached'])
  }, 60_000)
})

describe('the database', () => {
  const failing = (code: string, times: number) => {
    let calls = 0
    return async () => {
      if (++calls <= times) throw Object.assign(new Error('refused'), { code })
      return calls
    }
  }
  it.each(['40P01', '40001'])('is asked three times when it says %s', async (code) => {
    const { db } = testApp.database
    expect(await withHostLocks(db, [host.id], failing(code, 2))).toBe(3)
    await expect(withHostLocks(db, [host.id], failing(code, 3))).rejects.toMatchObject({ code })
    await expect(withHostLocks(db, [host.id], failing('23502', 1))).rejects.toMatchObject({
      code: '23502',
    })
  })

  it('rejects a claim over another one, even an unchecked one', async () => {
    await testApp.book({ host, eventTypeId: eventType, start: at(5) })
    await expect(
      testApp.book({ host, eventTypeId: eventType, start: at(5.25) }),
    ).rejects.toMatchObject({ code: 'slot_taken' })
    await testApp.book({ host, eventTypeId: eventType, start: at(5.5) })
    expect((await kept(eventType)).bookings).toHaveLength(2)
  })
})

describe('what is listed', () => {
  it('can be held and booked, and nothing else can', async () => {
    const busy = await testApp.newHost({ limit_day: 6 })
    const id = await testApp.newEventType(busy, {
      durations: [45],
      step_minutes: 25,
      before_minutes: 10,
      after_minutes: 5,
      notice_minutes: 95,
      booking_window: JSON.stringify({ kind: 'rolling', days: 1 }),
    })
    await testApp.block(busy, at(4), at(5.5))
    await testApp.block(busy, at(30), at(31))
    await testApp.book({ host: busy, eventTypeId: id, start: at(9), minutes: 45 })
    await visit(testApp, 'POST', '/slot-locks', {
      body: { eventTypeId: id, start: (await offered(testApp, id, at(12), at(13)))[0] },
    })
    const listed = new Set(await offered(testApp, id, at(0), at(60)))
    // Every fifth minute of two and a half days, thinned out so that no start repeats another's
    // case.
    const sample = Array.from({ length: 720 }, (_, n) => at(n / 12)).filter(
      (_, n) => n % 7 === 0 || listed.has(at(n / 12).toISOString()),
    )
    for (const start of sample) {
      const { status, body } = await visit(testApp, 'POST', '/slot-locks', {
        body: { eventTypeId: id, start },
      })
      expect([start.toISOString(), status === 201], JSON.stringify(body)).toEqual([
        start.toISOString(),
        listed.has(start.toISOString()),
      ])
      if (status !== 201) continue
      const { lockToken } = body
      await visit(testApp, 'DELETE', `/slot-locks/${body.id}`, {
        headers: { 'x-lock-token': lockToken },
      })
    }
    // Booked in the order of the list, as long as the list has something.
    let booked = 0
    for (
      let next = [...listed];
      next.length > 0 && booked < 20;
      next = await offered(testApp, id, at(0), at(60))
    ) {
      expect(
        (await visit(testApp, 'POST', '/bookings', { body: wish(id, next[0] ?? '') })).status,
      ).toBe(201)
      booked++
    }
    expect(booked).toBeGreaterThan(5)
  }, 120_000)
})
