import { demoPeople } from '@atrium/core/demo/demo'
import { seedDemo } from '@atrium/db/demo/demo'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { tenantIdOf } from '@atrium/testing/records'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SessionView } from '../src/views.ts'

let testBff: TestBff
let person: { email: string; id: string; subject: string }
beforeAll(async () => {
  testBff = await startTestBff({
    trustedProxyHops: 1,
    env: { CLIENT_COUNTRY_HEADER: 'cf-ipcountry' },
  })
  await seedDemo(testBff.database.db, 'tenants.local')
  const { subject = '' } = demoPeople.find(({ email }) => email === 'member@acme.test') ?? {}
  const { id } = await testBff.database.db
    .selectFrom('users')
    .select('id')
    .where('idp_subject_id', '=', subject)
    .executeTakeFirstOrThrow()
  person = { email: 'member@acme.test', id, subject }
}, 120_000)
afterAll(() => testBff[Symbol.asyncDispose]())
beforeEach(async () => {
  const { db } = testBff.database
  await db.updateTable('security_policies').set({ enforced: false }).execute()
  await db.deleteFrom('web_sessions').execute()
  await db
    .deleteFrom('memberships')
    .where('user_id', '=', person.id)
    .where('role', '=', 'member')
    .execute()
  await join('acme')
})

const tenantId = (slug: string) => tenantIdOf(testBff.database.db, slug)
async function join(slug: string, status: 'active' | 'suspended' = 'active') {
  await testBff.database.db
    .insertInto('memberships')
    .values({ tenant_id: await tenantId(slug), user_id: person.id, role: 'member', status })
    .execute()
}
async function limit(
  slug: string,
  limits: { idle?: number; absolute?: number },
  { enforced = true } = {},
) {
  const values = {
    mfa_mode: 'off' as const,
    session_idle_minutes: limits.idle ?? null,
    session_absolute_minutes: limits.absolute ?? null,
    allowed_countries: [],
    ip_allowlist: [],
    enforced,
  }
  await testBff.database.db
    .insertInto('security_policies')
    .values({ tenant_id: await tenantId(slug), ...values })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(values))
    .execute()
}
const ago = (column: 'last_used_at' | 'signed_in_at' | 'created_at', minutes: number) =>
  testBff.database.db
    .updateTable('web_sessions')
    .set({ [column]: sql<Date>`now() - make_interval(secs => ${minutes * 60})` })
    .execute()
const sessionOf = async (browser: Browser) =>
  (await (await browser.fetch(`${testBff.publicUrl}/api/session`)).json()) as SessionView
const call = async (browser: Browser, headers: Record<string, string> = {}) =>
  (await browser.fetch(`${testBff.publicUrl}/trpc/tenants.list`, { headers })).status
async function signedIn(): Promise<Browser> {
  const browser = testBff.browser()
  await browser.signIn(testBff.publicUrl, person.email)
  expect((await sessionOf(browser)).signedIn).toBe(true)
  return browser
}

describe('a workplace ends sessions of its members', () => {
  it('that were idle for too long, for good', async () => {
    await limit('acme', { idle: 30 })
    const browser = await signedIn()
    await ago('last_used_at', 29)
    expect(await call(browser)).toBe(200)
    await ago('last_used_at', 31)
    expect(await call(browser)).toBe(401)
    await testBff.database.db.updateTable('security_policies').set({ enforced: false }).execute()
    expect((await sessionOf(browser)).signedIn).toBe(false)
    expect(await testBff.storedSessions()).toEqual([])
  })

  it('that lasted too long since the sign-in, however active they are', async () => {
    await limit('acme', { absolute: 60 })
    const browser = await signedIn()
    await ago('signed_in_at', 59)
    expect(await call(browser)).toBe(200)
    await ago('signed_in_at', 61)
    expect(await call(browser)).toBe(401)
  })

  it('by when they began where the provider does not tell when the sign-in was', async () => {
    await limit('acme', { absolute: 60 })
    const browser = await signedIn()
    await testBff.database.db.updateTable('web_sessions').set({ signed_in_at: null }).execute()
    expect(await call(browser)).toBe(200)
    await ago('created_at', 61)
    expect(await call(browser)).toBe(401)
  })

  it('at the next request after the policy was changed', async () => {
    const browser = await signedIn()
    await ago('last_used_at', 40)
    await limit('acme', { idle: 30 })
    expect(await call(browser)).toBe(401)
  })

  it('by the strictest of their workplaces', async () => {
    await join('globex')
    await limit('acme', { idle: 600 })
    await limit('globex', { idle: 10, absolute: 60 })
    const browser = await signedIn()
    await ago('last_used_at', 11)
    expect(await call(browser)).toBe(401)
  })

  it.each([
    ['that is not enforced', async () => limit('acme', { idle: 10 }, { enforced: false })],
    ['of which they are no members', async () => limit('globex', { idle: 10 })],
    [
      'in which they are suspended',
      async () => {
        await join('globex', 'suspended')
        await limit('globex', { idle: 10 })
      },
    ],
  ])('but not by a policy %s', async (_, given) => {
    await given()
    const browser = await signedIn()
    await ago('last_used_at', 11)
    expect(await call(browser)).toBe(200)
  })
})

describe('a session is not prolonged by', () => {
  const lastUse = async () =>
    (
      await testBff.database.db
        .selectFrom('web_sessions')
        .select('last_used_at')
        .executeTakeFirstOrThrow()
    ).last_used_at.getTime()

  it.each([
    ['a page that nobody touches', { 'x-atrium-unattended': '1' }],
    ['a stream that opens again', { accept: 'text/event-stream' }],
  ] as const)('%s', async (_, headers) => {
    const browser = await signedIn()
    await ago('last_used_at', 5)
    const before = await lastUse()
    expect(await call(browser, headers)).toBe(200)
    // The use is noted beside the request: one that is noted for sure comes last.
    await call(browser)
    await expect.poll(lastUse).toBeGreaterThan(before)
    await ago('last_used_at', 5)
    const again = await lastUse()
    expect(await call(browser, headers)).toBe(200)
    expect(await lastUse()).toBe(again)
  })
})

describe('a new session', () => {
  it('needs a sign-in that is no older than the limits: the provider is asked for one', async () => {
    await limit('acme', { idle: 30 })
    const browser = await signedIn()
    const user = testBff.sandbox.identity.findUser(person.email)
    if (!user) throw new Error('there is no such person')
    testBff.sandbox.identity.moveSignIns(user, new Date(Date.now() - 40 * 60_000))
    const begun = await browser.fetch(`${testBff.publicUrl}/auth/login?returnTo=/t/acme`)
    // The provider knows the browser and sends it back without asking.
    const returned = await browser.fetch(begun.headers.get('location') ?? '')
    const callback = await browser.fetch(returned.headers.get('location') ?? '')
    expect(callback.status).toBe(302)
    const again = new URL(callback.headers.get('location') ?? '')
    expect(again.pathname).toMatch(/\/authorize\/$/)
    expect(again.searchParams.get('max_age')).toBe('30')
    expect(again.searchParams.get('login_hint')).toBe(person.email)
  })

  it('begins without a second question when nothing limits it', async () => {
    const browser = await signedIn()
    const user = testBff.sandbox.identity.findUser(person.email)
    if (!user) throw new Error('there is no such person')
    testBff.sandbox.identity.moveSignIns(user, new Date(Date.now() - 40 * 60_000))
    const begun = await browser.fetch(`${testBff.publicUrl}/auth/login?returnTo=/t/acme`)
    const returned = await browser.fetch(begun.headers.get('location') ?? '')
    const callback = await browser.fetch(returned.headers.get('location') ?? '')
    expect(callback.headers.get('location')).toBe('/t/acme')
  })
})

describe('a sign-in is recorded', () => {
  const recorded = () =>
    testBff.database.db
      .selectFrom('sign_ins')
      .select(['subject', 'app', 'address', 'country', 'second_factor as secondFactor'])
      .orderBy('id', 'desc')
      .execute()
  beforeEach(async () => {
    await testBff.database.db.deleteFrom('sign_ins').execute()
  })

  it('once, with where it came from and whether a second factor was used', async () => {
    const browser = await signedIn()
    await call(browser)
    expect(await recorded()).toMatchObject([
      { subject: person.subject, app: 'portal', country: null, secondFactor: false },
    ])
    await testBff.browser().signIn(testBff.publicUrl, 'owner@acme.test')
    expect(await recorded()).toMatchObject([{ secondFactor: true }, {}])
  })

  it('and not when it fails', async () => {
    await testBff.browser().fetch(`${testBff.publicUrl}/auth/callback?state=x&code=y`)
    expect(await recorded()).toEqual([])
  })
})
