import { randomBytes } from 'node:crypto'
import { fileQuotaBytes, provisioningSteps, type TenantView } from '@atrium/core/tenants/tenants'
import { findAbandonedTenants, secondsUntilDue } from '@atrium/db/provisioning/provisioning'
import { accept } from '@atrium/testing/invitations'
import {
  clientsWithDeadline,
  identityApi,
  outsideObjects,
  upstreamText,
  waitingNames,
} from '@atrium/testing/outside'
import { userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp, type TestResponse } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { provisionTenant } from '../src/provisioning/jobs.ts'

let testApp: TestApp
let token: string
let operator: string

beforeAll(async () => {
  testApp = await startTestApp({
    integrations: clientsWithDeadline(800),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  token = await testApp.token('newcomer@example.test')
  operator = await testApp.token('operator@atrium.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const create = (body: object, as = token): Promise<TestResponse> =>
  testApp.request('POST', '/tenants', { token: as, body })
const reconcile = (slug: string, as = token): Promise<TestResponse> =>
  testApp.request('POST', `/tenants/${slug}/reconcile`, { token: as })
const read = async (slug: string): Promise<TenantView> =>
  (await testApp.request('GET', `/tenants/${slug}`, { token: operator })).body
const freshSlug = () => `made-${randomBytes(4).toString('hex')}`
const allOk = { identity: 'ok', mail: 'ok', files: 'ok' }

describe('creating a tenant', () => {
  it('makes group, domain and space, with the owner in the group and the quota of the plan', async () => {
    // The owner has to be on record, and to have proved the address.
    await testApp.request('GET', '/users/me', { token })
    const proved = { proved_email: 'newcomer@example.test', proved_at: new Date() }
    await testApp.database.db
      .updateTable('users')
      .set(proved)
      .where('email', '=', 'newcomer@example.test')
      .execute()
    const response = await create(
      { name: 'Initech', plan: 'starter', ownerEmail: 'newcomer@example.test' },
      operator,
    )
    expect(response).toMatchObject({
      status: 201,
      body: {
        slug: 'initech',
        status: 'active',
        provisioningStatus: allOk,
        provisioningErrors: {},
        domains: ['initech.tenants.local'],
      },
    })
    expect((await accept(testApp, 'newcomer@example.test')).body.handoff).toBe('existing')
    expect((await read('initech')).owner?.email).toBe('newcomer@example.test')
    for (const handle of ['identityGroupId', 'mailDomainId', 'fileSpaceId'])
      expect(response.body[handle], handle).toEqual(expect.any(String))
    expect(outsideObjects(testApp, 'initech')).toEqual({
      groups: 1,
      members: ['newcomer@example.test'],
      domains: ['initech.tenants.local'],
      spaces: 1,
      quota: fileQuotaBytes.starter,
    })
  })

  it('makes several domains, and a primary one below the platform while none is proven', async () => {
    const domains = ['hooli.example.com', 'hooli.example.org', 'hooli.test']
    const response = await create({ name: 'Hooli', domains })
    expect(response.body).toMatchObject({
      domains: ['hooli.tenants.local', ...domains],
      primaryDomain: 'hooli.tenants.local',
      status: 'active',
    })
    expect(
      outsideObjects(testApp, 'hooli', await waitingNames(testApp, domains)).domains,
    ).toHaveLength(3)
    expect(outsideObjects(testApp, 'hooli', domains).domains).toEqual([])
  })

  it('responds immediately on request, and finishes in the background', async () => {
    testApp.sandbox.fault({ system: 'files', mode: 'latency', delayMs: 200, times: 1 })
    const response = await create({ name: 'Later', slug: 'later', respondAsync: true })
    expect(response).toMatchObject({
      status: 201,
      body: { status: 'pending', provisioningStatus: { files: 'pending' } },
    })
    await expect.poll(async () => (await read('later')).status, { timeout: 10_000 }).toBe('active')
    expect(outsideObjects(testApp, 'later')).toMatchObject({ groups: 1, spaces: 1 })
  })

  it('rejects a group of the same name that somebody else made, and puts nobody into it', async () => {
    const { identity } = testApp.app.services.systems
    if (!identity) throw new Error('there is an identity provider')
    const { findGroup } = identity
    // The group comes right after the creation has looked for one.
    identity.findGroup = async (...asked) => {
      identity.findGroup = findGroup
      const found = await findGroup(...asked)
      await identityApi(testApp, 'POST', '/core/groups/', { name: 'umbrella', attributes: {} })
      return found
    }
    const response = await create({ name: 'Umbrella' })
    expect(response.body).toMatchObject({
      slug: 'umbrella',
      status: 'pending',
      provisioningStatus: { ...allOk, identity: 'error' },
    })
    expect(response.body.provisioningErrors.identity).toMatch(
      /identity provider.*not marked as ours/,
    )
    expect(outsideObjects(testApp, 'umbrella')).toMatchObject({ groups: 1, members: [] })
    // Nor does the name in somebody's token open the tenant while the group is not ours.
    await identityApi(testApp, 'POST', '/core/users/', {
      username: 'eve@example.test',
      email: 'eve@example.test',
      name: 'Eve',
      groups: [],
    })
    const groups: { results: { pk: string }[] } = await identityApi(
      testApp,
      'GET',
      '/core/groups/?name=umbrella',
    )
    const { results } = await identityApi(testApp, 'GET', '/core/users/?username=eve@example.test')
    await identityApi(testApp, 'POST', `/core/groups/${groups.results[0]?.pk}/add_user/`, {
      pk: results[0].pk,
    })
    const eve = await testApp.token('eve@example.test')
    expect((await testApp.request('GET', '/users/me', { token: eve })).body.tenants).toEqual([])
    expect(await testApp.request('GET', '/tenants/umbrella', { token: eve })).toMatchObject({
      status: 404,
    })
  })

  it('says so when the identity provider does not know the owner', async () => {
    const body = { idpSubjectId: 'forgotten', email: 'forgotten@example.test', name: 'Forgotten' }
    await testApp.request('POST', '/users', { token: operator, body })
    const made = await create({ name: 'Orphan' })
    const { db } = testApp.database
    const id = await userIdOf(db, body.email)
    await db
      .updateTable('memberships')
      .set({ user_id: id })
      .where('tenant_id', '=', made.body.id)
      .execute()
    await reconcile('orphan', operator)
    const response = { body: await read('orphan') }
    expect(response.body).toMatchObject({
      provisioningErrors: {
        identity: 'The identity provider does not know the owner of this tenant. [ownerUnknown]',
      },
      provisioningAttempts: {
        identity: { attempt: expect.any(Number), nextAt: expect.any(String) },
        mail: { attempt: 0, nextAt: null },
      },
    })
    const german = await testApp.request('GET', `/tenants/${response.body.slug}`, {
      token: operator,
      headers: { 'accept-language': 'de' },
    })
    expect(german.body.provisioningErrors).toEqual({
      identity: 'Der Anmeldedienst kennt den Inhaber dieses Mandanten nicht. [ownerUnknown]',
    })
    const again = await testApp.request('POST', `/tenants/${response.body.slug}/reconcile`, {
      token: operator,
    })
    expect(again.body.tenant.provisioningAttempts).toMatchObject({
      identity: { attempt: 2 },
      files: { attempt: 0, nextAt: null },
    })
    const inSeconds =
      (Date.parse(again.body.tenant.provisioningAttempts.identity.nextAt) - Date.now()) / 1000
    expect(inSeconds).toBeGreaterThan(30)
    expect(inSeconds).toBeLessThan(61)
  })
})

describe('a fault of one system', () => {
  const systems = {
    identity: { says: /identity provider/, write: 'POST /api/v3/core/groups/' },
    mail: { says: /mail server/, write: 'x:Domain/set' },
    files: { says: /file storage/, write: 'POST /graph/v1.0/drives' },
  } as const
  const faults = [
    { mode: 'timeout' },
    { mode: 'error', status: 503 },
    { mode: 'error', status: 500 },
    { mode: 'error', status: 429 },
    { mode: 'error', status: 403 },
    { mode: 'error', status: 404 },
    { mode: 'reset' },
    { mode: 'garbage' },
    { mode: 'shape' },
    { mode: 'latency', delayMs: 2_000 },
  ] as const
  const secrets = [...upstreamText, 'undefined']

  const nameOf = (fault: (typeof faults)[number]) =>
    'status' in fault ? `answering ${fault.status}` : `with ${fault.mode}`
  const cases = provisioningSteps.flatMap((system) =>
    faults.flatMap((fault) => [
      { label: `${system} ${nameOf(fault)} everywhere`, system, fault, after: false },
      ...(fault.mode === 'latency'
        ? []
        : [
            {
              label: `${system} ${nameOf(fault)} after the creating call was carried out`,
              system,
              fault,
              after: true,
            },
          ]),
    ]),
  )
  it.each(cases)(
    '$label: only that step fails, and reconcile heals it',
    async ({ system, fault, after }) => {
      const { says, write } = systems[system]
      testApp.sandbox.fault({
        system,
        ...fault,
        ...(after ? { match: write, after, times: 1 } : {}),
      })
      const slug = freshSlug()
      const response = await create({ name: 'Faulty', slug })
      expect(response.status).toBe(201)
      const view: TenantView = response.body
      // A call that was carried out and whose answer was lost may be repeated with success where
      // repeating is safe.
      const others = Object.fromEntries(
        provisioningSteps.filter((step) => step !== system).map((step) => [step, 'ok']),
      )
      expect(view.provisioningStatus).toMatchObject(others)
      const message = view.provisioningErrors[system]
      if (!after) expect(view.provisioningStatus[system]).toBe('error')
      expect(view.status).toBe(message === undefined ? 'active' : 'pending')
      if (message !== undefined) {
        expect(message).toMatch(says)
        for (const secret of secrets) expect(message).not.toContain(secret)
        expect(Object.keys(view.provisioningErrors)).toEqual([system])
      }
      testApp.sandbox.clearFaults()
      expect(await reconcile(slug)).toMatchObject({
        status: 200,
        body: { tenant: { status: 'active', provisioningErrors: {} } },
      })
      expect(outsideObjects(testApp, slug)).toMatchObject({
        groups: 1,
        members: ['newcomer@example.test'],
        domains: [`${slug}.tenants.local`],
        spaces: 1,
      })
    },
  )

  it('is waited out when it ends in time', async () => {
    for (const system of provisioningSteps)
      testApp.sandbox.fault({ system, mode: 'latency', delayMs: 150 })
    expect(await create({ name: 'Slow', slug: 'slow' })).toMatchObject({
      status: 201,
      body: { status: 'active', provisioningStatus: allOk },
    })
  })

  it('of all three at once leaves the record with three messages', async () => {
    for (const system of provisioningSteps) testApp.sandbox.fault({ system, mode: 'reset' })
    const response = await create({ name: 'Down', slug: 'all-down' })
    expect(response).toMatchObject({
      status: 201,
      body: {
        status: 'pending',
        provisioningStatus: { identity: 'error', mail: 'error', files: 'error' },
      },
    })
    const results = (await reconcile('all-down')).body
    expect(results).toMatchObject({
      results: {
        identity: { state: 'error' },
        mail: { state: 'error' },
        files: { state: 'error' },
      },
    })
    testApp.sandbox.clearFaults()
    expect(await reconcile('all-down')).toMatchObject({ body: { tenant: { status: 'active' } } })
  })
})

describe('a run that was killed after its last outcome and before its end', () => {
  it('is found and ended, while a living one is left alone', async () => {
    const { body } = await create({ name: 'Halfway', slug: freshSlug() })
    const { db } = testApp.database
    const killed = (lease: string) =>
      sql`update tenants set status = 'pending', provisioning_run = new_id(), provisioning_lease_until = now() + ${lease}::interval
        where id = ${body.id}`.execute(db)
    await killed('10 seconds')
    expect(await findAbandonedTenants(db, 500)).not.toContain(body.id)
    expect(await secondsUntilDue(db, body.id)).toBeGreaterThan(5)
    await killed('-1 second')
    expect(await findAbandonedTenants(db, 500)).toContain(body.id)
    await provisionTenant(testApp.app.services, body.id)
    expect(await read(body.slug)).toMatchObject({ status: 'active', provisioningStatus: allOk })
    expect(await findAbandonedTenants(db, 500)).not.toContain(body.id)
    expect(await secondsUntilDue(db, body.id)).toBeUndefined()
  })
})

describe('reconcile', () => {
  it('changes nothing that is right, however often it runs', async () => {
    await create({ name: 'Stable', slug: 'stable' })
    const [before, objects] = [await read('stable'), outsideObjects(testApp, 'stable')]
    for (let run = 0; run < 3; run++)
      expect(await reconcile('stable')).toMatchObject({
        status: 200,
        body: { results: { mail: { state: 'ok' } } },
      })
    const { updatedAt: _, health: __, ...after } = await read('stable')
    expect(before).toMatchObject(after)
    expect(outsideObjects(testApp, 'stable')).toEqual(objects)
  })

  it('creates again what was deleted upstream', async () => {
    const { body } = await create({ name: 'Removed', slug: 'removed' })
    await identityApi(testApp, 'DELETE', `/core/groups/${body.identityGroupId}/`)
    expect(outsideObjects(testApp, 'removed').groups).toBe(0)
    expect((await reconcile('removed')).body).toMatchObject({ tenant: { status: 'active' } })
    expect(outsideObjects(testApp, 'removed')).toMatchObject({
      groups: 1,
      members: ['newcomer@example.test'],
    })
  })

  it('follows a change of plan with the quota', async () => {
    await create({ name: 'Grown', slug: 'grown' })
    await testApp.request('PATCH', '/tenants/grown', {
      token: operator,
      body: { plan: 'enterprise' },
    })
    expect(outsideObjects(testApp, 'grown')).toMatchObject({
      quota: fileQuotaBytes.enterprise,
      spaces: 1,
    })
  })

  it('adds the domains that a change of the record brings', async () => {
    await create({ name: 'Moved', slug: 'moved' })
    const domains = ['moved.tenants.local', 'moved.example.com']
    expect(
      await testApp.request('PATCH', '/tenants/moved', { token, body: { domains } }),
    ).toMatchObject({
      status: 200,
      body: { domains, primaryDomain: 'moved.tenants.local', status: 'active' },
    })
    expect(outsideObjects(testApp, 'moved', domains).domains).toEqual(['moved.tenants.local'])
    expect(
      outsideObjects(testApp, 'moved', await waitingNames(testApp, ['moved.example.com'])).domains,
    ).toHaveLength(1)
  })
})
