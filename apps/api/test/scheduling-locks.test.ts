import { randomBytes } from 'node:crypto'
import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { newAddress, offered, visit, wish } from '@atrium/testing/visitors'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: BookingsTestApp
let host: TestHost
let eventType: string
let day = 0

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(5_000) })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  day += 48
  testApp.time.now = testApp.at(day)
  host = await testApp.newHost()
  eventType = await testApp.newEventType(host)
})
afterEach(() => testApp.sandbox.clearFaults())

const at = (hours: number) => testApp.at(day + hours)
const iso = (hours: number) => at(hours).toISOString()
const pass = (seconds: number) => {
  testApp.time.now = new Date(testApp.time.now.getTime() + seconds * 1000)
}
const holding = (lockToken: string) => ({ headers: { 'x-lock-token': lockToken } })
const lock = (
  hours: number,
  {
    eventTypeId = eventType,
    duration,
    address,
    token,
  }: { eventTypeId?: string; duration?: number; address?: string; token?: string } = {},
) =>
  visit(testApp, 'POST', '/slot-locks', {
    body: { eventTypeId, start: iso(hours), ...(duration ? { duration } : {}) },
    ...(address ? { address } : {}),
    ...(token ? holding(token) : {}),
  })
const renew = (id: string, token: string) =>
  visit(testApp, 'PATCH', `/slot-locks/${id}`, holding(token))
const release = (id: string, token?: string) =>
  visit(testApp, 'DELETE', `/slot-locks/${id}`, token ? holding(token) : {})
const book = (hours: number, fields: Record<string, unknown> = {}) =>
  visit(testApp, 'POST', '/bookings', { body: wish(eventType, at(hours), fields) })
const code = ({ status, body }: { status: number; body: { code?: string } }) =>
  `${status} ${body?.code ?? ''}`.trim()
const stored = () =>
  testApp.database.db.selectFrom('slot_locks').selectAll().where('host_id', '=', host.id).execute()

describe('a lock', () => {
  it('holds a time exclusively for five minutes', async () => {
    const { status, body } = await lock(5)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      lockToken: expect.stringMatching(/^[\w-]{43}$/),
      start: iso(5),
      end: iso(5.5),
      expiresAt: new Date(at(0).getTime() + 300_000).toISOString(),
    })
    const rejected = await lock(5)
    expect(code(rejected)).toBe('409 slot_locked')
    expect(rejected.headers.get('retry-after')).toBe('300')
    expect(code(await book(5))).toBe('409 slot_locked')
    expect(await offered(testApp, eventType, at(4), at(6))).toEqual([iso(4), iso(4.5), iso(5.5)])
    expect(await offered(testApp, eventType, at(4), at(6), holding(body.lockToken))).toEqual([
      iso(4),
      iso(4.5),
      iso(5),
      iso(5.5),
    ])
  })

  it('blocks overlapping times of every event type and start', async () => {
    const other = await testApp.newEventType(host, { durations: [60], step_minutes: 15 })
    await lock(5)
    for (const hours of [4.25, 4.5, 5, 5.25])
      expect(code(await lock(hours, { eventTypeId: other })), String(hours)).toBe('409 slot_locked')
    for (const hours of [4, 5.5])
      expect((await lock(hours, { eventTypeId: other })).status, String(hours)).toBe(201)
  })

  it('keeps its token from the database', async () => {
    const { body } = await lock(5)
    const [row] = await stored()
    expect(JSON.stringify(row)).not.toContain(body.lockToken)
    expect(JSON.stringify(testApp.logLines)).not.toContain(body.lockToken)
  })

  it('is over when its time is, to the millisecond, and goes to who asks then', async () => {
    const { body } = await lock(5)
    testApp.time.now = new Date(Date.parse(body.expiresAt) - 1)
    expect(code(await lock(5))).toBe('409 slot_locked')
    testApp.time.now = new Date(body.expiresAt)
    const next = await lock(5)
    expect(next.status).toBe(201)
    expect(code(await renew(body.id, body.lockToken))).toBe('404 not_found')
    expect(await stored()).toHaveLength(1)
  })

  it('is renewed three times, by its holder alone', async () => {
    const { body } = await lock(5)
    for (let time = 1; time <= 3; time++) {
      pass(200)
      const expiresAt = new Date(testApp.time.now.getTime() + 300_000).toISOString()
      expect(await renew(body.id, body.lockToken)).toMatchObject({
        status: 200,
        body: { expiresAt },
      })
    }
    expect(code(await renew(body.id, body.lockToken))).toBe('409 limit_reached')
    expect(code(await renew(body.id, 'x'.repeat(43)))).toBe('404 not_found')
    expect(code(await visit(testApp, 'PATCH', `/slot-locks/${body.id}`))).toBe('404 not_found')
    pass(300)
    expect(code(await renew(body.id, body.lockToken))).toBe('409 lock_expired')
  })

  it('is released by its holder; anyone else gets the same response and changes nothing', async () => {
    const { body } = await lock(5)
    expect((await release(body.id)).status).toBe(204)
    expect((await release(body.id, 'x'.repeat(43))).status).toBe(204)
    expect(code(await lock(5))).toBe('409 slot_locked')
    expect((await release(body.id, body.lockToken)).status).toBe(204)
    expect((await release(body.id, body.lockToken)).status).toBe(204)
    expect((await lock(5)).status).toBe(201)
  })

  it('takes the place of what the visitor held before, and leaves that when it is rejected', async () => {
    const first = await lock(5)
    const second = await lock(6, { token: first.body.lockToken })
    expect(second.status).toBe(201)
    expect(await offered(testApp, eventType, at(5), at(6.5))).toEqual([iso(5), iso(5.5)])
    await lock(7)
    expect(code(await lock(7, { token: second.body.lockToken }))).toBe('409 slot_locked')
    expect((await renew(second.body.id, second.body.lockToken)).status).toBe(200)
    expect((await lock(6.5, { token: second.body.lockToken })).status).toBe(201)
  })

  it('is rejected for what is not on offer', async () => {
    const strict = await testApp.newEventType(host, {
      notice_minutes: 120,
      booking_window: JSON.stringify({ kind: 'rolling', days: 1 }),
    })
    await testApp.book({ host, eventTypeId: eventType, start: at(8) })
    expect(code(await lock(1, { eventTypeId: strict }))).toBe('409 too_soon')
    expect(code(await lock(-1))).toBe('409 too_soon')
    expect(code(await lock(49, { eventTypeId: strict }))).toBe('409 outside_window')
    expect(code(await lock(8))).toBe('409 slot_taken')
    expect(code(await lock(5.25))).toBe('409 slot_taken')
    expect(code(await lock(5, { duration: 45 }))).toBe('400 invalid_input')
    const half = await visit(testApp, 'POST', '/slot-locks', {
      body: { eventTypeId: eventType, start: new Date(at(5).getTime() + 1_000) },
    })
    expect(half.body.issues).toMatchObject([{ path: 'start' }])
    expect(await stored()).toEqual([])
  })

  it('is rejected for an IPv6 customer who holds six with the host, or twenty with anybody, from many addresses', async () => {
    const network = newAddress().split(':').slice(0, 3).join(':')
    let subnet = 0
    const from = () => `${network}:${(++subnet).toString(16)}::1`
    const statuses = async (eventTypeId: string) => {
      const responses = []
      for (const hours of [3, 3.5, 4, 4.5, 5, 5.5, 6])
        responses.push((await lock(hours, { eventTypeId, address: from() })).status)
      return responses
    }
    expect(await statuses(eventType)).toEqual([...Array.from({ length: 6 }, () => 201), 429])
    expect((await lock(6)).status).toBe(201)
    for (let more = 0; more < 2; more++)
      await statuses(await testApp.newEventType(await testApp.newHost()))
    const other = await testApp.newEventType(await testApp.newHost())
    expect((await statuses(other)).filter((status) => status === 201)).toHaveLength(2)
    const [held] = await testApp.database.db
      .selectFrom('slot_locks')
      .select('network')
      .where('host_id', '=', host.id)
      .execute()
    expect(held?.network).toBe(
      `${network
        .split(':')
        .map((group) => Number.parseInt(group, 16).toString(16))
        .join(':')}::/48`,
    )
  })

  it('is rejected to an address that holds three with the host, or ten with anybody', async () => {
    const address = newAddress()
    for (const hours of [3, 4, 5]) expect((await lock(hours, { address })).status).toBe(201)
    const rejected = await lock(6, { address })
    expect([code(rejected), rejected.headers.get('retry-after')]).toEqual([
      '429 rate_limited',
      '300',
    ])
    for (let more = 0; more < 3; more++) {
      const other = await testApp.newHost()
      const eventTypeId = await testApp.newEventType(other)
      const statuses: number[] = []
      for (const hours of [3, 4, 5])
        statuses.push((await lock(hours, { eventTypeId, address })).status)
      expect(statuses).toEqual(more < 2 ? [201, 201, 201] : [201, 429, 429])
    }
    pass(300)
    expect((await lock(6, { address })).status).toBe(201)
  })
})

describe('booking what is held', () => {
  it('is for the holder, and ends the lock', async () => {
    const { body } = await lock(5)
    expect(code(await book(5, { lockToken: 'x'.repeat(43) }))).toBe('409 lock_expired')
    expect((await book(5, { lockToken: body.lockToken })).status).toBe(201)
    expect(await stored()).toEqual([])
  })

  it('still works after the lock is over, while nobody else has the time', async () => {
    const { body } = await lock(5)
    pass(301)
    expect((await book(5, { lockToken: body.lockToken })).status).toBe(201)
  })

  it('says that the lock is over when the time has gone with it', async () => {
    const { body } = await lock(5)
    pass(301)
    expect((await book(5)).status).toBe(201)
    expect(code(await book(5, { lockToken: body.lockToken }))).toBe('409 lock_expired')
  })
})

describe('places of a shared start', () => {
  it('are held one by one, and no more of them than there are', async () => {
    const classes = await testApp.newEventType(host, { seats: 2 })
    const [one, two] = [
      await lock(5, { eventTypeId: classes }),
      await lock(5, { eventTypeId: classes }),
    ]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(code(await lock(5, { eventTypeId: classes }))).toBe('409 slot_locked')
    expect(code(await lock(5))).toBe('409 slot_locked')
    const take = (lockToken?: string) =>
      visit(testApp, 'POST', '/bookings', {
        body: wish(classes, at(5), lockToken ? { lockToken } : {}),
      })
    expect(code(await take())).toBe('409 slot_locked')
    expect((await take(one.body.lockToken)).status).toBe(201)
    expect(code(await take())).toBe('409 slot_locked')
    expect((await take(two.body.lockToken)).status).toBe(201)
    expect(code(await take())).toBe('409 slot_taken')
  })
})

describe('a round robin', () => {
  it('holds the time of one host, and books with that one', async () => {
    const other = await testApp.newHost()
    const robin = await testApp.newEventType(host, { assignment: 'round_robin' })
    await testApp.database.db
      .insertInto('event_type_hosts')
      .values([host, other].map(({ id }) => ({ event_type_id: robin, host_id: id })))
      .execute()
    const [one, two] = [
      await lock(5, { eventTypeId: robin }),
      await lock(5, { eventTypeId: robin }),
    ]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(code(await lock(5, { eventTypeId: robin }))).toBe('409 slot_locked')
    const locks = await testApp.database.db
      .selectFrom('slot_locks')
      .select(['host_id', 'lock_id'])
      .where('event_type_id', '=', robin)
      .execute()
    const hostOf = (id: string) => locks.find((row) => row.lock_id === id)?.host_id
    expect(new Set(locks.map((row) => row.host_id))).toEqual(new Set([host.id, other.id]))
    const booked = await visit(testApp, 'POST', '/bookings', {
      body: wish(robin, at(5), { lockToken: two.body.lockToken }),
    })
    const row = await testApp.database.db
      .selectFrom('bookings')
      .select('host_id')
      .where('id', '=', booked.body.booking.id)
      .executeTakeFirst()
    expect(row?.host_id).toBe(hostOf(two.body.id))
  })
})

describe('a visitor who goes back', () => {
  it('sees the own hold as free with its token, and holds it again under the same one', async () => {
    const { body } = await lock(5)
    const seen = (headers: Record<string, string>) =>
      offered(testApp, eventType, at(4), at(7), { headers })
    expect(await seen({})).not.toContain(iso(5))
    expect(await seen({ 'x-lock-token': body.lockToken })).toContain(iso(5))
    const again = await lock(5, { token: body.lockToken })
    expect([again.status, again.body.lockToken]).toEqual([201, body.lockToken])
    expect(await stored()).toHaveLength(1)
    expect(code(await book(5, { lockToken: body.lockToken }))).toBe('201')
  })

  it('may choose the token before the first hold', async () => {
    const token = randomBytes(32).toString('base64url')
    expect((await lock(5, { token })).body.lockToken).toBe(token)
    expect((await lock(6, { token })).status).toBe(201)
    expect((await stored()).map(({ start_utc }) => start_utc)).toEqual([at(6)])
    expect((await lock(8, { token: 'short' })).body.lockToken).toMatch(/^[\w-]{43}$/)
  })
})
