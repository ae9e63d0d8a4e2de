import { randomBytes } from 'node:crypto'
import { limits } from '@atrium/core/platform/limits'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { recordMeasurement } from '@atrium/testing/measurements'
import { offered, visit, wish } from '@atrium/testing/visitors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attack, createTally, unique } from './abuse.ts'

let testApp: BookingsTestApp
beforeAll(async () => {
  testApp = await startBookingsTestApp()
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

it('one customer with a whole network keeps few times of a host from others', async () => {
  const host = await testApp.newHost()
  const type = await testApp.newEventType(host)
  const network = `2001:db8:${randomBytes(2).toString('hex')}`
  let subnet = 0
  const address = () => `${network}:${(++subnet % 65_536).toString(16)}::1`
  const [from, to] = [testApp.at(24), testApp.at(24 * 12)]
  const before = (await offered(testApp, type, from, to)).length
  const tally = createTally()
  const held: { id: string; lockToken: string }[] = []
  let mostHeld = 0
  const tried = await attack(200, async (n) => {
    const start = testApp.at(24 + (n % before) / 2).toISOString()
    const own = held[n % Math.max(1, held.length)]
    if (own && n % 5 === 4) {
      const headers = { 'x-lock-token': own.lockToken }
      tally.add(
        await visit(testApp, 'PATCH', `/slot-locks/${own.id}`, { address: address(), headers }),
      )
      return
    }
    const response = await visit(testApp, 'POST', '/slot-locks', {
      address: address(),
      body: { eventTypeId: type, start },
    })
    tally.add(response)
    if (response.status === 201) held.push(response.body)
    const { count } = await testApp.database.db
      .selectFrom('slot_locks')
      .select((row) => row.fn.countAll<string>().as('count'))
      .where('host_id', '=', host.id)
      .where('expires_at', '>', testApp.time.now)
      .executeTakeFirstOrThrow()
    mostHeld = Math.max(mostHeld, Number(count))
    // Time passes, so that allowances of the minute are had again.
    if (n % 20 === 0) testApp.time.now = new Date(testApp.time.now.getTime() + 61_000)
  })
  const left = (await offered(testApp, type, from, to)).length
  const most = schedulingLimits.locksPerNetworkAndHost
  await recordMeasurement({
    target: 'S23',
    what: 'hold exhaustion: one IPv6 /48, each request from another /64, with renewals',
    measured: `${tried} requests (${tally.text()}), at most ${mostHeld} of ${before} times held at once (limit ${most}); ${left} are offered to others`,
    reached: mostHeld <= most && left >= before - most && tally.failed().length === 0,
  })
  expect(mostHeld).toBeGreaterThan(0)
  expect(mostHeld).toBeLessThanOrEqual(most)
  expect(left).toBeGreaterThanOrEqual(before - most)
  expect(tally.failed()).toEqual([])
}, 240_000)

it('one customer with a whole network books few times a day', async () => {
  const hosts = await Promise.all(Array.from({ length: 4 }, () => testApp.newHost()))
  const types = await Promise.all(hosts.map((one) => testApp.newEventType(one)))
  const network = `2001:db8:${randomBytes(2).toString('hex')}`
  const day = Math.ceil(testApp.time.now.getTime() / 86_400_000) * 86_400_000
  testApp.time.now = new Date(day)
  let booked = 0
  const tally = createTally()
  const most = limits.visitor_bookings_network_day.most
  const tried = await attack(most + 40, async (n) => {
    const attendee = { name: 'Vera', email: `${unique()}@elsewhere.example`, timeZone: 'UTC' }
    const start = new Date(day + (48 + n / 4) * 3_600_000 - ((n / 4) % 0.5) * 3_600_000)
    const body = wish(types[n % types.length] ?? '', start, { attendee })
    const response = await visit(testApp, 'POST', '/bookings', {
      address: `${network}:${n.toString(16).slice(-4)}::1`,
      body,
    })
    tally.add(response)
    if (response.status === 201) booked += 1
    if (n % 10 === 0 && testApp.time.now.getTime() < day + 20 * 3_600_000)
      testApp.time.now = new Date(testApp.time.now.getTime() + 61_000)
  })
  await recordMeasurement({
    target: 'S23',
    what: 'bookings of one IPv6 /48 in a day, each from another /64 and e-mail address',
    measured: `${tried} requests (${tally.text()}), ${booked} booked, at most ${most}`,
    reached: booked <= most && tally.failed().length === 0,
  })
  expect(booked).toBeGreaterThan(10)
  expect(booked).toBeLessThanOrEqual(most)
  expect(tally.failed()).toEqual([])
}, 240_000)
