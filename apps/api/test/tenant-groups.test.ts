import { request as send } from 'node:http'
import { demoClients } from '@atrium/core/demo/demo'
import { isReservedSlug } from '@atrium/core/tenants/slugs'
import { startApi } from '@atrium/testing/api-process'
import { type Issuer, personClaims, startIssuer } from '@atrium/testing/issuer'
import { identityApi, identityRecords, outsideObjects } from '@atrium/testing/outside'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renameTenantGroups } from '../src/tenants/rename-groups.ts'

const prefix = 'tenant-'
let testApp: TestApp
let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer()
  testApp = await startTestApp({ env: { IDP_TENANT_GROUP_PREFIX: prefix, IDP_ISSUER: issuer.url } })
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const later = () => Math.floor(Date.now() / 1000) + 3
const tokenOf = (email: string, claims: Record<string, unknown> = {}) =>
  issuer.sign({ ...personClaims(email), ...claims })
const operatorToken = () => tokenOf('operator@atrium.test', { aud: demoClients.operator.clientId })
const create = async (body: object, email = 'newcomer@example.test') =>
  testApp.request('POST', '/tenants', {
    token: email.startsWith('operator@') ? await operatorToken() : await tokenOf(email),
    body,
  })
const me = async (email: string, claims: Record<string, unknown>) =>
  (await testApp.request('GET', '/users/me', { token: await tokenOf(email, claims) })).body
const slugsOf = (user: { tenants: { slug: string }[] }) =>
  user.tenants.map(({ slug }) => slug).sort()
const groupNames = () => identityRecords(testApp).groups.map(({ name }) => name)

describe('the group of a tenant', () => {
  it('has the prefix before the slug, and gives what the bare slug does not', async () => {
    const made = await create({ name: 'Prefixed', slug: 'prefixed' })
    expect(made).toMatchObject({ status: 201, body: { provisioningStatus: { identity: 'ok' } } })
    expect(outsideObjects(testApp, 'prefixed').groups).toBe(0)
    expect(outsideObjects(testApp, 'tenant-prefixed')).toMatchObject({
      groups: 1,
      members: ['newcomer@example.test'],
    })
    expect(
      slugsOf(await me('member@acme.test', { groups: ['acme', 'prefixed'], iat: later() })),
    ).toEqual(['acme'])
    expect(
      slugsOf(await me('member@acme.test', { groups: ['acme', 'tenant-prefixed'], iat: later() })),
    ).toEqual(['acme', 'prefixed'])
  })

  it('is never one that another application gives rights by', async () => {
    for (const slug of ['grafana-admins', 'domain-admins', 'staff', 'sudo', 'wheel']) {
      expect(isReservedSlug(slug), slug).toBe(true)
      expect(await create({ name: 'X', slug })).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'slug' }] },
      })
    }
    expect((await create({ name: 'Grafana Admins' })).body.slug).toBe('grafana-admins-2')
  })

  it('is none that exists at the provider already, for a slug that was asked for and one that was derived', async () => {
    await identityApi(testApp, 'POST', '/core/groups/', { name: 'tenant-payroll' })
    expect(await create({ name: 'Y', slug: 'payroll' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'slug', message: 'This name is reserved.' }] },
    })
    expect((await create({ name: 'Payroll' })).body).toMatchObject({
      slug: 'payroll-2',
      provisioningStatus: { identity: 'ok' },
    })
    // A slug with the prefix would, without it, be the group of another tenant.
    expect((await create({ name: 'Z', slug: 'tenant-acme' })).status).toBe(400)
  })
})

describe('renaming the groups of an installation', () => {
  it('keeps every membership, while it goes on and after it was cut off, and is done once', async () => {
    const before = later()
    const { identity } = testApp.app.services.systems
    if (!identity) throw new Error('there is an identity provider')
    const cut = { ...identity, renameGroup: () => Promise.reject(new Error('killed')) }
    await expect(renameTenantGroups(testApp.database, cut, prefix)).rejects.toThrow('killed')
    // On record only: the provider has the old name, and tokens of either name take nobody out.
    for (const groups of [['acme'], ['tenant-acme'], []]) {
      expect(slugsOf(await me('member@acme.test', { groups, iat: before }))).toContain('acme')
    }
    const done = await renameTenantGroups(testApp.database, identity, prefix)
    expect(done).toMatchObject({ renamed: 2, failed: [] })
    expect(groupNames()).toEqual(
      expect.arrayContaining(['tenant-acme', 'tenant-globex', 'tenant-prefixed']),
    )
    expect(groupNames()).not.toContain('acme')
    expect(outsideObjects(testApp, 'tenant-acme').members).toContain('member@acme.test')
    // A token of before the rename has the old name.
    expect(
      slugsOf(
        await me('member@acme.test', { groups: ['acme'], iat: Math.floor(Date.now() / 1000) - 5 }),
      ),
    ).toContain('acme')
    expect(
      slugsOf(await me('member@acme.test', { groups: ['tenant-acme'], iat: later() })),
    ).toContain('acme')
    expect(await renameTenantGroups(testApp.database, identity, prefix)).toMatchObject({
      renamed: 0,
      failed: [],
    })
    expect(
      (await testApp.request('POST', '/tenants/acme/reconcile', { token: await operatorToken() }))
        .body,
    ).toMatchObject({
      tenant: { provisioningStatus: { identity: 'ok' } },
    })
  })

  it('tells whose group could not be renamed, and goes on with the others', async () => {
    const { identity } = testApp.app.services.systems
    if (!identity) throw new Error('there is an identity provider')
    await identityApi(testApp, 'POST', '/core/groups/', { name: 'other-acme' })
    const done = await renameTenantGroups(testApp.database, identity, 'other-')
    expect(done.failed).toEqual([expect.stringMatching(/^acme: /)])
    expect(groupNames()).toContain('other-globex')
    await renameTenantGroups(testApp.database, identity, prefix)
    expect(groupNames()).toContain('tenant-acme')
  })
})

describe('people of many tenants', () => {
  it('who are platform administrators are in no group of a tenant, and keep the tenants all the same', async () => {
    expect(
      (await create({ name: 'Ops One', slug: 'ops-one' }, 'operator@atrium.test')).status,
    ).toBe(201)
    expect(outsideObjects(testApp, 'tenant-ops-one')).toMatchObject({ groups: 1, members: [] })
    const claims = { groups: ['platform-admins'], aud: demoClients.operator.clientId, iat: later() }
    expect(slugsOf(await me('operator@atrium.test', claims))).toEqual(['ops-one'])
  })

  it('who were put into groups by earlier versions are taken out', async () => {
    const { identity } = testApp.app.services.systems
    const operator = identityRecords(testApp).users.find(
      ({ email }) => email === 'operator@atrium.test',
    )
    const group = identityRecords(testApp).groups.find(({ name }) => name === 'tenant-ops-one')
    if (!identity || !operator || !group) throw new Error('both are there')
    await identity.addToGroup({ groupId: group.pk, userId: String(operator.pk) })
    expect(outsideObjects(testApp, 'tenant-ops-one').members).toEqual(['operator@atrium.test'])
    await renameTenantGroups(testApp.database, identity, prefix)
    expect(outsideObjects(testApp, 'tenant-ops-one').members).toEqual([])
  })

  it('get through with a token that names 10,000 of them', async () => {
    const groups = Array.from({ length: 10_000 }, (_, n) => `tenant-customer-${n}`)
    const token = await tokenOf('partner@north.test', { groups: ['partner-staff', ...groups] })
    expect(token.length).toBeGreaterThan(200_000)
    await using api = await startApi(testApp, { METRICS_PORT: '0' })
    const statusWith = (authorization: string) =>
      new Promise<number | undefined>((done, failed) => {
        const call = send(`${api.url}/users/me`, { headers: { authorization } }, (response) => {
          response.resume()
          done(response.statusCode)
        })
        call.once('error', failed).end()
      })
    expect(await statusWith(`Bearer ${token}`)).toBe(200)
    expect(await statusWith(`Bearer ${'x'.repeat(1100 * 1024)}`)).toBe(431)
  }, 60_000)
})

// Last: the client asks a system that failed repeatedly no further for a while.
describe('a provider that fails', () => {
  it('does not keep a tenant from being made, where the provider cannot be asked', async () => {
    testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 503, match: '/api/v3/' })
    const made = await create({ name: 'Unasked', slug: 'unasked' })
    testApp.sandbox.clearFaults()
    expect(made).toMatchObject({ status: 201, body: { provisioningStatus: { identity: 'error' } } })
  })
})

describe('a group that another tenant has under a name of its own', () => {
  it('is left alone: a derived slug gets a number, a requested one is rejected', async () => {
    const { body } = await create({ name: 'Renamed', slug: 'renamed' })
    await testApp.database.db
      .updateTable('tenants')
      .set({ identity_group_name: 'tenant-wanted' })
      .where('id', '=', body.id)
      .execute()
    expect(await create({ name: 'W', slug: 'wanted' })).toMatchObject({
      status: 409,
      body: {
        code: 'already_exists',
        issues: [{ path: 'slug', message: expect.stringContaining('group of another tenant') }],
      },
    })
    expect(await create({ name: 'Wanted' })).toMatchObject({
      status: 201,
      body: { slug: 'wanted-2' },
    })
  })
})
