import { demoClients } from '@atrium/core/demo/demo'
import { type Issuer, personClaims, startIssuer } from '@atrium/testing/issuer'
import { auditOf, setTenantStatus } from '@atrium/testing/mailboxes'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
let issuer: Issuer
let admin: string
let member: string
let operator: string

/** A token of a person who signed in with a second factor, unless the claims say otherwise. */
const tokenOf = (email: string, claims: object = {}) =>
  issuer.sign({
    ...personClaims(email),
    amr: ['pwd', 'mfa'],
    auth_time: Math.floor(Date.now() / 1000),
    ...claims,
  })

beforeAll(async () => {
  issuer = await startIssuer()
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    env: { IDP_ISSUER: issuer.url },
  })
  admin = await tokenOf('admin@acme.test')
  member = await tokenOf('member@acme.test')
  operator = await tokenOf('operator@atrium.test', { aud: demoClients.operator.clientId })
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const path = '/tenants/acme/security-policy'
/** What the portal's server says of its person. */
const from = (ip: string, country?: string) => ({
  'x-atrium-app-secret': testApp.env.PORTAL_APP_SECRET ?? '',
  'x-forwarded-for': ip,
  ...(country && { 'x-atrium-country': country }),
})
const office = () => from('203.0.113.50', 'DE')
const read = async () =>
  (await testApp.request('GET', path, { token: member, headers: office() })).body
const change = (body: object, headers: Record<string, string> = office(), token = admin) =>
  testApp.request('PATCH', path, { token, body, headers })
const open = {
  mfaMode: 'optional',
  sessionIdleMinutes: null,
  sessionAbsoluteMinutes: null,
  allowedCountries: [],
  ipAllowlist: [],
}

describe('the security policy', () => {
  it('restricts nothing until it is changed', async () => {
    expect(await read()).toMatchObject({
      ...open,
      mfaGraceDays: 0,
      mfaRequiredFrom: null,
      enforced: true,
      updatedAt: null,
    })
  })

  it('keeps what is given in canonical form and leaves the rest', async () => {
    const response = await change({
      mfaMode: 'required',
      mfaGraceDays: 14,
      sessionIdleMinutes: 30,
      sessionAbsoluteMinutes: 600,
      allowedCountries: ['fr', 'DE', 'FR'],
      ipAllowlist: ['2001:DB8::/32', '203.0.113.7', '203.0.113.0/24'],
    })
    expect(response).toMatchObject({
      status: 200,
      body: {
        securityPolicy: {
          mfaMode: 'required',
          mfaGraceDays: 14,
          sessionIdleMinutes: 30,
          sessionAbsoluteMinutes: 600,
          allowedCountries: ['DE', 'FR'],
          ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'],
        },
        warnings: [{ code: 'allowlist_overlap', path: 'ipAllowlist.1' }],
      },
    })
    await change({ sessionIdleMinutes: null })
    expect(await read()).toMatchObject({
      sessionIdleMinutes: null,
      mfaMode: 'required',
      allowedCountries: ['DE', 'FR'],
    })
    const globex = await testApp.request('GET', '/tenants/globex/security-policy', {
      token: await tokenOf('owner@globex.test'),
    })
    expect(globex.body.mfaMode).toBe('optional')
  })

  it('keeps the day from which the days of grace count', async () => {
    const { mfaRequiredFrom: first } = await read()
    const { body } = await change({ mfaGraceDays: 15 })
    expect(Date.parse(body.securityPolicy.mfaRequiredFrom) - Date.parse(first)).toBe(86_400_000)
    await change({ mfaMode: 'off' })
    expect((await read()).mfaRequiredFrom).toBeNull()
    const { body: again } = await change({ mfaMode: 'required' })
    expect(Date.parse(again.securityPolicy.mfaRequiredFrom)).toBeGreaterThan(Date.parse(first))
  })

  it('is recorded with what changed, and not when nothing did', async () => {
    await change({ mfaMode: 'off', sessionAbsoluteMinutes: 700 })
    const [newest, ...older] = await auditOf(testApp, 'security_policy.updated')
    expect(newest).toMatchObject({
      actor_email: 'admin@acme.test',
      tenant_slug: 'acme',
      resource_name: 'Acme Engineering',
    })
    expect(newest?.metadata.changes).toEqual({
      mfaMode: ['required', 'off'],
      sessionAbsoluteMinutes: [600, 700],
    })
    await change({ mfaMode: 'off' })
    expect(await auditOf(testApp, 'security_policy.updated')).toHaveLength(older.length + 1)
  })

  it('works over tRPC', async () => {
    await change({ allowedCountries: [], ipAllowlist: [] })
    const { securityPolicy } = testApp.trpc(admin)
    const saved = await securityPolicy.update.mutate({ slug: 'acme', sessionIdleMinutes: 20 })
    expect(saved.warnings).toEqual([])
    const { atProvider: _, ...stored } = await securityPolicy.get.query({ slug: 'acme' })
    expect(saved.securityPolicy).toMatchObject(stored)
  })
})

describe('a change is rejected', () => {
  it.each([
    [{ ipAllowlist: ['203.0.113.9/24'] }, 'ipAllowlist.0', /203\.0\.113\.0\/24/],
    [{ ipAllowlist: ['203.0.113.0/24', '10.0.0.0/33'] }, 'ipAllowlist.1', /0 to 32/],
    [{ ipAllowlist: ['everywhere'] }, 'ipAllowlist.0', /not an address/],
    [{ ipAllowlist: ['0.0.0.0/0'] }, 'ipAllowlist.0', /everyone/],
    [{ ipAllowlist: [7] }, 'ipAllowlist.0', /./],
    [{ allowedCountries: ['ZZ'] }, 'allowedCountries.0', /ISO 3166-1/],
    [{ mfaMode: 'always' }, 'mfaMode', /./],
    [{ mfaGraceDays: 91 }, 'mfaGraceDays', /between 0 and 90/],
    [{ mfaGraceDays: -1 }, 'mfaGraceDays', /between/],
    [{ sessionIdleMinutes: 0 }, 'sessionIdleMinutes', /between/],
    [
      { sessionIdleMinutes: 601, sessionAbsoluteMinutes: 600 },
      'sessionIdleMinutes',
      /601 minutes is longer than a session can last \(600 minutes\)/,
    ],
    [{ mfa: 'off', mfaMode: 'off' }, 'mfa', /unknown/],
    [{}, '', /at least one/],
  ])('%j', async (body, field, message) => {
    const before = await read()
    const response = await change(body)
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: field }] },
    })
    expect(response.body.issues[0].message).toMatch(message)
    expect((await read()).editVersion).toEqual(before.editVersion)
  })

  it('when it does not go with the limit that is stored, at the limit that was given', async () => {
    await change({ sessionIdleMinutes: 30, sessionAbsoluteMinutes: 60 })
    expect(await change({ sessionIdleMinutes: 61 })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'sessionIdleMinutes' }] },
    })
    expect(await change({ sessionAbsoluteMinutes: 29 })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'sessionAbsoluteMinutes' }] },
    })
    expect(await change({ sessionIdleMinutes: 61, sessionAbsoluteMinutes: 61 })).toMatchObject({
      status: 200,
    })
  })

  it('also when two changes, right alone, would be wrong together', async () => {
    for (let round = 0; round < 5; round++) {
      await change({ sessionIdleMinutes: 10, sessionAbsoluteMinutes: 100 })
      const responses = await Promise.all([
        change({ sessionIdleMinutes: 90 }),
        change({ sessionAbsoluteMinutes: 20 }),
      ])
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })

  it.each(['suspended', 'deleted'] as const)('while the tenant is %s', async (status) => {
    await setTenantStatus(testApp, 'acme', status)
    try {
      expect(await change({ mfaMode: 'off' })).toMatchObject({
        status: 409,
        body: { code: `tenant_${status}` },
      })
    } finally {
      await setTenantStatus(testApp, 'acme', 'active')
    }
  })

  it('with an issue for each of three wrong fields', async () => {
    const response = await change({
      mfaMode: 'sometimes',
      sessionIdleMinutes: 1,
      ipAllowlist: ['203.0.113.0/24', 'nowhere'],
    })
    expect(response.status).toBe(400)
    expect(response.body.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
      'ipAllowlist.1',
      'mfaMode',
      'sessionIdleMinutes',
    ])
  })
})

describe('a policy that would lock out its author is rejected', () => {
  const entries = { ipAllowlist: ['203.0.113.0/24'] }
  const countries = { allowedCountries: ['DE', 'AT'] }

  it.each([
    ['another network', entries, () => from('198.51.100.1'), 'ipAllowlist', /198\.51\.100\.1/],
    ['an IPv6 address', entries, () => from('2001:db8::1'), 'ipAllowlist', /2001:db8::1/],
    [
      'an address that only the caller names',
      entries,
      () => ({ 'x-forwarded-for': '203.0.113.1' }),
      'ipAllowlist',
      /could not be determined/,
    ],
    ['another country', countries, () => from('203.0.113.1', 'US'), 'allowedCountries', /US/],
    ['no country', countries, () => from('203.0.113.1'), 'allowedCountries', /could not be/],
    [
      'no country of ISO 3166-1',
      countries,
      () => from('203.0.113.1', 'T1'),
      'allowedCountries',
      /could not be/,
    ],
    [
      'a country that only the caller names',
      countries,
      () => ({ 'x-atrium-country': 'AT' }),
      'allowedCountries',
      /could not be/,
    ],
  ])('from %s', async (_, body, headers, field, message) => {
    await change(open)
    const response = await change(body, headers())
    expect(response).toMatchObject({
      status: 409,
      body: { code: 'policy_locks_out_caller', issues: [{ path: field }] },
    })
    expect(response.body.issues[0].message).toMatch(message)
    expect(await read()).toMatchObject(open)
  })

  it('without a second factor, although there are days of grace', async () => {
    const weak = await tokenOf('admin@acme.test', { amr: ['pwd'] })
    expect(await change({ mfaMode: 'required', mfaGraceDays: 30 }, office(), weak)).toMatchObject({
      status: 409,
      body: { code: 'policy_locks_out_caller', issues: [{ path: 'mfaMode' }] },
    })
  })

  it('without a time of the sign-in, when sessions are limited', async () => {
    const timeless = await tokenOf('admin@acme.test', { auth_time: undefined })
    expect(await change({ sessionAbsoluteMinutes: 600 }, office(), timeless)).toMatchObject({
      status: 409,
      body: { code: 'policy_locks_out_caller', issues: [{ path: 'sessionAbsoluteMinutes' }] },
    })
  })

  it('but not for an operator, who is warned when no admin could sign in', async () => {
    const { db } = testApp.database
    expect(await change(entries, {}, operator)).toMatchObject({
      status: 200,
      body: { warnings: [{ code: 'admins_shut_out' }] },
    })
    const { sub } = personClaims('admin@acme.test')
    await db
      .insertInto('sign_ins')
      .values({
        subject: String(sub),
        app: 'portal',
        address: '203.0.113.9',
        country: 'DE',
        second_factor: true,
      })
      .execute()
    expect(await change(entries, {}, operator)).toMatchObject({
      status: 200,
      body: { warnings: [] },
    })
    expect(await change({ ...entries, ...countries }, {}, operator)).toMatchObject({
      body: { warnings: [] },
    })
    expect(await change({ allowedCountries: ['FR'] }, {}, operator)).toMatchObject({
      body: { warnings: [{ code: 'admins_shut_out' }] },
    })
    // The way out, which is in the audit log with the operator's name.
    expect(await change(open, {}, operator)).toMatchObject({ status: 200 })
    const [last] = await auditOf(testApp, 'security_policy.updated')
    expect(last).toMatchObject({ actor_email: 'operator@atrium.test' })
  })
})

describe('a preview', () => {
  const preview = (body: object, headers: Record<string, string> = office(), token = admin) =>
    testApp.request('POST', `${path}/preview`, { token, body, headers })
  const signIn = (address: string, country: string, daysAgo = 1) =>
    testApp.database.db
      .insertInto('sign_ins')
      .values({
        subject: String(personClaims('member@acme.test').sub),
        app: 'portal',
        at: new Date(Date.now() - daysAgo * 86_400_000),
        address,
        country,
        second_factor: false,
      })
      .execute()

  beforeAll(async () => {
    await change(open)
    await testApp.database.db.deleteFrom('sign_ins').execute()
    await signIn('203.0.113.9', 'DE', 3)
    await signIn('203.0.113.9', 'DE', 2)
    await signIn('198.51.100.1', 'US', 1)
    await signIn('192.0.2.1', 'FR', 31)
  })

  it('names whom the policy would affect and why, by the sign-ins of the last 30 days', async () => {
    const before = await read()
    const { status, body } = await preview({ mfaMode: 'required', allowedCountries: ['DE'] })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      days: 30,
      affected: 1,
      shutOut: 1,
      withoutSignIns: body.members - 1,
      objection: null,
      items: [
        {
          email: 'member@acme.test',
          reasons: ['country_not_allowed', 'mfa_required'],
          signIns: 3,
          rejected: 3,
          last: { address: '198.51.100.1', country: 'US', secondFactor: false },
        },
      ],
    })
    expect(await read()).toEqual(before)
  })

  it('tells who would be affected at times from who would be shut out', async () => {
    const { body } = await preview({ ipAllowlist: ['203.0.113.0/24'] })
    expect(body).toMatchObject({
      affected: 1,
      shutOut: 0,
      items: [{ reasons: ['network_not_allowed'], signIns: 3, rejected: 1 }],
    })
  })

  it('names nobody for a policy without restrictions', async () => {
    expect((await preview({})).body).toMatchObject({ affected: 0, items: [], objection: null })
  })

  it('says why the policy could not be saved, and what operators are warned of', async () => {
    const list = { ipAllowlist: ['198.51.100.0/24'] }
    expect((await preview(list)).body.objection).toMatchObject({ code: 'policy_locks_out_caller' })
    expect((await preview(list, {}, operator)).body.objection).toMatchObject({
      code: 'policy_locks_out_admins',
    })
  })

  it('rejects what saving rejects', async () => {
    expect(await preview({ ipAllowlist: ['nowhere'] })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'ipAllowlist.0' }] },
    })
    expect(await preview({ sessionIdleMinutes: 60, sessionAbsoluteMinutes: 30 })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'sessionIdleMinutes' }] },
    })
  })

  it('is not for plain members', async () => {
    expect(await preview({}, office(), member)).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
  })
})
