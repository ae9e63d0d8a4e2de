import { randomBytes } from 'node:crypto'
import { limitNames, limits } from '@atrium/core/platform/limits'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../src/platform/config.ts'

/**
 * At 42 seconds past a minute, later than tokens are issued. Nothing here waits for time to pass:
 * the clock is set.
 */
let now = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 42_000)
let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    clock: { now: () => now },
    sandbox: { identity: { accessTokenSeconds: 80_000 } },
    env: { LIMITS: 'changes_person_minute=5,changes_token_minute=3' },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => {
  now = new Date(now.getTime() + 60_000)
})

const headersOf = (headers: Headers) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) =>
    headers.get(name),
  )
const rename = (token: string, name: string) =>
  testApp.request('PATCH', '/tenants/acme', { token, body: { name } })

describe('changes of one person', () => {
  it('are limited per access token, and the rejection names the limit, its end and who can raise it', async () => {
    const token = await testApp.token('owner@acme.test')
    const first = await rename(token, 'Acme one')
    expect([first.status, ...headersOf(first.headers)]).toEqual([200, '3', '2', '18', null])
    await rename(token, 'Acme two')
    await rename(token, 'Acme three')
    const rejected = await rename(token, 'Acme four')
    expect([rejected.status, ...headersOf(rejected.headers)]).toEqual([429, '3', '0', '18', '18'])
    expect(rejected.body).toMatchObject({
      code: 'rate_limited',
      limit: 'changes_token_minute',
      detail: `At most 3 changes a minute with one access token. More are possible from ${new Date(now.getTime() + 18_000).toISOString().slice(0, 19)}Z. An operator of the platform can raise this limit (changes_token_minute).`,
    })
    const tenant = await testApp.request('GET', '/tenants/acme', { token })
    expect([tenant.status, tenant.body.name, ...headersOf(tenant.headers)]).toEqual([
      200,
      'Acme three',
      null,
      null,
      null,
      null,
    ])
    now = new Date(now.getTime() + 18_000)
    expect((await rename(token, 'Acme four')).status).toBe(200)
  })

  it('are limited over all tokens of the person, over both transports, rejected calls included', async () => {
    const tokens = [
      await testApp.token('owner@acme.test'),
      await testApp.token('owner@acme.test'),
    ] as const
    expect(tokens[0]).not.toBe(tokens[1])
    for (let n = 0; n < 2; n++) await rename(tokens[0], `Acme ${n}`)
    await testApp.request('POST', '/tenants/acme/suspend', { token: tokens[0], body: {} })
    await testApp.request('PATCH', '/tenants/acme', { token: tokens[1], body: { name: 7 } })
    await testApp.trpc(tokens[1]).tenants.update.mutate({ slug: 'acme', name: 'Acme five' })
    const rejected = await rename(tokens[1], 'Acme six')
    expect([rejected.status, rejected.body.limit]).toEqual([429, 'changes_person_minute'])
    await expect(
      testApp.trpc(tokens[1]).tenants.update.mutate({ slug: 'acme', name: 'Acme six' }),
    ).rejects.toMatchObject({
      data: { code: 'rate_limited', limit: 'changes_person_minute', httpStatus: 429 },
    })
    expect((await rename(await testApp.token('admin@acme.test'), 'Acme of Adam')).status).toBe(200)
  })

  it('are let in exactly as often as the limit says when they come at once', async () => {
    const token = await testApp.token('owner@acme.test')
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => rename(token, `Acme ${n}`)),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(9)
  })

  it('are rejected before anything is done for them', async () => {
    const token = await testApp.token('owner@acme.test')
    for (let n = 0; n < 3; n++) await rename(token, `Acme ${n}`)
    const before = await testApp.auditActions()
    const rejected = await testApp.request('POST', '/tenants/acme/suspend', { token, body: {} })
    expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
    expect(await testApp.auditActions()).toEqual(before)
  })
})

describe('counting', () => {
  const request = () => ({ responseHeaders: new Map<string, string>() })
  const subject = () => randomBytes(8).toString('hex')

  it('gives back what a rejected request took from a longer window', async () => {
    const of = subject()
    const take = (amount: number) =>
      testApp.app.services.limits.take(request(), [
        { limit: 'visitor_bookings_day', of, amount },
        { limit: 'visitor_bookings_minute', of },
      ])
    await expect(take(51)).rejects.toMatchObject({
      code: 'rate_limited',
      limit: 'visitor_bookings_day',
    })
    await take(50)
    await expect(take(1)).rejects.toMatchObject({ limit: 'visitor_bookings_day' })
  })

  it('is undone with the transaction that it belongs to', async () => {
    const of = subject()
    const { limits: enforced, clock: _ } = testApp.app.services
    const { db } = testApp.database
    const takeAll = db.transaction().execute(async (trx) => {
      await enforced.takeIn(trx, undefined, [{ limit: 'visitor_bookings_day', of, amount: 50 }])
      throw new Error('what it was for failed')
    })
    await expect(takeAll).rejects.toThrow('failed')
    const headers = request()
    await db
      .transaction()
      .execute((trx) => enforced.takeIn(trx, headers, [{ limit: 'visitor_bookings_day', of }]))
    expect(headers.responseHeaders.get('ratelimit-remaining')).toBe('49')
  })
})

describe('the numbers of an installation', () => {
  it('are those that are declared, unless LIMITS names another', () => {
    expect(readConfig({ ...testApp.env, LIMITS: undefined }).limits).toEqual({})
    expect(readConfig({ ...testApp.env, LIMITS: 'visitor_pages_minute = 7' }).limits).toEqual({
      visitor_pages_minute: 7,
    })
    for (const wrong of [
      'nothing_known=1',
      'visitor_pages_minute',
      'visitor_pages_minute=-1',
      'constructor=1',
    ])
      expect(() => readConfig({ ...testApp.env, LIMITS: wrong }), wrong).toThrow(/LIMITS/)
  })

  it('are positive and have a window that can be said in words', () => {
    for (const name of limitNames) {
      expect(limits[name].most, name).toBeGreaterThan(0)
      expect([null, 60, 600, 3_600, 86_400], name).toContain(limits[name].seconds)
    }
  })
})
