import { setTimeout as wait } from 'node:timers/promises'
import { demoClients } from '@atrium/core/demo/demo'
import { type Issuer, personClaims, startIssuer } from '@atrium/testing/issuer'
import { auditOf } from '@atrium/testing/mailboxes'
import { tenantIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followSecurityPolicies } from '../src/security-policy/follow-provider.ts'

let testApp: TestApp
let issuer: Issuer
let operator: string
let now = Date.now()

const seconds = () => Math.floor(now / 1000)
const tokenOf = (email: string, claims: object = {}) =>
  issuer.sign({
    ...personClaims(email),
    iat: seconds(),
    exp: seconds() + 600,
    amr: ['pwd', 'mfa'],
    auth_time: seconds(),
    ...claims,
  })
const member = (claims: object = {}) =>
  tokenOf('member@acme.test', { groups: ['acme', 'globex'], ...claims })

beforeAll(async () => {
  issuer = await startIssuer(() => new Date(now))
  testApp = await startTestApp({
    manyChanges: true,
    clock: { now: () => new Date(now) },
    env: { IDP_ISSUER: issuer.url, TRUSTED_PROXY_HOPS: '1' },
  })
  const { db } = testApp.database
  const { sub } = personClaims('member@acme.test')
  const { id: userId } = await db
    .selectFrom('users')
    .select('id')
    .where('idp_subject_id', '=', String(sub))
    .executeTakeFirstOrThrow()
  const globex = await tenantIdOf(db, 'globex')
  await db
    .insertInto('memberships')
    .values({ tenant_id: globex, user_id: userId, role: 'member', status: 'active' })
    .execute()
}, 120_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const open = {
  mfaMode: 'optional',
  mfaGraceDays: 0,
  sessionIdleMinutes: null,
  sessionAbsoluteMinutes: null,
  allowedCountries: [],
  ipAllowlist: [],
}
/** Operators may save every policy. */
async function policy(body: object, slug = 'acme') {
  const saved = await testApp.request('PATCH', `/tenants/${slug}/security-policy`, {
    token: operator,
    body,
  })
  expect(saved.status).toBe(200)
}
beforeEach(async () => {
  now = Date.now()
  operator = await tokenOf('operator@atrium.test', { aud: demoClients.operator.clientId })
  await policy(open)
  await policy(open, 'globex')
})

const secret = () => testApp.env.PORTAL_APP_SECRET ?? ''
const through = (ip: string, country?: string) => ({
  'x-atrium-app-secret': secret(),
  'x-forwarded-for': ip,
  ...(country && { 'x-atrium-country': country }),
})
const codeOf = async (token: string, headers: Record<string, string> = {}, slug = 'acme') => {
  const { status, body } = await testApp.request('GET', `/tenants/${slug}/domains`, {
    token,
    headers,
  })
  return status === 200 ? 'ok' : body.code
}

describe('a required second factor', () => {
  it('is asked of members from every procedure of the tenant, and of nobody else', async () => {
    await policy({ mfaMode: 'required' })
    const weak = await member({ amr: ['pwd'] })
    for (const path of ['', '/users', '/domains', '/security-policy', '/billing', '/branding']) {
      const { status, body } = await testApp.request('GET', `/tenants/acme${path}`, { token: weak })
      expect([path, status, body.code]).toEqual([path, 403, 'mfa_required'])
    }
    expect(await codeOf(await member())).toBe('ok')
    expect(await codeOf(await member({ amr: 'mfa' }))).toBe('mfa_required')
    expect(await codeOf(await member({ amr: undefined }))).toBe('mfa_required')
    expect(await codeOf(operator)).toBe('ok')
    // Who is no member learns nothing of the policy.
    expect(await codeOf(await tokenOf('owner@globex.test', { amr: ['pwd'] }))).toBe('not_member')
  })

  it('is asked from the end of the days of grace on', async () => {
    await policy({ mfaMode: 'required', mfaGraceDays: 2 })
    expect(await codeOf(await member({ amr: ['pwd'] }))).toBe('ok')
    now += 2 * 86_400_000 - 5_000
    expect(await codeOf(await member({ amr: ['pwd'] }))).toBe('ok')
    now += 10_000
    expect(await codeOf(await member({ amr: ['pwd'] }))).toBe('mfa_required')
  })

  it('does not come with the laxer policy of another workplace of the person', async () => {
    await policy({ mfaMode: 'required' })
    const weak = await member({ amr: ['pwd'] })
    expect(await codeOf(weak, {}, 'globex')).toBe('ok')
    expect(await codeOf(weak)).toBe('mfa_required')
    const { body } = await testApp.request('GET', '/tenants', { token: weak })
    expect(body.items.map(({ slug }: { slug: string }) => slug)).toEqual(['globex'])
    const all = await testApp.request('GET', '/tenants', { token: await member() })
    expect(all.body.items).toHaveLength(2)
    // A batch is decided call by call.
    const { tenants } = testApp.trpc(weak)
    const [strict, lax] = await Promise.allSettled([
      tenants.get.query({ slug: 'acme' }),
      tenants.get.query({ slug: 'globex' }),
    ])
    expect([strict.status, lax.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('leaves the person’s own profile open, with the names of the workplaces', async () => {
    await policy({ mfaMode: 'required' })
    const { status, body } = await testApp.request('GET', '/users/me', {
      token: await member({ amr: ['pwd'] }),
    })
    expect(status).toBe(200)
    expect(body.tenants.map(({ slug }: { slug: string }) => slug).sort()).toEqual([
      'acme',
      'globex',
    ])
  })

  it('binds neither staff of the partner nor public pages', async () => {
    const { db } = testApp.database
    const north = await db
      .selectFrom('partners')
      .select('id')
      .where('slug', '=', 'north')
      .executeTakeFirstOrThrow()
    await db
      .updateTable('tenants')
      .set({ partner_id: north.id })
      .where('slug', '=', 'acme')
      .execute()
    await policy({ mfaMode: 'required', allowedCountries: ['DE'], ipAllowlist: ['203.0.113.0/24'] })
    const staff = await tokenOf('partner@north.test', { amr: ['pwd'] })
    expect((await testApp.request('GET', '/tenants/acme', { token: staff })).status).toBe(200)
    const page = await testApp.request('GET', '/public/acme/nobody')
    expect(page.status).not.toBe(403)
  })

  it('records the changes that it rejects', async () => {
    await policy({ mfaMode: 'required' })
    const weak = await tokenOf('admin@acme.test', { amr: ['pwd'] })
    const changed = await testApp.request('PATCH', '/tenants/acme/security-policy', {
      token: weak,
      body: { mfaMode: 'off' },
    })
    expect(changed).toMatchObject({ status: 403, body: { code: 'mfa_required' } })
    const [denied] = await auditOf(testApp, 'security_policy.updated')
    expect(denied).toMatchObject({ actor_email: 'admin@acme.test', outcome: 'denied' })
  })
})

describe('a limit of the session', () => {
  it('ends the access of a token by the time of the sign-in, however new the token is', async () => {
    await policy({ sessionAbsoluteMinutes: 60 })
    expect(await codeOf(await member({ auth_time: seconds() - 3_590 }))).toBe('ok')
    const old = await member({ auth_time: seconds() - 3_610 })
    const { status, headers, body } = await testApp.request('GET', '/tenants/acme', { token: old })
    expect([status, body.code]).toEqual([401, 'sign_in_too_old'])
    expect(headers.get('www-authenticate')).toMatch(
      /error="insufficient_user_authentication".*max_age="3600"/,
    )
    expect(await codeOf(old, {}, 'globex')).toBe('ok')
  })

  it('rejects a token that does not say when the sign-in was', async () => {
    await policy({ sessionAbsoluteMinutes: 60 })
    expect(await codeOf(await member({ auth_time: undefined }))).toBe('sign_in_too_old')
  })

  it('is not evaded by a clock that is ahead', async () => {
    await policy({ sessionAbsoluteMinutes: 15 })
    const ahead = await member({ auth_time: seconds() + 30 })
    expect(await codeOf(ahead)).toBe('ok')
    expect(await codeOf(await member({ auth_time: seconds() + 60 }))).toBe('unauthenticated')
    now += 15 * 60_000 + 31_000
    const later = await member({ auth_time: seconds() - 15 * 60 - 1 })
    expect(await codeOf(later)).toBe('sign_in_too_old')
  })

  it('takes effect at the next request of tokens that were issued before', async () => {
    const old = await member({ auth_time: seconds() - 3_600 })
    expect(await codeOf(old)).toBe('ok')
    await policy({ sessionAbsoluteMinutes: 30 })
    expect(await codeOf(old)).toBe('sign_in_too_old')
    await policy({ sessionAbsoluteMinutes: null })
    expect(await codeOf(old)).toBe('ok')
  })
})

describe('allowed networks and countries', () => {
  it('are checked for each request by the word of our own servers', async () => {
    await policy({ ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'], allowedCountries: ['DE'] })
    const token = await member()
    expect(await codeOf(token, through('203.0.113.9', 'DE'))).toBe('ok')
    expect(await codeOf(token, through('2001:db8::9', 'de'))).toBe('ok')
    expect(await codeOf(token, through('198.51.100.9', 'DE'))).toBe('network_not_allowed')
    expect(await codeOf(token, through('203.0.113.9', 'US'))).toBe('country_not_allowed')
  })

  it('name the reason when the country is unknown', async () => {
    await policy({ allowedCountries: ['DE'] })
    const { body } = await testApp.request('GET', '/tenants/acme', {
      token: await member(),
      headers: through('203.0.113.9'),
    })
    expect(body).toMatchObject({ code: 'country_not_allowed' })
    expect(body.detail).toMatch(/country could not be determined/)
  })

  it.each([
    [
      'an address in front of that of the proxy',
      { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' },
    ],
    [
      'a wrong secret',
      { 'x-forwarded-for': '203.0.113.9, 198.51.100.1', 'x-atrium-app-secret': 'wrong' },
    ],
    [
      'other headers',
      {
        'x-forwarded-for': '198.51.100.1',
        'x-real-ip': '203.0.113.9',
        forwarded: 'for=203.0.113.9',
      },
    ],
    ['a port and a zone', { 'x-forwarded-for': '203.0.113.9%eth0, 198.51.100.1' }],
    ['no header at all', {}],
  ] as const)('are not opened by a forged header: %s', async (_, headers) => {
    await policy({ ipAllowlist: ['203.0.113.0/24'] })
    expect(await codeOf(await member(), headers)).toBe('network_not_allowed')
  })

  it('believe the trusted proxy of a client without a portal', async () => {
    await policy({ ipAllowlist: ['203.0.113.0/24'] })
    expect(await codeOf(await member(), { 'x-forwarded-for': '10.0.0.1, 203.0.113.9' })).toBe('ok')
  })

  it('do not believe a country that a client names', async () => {
    await policy({ allowedCountries: ['DE'] })
    expect(await codeOf(await member(), { 'x-atrium-country': 'DE' })).toBe('country_not_allowed')
  })
})

it('a policy that was stored before there was enforcement shuts nobody out', async () => {
  await policy({ mfaMode: 'required', ipAllowlist: ['203.0.113.0/24'] })
  const { db } = testApp.database
  await db
    .updateTable('security_policies')
    .set({ enforced: false, mfa_required_since: null })
    .execute()
  const weak = await member({ amr: ['pwd'] })
  expect(await codeOf(weak)).toBe('ok')
  const { body } = await testApp.request('GET', '/tenants/acme/security-policy', { token: weak })
  expect(body).toMatchObject({
    mfaMode: 'required',
    enforced: false,
    mfaRequiredFrom: null,
    atProvider: { state: 'off' },
  })
  await policy({ mfaMode: 'required' })
  expect(await codeOf(weak)).toBe('network_not_allowed')
})

it('a stream of events ends when the policy changes', async () => {
  await testApp.app.services.changes.start()
  const leave = new AbortController()
  const response = await testApp.app.fetch(
    new Request('http://api.test/tenants/acme/events', {
      headers: { authorization: `Bearer ${await member({ amr: ['pwd'] })}` },
      signal: leave.signal,
    }),
    {},
  )
  const reader = response.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  await policy({ mfaMode: 'required' })
  for (;;) if ((await reader?.read())?.done) break
  leave.abort()
  expect(await codeOf(await member({ amr: ['pwd'] }))).toBe('mfa_required')
})

describe('the identity provider', () => {
  const attributes = async () => {
    const { identity } = testApp.app.services.systems
    return (await identity?.findGroup('acme'))?.attributes
  }
  const atProvider = async () => {
    const { body } = await testApp.request('GET', '/tenants/acme/security-policy', {
      token: operator,
    })
    return body.atProvider
  }
  const settled = async (state: string) => {
    for (let i = 0; i < 200 && (await atProvider()).state !== state; i++) await wait(50)
    return atProvider()
  }

  it('gets the policy in the attributes of the tenant’s group, beside those that it has', async () => {
    await policy({
      mfaMode: 'required',
      mfaGraceDays: 3,
      allowedCountries: ['DE'],
      ipAllowlist: ['203.0.113.0/24'],
    })
    expect(await settled('ok')).toEqual({ state: 'ok', error: null })
    const { body } = await testApp.request('GET', '/tenants/acme/security-policy', {
      token: operator,
    })
    expect(await attributes()).toEqual({
      tenant: 'acme',
      atrium_policy: {
        mfa_required_from: body.mfaRequiredFrom,
        networks: ['203.0.113.0/24'],
        countries: ['DE'],
      },
    })
  })

  it('gets it later when it fails, and the failure is shown to admins', async () => {
    await settled('ok')
    testApp.sandbox.fault({
      system: 'identity',
      match: 'PATCH /api/v3/core/groups',
      mode: 'error',
      status: 400,
      times: 20,
    })
    await policy({ allowedCountries: ['FR'] })
    expect(await settled('error')).toMatchObject({
      error: expect.stringContaining('setGroupAttributes'),
    })
    const seen = await testApp.request('GET', '/tenants/acme/security-policy', {
      token: await member(),
      headers: through('203.0.113.9', 'FR'),
    })
    expect(seen.body.atProvider).toEqual({ state: 'error', error: null })
    testApp.sandbox.clearFaults()
    // Not yet due, and then it is.
    await followSecurityPolicies(testApp.app.services)
    expect((await atProvider()).state).toBe('error')
    await testApp.database.db
      .updateTable('security_policies')
      .set({ provider_next_at: new Date(0) })
      .where('provider_mark', 'is not', null)
      .execute()
    await followSecurityPolicies(testApp.app.services)
    expect(await atProvider()).toEqual({ state: 'ok', error: null })
    expect(await attributes()).toMatchObject({ atrium_policy: { countries: ['FR'] } })
  })

  it('gets the newest of two changes, whichever is written first', async () => {
    await Promise.all([
      policy({ ipAllowlist: ['203.0.113.0/24'] }),
      policy({ ipAllowlist: ['198.51.100.0/24'] }),
    ])
    await settled('ok')
    const { body } = await testApp.request('GET', '/tenants/acme/security-policy', {
      token: operator,
    })
    expect(await attributes()).toMatchObject({ atrium_policy: { networks: body.ipAllowlist } })
  })
})
