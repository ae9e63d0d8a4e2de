import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createRateLimit,
  createWindowCounts,
  mostRemembered,
} from '@atrium/api/platform/rate-limit'
import { limits } from '@atrium/core/platform/limits'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

let testApp: TestApp
let processes: ApiProcess[]
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false, env: { LOG_LEVEL: 'warn' } })
  processes = await Promise.all([
    startApi(testApp, { LOG_LEVEL: 'info' }),
    startApi(testApp, { LOG_LEVEL: 'info' }),
  ])
})
afterAll(async () => {
  for (const one of processes) await one[Symbol.asyncDispose]()
  await testApp[Symbol.asyncDispose]()
})

/**
 * What a visitor of one address may ask for in a minute (docs/reference/contract.md, scheduling).
 */
const routes = [
  { what: 'pages', most: 120, method: 'GET', path: '/api/v1/pages/acme' },
  {
    what: 'slots',
    most: 60,
    method: 'GET',
    path: `/api/v1/event-types/${crypto.randomUUID()}/slots?from=2027-01-04&to=2027-01-05&timeZone=UTC`,
  },
  {
    what: 'holds',
    most: 20,
    method: 'POST',
    path: '/api/v1/slot-locks',
    body: { eventTypeId: crypto.randomUUID(), start: '2027-01-04T10:00:00Z' },
  },
  {
    what: 'bookings',
    most: 10,
    method: 'POST',
    path: '/api/v1/bookings',
    body: {
      eventTypeId: crypto.randomUUID(),
      start: '2027-01-04T10:00:00Z',
      attendee: { name: 'Vera', email: 'vera@example.org', timeZone: 'UTC' },
    },
  },
] as const

const newAddress = () =>
  `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

async function ask(
  process: ApiProcess | undefined,
  route: (typeof routes)[number],
  address: string,
) {
  const response = await fetch(`${process?.url}${route.path}`, {
    method: route.method,
    headers: {
      'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
      'x-forwarded-for': address,
      ...('body' in route ? { 'content-type': 'application/json' } : {}),
    },
    ...('body' in route ? { body: JSON.stringify(route.body) } : {}),
  })
  await response.arrayBuffer()
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after') ?? 0) }
}

/** A window that ends while it is counted in would be two: begins early enough in a minute. */
async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const left = 60_000 - (Date.now() % 60_000)
    if (left < 15_000) await new Promise((done) => setTimeout(done, left + 50))
    const minute = Math.floor(Date.now() / 60_000)
    const result = await work()
    if (Math.floor(Date.now() / 60_000) === minute) return result
  }
}

it('lets exactly as many in as the limit says, at two processes at once', async () => {
  const wrong: string[] = []
  const parallel = 200
  let asked = 0
  for (let round = 0; round < rounds(1, 10); round++) {
    for (const route of routes) {
      const answers = await inOneMinute(() => {
        const address = newAddress()
        return Promise.all(
          Array.from({ length: parallel }, (_, n) => ask(processes[n % 2], route, address)),
        )
      })
      asked += parallel
      const rejected = answers.filter(({ status }) => status === 429)
      if (parallel - rejected.length !== route.most)
        wrong.push(`${route.what}: ${parallel - rejected.length} instead of ${route.most}`)
      if (rejected.some(({ retryAfter }) => !(retryAfter >= 1 && retryAfter <= 86_400)))
        wrong.push(`${route.what}: refused without Retry-After`)
      // 503 is the response of an overloaded machine to an admitted request.
      if (answers.some(({ status }) => status === 500))
        wrong.push(`${route.what}: ${answers.map(({ status }) => status).join()}`)
    }
  }
  await recordMeasurement({
    target: 'S10',
    what: `${parallel} requests at once, half at each of two processes, at ${routes.length} routes`,
    measured: `${asked} requests, ${wrong.length} rounds with another number than the limit${wrong.length > 0 ? ` (${wrong[0]})` : ', each refusal with Retry-After'}`,
    reached: wrong.length === 0,
  })
  expect(wrong).toEqual([])
})

it('holds a limit in each process while the counts cannot be reached', async () => {
  const owner = new pg.Client({ connectionString: testApp.ownerUrl })
  await owner.connect()
  const [pages] = routes
  const [one] = processes
  try {
    await owner.query('alter table rate_limits rename to rate_limits_away')
    const { answers, other } = await inOneMinute(async () => {
      const address = newAddress()
      const all = await Promise.all(Array.from({ length: 200 }, () => ask(one, pages, address)))
      return { answers: all, other: await ask(one, pages, newAddress()) }
    })
    const activate = answers.filter(({ status }) => status === 200).length
    const rejected = answers.filter(
      ({ status, retryAfter }) => status === 429 && retryAfter >= 1,
    ).length
    await recordMeasurement({
      target: 'S10',
      what: 'the store of the counts is away',
      measured: `of 200 requests of one address ${activate} let in and ${rejected} refused with Retry-After, others: ${other.status}`,
      reached: activate === pages.most && rejected === 200 - pages.most && other.status === 200,
    })
    expect([activate, rejected, other.status]).toEqual([pages.most, 200 - pages.most, 200])
  } finally {
    await owner.query('alter table rate_limits_away rename to rate_limits')
    await owner.end()
  }
})

it('remembers a million callers in little memory', async () => {
  const keys = rounds(400_000, 1_000_000)
  const clock = { now: () => new Date('2026-11-22T12:00:00Z') }
  const limit = createRateLimit({ limit: 'flag_evaluations_minute', clock })
  const counts = createWindowCounts()
  const window = { start: new Date('2026-11-22T12:00:00Z'), end: new Date('2026-11-22T12:01:00Z') }
  const before = heap()
  for (let n = 0; n < keys; n++) {
    limit.take(`subject-${n.toString(16).padStart(32, '0')}`)
    counts.take([{ ...window, key: `pages/60 2001:db8:${n.toString(16)}::/64` }])
  }
  const grown = (heap() - before) / 1024 ** 2
  let rejectedAt = 0
  for (let n = 1; n <= limits.flag_evaluations_minute.most + 1; n++) {
    try {
      limit.take('one more')
    } catch {
      rejectedAt = n
    }
  }
  await recordMeasurement({
    target: 'S10',
    what: `${keys} callers in one minute`,
    measured: `heap +${grown.toFixed(0)} MiB for both counters, ${mostRemembered} remembered in each; the next one is refused at call ${rejectedAt}`,
    reached: grown <= 64 && rejectedAt === limits.flag_evaluations_minute.most + 1,
  })
  expect(rejectedAt).toBe(limits.flag_evaluations_minute.most + 1)
})

/** After a collection, so that what is measured is what is held. */
function heap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
