import { auditOf, setTenantStatus } from '@atrium/testing/mailboxes'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: TestApp
let admin: string
let member: string

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  admin = await testApp.token('admin@acme.test')
  member = await testApp.token('member@acme.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const path = '/tenants/acme/security-policy'
const read = async () => (await testApp.request('GET', path, { token: member })).body
const change = (body: object, headers: Record<string, string> = {}) =>
  testApp.request('PATCH', path, { token: admin, body, headers })
const fromCountry = (country: string) => ({
  'x-atrium-country': country,
  'x-atrium-app-secret': testApp.env.PORTAL_APP_SECRET ?? '',
})
const from = (ip: string) => ({ 'x-forwarded-for': ip })
const codesOf = (response: { body: { warnings: { code: string }[] } }) =>
  response.body.warnings.map(({ code }) => code)

describe('the security policy', () => {
  it('restricts nothing until it is changed', async () => {
    expect(await read()).toMatchObject({
      mfaMode: 'optional',
      sessionIdleMinutes: null,
      sessionAbsoluteMinutes: null,
      allowedCountries: [],
      ipAllowlist: [],
      updatedAt: null,
    })
  })

  it('keeps what is given in canonical form and leaves the rest', async () => {
    const response = await change(
      {
        mfaMode: 'required',
        sessionIdleMinutes: 30,
        sessionAbsoluteMinutes: 600,
        allowedCountries: ['fr', 'DE', 'FR'],
        ipAllowlist: ['2001:DB8::/32', '203.0.113.7', '203.0.113.0/24'],
      },
      { ...from('203.0.113.50'), ...fromCountry('DE') },
    )
    expect(response).toMatchObject({
      status: 200,
      body: {
        securityPolicy: {
          mfaMode: 'required',
          sessionIdleMinutes: 30,
          sessionAbsoluteMinutes: 600,
          allowedCountries: ['DE', 'FR'],
          ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'],
        },
        warnings: [{ code: 'allowlist_overlap', path: 'ipAllowlist.1' }],
      },
    })
    expect(await read()).toEqual(response.body.securityPolicy)
    await change({ sessionIdleMinutes: null })
    expect(await read()).toMatchObject({
      sessionIdleMinutes: null,
      mfaMode: 'required',
      allowedCountries: ['DE', 'FR'],
    })
    expect(
      (
        await testApp.request('GET', '/tenants/globex/security-policy', {
          token: await testApp.token('owner@globex.test'),
        })
      ).body.mfaMode,
    ).toBe('optional')
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
    const { securityPolicy } = testApp.trpc(admin)
    const saved = await securityPolicy.update.mutate({
      slug: 'acme',
      allowedCountries: [],
      ipAllowlist: [],
    })
    expect(saved.warnings).toEqual([])
    expect(await securityPolicy.get.query({ slug: 'acme' })).toEqual(saved.securityPolicy)
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
    expect(await read()).toEqual(before)
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
})

describe('a warning is given', () => {
  it('when the caller’s own address would be shut out', async () => {
    const entries = { ipAllowlist: ['203.0.113.0/24'] }
    expect(codesOf(await change(entries, from('203.0.113.1')))).toEqual([])
    expect(codesOf(await change(entries, from('::ffff:203.0.113.1')))).toEqual([])
    const shutOut = await change(entries, from('198.51.100.1'))
    expect(shutOut.body.warnings).toEqual([
      {
        code: 'own_address_shut_out',
        path: 'ipAllowlist',
        message: 'Your own address 198.51.100.1 is not in the list.',
      },
    ])
    expect(codesOf(await change(entries, from('2001:db8::1')))).toEqual(['own_address_shut_out'])
    expect(codesOf(await change(entries))).toEqual(['own_address_unknown'])
    // It stands for every change while the list does.
    expect(codesOf(await change({ mfaMode: 'optional' }, from('198.51.100.1')))).toEqual([
      'own_address_shut_out',
    ])
    expect(codesOf(await change({ ipAllowlist: [] }, from('198.51.100.1')))).toEqual([])
  })

  it('when the caller’s own country would be shut out, or is not known', async () => {
    const countries = { allowedCountries: ['DE', 'AT'] }
    expect(codesOf(await change(countries, fromCountry('at')))).toEqual([])
    expect(codesOf(await change(countries, fromCountry('US')))).toEqual(['own_country_shut_out'])
    expect(codesOf(await change(countries))).toEqual(['own_country_unknown'])
    // Nobody's word but that of our own servers.
    expect(codesOf(await change(countries, { 'x-atrium-country': 'AT' }))).toEqual([
      'own_country_unknown',
    ])
    expect(codesOf(await change(countries, fromCountry('T1')))).toEqual(['own_country_unknown'])
    expect(codesOf(await change({ allowedCountries: [] }))).toEqual([])
  })
})

it('that has three wrong fields is rejected with an issue for each', async () => {
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
