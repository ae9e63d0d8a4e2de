import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { recordMeasurement } from '@atrium/testing/measurements'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attack, botAddress, createTally } from './abuse.ts'

let testApp: BookingsTestApp
let api: ApiProcess
let type: string
beforeAll(async () => {
  testApp = await startBookingsTestApp()
  type = await testApp.newEventType(await testApp.newHost(), { durations: [5], step_minutes: 5 })
  api = await startApi(testApp)
}, 120_000)
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await testApp[Symbol.asyncDispose]()
})

/**
 * Requests without a session that cause the most work, each with the maximum size of its response.
 */
const hostile: readonly {
  what: string
  method: string
  path: () => string
  body?: string
  headers?: Record<string, string>
  statuses: number[]
}[] = [
  {
    what: 'a typed array of a thousand million fields',
    method: 'GET',
    path: () =>
      `/trpc/tenants.get?input=${encodeURIComponent('{"json":{"length":1000000000},"meta":{"values":[["typed-array","Uint8Array"]]}}')}`,
    statuses: [400, 401],
  },
  {
    what: 'the same where no token is needed',
    method: 'GET',
    path: () =>
      `/trpc/scheduling.slots.list?input=${encodeURIComponent('{"json":{"length":1000000000},"meta":{"values":[["typed-array","Uint8Array"]]}}')}`,
    statuses: [400],
  },
  {
    what: 'a batch of a thousand calls',
    method: 'GET',
    path: () =>
      `/trpc/${Array.from({ length: 1_000 }, () => 'scheduling.pages.tenant').join(',')}?batch=1&input=%7B%7D`,
    statuses: [400, 413, 414],
  },
  {
    what: 'a body of deep lists',
    method: 'POST',
    path: () => '/api/v1/bookings',
    body: `{"answers":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
    statuses: [400],
  },
  {
    what: 'a body of a hundred thousand unknown fields',
    method: 'POST',
    path: () => '/api/v1/slot-locks',
    body: JSON.stringify(
      Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`f${n}`, 1])),
    ),
    statuses: [400],
  },
  {
    what: 'a text of spaces for every expression',
    method: 'POST',
    path: () => '/api/v1/bookings',
    body: JSON.stringify({
      attendee: {
        name: `${' '.repeat(400_000)}x`,
        email: `${'a.'.repeat(200_000)}@x`,
        timeZone: '\t'.repeat(100_000),
      },
    }),
    statuses: [400],
  },
  {
    what: 'all times of 62 days, in steps of five minutes',
    method: 'GET',
    path: () =>
      `/api/v1/event-types/${type}/slots?from=${testApp.at(0).toISOString()}&to=${testApp.at(61 * 24).toISOString()}&timeZone=America/Sao_Paulo`,
    // The calendar is served by the attackers' own process here, and may take too long there.
    statuses: [200, 503],
  },
  {
    what: 'a forged payment event of a mebibyte',
    method: 'POST',
    path: () => '/webhooks/stripe',
    body: 'x'.repeat(1_000_000),
    statuses: [400, 401],
  },
  { what: 'the API reference', method: 'GET', path: () => '/openapi.json', statuses: [200] },
]

/** Responses to eight attackers while another client waits for one: three each. */
const mostWhileWaiting = 24

it('requests that ask for much work get little, and others are served meanwhile', async () => {
  const tally = createTally()
  const wrong: string[] = []
  let largest = 0
  let mostStarts = 0
  let others = 0
  let rejected = 0
  let between = 0
  let mostBetween = 0
  let over = false
  const ask = async () => {
    while (!over) {
      const response = await fetch(`${api.url}/health`)
      await response.arrayBuffer()
      if (response.status === 200) others += 1
      else rejected += 1
      between = 0
    }
  }
  const asking = ask()
  const tried = await attack(hostile.length * 8, async (n) => {
    const one = hostile[n % hostile.length]
    if (!one) return
    const response = await fetch(`${api.url}${one.path()}`, {
      method: one.method,
      headers: {
        'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
        'x-forwarded-for': botAddress(),
        ...(one.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(one.body === undefined ? {} : { body: one.body }),
    })
    const text = await response.text()
    largest = Math.max(largest, text.length)
    if (one.path().includes('/slots?') && response.status === 200) {
      const { slots } = JSON.parse(text) as { slots: Record<string, unknown[]> }
      mostStarts = Math.max(mostStarts, Object.values(slots).flat().length)
    }
    tally.add({ status: response.status })
    mostBetween = Math.max(mostBetween, ++between)
    if (!one.statuses.includes(response.status))
      wrong.push(`${one.what}: ${response.status} ${text.slice(0, 100)}`)
  })
  over = true
  await asking
  const most = schedulingLimits.startsPerResponse
  await recordMeasurement({
    target: 'S23',
    what: 'event-loop stop: nine kinds of requests that ask for much work, eight at once',
    measured: `${tried} requests (${tally.text()}), answers of at most ${largest} characters and ${mostStarts} times (limit ${most}); ${others} other requests answered meanwhile, ${rejected} refused, each within ${mostBetween} answers to the attackers`,
    reached:
      wrong.length === 0 && rejected === 0 && mostBetween <= mostWhileWaiting && mostStarts <= most,
  })
  expect(wrong).toEqual([])
  expect(rejected).toBe(0)
  expect(mostStarts).toBeGreaterThan(1_000)
  expect(mostStarts).toBeLessThanOrEqual(most)
  expect(others).toBeGreaterThan(0)
  expect(mostBetween).toBeLessThanOrEqual(mostWhileWaiting)
}, 180_000)
