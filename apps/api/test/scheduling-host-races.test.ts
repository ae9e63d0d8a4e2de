import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestBooking,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { clientsWithDeadline } from '@atrium/testing/outside'
import type { TestResponse } from '@atrium/testing/test-app'
import { visit, wish } from '@atrium/testing/visitors'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { drainCalendars } from '../src/scheduling/calendars/sync.ts'
import { hostsInBooking, newRobin, offeredForMove } from './robin-test-app.ts'

let testApp: BookingsTestApp
let anna: TestHost
let ben: TestHost
let robin: string

beforeAll(async () => {
  testApp = await startBookingsTestApp({ integrations: clientsWithDeadline(10_000) })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  testApp.time.now = testApp.at(0)
  await testApp.database.db.deleteFrom('outbox').execute()
  await testApp.database.db.deleteFrom('bookings').execute()
  anna = await testApp.newHost()
  ben = await testApp.newHost()
  robin = await newRobin(testApp, [anna, ben], { bookings_per_visitor: null })
})

const hour = (hours: number) => testApp.at(hours).toISOString()
const book = (host: TestHost, hours: number, eventTypeId = robin) =>
  testApp.book({ host, eventTypeId, start: testApp.at(hours), minutes: 60 })
const move = (booking: TestBooking, hours: number) =>
  testApp.visit('POST', '/reschedule', booking.token, { start: hour(hours) })
const staffMove = async (booking: TestBooking, hours: number) =>
  testApp.act(await testApp.admin(), 'POST', `/${booking.id}/reschedule`, { start: hour(hours) })
const busy = (host: TestHost, hours: number) =>
  testApp.block(host, testApp.at(hours), testApp.at(hours + 1))
const told = (responses: readonly TestResponse[]) =>
  responses
    .map(({ status, body }) => (status === 200 || status === 201 ? 'ok' : String(body.code)))
    .sort()

/** UIDs of the bookings' events in a host's calendar. */
const uidsIn = ({ address }: TestHost) =>
  (testApp.sandbox.mail.calendars.list()[address] ?? []).flatMap(({ title, event }) =>
    title?.startsWith('Introduction') ? [String(event.uid)] : [],
  )

/**
 * Claims of one host that overlap, and live bookings whose one claim is not that of their host at
 * their time.
 */
async function faults(): Promise<{ overlaps: number; strays: number }> {
  const { rows } = await sql<{ overlaps: number; strays: number }>`
    select (select count(*)::int from booking_hosts a join booking_hosts b on a.host_id = b.host_id and a.booking_id < b.booking_id
        and a.active and b.active and tstzrange(a.claim_start, a.claim_end) && tstzrange(b.claim_start, b.claim_end)) as overlaps,
      (select count(*)::int from bookings b where b.status in ('pending', 'confirmed') and (select array_agg(p.host_id) from booking_hosts p
        where p.booking_id = b.id and p.active and p.left_at is null and p.claim_start = b.start_at and p.claim_end = b.end_at)
        is distinct from array[b.host_id]) as strays`.execute(testApp.database.db)
  return rows[0] ?? { overlaps: Number.NaN, strays: Number.NaN }
}

it('gives one time to as many bookings as there are hosts, and rejects the rest', async () => {
  const bookings = [
    await book(anna, 10),
    await book(anna, 11),
    await book(anna, 12),
    await book(ben, 10),
    await book(ben, 11),
  ]
  const responses = await Promise.all(
    bookings.map((booking, n) => (n % 2 ? staffMove : move)(booking, 20)),
  )
  expect(told(responses)).toEqual(['ok', 'ok', 'slot_taken', 'slot_taken', 'slot_taken'])
  const at20 = await testApp.database.db
    .selectFrom('bookings')
    .select('host_id')
    .where('start_at', '=', testApp.at(20))
    .execute()
  expect(new Set(at20.map(({ host_id: id }) => id))).toEqual(new Set([anna.id, ben.id]))
  expect(await faults()).toEqual({ overlaps: 0, strays: 0 })
})

it('follows two callers who move one booking at once, one after the other', async () => {
  const booking = await book(anna, 10)
  await busy(anna, 20)
  const responses = await Promise.all([
    move(booking, 20),
    staffMove(booking, 22),
    move(booking, 24),
    staffMove(booking, 20),
  ])
  const moves = (await testApp.history(booking)).filter((kind) => kind === 'rescheduled').length
  expect(told(responses)).toEqual(['ok', 'ok', 'ok', 'ok'])
  const { booking: after, present } = await hostsInBooking(testApp, booking)
  expect(after.sequence).toBe(moves)
  expect(present).toHaveLength(1)
  expect(await faults()).toEqual({ overlaps: 0, strays: 0 })
})

it('gives a time to a move or to a new booking, and to one of them alone', async () => {
  for (let round = 0; round < 5; round++) {
    const at = 20 + round
    const booking = await book(anna, 5 + round)
    await busy(anna, at)
    const responses = await Promise.all([
      move(booking, at),
      visit(testApp, 'POST', '/bookings', { body: wish(robin, testApp.at(at)) }),
    ])
    expect(told(responses)).toEqual(['ok', 'slot_taken'])
  }
  expect(await faults()).toEqual({ overlaps: 0, strays: 0 })
}, 60_000)

it('ends cancelled, whatever host a move that comes in between would give it to', async () => {
  for (let round = 0; round < 5; round++) {
    const booking = await book(anna, 5 + round)
    await busy(anna, 20 + round)
    const [cancelled] = await Promise.all([
      testApp.visit('POST', '/cancel', booking.token, {}),
      move(booking, 20 + round),
    ])
    expect(cancelled.status).toBe(200)
    const { booking: after, present } = await hostsInBooking(testApp, booking)
    expect({ status: after.status, present }).toEqual({ status: 'cancelled', present: [] })
    await drainCalendars(testApp.app.services)
    expect([anna, ben].flatMap(uidsIn)).toEqual([])
  }
}, 60_000)

it('changes nothing when the colleague becomes busy or leaves between the offer and the move', async () => {
  const booking = await book(anna, 10)
  await busy(anna, 20)
  expect(await offeredForMove(testApp, booking, 20, 21)).toEqual([20])
  await busy(ben, 20)
  const before = await hostsInBooking(testApp, booking)
  expect(told([await move(booking, 20)])).toEqual(['slot_taken'])
  await busy(anna, 22)
  expect(await offeredForMove(testApp, booking, 22, 23)).toEqual([22])
  await testApp.database.db
    .updateTable('hosts')
    .set({ active: false })
    .where('id', '=', ben.id)
    .execute()
  expect(told([await move(booking, 22)])).toEqual(['slot_taken'])
  expect(await hostsInBooking(testApp, booking)).toEqual(before)
})

it('keeps the limits that hold for all hosts together, the booking that moves aside', async () => {
  const limited = await newRobin(testApp, [anna, ben], { limit_day: 2, limits_scope: 'event_type' })
  const first = await book(anna, 10, limited)
  const tomorrow = await book(anna, 30, limited)
  await book(ben, 12, limited)
  await busy(anna, 15)
  expect(told([await move(tomorrow, 15), await move(first, 15)])).toEqual(['ok', 'slot_taken'])
})

it('moves with a pool of one connection', async () => {
  const single = await startBookingsTestApp({ poolSize: 1 })
  try {
    const [own, other] = [await single.newHost(), await single.newHost()]
    const eventTypeId = await newRobin(single, [own, other])
    const booking = await single.book({ host: own, eventTypeId, start: single.at(10), minutes: 60 })
    await single.block(own, single.at(20), single.at(21))
    expect(await offeredForMove(single, booking, 20, 21)).toEqual([20])
    const response = await single.visit('POST', '/reschedule', booking.token, {
      start: single.at(20).toISOString(),
    })
    expect(told([response])).toEqual(['ok'])
    expect((await hostsInBooking(single, booking)).booking.host_id).toBe(other.id)
  } finally {
    await single[Symbol.asyncDispose]()
  }
}, 60_000)

it('never books a host twice, and leaves each calendar with the bookings of its host, after any moves at once', async () => {
  const cara = await testApp.newHost()
  const hosts = [anna, ben, cara]
  const wave = fc.array(
    fc.record({ which: fc.nat(5), to: fc.integer({ min: 20, max: 24 }), staff: fc.boolean() }),
    {
      minLength: 2,
      maxLength: 5,
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(wave, { minLength: 1, maxLength: 3 }), async (waves) => {
      await testApp.database.db.deleteFrom('outbox').execute()
      await testApp.database.db.deleteFrom('bookings').execute()
      // Bookings of the runs before were deleted without their events.
      const before = new Set(hosts.flatMap(uidsIn))
      const eventTypeId = await newRobin(testApp, hosts, { bookings_per_visitor: null })
      const bookings: TestBooking[] = []
      for (let n = 0; n < 6; n++)
        bookings.push(await book(hosts[n % 3] as TestHost, 40 + Math.floor(n / 3), eventTypeId))
      for (const moves of waves) {
        const responses = await Promise.all(
          moves.map(({ which, to, staff }) =>
            (staff ? staffMove : move)(bookings[which] as TestBooking, to),
          ),
        )
        for (const response of told(responses))
          expect(['ok', 'slot_taken', 'limit_reached']).toContain(response)
        expect(await faults()).toEqual({ overlaps: 0, strays: 0 })
      }
      await drainCalendars(testApp.app.services)
      const stored = await testApp.database.db
        .selectFrom('bookings')
        .select(['uid', 'host_id'])
        .execute()
      for (const host of hosts) {
        const own = stored.flatMap(({ uid, host_id: id }) => (id === host.id ? [uid] : []))
        expect(
          uidsIn(host)
            .filter((uid) => !before.has(uid))
            .sort(),
        ).toEqual(own.sort())
      }
    }),
    { numRuns: 12 },
  )
}, 120_000)
