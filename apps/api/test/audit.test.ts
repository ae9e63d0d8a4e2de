import type { AuditEvent } from '@atrium/core/audit/audit'
import { insertAuditEvent, type NewAuditEvent } from '@atrium/db/audit/audit'
import { userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordRepeatedDenials } from '../src/rpc/audit-denials.ts'

let testApp: TestApp
let operator: string
let owner: string

const base: NewAuditEvent = {
  at: new Date('2026-02-01T10:00:00Z'),
  actorType: 'user',
  actorId: 'somebody',
  actorEmail: 'Some.Body@Example.test',
  actorIp: '203.0.113.7',
  action: 'tenant.updated',
  outcome: 'success',
  resourceType: 'tenant',
  resourceId: null,
  resourceName: null,
  tenantSlug: null,
  partnerSlug: null,
  source: 'api',
  metadata: {},
}
const write = (event: Partial<NewAuditEvent>) =>
  insertAuditEvent(testApp.database.db, { ...base, ...event })

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    ownEvents: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
  owner = await testApp.token('owner@acme.test')
  await write({
    action: 'tenant.created',
    tenantSlug: 'filtered',
    resourceName: 'Hundred % pure_x',
  })
  await write({
    action: 'tenant.created_again',
    tenantSlug: 'filtered',
    outcome: 'failure',
    at: new Date('2026-02-01T11:00:00Z'),
  })
  await write({
    action: 'tenants.listed',
    tenantSlug: 'filtered',
    outcome: 'denied',
    at: new Date('2026-02-01T12:00:00Z'),
  })
  await write({
    action: 'user.updated',
    tenantSlug: 'filtered',
    partnerSlug: 'north',
    actorEmail: 'other@example.test',
    at: new Date('2026-02-01T13:00:00Z'),
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const query = (parameters: Record<string, string>, token = operator, path = '/audit') =>
  testApp.request('GET', `${path}?${new URLSearchParams(parameters)}`, { token })
const actions = async (parameters: Record<string, string>) =>
  (await query({ tenantSlug: 'filtered', ...parameters })).body.items.map(
    (event: AuditEvent) => event.action,
  )

describe('the filters of the log', () => {
  const all = ['user.updated', 'tenants.listed', 'tenant.created_again', 'tenant.created']
  it.each<[Record<string, string>, string[]]>([
    [{}, all],
    [{ action: 'tenant.created' }, ['tenant.created']],
    [{ action: 'tenant.*' }, ['tenant.created_again', 'tenant.created']],
    [{ action: 'tenant.' }, ['tenant.created_again', 'tenant.created']],
    [{ action: 'tenant' }, ['tenants.listed', 'tenant.created_again', 'tenant.created']],
    [{ action: 'tenant.creat' }, ['tenant.created_again', 'tenant.created']],
    [{ action: 'enant' }, []],
    [{ action: 'tenant_created' }, []],
    [{ outcome: 'denied' }, ['tenants.listed']],
    [{ partnerSlug: 'north' }, ['user.updated']],
    [{ tenantSlug: 'FILTERED', partnerSlug: 'NORTH' }, ['user.updated']],
    [
      { actorEmail: 'some.body@example.TEST' },
      ['tenants.listed', 'tenant.created_again', 'tenant.created'],
    ],
    [{ actorEmail: 'some.body' }, []],
    [{ since: '2026-02-01T11:00:00Z' }, ['user.updated', 'tenants.listed', 'tenant.created_again']],
    [{ until: '2026-02-01T11:00:00Z' }, ['tenant.created']],
    [
      { since: '2026-02-01T12:00:00+01:00', until: '2026-02-01T13:00:00+01:00' },
      ['tenant.created_again'],
    ],
    [{ before: '2026-02-01T12:00:00Z' }, ['tenant.created_again', 'tenant.created']],
    [{ q: '%' }, ['tenant.created']],
    [{ q: 'e_x' }, ['tenant.created']],
    [{ q: '\\' }, []],
    [{ q: 'HUNDRED' }, ['tenant.created']],
    [{ q: 'other@' }, ['user.updated']],
    [{ q: 'filter' }, all],
    [{ q: 'listed' }, ['tenants.listed']],
    [{ q: 'tenant', outcome: 'failure', action: 'tenant.*' }, ['tenant.created_again']],
  ])('%j', async (parameters, expected) => {
    expect(await actions(parameters)).toEqual(expected)
  })

  it.each<[Record<string, string>, string]>([
    [{ limit: '0' }, 'limit'],
    [{ limit: '-1' }, 'limit'],
    [{ limit: 'x' }, 'limit'],
    [{ limit: '2.5' }, 'limit'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: '2026-02-30T00:00:00Z' }, 'since'],
    [{ until: '2026-02-01' }, 'until'],
    [{ until: '2026-02-01T00:00:00' }, 'until'],
    [{ before: 'x' }, 'before'],
    [{ before: '2026-02-01T00:00:00Z_x' }, 'before'],
    [{ before: '2026-02-01T00:00:00Z_00000000-0000-0000-0000-000000000000_x' }, 'before'],
    [{ action: 'tenant.%' }, 'action'],
    [{ action: '*' }, 'action'],
    [{ outcome: 'ok' }, 'outcome'],
    [{ surprise: '1' }, 'surprise'],
  ])('%j is refused', async (parameters, path) => {
    expect(await query(parameters)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path }] },
    })
  })
})

describe('the pages of the log', () => {
  const at = new Date('2026-01-15T08:00:00Z')
  beforeAll(async () => {
    await testApp.database.db
      .insertInto('audit_events')
      .values(
        Array.from({ length: 620 }, (_, n) => ({
          at,
          actor_type: 'system' as const,
          action: 'tenant.updated',
          outcome: 'success' as const,
          resource_type: 'tenant',
          source: 'job' as const,
          tenant_slug: 'ties',
          resource_name: `entry ${n}`,
          metadata: '{}',
        })),
      )
      .execute()
  })

  it('hold 100 entries unless told otherwise, and 500 at most', async () => {
    expect((await query({ tenantSlug: 'ties' })).body.items).toHaveLength(100)
    expect((await query({ tenantSlug: 'ties', limit: '7' })).body.items).toHaveLength(7)
    for (const limit of ['500', '501', '100000'])
      expect((await query({ tenantSlug: 'ties', limit })).body.items).toHaveLength(500)
  })

  it('show every entry of one instant once, in one order', async () => {
    const seen: string[] = []
    for (let before: string | null = '2027-01-01T00:00:00Z'; before !== null; ) {
      const { body }: { body: { items: AuditEvent[]; nextCursor: string | null } } = await query({
        tenantSlug: 'ties',
        limit: '33',
        before,
      })
      seen.push(...body.items.map(({ resourceName }) => resourceName ?? ''))
      before = body.nextCursor
    }
    expect(seen).toHaveLength(620)
    expect(new Set(seen).size).toBe(620)
    const whole = [
      ...(await query({ tenantSlug: 'ties', limit: '500' })).body.items,
    ] as AuditEvent[]
    expect(whole.map(({ resourceName }) => resourceName)).toEqual(seen.slice(0, 500))
  })

  it('keep microseconds apart', async () => {
    await sql`
      insert into audit_events (at, actor_type, action, outcome, resource_type, source, tenant_slug, metadata)
      select '2026-01-16T08:00:00.000001Z'::timestamptz + make_interval(secs => n * 0.000001),
        'system', 'tenant.updated', 'success', 'tenant', 'job', 'micro', '{}'
      from generate_series(0, 4) n`.execute(testApp.database.db)
    const seen: string[] = []
    for (let before: string | null = '2027-01-01T00:00:00Z'; before !== null; ) {
      const { body }: { body: { items: AuditEvent[]; nextCursor: string | null } } = await query({
        tenantSlug: 'micro',
        limit: '1',
        before,
      })
      seen.push(...body.items.map((event) => event.at))
      before = body.nextCursor
    }
    expect(seen).toEqual([5, 4, 3, 2, 1].map((n) => `2026-01-16T08:00:00.00000${n}Z`))
  })
})

describe('the log of one tenant', () => {
  it('shows its own entries only, whatever the query says', async () => {
    await write({ tenantSlug: 'globex', resourceName: 'foreign' })
    await write({ tenantSlug: 'acme', resourceName: 'own' })
    const { body } = await query({ q: 'o' }, owner, '/tenants/acme/audit')
    expect(body.items.length).toBeGreaterThan(0)
    expect(new Set(body.items.map((event: AuditEvent) => event.tenantSlug))).toEqual(
      new Set(['acme']),
    )
    expect(await query({ tenantSlug: 'globex' }, owner, '/tenants/acme/audit')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'tenantSlug' }] },
    })
  })

  it('hides from its members from where operators and partners act, and hides nothing from operators', async () => {
    for (const actorType of ['operator', 'partner', 'user'] as const)
      await write({
        tenantSlug: 'acme',
        action: 'tenant.resumed',
        actorType,
        actorIp: '198.51.100.9',
        metadata: { peerIp: '10.0.0.9', requestId: 'r' },
      })
    const shown = async (token: string) =>
      (await query({ action: 'tenant.resumed' }, token, '/tenants/acme/audit')).body.items.map(
        (event: AuditEvent) => [event.actorType, event.actorIp, event.metadata],
      )
    expect((await shown(owner)).sort()).toEqual([
      ['operator', null, { requestId: 'r' }],
      ['partner', null, { requestId: 'r' }],
      ['user', '198.51.100.9', { requestId: 'r' }],
    ])
    for (const [, ip, metadata] of await shown(operator))
      expect([ip, metadata.peerIp]).toEqual(['198.51.100.9', '10.0.0.9'])
  })
})

describe('what an update changed', () => {
  it('is found by the fields as they are shown and by values, old and new, and nothing beside it is', async () => {
    const changed = await startTestApp({ provisioned: false, ownEvents: true })
    try {
      const token = await changed.token('operator@atrium.test')
      const patch = (body: object) => changed.request('PATCH', '/tenants/acme', { token, body })
      expect((await patch({ seats: 5 })).status).toBe(200)
      expect((await patch({ seats: 80, seatMode: 'auto' })).status).toBe(200)
      expect((await patch({ industry: 'Clockmaking' })).status).toBe(200)
      const found = async (q: string, path = '/audit') =>
        (
          await changed.request('GET', `${path}?${new URLSearchParams({ q })}`, { token })
        ).body.items.map(({ metadata }: AuditEvent) => Object.keys(metadata.changes as object))
      expect(await found('seats')).toHaveLength(2)
      expect(await found('changed seats 5 → 80')).toEqual([['seats', 'seatMode']])
      expect(await found('seat mode')).toEqual([['seats', 'seatMode']])
      expect(await found('clockmaking', '/tenants/acme/audit')).toEqual([['industry']])
      // Request ids and network addresses are not what was changed.
      const { body } = await changed.request('GET', '/audit?q=clockmaking', { token })
      expect(await found(body.items[0].metadata.requestId)).toEqual([])
      expect(await found('requestId')).toEqual([])
    } finally {
      await changed[Symbol.asyncDispose]()
    }
  })
})

describe('what an act leaves in the log', () => {
  const suspend = (headers: Record<string, string>) =>
    testApp.request('POST', '/tenants/globex/suspend', {
      token: operator,
      body: { reason: 'Test' },
      headers,
    })
  const resume = () =>
    testApp.request('POST', '/tenants/globex/resume', { token: operator, body: {} })
  const newest = async (action: string): Promise<AuditEvent> =>
    (await query({ action, limit: '1' })).body.items[0]

  it('names actor, object, change, reason, source and request', async () => {
    await suspend({
      'x-forwarded-for': '203.0.113.9, 10.0.0.1',
      'x-request-id': 'my-request-1',
      'x-atrium-source': 'operator',
      'x-atrium-app-secret': testApp.env.OPERATOR_APP_SECRET ?? '',
    })
    expect(await newest('tenant.suspended')).toMatchObject({
      actorType: 'operator',
      actorEmail: 'operator@atrium.test',
      actorIp: '203.0.113.9',
      actorIpTrusted: true,
      outcome: 'success',
      resourceType: 'tenant',
      resourceName: 'Globex',
      tenantSlug: 'globex',
      source: 'operator',
      metadata: {
        requestId: 'my-request-1',
        reason: 'Test',
        changes: { status: ['pending', 'suspended'] },
      },
      prevHash: null,
      hash: null,
    })
    await resume()
  })

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8::1, 203.0.113.9', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['  198.51.100.1  ', '198.51.100.1'],
    ['unknown', null],
    ['', null],
    ['203.0.113.9.evil.example', null],
    ['fe80::1%eth0', null],
    ["1'; drop table audit_events; --", null],
    ['999.1.1.1, 203.0.113.9', null],
  ])('with X-Forwarded-For %j the address is %j', async (header, address) => {
    expect((await suspend({ 'x-forwarded-for': header })).status).toBe(200)
    expect((await newest('tenant.suspended')).actorIp).toBe(address)
    await resume()
  })

  it.each([
    [{ 'x-request-id': 'bad id with blanks' }],
    [{ 'x-request-id': 'short' }],
    [{ 'x-request-id': 'a'.repeat(200) }],
  ])('takes no request id that could not stand in a log: %j', async (headers) => {
    const response = await suspend(headers)
    expect(response.headers.get('x-request-id')).not.toBe(headers['x-request-id'])
    expect((await newest('tenant.suspended')).metadata.requestId).toBe(
      response.headers.get('x-request-id'),
    )
    await resume()
  })

  it.each([
    ['a source that is none', { 'x-atrium-source': 'job' }],
    ['anybody who names one', { 'x-atrium-source': 'operator' }],
    [
      'a wrong secret',
      {
        'x-atrium-source': 'operator',
        'x-atrium-app-secret': 'secret-of-the-operator-portal-in-testS',
      },
    ],
    [
      'the secret of another app',
      { 'x-atrium-source': 'operator', 'x-atrium-booking-app': 'x'.repeat(34) },
    ],
  ])('does not believe %s', async (_what, headers: Record<string, string>) => {
    await suspend(headers)
    expect((await newest('tenant.suspended')).source).toBe('api')
    await resume()
  })

  it('takes from the portal what the portal may say, and not that it is another app', async () => {
    const secret = { 'x-atrium-app-secret': testApp.env.PORTAL_APP_SECRET ?? '' }
    for (const [said, source] of [
      ['partner', 'partner'],
      ['operator', 'portal'],
    ] as const) {
      await suspend({ ...secret, 'x-atrium-source': said })
      expect((await newest('tenant.suspended')).source).toBe(source)
      await resume()
    }
  })

  it('says whether the address was told by a proxy or server of ours, and is searched by that', async () => {
    const since = new Date().toISOString()
    await suspend({ 'x-forwarded-for': '203.0.113.9' })
    expect(await newest('tenant.suspended')).toMatchObject({
      actorIp: '203.0.113.9',
      actorIpTrusted: false,
    })
    await resume()
    await suspend({
      'x-forwarded-for': '203.0.113.10',
      'x-atrium-app-secret': testApp.env.PORTAL_APP_SECRET ?? '',
    })
    expect(await newest('tenant.suspended')).toMatchObject({
      actorIp: '203.0.113.10',
      actorIpTrusted: true,
    })
    await resume()
    const found = async (actorIpTrusted: string) =>
      (await query({ action: 'tenant.suspended', since, actorIpTrusted })).body.items.map(
        (event: AuditEvent) => event.actorIp,
      )
    expect(await found('false')).toEqual(['203.0.113.9'])
    expect(await found('true')).toEqual(['203.0.113.10'])
    expect((await query({ actorIpTrusted: 'perhaps' })).status).toBe(400)
  })

  it('trusts as many entries as there are proxies, and none to the left of them', async () => {
    await using behind = await startTestApp({
      provisioned: false,
      ownEvents: true,
      env: { TRUSTED_PROXY_HOPS: '1' },
    })
    const token = await behind.token('operator@atrium.test')
    const addressOf = async (header: string) => {
      await behind.request('POST', '/tenants/globex/suspend', {
        token,
        body: { reason: 'x' },
        headers: { 'x-forwarded-for': header },
      })
      await behind.request('POST', '/tenants/globex/resume', { token, body: {} })
      const { body } = await behind.request('GET', '/audit?action=tenant.suspended&limit=1', {
        token,
      })
      return [body.items[0].actorIp, body.items[0].actorIpTrusted]
    }
    expect(await addressOf('203.0.113.9')).toEqual(['203.0.113.9', true])
    expect(await addressOf('198.51.100.7, 203.0.113.9')).toEqual(['198.51.100.7', false])
  })

  it('tells of attempts that were denied, and by whom', async () => {
    const response = await testApp.request('POST', '/tenants/globex/suspend', {
      token: owner,
      body: {},
    })
    expect(response.status).toBe(403)
    expect(
      (await query({ outcome: 'denied', actorEmail: 'owner@acme.test', limit: '1' })).body.items,
    ).toMatchObject([
      {
        action: 'tenant.suspended',
        actorType: 'user',
        // Not in the log of a tenant that the caller has nothing to do with.
        resourceType: 'tenant',
        resourceId: null,
        resourceName: 'globex',
        tenantSlug: null,
        partnerSlug: null,
        metadata: { code: 'operator_required', requestId: response.headers.get('x-request-id') },
      },
    ])
    const before = (await query({ outcome: 'denied' })).body.items.length
    await testApp.request('POST', '/tenants/globex/suspend', { body: {} })
    await testApp.request('GET', '/audit', { token: owner })
    expect((await query({ outcome: 'denied' })).body.items).toHaveLength(before)
  })

  it('tells what was denied in the log of the tenant or partner that the caller has to do with', async () => {
    const member = await testApp.token('member@acme.test')
    const target = await userIdOf(testApp.database.db, 'owner@acme.test')
    expect(
      (
        await testApp.request('POST', `/tenants/acme/users/${target}/suspend`, {
          token: member,
          body: {},
        })
      ).status,
    ).toBe(403)
    expect(
      (await query({ outcome: 'denied', limit: '1' }, owner, '/tenants/acme/audit')).body.items,
    ).toMatchObject([
      {
        action: 'member.suspended',
        actorEmail: 'member@acme.test',
        resourceType: 'member',
        resourceId: target,
        resourceName: 'acme',
        tenantSlug: 'acme',
        partnerSlug: 'north',
        metadata: { code: 'not_admin' },
      },
    ])
    await testApp.database.db
      .updateTable('users')
      .set({ partner_access: 'viewer' })
      .where('email', '=', 'partner@north.test')
      .execute()
    const viewer = await testApp.token('partner@north.test')
    const rejected = [
      { path: '/partners/north/settings', named: 'north', tenantSlug: null },
      { path: '/partners/north/customers/acme', named: 'acme', tenantSlug: 'acme' },
      { path: '/partners/north/customers/globex', named: 'globex', tenantSlug: null },
    ]
    for (const { path, named, tenantSlug } of rejected) {
      expect(
        (await testApp.request('PATCH', path, { token: viewer, body: { defaultSeats: 1 } })).status,
        path,
      ).toBe(403)
      expect(
        (await query({ outcome: 'denied', partnerSlug: 'north', limit: '1' })).body.items,
        path,
      ).toMatchObject([
        {
          actorType: 'partner',
          resourceName: named,
          tenantSlug,
          partnerSlug: 'north',
          metadata: { code: 'access_level' },
        },
      ])
    }
  })

  it.each([
    {},
    [],
    'acme',
    { slug: 7 },
    { slug: 'a\u0000b' },
    { slug: 'acme', userId: { $ne: null } },
    { slug: 'acme', userId: '../x y' },
  ])('tells of denied calls whose input is not what it must be: %j', async (json) => {
    const token = await testApp.token('member@acme.test')
    await testApp.database.db.deleteFrom('audit_denials').execute()
    const before = (await query({ actorEmail: 'member@acme.test', outcome: 'denied' })).body.items
      .length
    const { status } = await testApp.request('POST', '/trpc/members.suspend', {
      token,
      body: { json },
    })
    const entries = (await query({ actorEmail: 'member@acme.test', outcome: 'denied' })).body.items
    expect(entries).toHaveLength(before + (status === 403 ? 1 : 0))
    if (status === 403)
      expect(entries[0]).toMatchObject({ action: 'member.suspended', outcome: 'denied' })
  })
})

it('names repeated denials of a person, action and minute in one further entry', async () => {
  let now = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 20_000)
  await using other = await startTestApp({ provisioned: false, clock: { now: () => now } })
  const [member, operator] = [
    await other.token('member@acme.test'),
    await other.token('operator@atrium.test'),
  ]
  const denied = async () =>
    (await other.request('GET', '/audit?outcome=denied', { token: operator })).body.items
  const tryOnce = () =>
    other.request('POST', '/tenants/globex/suspend', { token: member, body: {} })
  const responses = await Promise.all(Array.from({ length: 40 }, tryOnce))
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 403))
  expect(await denied()).toMatchObject([
    { action: 'tenant.suspended', metadata: { code: 'operator_required' } },
  ])
  await recordRepeatedDenials(other.app.services)
  expect(await denied()).toHaveLength(1)
  const since = new Date(now.getTime() - 20_000).toISOString()
  now = new Date(now.getTime() + 40_000)
  await Promise.all([
    recordRepeatedDenials(other.app.services),
    recordRepeatedDenials(other.app.services),
  ])
  expect(await denied()).toMatchObject([
    { actorEmail: 'member@acme.test', resourceName: 'globex', metadata: { calls: 39, since } },
    { actorEmail: 'member@acme.test', resourceName: 'globex' },
  ])
  await tryOnce()
  now = new Date(now.getTime() + 60_000)
  await recordRepeatedDenials(other.app.services)
  expect(await denied()).toHaveLength(3)
  expect(await other.database.db.selectFrom('audit_denials').selectAll().execute()).toEqual([])
})

it('never fails the act when its entry cannot be written, and counts the loss', async () => {
  await using other = await startTestApp({ provisioned: false, ownEvents: true })
  const token = await other.token('operator@atrium.test')
  const admin = new pg.Client(other.env.DATABASE_URL?.replace('atrium_api', 'atrium_owner'))
  await admin.connect()
  await admin.query('revoke insert on audit_events from atrium_app')
  await admin.query(`revoke insert (at, actor_type, actor_id, actor_email, actor_ip, action, outcome, resource_type, resource_id, resource_name,
    tenant_slug, partner_slug, source, metadata) on audit_events from atrium_app`)
  await admin.end()
  const memberId = await userIdOf(other.database.db, 'member@acme.test')
  const acts = [
    other.request('POST', '/tenants', { token, body: { name: 'Unrecorded' } }),
    other.request('PATCH', '/tenants/acme', { token, body: { name: 'Renamed' } }),
    other.request('POST', '/tenants/globex/suspend', { token, body: {} }),
    other.request('POST', '/users', {
      token,
      body: { idpSubjectId: 's', email: 's@example.test', name: 'S' },
    }),
    other.request('PATCH', `/users/${memberId}`, { token, body: { phone: '+49 30 1' } }),
    other.request('POST', `/users/${memberId}/deactivate`, { token, body: {} }),
    other.request('POST', '/users/invite', { token, body: { name: 'I', email: 'i@example.test' } }),
  ]
  expect((await Promise.all(acts)).map(({ status }) => status)).toEqual([
    201, 200, 200, 201, 200, 200, 201,
  ])
  expect(
    await other.app.services.metrics.registry.getSingleMetricAsString('audit_write_failures_total'),
  ).toContain('audit_write_failures_total 7')
  expect(
    other.logLines.filter((line) => line.includes('failed to write audit entry')),
  ).toHaveLength(7)
})
