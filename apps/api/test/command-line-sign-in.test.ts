import { tenantIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/platform/config.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** As `atrium login` gets it. */
async function tokenOf(email: string): Promise<string> {
  const issued = await testApp.sandbox.identity.issueToken(email, 'atrium-cli')
  if ('reason' in issued) throw new Error(issued.reason)
  return issued.accessToken
}

describe('the sign-in of the command line', () => {
  it('is described to everyone', async () => {
    expect(await testApp.request('GET', '/sign-in/command-line')).toMatchObject({
      status: 200,
      body: { issuer: testApp.sandbox.issuers.commandLine, clientId: 'atrium-cli' },
    })
  })

  it('gives the rights of the customer portal: the same person, no operator', async () => {
    const token = await tokenOf('owner@acme.test')
    const portal = await testApp.token('owner@acme.test')
    const [here, there] = await Promise.all(
      [token, portal].map((one) => testApp.request('GET', '/users/me', { token: one })),
    )
    expect(here?.body).toMatchObject({ id: there?.body.id, email: 'owner@acme.test' })
    const operator = await tokenOf('operator@atrium.test')
    expect(await testApp.request('GET', '/audit', { token: operator })).toMatchObject({
      status: 403,
      body: { code: 'operator_required' },
    })
    expect(await testApp.request('GET', '/tenants/globex', { token })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })

  it('is never recent enough for a sensitive act', async () => {
    const token = await tokenOf('owner@acme.test')
    const rejected = await testApp.request('DELETE', '/tenants/acme', { token })
    expect(rejected).toMatchObject({
      status: 401,
      body: { code: 'recent_sign_in_required', detail: expect.stringContaining('portal') },
    })
    expect(rejected.headers.get('www-authenticate')).toContain('insufficient_user_authentication')
  })

  it('proves no second factor where the tenant requires one, and says so', async () => {
    const id = await tenantIdOf(testApp.database.db, 'acme')
    await testApp.database.db
      .insertInto('security_policies')
      .values({
        tenant_id: id,
        enforced: true,
        mfa_mode: 'required',
        mfa_required_since: new Date(0),
        mfa_grace_days: 0,
        allowed_countries: [],
        ip_allowlist: [],
      } as never)
      .execute()
    const token = await tokenOf('member@acme.test')
    expect(await testApp.request('GET', '/tenants/acme', { token })).toMatchObject({
      status: 403,
      body: { code: 'mfa_required', detail: expect.stringContaining('service token') },
    })
  })
})

describe('its settings', () => {
  const base = {
    DATABASE_URL: 'postgres://localhost/atrium',
    IDP_ISSUER: 'https://id.test/application/o/portal/,https://id.test/application/o/operator/',
    IDP_AUDIENCE: 'portal,operator',
  }
  const both = {
    IDP_CLI_ISSUER: 'https://id.test/application/o/atrium-cli/',
    IDP_CLI_AUDIENCE: 'atrium-cli',
  }

  it('accept its tokens as those of the same people, and leave operators alone', () => {
    expect(readConfig({ ...base, ...both }).tokens).toMatchObject({
      audiences: ['portal', 'operator', 'atrium-cli'],
      operatorAudience: 'operator',
      operatorIssuers: ['https://id.test/application/o/operator/'],
      subjectPrefixes: new Map([
        ['https://id.test/application/o/portal/', ''],
        ['https://id.test/application/o/operator/', ''],
        ['https://id.test/application/o/atrium-cli/', ''],
      ]),
    })
    expect(readConfig(base).tokens).toMatchObject({
      audiences: ['portal', 'operator'],
      commandLine: null,
    })
  })

  it.each([
    [{ IDP_CLI_AUDIENCE: 'atrium-cli' }, 'IDP_CLI_ISSUER: is missing'],
    [{ ...both, IDP_CLI_AUDIENCE: 'operator' }, 'IDP_CLI_AUDIENCE: is one of IDP_AUDIENCE'],
    [{ ...both, IDP_CLI_ISSUER: 'https://a.test/,https://b.test/' }, 'more than one issuer'],
    [
      { ...both, IDP_CLI_ISSUER: 'http://id.test/', NODE_ENV: 'production' },
      'IDP_CLI_ISSUER: holds a plain http address',
    ],
  ])('are rejected where %j', (env, fault) => {
    expect(() => readConfig({ ...base, ...env })).toThrow(fault)
  })
})
