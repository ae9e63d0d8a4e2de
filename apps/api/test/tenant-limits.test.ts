import { limits } from '@atrium/core/platform/limits'
import { type TenantLimit, tenantLimitNames } from '@atrium/core/tenants/tenant-limits'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    env: { LIMITS: 'members_day=5,lists=2' },
    sandbox: { identity: { accessTokenSeconds: 3_600 } },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

let count = 0
const read = (token = testApp.as.admin, slug = 'acme') =>
  testApp.request('GET', `/tenants/${slug}/limits`, { token })
const set = (body: object, slug = 'acme') =>
  testApp.request('PATCH', `/tenants/${slug}/limits`, { token: testApp.as.operator, body })
const one = ({ body }: Awaited<ReturnType<typeof read>>, name: string) =>
  (body.items as TenantLimit[]).find((item) => item.name === name)
const addMember = () =>
  testApp.request('POST', '/tenants/acme/users', {
    token: testApp.as.admin,
    body: { email: `new-${++count}@acme.tenants.local` },
  })
const changesRecorded = async () =>
  (
    await testApp.request('GET', '/audit?action=tenant.limits_changed', {
      token: testApp.as.operator,
    })
  ).body.items as {
    resourceName: string
    tenantSlug: string
    metadata: unknown
  }[]

describe('what is used of the limits of a workplace', () => {
  it('is told to its admins for every limit that can be set for a tenant', async () => {
    const before = await read()
    expect(before.status).toBe(200)
    expect(before.body.items.map(({ name }: TenantLimit) => name)).toEqual(tenantLimitNames)
    expect(one(before, 'invitations_day')).toMatchObject({
      counts: 'welcome mails to outside addresses',
      seconds: 86_400,
      most: limits.invitations_day.most,
      standard: limits.invitations_day.most,
      set: null,
      used: 0,
    })
    expect((await addMember()).status).toBe(201)
    const list = {
      address: 'all@acme.tenants.local',
      name: 'All',
      recipients: ['member@acme.test'],
    }
    expect(
      (
        await testApp.request('POST', '/tenants/acme/lists', {
          token: testApp.as.admin,
          body: list,
        })
      ).status,
    ).toBe(201)
    const after = await read()
    const midnight = new Date()
    midnight.setUTCHours(24, 0, 0, 0)
    expect(one(after, 'members_day')).toMatchObject({
      used: 1,
      most: 5,
      standard: 5,
      resetsAt: midnight.toISOString(),
    })
    expect(one(after, 'lists')).toMatchObject({ used: 1, most: 2, resetsAt: null })
    expect(one(after, 'domains')).toMatchObject({
      used: 1,
      most: limits.domains.most,
      resetsAt: null,
    })
  })

  it('is that of the member or the host who used most, where each has a number', async () => {
    expect([
      one(await read(), 'password_resets_hour'),
      one(await read(), 'visitor_mails_host_day'),
    ]).toMatchObject([
      {
        per: 'member',
        used: 0,
        most: limits.password_resets_hour.most,
        resetsAt: expect.any(String),
      },
      {
        per: 'host',
        used: 0,
        most: limits.visitor_mails_host_day.most,
        resetsAt: expect.any(String),
      },
    ])
    const reset = async (email: string) =>
      testApp.call('POST', `/users/${await testApp.idOf(email)}/reset-password`, {})
    for (const email of ['member@acme.test', 'member@acme.test', 'admin@acme.test'])
      expect((await reset(email)).body, email).toMatchObject({
        outcomes: { identity: { state: 'ok' } },
      })
    const after = await read()
    expect(one(after, 'password_resets_hour')).toMatchObject({ used: 2 })
    expect(one(after, 'password_resets_day')).toMatchObject({ per: 'tenant', used: 3 })
    expect(
      one(await read(await testApp.token('owner@globex.test'), 'globex'), 'password_resets_hour'),
    ).toMatchObject({ used: 0 })
  })

  it('is not told where it is counted elsewhere', async () => {
    const { body } = await read()
    const uncounted = (body.items as TenantLimit[]).filter(({ used }) => used === null)
    expect(uncounted.map(({ name, resetsAt }) => [name, resetsAt])).toEqual([
      ['aliases', null],
      ['previews_minute', null],
      ['streams', null],
    ])
  })

  it('is private', async () => {
    expect(await read(testApp.as.member)).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
    expect(await read(await testApp.token('owner@globex.test'))).toMatchObject({ status: 404 })
  })
})

describe('limits of one workplace', () => {
  it('are raised and lowered by an operator, and apply at once', async () => {
    expect(
      (await set({ limits: [{ name: 'members_day', most: 1 }], reason: 'Many complaints' })).status,
    ).toBe(200)
    expect(await addMember()).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', limit: 'members_day' },
    })
    const raised = await set({
      limits: [
        { name: 'members_day', most: 2 },
        { name: 'lists', most: 0 },
      ],
    })
    expect([one(raised, 'members_day'), one(raised, 'lists')]).toMatchObject([
      { used: 1, most: 2, standard: 5, set: 2 },
      { used: 1, most: 0, standard: 2 },
    ])
    expect((await addMember()).status).toBe(201)
    // What is there already stays.
    expect(
      (await testApp.request('GET', '/tenants/acme/lists', { token: testApp.as.admin })).body.items,
    ).toHaveLength(1)
    const standard = await set({
      limits: [
        { name: 'members_day', most: null },
        { name: 'lists', most: null },
      ],
    })
    expect(one(standard, 'members_day')).toMatchObject({ most: 5 })
    expect(await testApp.database.db.selectFrom('tenant_limits').select('name').execute()).toEqual(
      [],
    )
    expect(
      (await read(await testApp.token('owner@globex.test'), 'globex')).body.items,
    ).toContainEqual(expect.objectContaining({ name: 'members_day', most: 5, used: 0 }))
  })

  it('are in the audit log with the reason, and not there when nothing changed', async () => {
    const known = await changesRecorded()
    expect(known.at(-1)).toMatchObject({
      resourceName: 'acme',
      tenantSlug: 'acme',
      metadata: { changes: { members_day: [null, 1] }, reason: 'Many complaints' },
    })
    expect((await set({ limits: [{ name: 'sso_apps', most: null }] })).status).toBe(200)
    expect(await changesRecorded()).toHaveLength(known.length)
  })

  it.each([
    [[]],
    [[{ name: 'changes_person_minute', most: 5 }]],
    [[{ name: 'members_day', most: -1 }]],
    [[{ name: 'members_day', most: 1.5 }]],
    [[{ name: 'members_day', most: 10_000_001 }]],
    [
      [
        { name: 'members_day', most: 1 },
        { name: 'members_day', most: 2 },
      ],
    ],
    [[{ name: 'members_day', most: 1, tenant_id: 'x' }]],
  ])('are not set to %j', async (given) => {
    expect(await set({ limits: given })).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    })
    expect(await testApp.database.db.selectFrom('tenant_limits').select('name').execute()).toEqual(
      [],
    )
  })

  it('are set while it is suspended and not once it is deleted', async () => {
    const setOne = () => set({ limits: [{ name: 'visitor_mails_day', most: 0 }] }, 'globex')
    const act = (method: string, path: string) =>
      testApp.request(method, `/tenants/globex${path}`, { token: testApp.as.operator })
    expect((await act('POST', '/suspend')).status).toBe(200)
    expect((await setOne()).status).toBe(200)
    expect((await act('DELETE', '')).status).toBe(204)
    expect(await setOne()).toMatchObject({ status: 409, body: { code: 'tenant_deleted' } })
    expect(
      await set({ limits: [{ name: 'visitor_mails_day', most: 0 }] }, 'nowhere'),
    ).toMatchObject({ status: 404 })
  })

  it('are all kept when two operators set different ones at the same time', async () => {
    const names = ['members_day', 'lists', 'sso_apps', 'imports_day', 'domains'] as const
    const responses = await Promise.all(
      names.map((name, n) => set({ limits: [{ name, most: n + 100 }] })),
    )
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 200))
    const all = await read()
    expect(names.map((name) => one(all, name)?.most)).toEqual([100, 101, 102, 103, 104])
  })
})
