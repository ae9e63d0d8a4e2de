import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { visit, wish } from '@atrium/testing/visitors'
import { afterAll, beforeAll, expect, it } from 'vitest'

const page = await readFile(join(import.meta.dirname, '../../docs/reference/security.md'), 'utf8')
const [, section = ''] = page.split('\n## Without a session\n')
const rows = (section.split('\n#')[0] ?? '').split('\n').map((line) => line.slice(2).split(' | '))

/** The memory that the page allows a request of this entry, in MiB. */
function mostMemory(entry: string): number {
  const cell = rows.find(([names = '']) => names === entry || names.includes(`\`${entry}\``))?.[3]
  const [, most] = /^(\d+) MiB/.exec(cell ?? '') ?? []
  if (most === undefined) throw new Error(`docs/reference/security.md tells no memory of ${entry}`)
  return Number(most)
}

let testApp: BookingsTestApp
beforeAll(async () => {
  testApp = await startBookingsTestApp({ manyChanges: true })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

/** A mebibyte that costs the most that was found: 50,000 fields that no call knows. */
const unknownFields = JSON.stringify(
  Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`unknown-${n}`, 1])),
)

type Call = (n: number) => Promise<{ status: number }>

/**
 * The calls of each entry that are measured: as visitors make them, and with the largest body where
 * one is read.
 */
async function calls(): Promise<readonly [entry: string, what: string, call: Call][]> {
  const host = await testApp.newHost({ slug: 'hanna' })
  const eventType = await testApp.newEventType(host, {
    slug: 'talk',
    durations: [5],
    step_minutes: 5,
  })
  const booked = await testApp.newEventType(await testApp.newHost())
  const bookings = await Promise.all(
    [0, 1].map((n) => testApp.book({ host, eventTypeId: eventType, start: testApp.at(1_000 + n) })),
  )
  const managed = (method: string, path: string, body?: object) =>
    testApp.visit(method, path, bookings[0]?.token, body)
  const large =
    (path: string, method = 'POST') =>
    () =>
      visit(testApp, method, path, { body: unknownFields, token: bookings[1]?.token })
  const get = (path: string) => async () => {
    const response = await testApp.app.fetch(new Request(`http://api.test${path}`), {})
    // A text would be memory of the client.
    await response.arrayBuffer()
    return response
  }
  const slots = `/api/v1/event-types/${eventType}/slots?from=${testApp.at(0).toISOString()}&to=${testApp.at(62 * 24).toISOString()}&timeZone=UTC`
  return [
    ['/health', '', get('/health')],
    ['/sign-in/command-line', '', get('/sign-in/command-line')],
    ['/health/ready', '', get('/health/ready')],
    ['/docs', 'a search', get('/docs?q=tenants')],
    ['/openapi.json', '', get('/openapi.json')],
    [
      'POST /webhooks/stripe',
      'a mebibyte',
      () =>
        testApp.request('POST', '/webhooks/stripe', {
          body: unknownFields,
          headers: { 'stripe-signature': 't=1,v1=00' },
        }),
    ],
    [
      'any call with an invalid token',
      'a token of 1,000 kB',
      () => testApp.request('GET', '/users/me', { token: 'a'.repeat(1_000_000) }),
    ],
    ['GET /api/v1/pages/{tenantSlug}', '', () => visit(testApp, 'GET', '/pages/acme')],
    [
      'GET /api/v1/pages/{tenantSlug}/{hostSlug}',
      '',
      () => visit(testApp, 'GET', '/pages/acme/hanna'),
    ],
    [
      'GET /api/v1/pages/{tenantSlug}/{hostSlug}/{eventSlug}',
      '',
      () => visit(testApp, 'GET', '/pages/acme/hanna/talk'),
    ],
    ['GET /api/v1/event-types/{id}/slots', '62 days in steps of five minutes', get(slots)],
    [
      'POST /api/v1/slot-locks',
      '',
      (n) =>
        visit(testApp, 'POST', '/slot-locks', {
          body: { eventTypeId: eventType, start: testApp.at(100 + n).toISOString() },
        }),
    ],
    ['POST /api/v1/slot-locks', 'unknown fields', large('/slot-locks')],
    [
      'PATCH /api/v1/slot-locks/{id}',
      'unknown fields',
      large(`/slot-locks/${crypto.randomUUID()}`, 'PATCH'),
    ],
    [
      'DELETE /api/v1/slot-locks/{id}',
      '',
      () => visit(testApp, 'DELETE', `/slot-locks/${crypto.randomUUID()}`),
    ],
    [
      'POST /api/v1/bookings',
      '',
      (n) => visit(testApp, 'POST', '/bookings', { body: wish(booked, testApp.at(200 + n)) }),
    ],
    ['POST /api/v1/bookings', 'unknown fields', large('/bookings')],
    ['GET /api/v1/manage/booking', '', () => managed('GET', '')],
    ['GET /api/v1/manage/booking/calendar.ics', '', () => managed('GET', '/calendar.ics')],
    ['POST /api/v1/manage/booking/cancel', 'unknown fields', large('/manage/booking/cancel')],
    [
      'POST /api/v1/manage/booking/reschedule',
      'unknown fields',
      large('/manage/booking/reschedule'),
    ],
    ['POST /api/v1/manage/booking/guests', 'unknown fields', large('/manage/booking/guests')],
    [
      'POST /invitations/accept',
      'unknown fields',
      () =>
        testApp.request('POST', '/invitations/accept', {
          token: 'x'.repeat(43),
          body: unknownFields,
        }),
    ],
    [
      'POST /unsubscribe',
      'unknown fields',
      () =>
        testApp.request('POST', '/unsubscribe', {
          token: `reminders_${'0'.repeat(36)}_${'x'.repeat(43)}`,
          body: unknownFields,
        }),
    ],
    [
      'GET /invitations/link',
      '',
      () => testApp.request('GET', '/invitations/link', { token: 'x'.repeat(43) }),
    ],
    ...['open', 'decline'].map((way): [string, string, Call] => [
      `POST /invitations/${way}`,
      'unknown fields',
      () =>
        testApp.request('POST', `/invitations/${way}`, {
          token: 'x'.repeat(43),
          body: unknownFields,
        }),
    ]),
    [
      'POST /address-claims/move',
      'unknown fields',
      () =>
        testApp.request('POST', '/address-claims/move', {
          token: 'x'.repeat(43),
          body: unknownFields,
        }),
    ],
    ['POST /api/v1/manage-links', 'unknown fields', large('/manage-links')],
  ]
}

/** Processor in milliseconds and allocated memory in MiB of one call, this process as a whole. */
async function costOf(call: Call, n: number): Promise<{ ms: number; mebibytes: number }> {
  const [before, allocated] = [process.cpuUsage(), getHeapStatistics().total_allocated_bytes]
  const { status } = await call(n)
  const { user, system } = process.cpuUsage(before)
  // The workplace of the tests runs no jobs, which readiness says with 503.
  if (status === 429 || (status >= 500 && status !== 503))
    throw new Error(`a call that is measured returned ${status}`)
  return {
    ms: (user + system) / 1_000,
    mebibytes: (getHeapStatistics().total_allocated_bytes - allocated) / 1024 ** 2,
  }
}

/** What is loaded and compiled with the first calls is not the cost of a call. */
const warming = 5

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

it('a request without a session allocates no more than docs/reference/security.md says', async () => {
  const beyond: string[] = []
  for (const [entry, what, call] of await calls()) {
    const times = rounds(7, 20)
    const costs: { ms: number; mebibytes: number }[] = []
    for (let n = 0; n < times + warming; n++) costs.push(await costOf(call, n))
    const counted = costs.slice(warming)
    const memory = median(counted.map(({ mebibytes }) => mebibytes))
    const most = mostMemory(entry)
    const name = [entry, what].filter((part) => part !== '').join(', ')
    if (memory > most) beyond.push(`${name}: ${memory.toFixed(1)} MiB`)
    await recordMeasurement({
      target: 'S24',
      what: name,
      measured: `processor ${median(counted.map(({ ms }) => ms)).toFixed(1)} ms, memory ${memory.toFixed(1)} MiB of at most ${most}`,
      reached: memory <= most,
    })
  }
  expect(beyond).toEqual([])
})
