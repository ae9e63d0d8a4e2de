import {
  type BookingsTestApp,
  startBookingsTestApp,
  type TestHost,
} from '@atrium/testing/bookings-test-app'
import { newAddress, visit, wish } from '@atrium/testing/visitors'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: BookingsTestApp
let host: TestHost
let eventType: string
let day = 0

beforeAll(async () => {
  testApp = await startBookingsTestApp()
  host = await testApp.newHost({ slug: 'hanna' })
  eventType = await testApp.newEventType(host)
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => {
  day += 48
  testApp.time.now = testApp.at(day)
})

const at = (hours: number) => testApp.at(day + hours)
const slots = () =>
  `/event-types/${eventType}/slots?from=${at(0).toISOString()}&to=${at(1).toISOString()}&timeZone=UTC`
const told = (headers: Headers) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) =>
    headers.get(name),
  )

describe('what one address may ask for', () => {
  it('is told with every answer, and rejected beyond it until the minute is over', async () => {
    const address = newAddress()
    testApp.time.now = new Date(at(0).getTime() + 18_500)
    const first = await visit(testApp, 'GET', slots(), { address })
    expect([first.status, ...told(first.headers)]).toEqual([200, '60', '59', '42', null])
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => visit(testApp, 'GET', slots(), { address })),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(59)
    const rejected = responses.find(({ status }) => status !== 200)
    expect([
      rejected?.status,
      rejected?.body.code,
      ...told(rejected?.headers ?? new Headers()),
    ]).toEqual([429, 'rate_limited', '60', '0', '42', '42'])
    expect((await visit(testApp, 'GET', slots())).status).toBe(200)
    testApp.time.now = new Date(at(0).getTime() + 60_000)
    expect((await visit(testApp, 'GET', slots(), { address })).status).toBe(200)
  }, 60_000)

  it('is counted per route, and for rejections as well', async () => {
    const address = newAddress()
    for (let n = 0; n < 10; n++) {
      const response = await visit(testApp, 'POST', '/bookings', {
        body: wish(eventType, at(-5)),
        address,
      })
      expect([response.status, response.body.code]).toEqual([409, 'too_soon'])
      expect(response.headers.get('ratelimit-remaining')).toBe(String(9 - n))
    }
    expect(
      (await visit(testApp, 'POST', '/bookings', { body: wish(eventType, at(5)), address })).body
        .code,
    ).toBe('rate_limited')
    expect(
      (await visit(testApp, 'GET', '/pages/acme', { address })).headers.get('ratelimit-limit'),
    ).toBe('120')
  })

  it('is taken before anything is stored under an Idempotency-Key, once for a request', async () => {
    const address = newAddress()
    const stored = async () =>
      (await testApp.database.db.selectFrom('idempotency_keys').select('key').execute()).length
    const hold = (key: string) =>
      visit(testApp, 'POST', '/slot-locks', {
        body: { [`x`.repeat(9_000)]: key },
        address,
        headers: { 'idempotency-key': key },
      })
    const before = await stored()
    for (let n = 0; n < 20; n++) {
      const response = await hold(`key-${n}`)
      expect([response.status, response.headers.get('ratelimit-remaining')]).toEqual([
        400,
        String(19 - n),
      ])
    }
    expect(await hold('key-20')).toMatchObject({ status: 429 })
    expect(await stored()).toBe(before)
  })

  it('is used up by extending and by giving back a time as well', async () => {
    const lock = `/slot-locks/${crypto.randomUUID()}`
    for (const [method, status] of [
      ['DELETE', 204],
      ['PATCH', 404],
    ] as const) {
      const address = newAddress()
      for (let n = 0; n < 20; n++)
        expect((await visit(testApp, method, lock, { address })).status).toBe(status)
      const rejected = await visit(testApp, method, lock, { address })
      expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
    }
  })

  it('is fifty bookings a day, whatever the minute', async () => {
    const address = newAddress()
    for (let minute = 0; minute < 5; minute++) {
      testApp.time.now = new Date(at(0).getTime() + minute * 60_000)
      for (let n = 0; n < 10; n++)
        await visit(testApp, 'POST', '/bookings', { body: wish(eventType, at(-5)), address })
    }
    testApp.time.now = new Date(at(1).getTime())
    const rejected = await visit(testApp, 'POST', '/bookings', {
      body: wish(eventType, at(5)),
      address,
    })
    expect([rejected.status, ...told(rejected.headers)]).toEqual([
      429,
      '50',
      '0',
      String(23 * 3_600),
      String(23 * 3_600),
    ])
  }, 60_000)

  it('is returned over tRPC as well', async () => {
    const input = encodeURIComponent(JSON.stringify({ json: { tenantSlug: 'acme' } }))
    const { headers } = await testApp.request('GET', `/trpc/scheduling.pages.tenant?input=${input}`)
    expect(headers.get('ratelimit-limit')).toBe('120')
    const body = { json: { eventTypeId: eventType, start: at(5).toISOString() } }
    const taken = await testApp.request('POST', '/trpc/scheduling.locks.take', {
      body,
      headers: { 'x-forwarded-for': '192.0.2.9' },
    })
    expect([taken.status, taken.headers.get('ratelimit-limit')]).toEqual([200, '20'])
  })

  it('gives its rows back when their time is over', async () => {
    await visit(testApp, 'GET', '/pages/acme')
    const { deleteExpiredRateLimits } = await import('@atrium/db/platform/rate-limits')
    expect(
      await deleteExpiredRateLimits(
        testApp.database.db,
        new Date(at(0).getTime() + 86_400_000 * 2),
      ),
    ).toBeGreaterThan(0)
    expect(await testApp.database.db.selectFrom('rate_limits').selectAll().execute()).toEqual([])
  })
})

describe('a forged address', () => {
  it('gives no allowance of its own', async () => {
    const send = (header: string, secret: string | undefined) =>
      testApp.request('POST', '/api/v1/slot-locks', {
        body: { eventTypeId: eventType, start: at(-1).toISOString() },
        headers: {
          'x-forwarded-for': header,
          ...(secret === undefined ? {} : { 'x-atrium-booking-app': secret }),
        },
      })
    for (const secret of [undefined, 'wrong', '', `${testApp.env.BOOKING_APP_SECRET}x`]) {
      const left: number[] = []
      for (let n = 0; n < 3; n++)
        left.push(Number((await send(newAddress(), secret)).headers.get('ratelimit-remaining')))
      expect(left, String(secret)).toEqual([left[0], (left[0] ?? 0) - 1, (left[0] ?? 0) - 2])
    }
  })
})

describe('pages of other origins', () => {
  const origin = { origin: 'https://shop.example' }
  it('may call what visitors call, without credentials', async () => {
    const preflight = await testApp.request('OPTIONS', '/api/v1/bookings', {
      headers: {
        ...origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, idempotency-key',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Idempotency-Key/i)
    for (const path of ['/pages/acme', '/pages/acme/hanna', '/pages/nobody', slots()]) {
      const { headers } = await visit(testApp, 'GET', path, { headers: origin })
      expect(headers.get('access-control-allow-origin'), path).toBe('*')
      expect(headers.get('access-control-expose-headers'), path).toMatch(/RateLimit-Remaining/)
      expect(headers.get('access-control-allow-credentials'), path).toBeNull()
    }
  })

  it('learn nothing from the rest', async () => {
    for (const path of [
      '/tenants/acme',
      '/api/v1/tenants/acme/bookings',
      '/trpc/users.me',
      '/users/me',
    ]) {
      const token = await testApp.admin()
      const { headers } = await testApp.request('GET', path, { token, headers: origin })
      expect(headers.get('access-control-allow-origin'), path).toBeNull()
      const preflight = await testApp.request('OPTIONS', path, {
        headers: { ...origin, 'access-control-request-method': 'GET' },
      })
      expect(preflight.headers.get('access-control-allow-origin'), path).toBeNull()
    }
  })
})
