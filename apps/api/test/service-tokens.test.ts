import { randomUUID } from 'node:crypto'
import { type ServiceScope, scopesOfKind } from '@atrium/core/service-tokens/scopes'
import { lockIsWaitedFor } from '@atrium/testing/postgres/lock-waits'
import { tenantIdOf } from '@atrium/testing/records'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../src/clean-up.ts'
import { newSecret, serviceTokenPattern, writeServiceToken } from '../src/platform/service-token.ts'

const dayMs = 86_400_000
const start = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 2_000)
let now = start
let testApp: TestApp
let owner: string
let tenantId: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    clock: { now: () => now },
    sandbox: { identity: { accessTokenSeconds: 80_000 } },
    env: { TRUSTED_PROXY_HOPS: '1' },
  })
  owner = await testApp.token('owner@acme.test')
  const id = await tenantIdOf(testApp.database.db, 'acme')
  tenantId = id
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => {
  now = start
})

const path = '/tenants/acme/service-tokens'
const create = (body: object = {}, token = owner) =>
  testApp.request('POST', path, {
    token,
    body: { name: 'Sync', scopes: ['members:read'], expiresInDays: 30, ...body },
  })
const call = (token: string, address = '192.0.2.1', to = '/tenants/acme/users') =>
  testApp.request('GET', to, { token, headers: { 'x-forwarded-for': address } })
const stored = (id: string) =>
  testApp.database.db
    .selectFrom('service_tokens')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const audited = (action: string, id: string) =>
  testApp.database.db
    .selectFrom('audit_events')
    .select(['actor_type', 'actor_id', 'metadata', 'tenant_slug', 'outcome'])
    .where('action', '=', action)
    .where((eb) => eb.or([eb('resource_id', '=', id), eb('actor_id', '=', id)]))
    .execute()

describe('a new token', () => {
  it('is shown once, is stored as a hash, and works at once', async () => {
    const created = await create({ networks: ['192.0.2.0/24', '192.0.2.7'] })
    expect(created).toMatchObject({
      status: 201,
      body: { name: 'Sync', state: 'active', networks: ['192.0.2.0/24'], lastUse: null },
    })
    const { id, token } = created.body
    expect(token).toMatch(serviceTokenPattern)
    const row = await stored(id)
    expect(JSON.stringify(row)).not.toContain(token.split('_')[2])
    expect(row.secret_hash).toHaveLength(32)
    const listed = await testApp.request('GET', path, { token: owner })
    expect(JSON.stringify(listed.body)).not.toContain('atr_')
    expect((await call(token)).status).toBe(200)
    expect(await audited('service_token.created', id)).toMatchObject([
      { actor_type: 'user', tenant_slug: 'acme', metadata: { scopes: ['members:read'] } },
    ])
  })

  it.each([
    ['scopes', { scopes: ['flags:read'] }, 'scopes.0'],
    ['networks', { networks: ['192.0.2.1/24'] }, 'networks.0'],
    ['an end after more than a year', { expiresInDays: 366 }, 'expiresInDays'],
  ])('is rejected for %s that it cannot have', async (_, body, at) => {
    const rejected = await create(body)
    expect(rejected).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(rejected.body.issues.map((issue: { path: string }) => issue.path)).toEqual([at])
  })

  it('is made by no token, whatever its scopes', async () => {
    const { token } = await insertServiceToken(testApp, { kind: 'tenant', tenantId })
    expect(await create({}, token)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    })
  })

  it('is counted with those made at the same time', async () => {
    const others = await testApp.database.db
      .selectFrom('service_tokens')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .execute()
    await testApp.database.db
      .insertInto('tenant_limits')
      .values({ tenant_id: tenantId, name: 'service_tokens', most: others.length + 2 })
      .execute()
    const made = await Promise.all(Array.from({ length: 8 }, () => create()))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(made.filter(({ body }) => body.code === 'limit_reached')).toHaveLength(6)
    await testApp.database.db.deleteFrom('tenant_limits').execute()
  })
})

describe('a call', () => {
  const token = (fields: Parameters<typeof insertServiceToken>[2] = {}) =>
    insertServiceToken(testApp, { kind: 'tenant', tenantId }, fields)

  it('is rejected with a text that is mistyped, invented, of another secret or too short', async () => {
    const { id, token: good } = await token()
    const other = good.endsWith('a') ? 'b' : 'a'
    for (const wrong of [
      `${good.slice(0, -1)}${other}`,
      good.slice(0, -1),
      writeServiceToken(randomUUID(), newSecret().secret),
      writeServiceToken(id, newSecret().secret),
      'atr_',
    ]) {
      const rejected = await call(wrong)
      expect([rejected.status, rejected.body.code]).toEqual([401, 'unauthenticated'])
      expect(rejected.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
    expect((await call(good)).status).toBe(200)
  })

  it('names the scopes that it lacks', async () => {
    const { token: narrow } = await token({ scopes: ['mail:read'] })
    const rejected = await call(narrow)
    expect(rejected).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } })
    expect(rejected.headers.get('www-authenticate')).toBe(
      'Bearer realm="atrium", error="insufficient_scope", scope="members:read"',
    )
  })

  it('gets a one-time secret only with the scope of its own', async () => {
    const withSecrets: ServiceScope[] = ['members:write', 'secrets:read']
    const member = { email: `made-${randomUUID().slice(0, 8)}`, name: 'Made' }
    const post = async (scopes: ServiceScope[]) =>
      testApp.request('POST', '/tenants/acme/users', {
        token: (await token({ scopes })).token,
        body: member,
      })
    expect(await post(['members:write'])).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    })
    expect((await post(withSecrets)).body.code).not.toBe('insufficient_scope')
  })

  it('is accepted from the networks of the token alone', async () => {
    const { token: bound } = await token({ networks: ['192.0.2.0/24', '2001:db8::/32'] })
    expect((await call(bound, '192.0.2.9')).status).toBe(200)
    expect((await call(bound, '2001:db8::1')).status).toBe(200)
    expect(await call(bound, '198.51.100.1')).toMatchObject({
      status: 403,
      body: { code: 'network_not_allowed' },
    })
    expect((await call(bound, '192.0.2.9, 198.51.100.1')).status).toBe(403)
  })

  it("is bound by the networks of the tenant's policy, not by second factors", async () => {
    const { token: any } = await token()
    const policy = (body: object) =>
      testApp.database.db
        .insertInto('security_policies')
        .values({ tenant_id: tenantId, enforced: true, ...body } as never)
        .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(body as never))
        .execute()
    const longAgo = new Date(now.getTime() - 100 * dayMs)
    await policy({
      mfa_mode: 'required',
      mfa_required_since: longAgo,
      allowed_countries: [],
      ip_allowlist: [],
    })
    expect((await call(any)).status).toBe(200)
    await policy({
      mfa_mode: 'off',
      allowed_countries: [],
      ip_allowlist: ['203.0.113.0/24'],
    })
    expect((await call(any)).body.code).toBe('network_not_allowed')
    expect((await call(any, '203.0.113.5')).status).toBe(200)
    await policy({ mfa_mode: 'off', allowed_countries: [], ip_allowlist: [] })
  })

  it('is rejected once the token expired', async () => {
    const { token: short } = await token({ expiresAt: new Date(now.getTime() + 60_000) })
    now = new Date(now.getTime() + 59_999)
    expect((await call(short)).status).toBe(200)
    now = new Date(now.getTime() + 1)
    expect(await call(short)).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  })

  it('notes its time, address and procedure, at most once a minute', async () => {
    const { id, token: used } = await token()
    await Promise.all(Array.from({ length: 8 }, () => call(used)))
    const first = await stored(id)
    expect(first).toMatchObject({
      last_used_at: now,
      last_used_ip: '192.0.2.1',
      last_used_procedure: 'tenants.users',
    })
    now = new Date(now.getTime() + 59_999)
    await call(used, '192.0.2.2')
    expect(await stored(id)).toEqual(first)
    now = new Date(now.getTime() + 1)
    await call(used, '192.0.2.2', '/service-tokens/current')
    expect(await stored(id)).toMatchObject({
      last_used_at: now,
      last_used_ip: '192.0.2.2',
      last_used_procedure: 'serviceTokens.current',
    })
  })

  it('tells what is left of its minute', async () => {
    const { token: counted } = await token()
    await call(counted)
    const { headers } = await call(counted)
    const most = testApp.app.services.limits.most('service_token_minute')
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([
      String(most),
      String(most - 2),
    ])
  })

  it('is an act of the program in the audit log, and so is its rejection', async () => {
    const { id, token: writes } = await token({ scopes: ['tenants:write'], name: 'Provisioner' })
    const renamed = await testApp.request('PATCH', '/tenants/acme', {
      token: writes,
      body: { name: 'Acme renamed' },
    })
    expect(renamed.status).toBe(200)
    const { id: reader, token: reads } = await token({ scopes: ['tenants:read'] })
    await testApp.request('PATCH', '/tenants/acme', { token: reads, body: { name: 'No' } })
    expect(await audited('tenant.updated', reader)).toMatchObject([
      { actor_type: 'service', actor_id: reader, outcome: 'denied', tenant_slug: 'acme' },
    ])
    expect(await audited('tenant.updated', id)).toMatchObject([
      {
        actor_type: 'service',
        actor_id: id,
        outcome: 'success',
        metadata: { service: 'Provisioner' },
      },
    ])
  })

  it('lists what the token acts for, and creates no tenant for one of a tenant', async () => {
    const { token: reads } = await token()
    const tenants = await testApp.request('GET', '/tenants', { token: reads })
    expect(tenants.body.items).toMatchObject([{ slug: 'acme', role: 'admin' }])
    expect(
      (await testApp.request('GET', '/tenants?q=a', { token: reads })).body.items,
    ).toMatchObject([{ slug: 'acme' }])
    const created = await testApp.request('POST', '/tenants', {
      token: reads,
      body: { name: 'Another' },
    })
    expect(created.body.code).toBe('insufficient_scope')
  })

  it('creates a tenant that awaits its owner, and no person, with a token of the platform', async () => {
    const { db } = testApp.database
    const people = () =>
      db
        .selectFrom('users')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    const before = await people()
    const { token: platform } = await insertServiceToken(testApp, { kind: 'platform' })
    const created = await testApp.request('POST', '/tenants', {
      token: platform,
      body: { name: 'Made by a program', respondAsync: true },
    })
    expect(created).toMatchObject({ status: 201, body: { owner: null, awaitsOwner: true } })
    expect(await people()).toEqual(before)
    await testApp.app.services.background.settled()
  })

  it('is rejected for a token of a partner that was terminated', async () => {
    const { id: partnerId } = await testApp.database.db
      .insertInto('partners')
      .values({ slug: 'ended', name: 'Ended' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { token: ofPartner } = await insertServiceToken(testApp, { kind: 'partner', partnerId })
    expect((await call(ofPartner, undefined, '/partners/ended')).status).toBe(200)
    await testApp.database.db
      .updateTable('partners')
      .set({ status: 'terminated' })
      .where('id', '=', partnerId)
      .execute()
    expect((await call(ofPartner, undefined, '/partners/ended')).status).toBe(401)
  })
})

describe('rotation', () => {
  const rotate = (id: string, body: object = {}) =>
    testApp.request('POST', `${path}/${id}/rotate`, { token: owner, body })

  it('keeps the secret before for the overlap, and the one before that no longer', async () => {
    const { body: first } = await create()
    const { status, body: second } = await rotate(first.id, { overlapHours: 1 })
    expect(status).toBe(200)
    expect(second).toMatchObject({ id: first.id, expiresAt: first.expiresAt })
    expect([(await call(first.token)).status, (await call(second.token)).status]).toEqual([
      200, 200,
    ])
    const { body: third } = await rotate(first.id, { overlapHours: 1, expiresInDays: 300 })
    expect(new Date(third.expiresAt).getTime()).toBe(now.getTime() + 300 * dayMs)
    expect((await call(first.token)).status).toBe(401)
    expect((await call(second.token)).status).toBe(200)
    now = new Date(now.getTime() + 3_600_000)
    expect((await call(second.token)).status).toBe(401)
    expect((await call(third.token)).status).toBe(200)
  })

  it('ends the secret before at once without an overlap', async () => {
    const { body: first } = await create()
    const { body: second } = await rotate(first.id, { overlapHours: 0 })
    expect([(await call(first.token)).status, (await call(second.token)).status]).toEqual([
      401, 200,
    ])
  })

  it('finds no token of another owner, and none that was revoked', async () => {
    const { id } = await insertServiceToken(testApp, { kind: 'platform' })
    expect((await rotate(id)).status).toBe(404)
    const { body: made } = await create()
    await testApp.request('DELETE', `${path}/${made.id}`, { token: owner })
    expect((await rotate(made.id)).status).toBe(404)
  })
})

describe('revocation', () => {
  it('holds for the next call in every process, and is recorded once', async () => {
    const { body: made } = await create()
    expect((await call(made.token)).status).toBe(200)
    const revoked = await Promise.all(
      [1, 2, 3].map(() => testApp.request('DELETE', `${path}/${made.id}`, { token: owner })),
    )
    expect(revoked.map(({ status }) => status).sort()).toEqual([204, 404, 404])
    expect(await call(made.token)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(await audited('service_token.revoked', made.id)).toHaveLength(1)
  })

  it('stops a change whose guard has passed', async () => {
    const { id, token } = await insertServiceToken(
      testApp,
      { kind: 'tenant', tenantId },
      { scopes: ['branding:write'] },
    )
    let changed: ReturnType<typeof testApp.request> | undefined
    await testApp.database.db.transaction().execute(async (trx) => {
      await trx.selectFrom('tenants').select('id').where('id', '=', tenantId).forUpdate().execute()
      changed = testApp.request('PUT', '/tenants/acme/branding', {
        token,
        body: { productName: 'Late' },
      })
      await lockIsWaitedFor(testApp.env.DATABASE_URL)
      await testApp.database.db
        .updateTable('service_tokens')
        .set({ revoked_at: now })
        .where('id', '=', id)
        .execute()
    })
    expect((await changed)?.status).toBe(403)
  })
})

describe('the end of a token', () => {
  const mails = (id: string) =>
    testApp.database.db
      .selectFrom('outbox')
      .select(['recipient', 'key'])
      .where('template', '=', 'service_token.expiring')
      .where('key', 'like', `%${id}%`)
      .execute()
  const sweep = () => cleanUp(testApp.app.services)
  const inDays = (days: number) => new Date(start.getTime() + days * dayMs)

  it('is announced 14 and 3 days before, once each, to those who can rotate', async () => {
    const { id } = await insertServiceToken(
      testApp,
      { kind: 'tenant', tenantId },
      { expiresAt: inDays(30) },
    )
    const after = async (days: number) => {
      now = inDays(days)
      await Promise.all([sweep(), sweep()])
      return (await mails(id)).length
    }
    const admins = await testApp.database.db
      .selectFrom('memberships')
      .select('user_id')
      .where('tenant_id', '=', tenantId)
      .where('role', 'in', ['owner', 'admin'])
      .where('status', '=', 'active')
      .execute()
    expect(await after(15)).toBe(0)
    expect(await after(16)).toBe(admins.length)
    expect(await after(20)).toBe(admins.length)
    expect(await after(27)).toBe(2 * admins.length)
    expect(await after(29)).toBe(2 * admins.length)
  })

  it('is announced for tokens of a partner and of the platform too', async () => {
    const { id: platform } = await insertServiceToken(
      testApp,
      { kind: 'platform' },
      { expiresAt: inDays(2), scopes: scopesOfKind.platform },
    )
    await sweep()
    expect((await mails(platform)).length).toBeGreaterThan(0)
  })

  it('is not announced where the token lives shorter than that', async () => {
    const { body: short } = await create({ expiresInDays: 2 })
    const { body: longer } = await create({ expiresInDays: 10 })
    await sweep()
    expect([...(await mails(short.id)), ...(await mails(longer.id))]).toEqual([])
    now = inDays(8)
    await sweep()
    expect((await mails(longer.id)).length).toBeGreaterThan(0)
  })

  it('deletes it 90 days after', async () => {
    const { id: expired } = await insertServiceToken(
      testApp,
      { kind: 'platform' },
      { expiresAt: inDays(1) },
    )
    const { id: active } = await insertServiceToken(
      testApp,
      { kind: 'platform' },
      { expiresAt: inDays(200) },
    )
    now = inDays(90)
    await sweep()
    expect((await stored(expired)).id).toBe(expired)
    now = new Date(inDays(91).getTime() + 1)
    await sweep()
    await expect(stored(expired)).rejects.toThrow()
    expect((await stored(active)).id).toBe(active)
  })
})
