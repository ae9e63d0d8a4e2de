import { startTestApp, type TestApp, type TestAppOptions } from '@atrium/testing/test-app'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addMembers, countedFetches, movableClock } from './readings-test-app.ts'

const path = '/tenants/acme/mfa-status'
const authenticators = 'GET /api/v3/authenticators/admin/all/'
const clock = movableClock()
const opened: TestApp[] = []

let testApp: TestApp
let owner: string

async function open(options: TestAppOptions = {}): Promise<TestApp> {
  const made = await startTestApp(options)
  opened.push(made)
  return made
}
beforeAll(async () => {
  // The clock passes hours in the course of this file.
  testApp = await startTestApp({ clock, sandbox: { identity: { accessTokenSeconds: 80_000 } } })
  owner = await testApp.token('owner@acme.test')
  return () => testApp[Symbol.asyncDispose]()
})
afterEach(async () => {
  testApp.sandbox.clearFaults()
  // Whatever the last test left is out of date for the next one.
  clock.pass(16)
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

const asked = ({ sandbox }: TestApp) =>
  sandbox.state().identity.calls.filter((call) => call.path.includes('/authenticators/'))

async function status(query = '', token = owner, of = testApp) {
  const { status: code, body } = await of.request('GET', `${path}${query}`, { token })
  expect(code, JSON.stringify(body)).toBe(200)
  return body
}
const memberOf = (body: { items: { email: string }[] }, email: string) =>
  body.items.find((item) => item.email === email)

describe('GET /tenants/{slug}/mfa-status', () => {
  it('counts confirmed second factors by kind, and recovery codes as none', async () => {
    const body = await status()
    expect(body).toMatchObject({
      nextCursor: null,
      refreshing: false,
      summary: { members: 3, enrolled: 1, notEnrolled: 2, unknown: 0 },
    })
    expect(memberOf(body, 'owner@acme.test')).toEqual({
      userId: expect.any(String),
      email: 'owner@acme.test',
      name: expect.any(String),
      role: 'owner',
      state: 'enrolled',
      enrolled: true,
      factors: { webauthn: 1, static: 1 },
      checkedAt: clock.now().toISOString(),
      reason: null,
    })
    // The authenticator of this one was never confirmed.
    expect(memberOf(body, 'admin@acme.test')).toMatchObject({
      state: 'not_enrolled',
      enrolled: false,
      factors: {},
    })
    const globex = await testApp.request('GET', '/tenants/globex/mfa-status', {
      token: await testApp.token('owner@globex.test'),
    })
    expect(globex.body.items).toMatchObject([
      { state: 'not_enrolled', enrolled: false, factors: { static: 1 } },
    ])
  })

  it('returns the same over tRPC', async () => {
    expect(await testApp.trpc(owner).mfa.status.query({ slug: 'acme' })).toEqual(await status())
  })

  it('asks for one person at a time, never for all', async () => {
    await status()
    const calls = asked(testApp)
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls)
      expect(call.path).toMatch(/^\/api\/v3\/authenticators\/admin\/all\/\?user=\d+$/)
  })

  it('keeps what was read for 15 minutes', async () => {
    const before = await status()
    const calls = asked(testApp).length
    clock.pass(14)
    expect(await status()).toEqual(before)
    expect(asked(testApp)).toHaveLength(calls)
    const member = testApp.sandbox.identity.findUser('member@acme.test')
    if (!member) throw new Error('no member')
    testApp.sandbox.identity.addDevice(member, { kind: 'totp', name: 'Phone', confirmed: true })
    clock.pass(1)
    expect(memberOf(await status(), 'member@acme.test')).toMatchObject({
      state: 'enrolled',
      factors: { totp: 1 },
    })
    expect(asked(testApp)).toHaveLength(calls + 3)
  })

  it('lists in pages and by state', async () => {
    const first = await status('?limit=2')
    expect(first.items).toHaveLength(2)
    const second = await status(`?limit=2&cursor=${first.nextCursor}`)
    expect(second).toMatchObject({ nextCursor: null, summary: { members: 3 } })
    expect(new Set([...first.items, ...second.items].map(({ userId }) => userId)).size).toBe(3)
    expect(
      (await status('?state=not_enrolled')).items.map(({ email }: { email: string }) => email),
    ).toEqual(['admin@acme.test'])
    expect((await status('?state=unknown')).items).toEqual([])
  })

  it.each([['?state=none'], ['?limit=0'], ['?cursor=x'], ['?who=me']])(
    'refuses %s with an issue',
    async (query) => {
      const response = await testApp.request('GET', `${path}${query}`, { token: owner })
      expect(response).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', issues: [expect.any(Object)] },
      })
    },
  )

  it('is readable while the tenant is suspended', async () => {
    const operator = await testApp.token('operator@atrium.test')
    await testApp.request('POST', '/tenants/acme/suspend', { token: operator, body: {} })
    expect((await status()).summary).toMatchObject({ members: 3, unknown: 0 })
    await testApp.request('POST', '/tenants/acme/resume', { token: operator, body: {} })
  })
})

describe('MFA status when the identity provider fails', () => {
  it.each(['error', 'reset', 'garbage', 'shape'] as const)(
    'is unknown, never none (%s)',
    async (mode) => {
      const failing = await open()
      failing.sandbox.fault({ system: 'identity', match: authenticators, mode })
      const body = await status('', await failing.token('owner@acme.test'), failing)
      expect(body).toMatchObject({
        refreshing: false,
        summary: { members: 3, enrolled: 0, notEnrolled: 0, unknown: 3 },
      })
      for (const item of body.items) {
        expect(item).toMatchObject({
          state: 'unknown',
          enrolled: null,
          factors: null,
          checkedAt: expect.any(String),
        })
        expect(item.reason).toMatch(/^The identity provider .*secondFactors/)
      }
    },
  )

  it('forgets what was known, and asks again after a minute and not before', async () => {
    expect((await status()).summary.unknown).toBe(0)
    clock.pass(16)
    // A rejection leaves the circuit closed, so that nothing but our own rule holds the next call
    // back.
    testApp.sandbox.fault({ system: 'identity', match: authenticators, mode: 'error', status: 403 })
    expect((await status()).items[0]).toMatchObject({
      state: 'unknown',
      factors: null,
      checkedAt: clock.now().toISOString(),
    })
    testApp.sandbox.clearFaults()
    const calls = asked(testApp).length
    expect((await status()).summary.unknown).toBe(3)
    expect(asked(testApp)).toHaveLength(calls)
    clock.pass(1)
    expect((await status()).summary.unknown).toBe(0)
  })

  it('tells who could be read from who could not', async () => {
    const flaky = await open()
    flaky.sandbox.fault({
      system: 'identity',
      match: authenticators,
      mode: 'error',
      status: 403,
      times: 1,
    })
    const body = await status('', await flaky.token('owner@acme.test'), flaky)
    expect(body.summary).toMatchObject({ members: 3, unknown: 1 })
    expect(body.items.filter((item: { state: string }) => item.state === 'unknown')).toMatchObject([
      { factors: null, reason: expect.stringContaining('did not accept the credentials') },
    ])
  })

  it('answers when nothing comes, and says that it is still at it', async () => {
    const slow = await open()
    slow.sandbox.fault({ system: 'identity', match: authenticators, mode: 'timeout' })
    // Nothing ever comes, so an answer that waited for it would not be one.
    const body = await status('', await slow.token('owner@acme.test'), slow)
    expect(body).toMatchObject({ refreshing: true, summary: { members: 3, unknown: 3 } })
    // Nobody knows yet whether they fail: no reason is made up, and nothing is kept.
    expect(body.items).toEqual(
      Array(3).fill(expect.objectContaining({ state: 'unknown', reason: null, checkedAt: null })),
    )
    slow.sandbox.clearFaults()
    expect(await status('', await slow.token('owner@acme.test'), slow)).toMatchObject({
      refreshing: false,
      summary: { unknown: 0 },
    })
  })

  it('is unknown for a person whom the provider does not know', async () => {
    const other = await open()
    await addMembers(other, 'acme', 1)
    await other.database.db
      .updateTable('users')
      .set({ idp_user_id: null })
      .where('email', '=', 'extra-0@acme.test')
      .execute()
    const token = await other.token('owner@acme.test')
    expect(memberOf(await status('', token, other), 'extra-0@acme.test')).toMatchObject({
      state: 'unknown',
      reason: expect.stringContaining('no longer has'),
    })
  })

  it('says so where no identity provider is connected', async () => {
    const alone = await open({ env: { IDP_API_URL: '', IDP_API_TOKEN: '' } })
    const body = await status('', await alone.token('owner@acme.test'), alone)
    expect(body).toMatchObject({ refreshing: false, summary: { unknown: 3 } })
    expect(body.items[0]).toMatchObject({
      reason: 'This installation is not connected to an identity provider.',
      checkedAt: null,
    })
  })
})

describe('MFA status of many', () => {
  it('reads four at a time, each once, however many ask', async () => {
    const { count, integrations } = countedFetches(20)
    const many = await open({ integrations })
    await addMembers(many, 'acme', 30)
    const token = await many.token('owner@acme.test')
    const first = await status('', token, many)
    expect(first).toMatchObject({ refreshing: false, summary: { members: 33, enrolled: 33 } })
    expect(count).toMatchObject({ made: 33, most: 4 })
    await many.database.db.deleteFrom('user_readings').execute()
    const both = await Promise.all([status('', token, many), status('', token, many)])
    expect(count.made).toBe(66)
    expect(both.some(({ refreshing }) => !refreshing)).toBe(true)
    expect(await status('', token, many)).toMatchObject({
      refreshing: false,
      summary: { unknown: 0 },
    })
    expect(count.made).toBe(66)
  })

  it('returns what is known of a large tenant immediately, and reads the rest in the background', async () => {
    const { count, integrations } = countedFetches(5)
    const large = await open({ integrations, started: true })
    await addMembers(large, 'acme', 120)
    const token = await large.token('owner@acme.test')
    const first = await status('', token, large)
    expect(first).toMatchObject({ refreshing: true, summary: { members: 123, unknown: 123 } })
    await expect
      .poll(() => status('', token, large), { timeout: 15_000, interval: 200 })
      .toMatchObject({ refreshing: false, summary: { members: 123, enrolled: 123, unknown: 0 } })
    expect(count).toMatchObject({ made: 123, most: 4 })
  })

  it('is taken up again when the process that had claimed the work is gone', async () => {
    const { count, integrations } = countedFetches(1)
    const own = movableClock()
    const left = await open({ integrations, clock: own })
    const members = await left.database.db.selectFrom('memberships').select('user_id').execute()
    const until = new Date(own.now().getTime() + 60_000)
    await left.database.db
      .insertInto('user_readings')
      .values(
        members.map(({ user_id }) => ({ user_id, kind: 'second_factors', claimed_until: until })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const token = await left.token('owner@acme.test')
    expect(await status('', token, left)).toMatchObject({
      refreshing: true,
      summary: { unknown: 3 },
    })
    expect(count.made).toBe(0)
    own.pass(1)
    expect(await status('', token, left)).toMatchObject({
      refreshing: false,
      summary: { unknown: 0 },
    })
  })
})
