import { randomBytes } from 'node:crypto'
import type { Tables } from '@atrium/db/schema/tables'
import { send, startApi } from '@atrium/testing/api-process'
import { clientsWithDeadline, identityApi } from '@atrium/testing/outside'
import { tenantIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import type { UpdateObject } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sweepSsoApps } from '../src/sso/sweep.ts'
import { ssoObjects, ssoRecords } from './outside-sso.ts'

let testApp: TestApp
let token: string

beforeAll(async () => {
  testApp = await startTestApp({
    integrations: clientsWithDeadline(1_000),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  token = await testApp.token('admin@acme.test')
}, 60_000)
afterEach(() => testApp.sandbox.clearFaults())
afterAll(() => testApp[Symbol.asyncDispose]())

const path = '/tenants/acme/sso-apps'
const redirectUris = ['https://wiki.example.test/callback']
const fresh = () => `App ${randomBytes(5).toString('hex')}`
const create = (body: object = {}) =>
  testApp.request('POST', path, { token, body: { name: fresh(), redirectUris, ...body } })
const remove = (id: string) => testApp.request('DELETE', `${path}/${id}`, { token })
const list = async () => (await testApp.request('GET', path, { token })).body.items
const rowOf = (name: string) =>
  testApp.database.db.selectFrom('sso_apps').selectAll().where('name', '=', name).executeTakeFirst()
const rowsOf = (name: string) =>
  testApp.database.db.selectFrom('sso_apps').selectAll().where('name', '=', name).execute()
const auditOf = (resourceId: string) =>
  testApp.database.db
    .selectFrom('audit_events')
    .selectAll()
    .where('resource_id', '=', resourceId)
    .orderBy('at')
    .execute()

const provider = () => ssoRecords(testApp)
const outside = (name: string) => ssoObjects(testApp, name)
const nothing = { applications: 0, providers: 0, bindings: 0 }
const all = { applications: 1, providers: 1, bindings: 1 }
const counts = () => {
  const { applications, providers, bindings } = provider()
  return [applications.length, providers.length, bindings.length]
}

describe('registering an application', () => {
  it('makes provider, application and binding to the group of the tenant, and tells what an app is set up with', async () => {
    const name = fresh()
    const uris = [...redirectUris, 'http://127.0.0.1:8123/callback', 'com.example.wiki:/oauth']
    const response = await create({
      name,
      redirectUris: uris,
      launchUrl: 'https://wiki.example.test/',
    })
    expect(response.status).toBe(201)
    const { clientSecret, ...app } = response.body
    expect(clientSecret).toMatch(/^[A-Za-z0-9_-]{64}$/)
    expect(app).toMatchObject({
      name,
      state: 'active',
      redirectUris: uris,
      launchUrl: 'https://wiki.example.test/',
    })
    expect(app.slug).toMatch(/^acme-app-[0-9a-f]+-[0-9a-f]{8}$/)
    expect(app.issuer).toBe(`${testApp.sandbox.identityUrl}/application/o/${app.slug}/`)
    expect(outside(name)).toEqual(all)
    const { applications, providers, bindings, groups } = provider()
    const application = applications.find(({ slug }) => slug === app.slug)
    expect(application).toMatchObject({ meta_launch_url: 'https://wiki.example.test/' })
    expect(providers.find(({ client_id }) => client_id === app.clientId)?.redirect_uris).toEqual(
      uris.map((url) => expect.objectContaining({ url, matching_mode: 'strict' })),
    )
    expect(bindings.find(({ target }) => target === application?.pk)?.group).toBe(
      groups.find((group) => group.name === 'acme')?.pk,
    )
    expect(await (await fetch(app.discoveryUrl)).json()).toMatchObject({ issuer: app.issuer })
    expect(await auditOf(app.id)).toMatchObject([
      {
        action: 'sso_app.created',
        outcome: 'success',
        resource_name: name,
        tenant_slug: 'acme',
        metadata: { clientId: app.clientId },
      },
    ])
    expect(await list()).toContainEqual(app)
  })

  it('works over tRPC, and the answer has the secret there too', async () => {
    const made = await testApp
      .trpc(token)
      .sso.create.mutate({ slug: 'acme', name: fresh(), redirectUris })
    expect(made.clientSecret).toHaveLength(64)
    expect(
      (await testApp.trpc(token).sso.list.query({ slug: 'acme' })).items.map(({ id }) => id),
    ).toContain(made.id)
    await testApp.trpc(token).sso.remove.mutate({ slug: 'acme', appId: made.id })
  })

  it('keeps the secret in no table, log or audit entry', async () => {
    const { body } = await testApp.request('POST', path, {
      token,
      headers: { 'idempotency-key': 'sso-secret' },
      body: { name: fresh(), redirectUris },
    })
    expect(body.clientSecret).toHaveLength(64)
    const owner = new pg.Client(testApp.env.DATABASE_URL?.replace('atrium_api', 'atrium_owner'))
    await owner.connect()
    const { rows: tables } = await owner.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')`,
    )
    const names = tables.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['public.sso_apps', 'public.audit_events', 'public.idempotency_keys']),
    )
    for (const name of names) {
      const { rows } = await owner.query<{ text: string }>(`select t::text as text from ${name} t`)
      expect(
        rows.filter(({ text }) => text.includes(body.clientSecret)),
        name,
      ).toEqual([])
    }
    await owner.end()
    expect(testApp.logLines.join('\n')).not.toContain(body.clientSecret)
    const again = { token, headers: { 'idempotency-key': 'sso-secret' } }
    const replay = await testApp.request('POST', path, {
      ...again,
      body: { name: body.name, redirectUris },
    })
    expect(replay).toMatchObject({ status: 409, body: { code: 'idempotency_answer_withheld' } })
  })

  it('takes a name once, also when two come at the same time, in any case', async () => {
    const name = fresh()
    const responses = await Promise.all(
      [name, name.toUpperCase(), name].map((given) => create({ name: given })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(responses.find(({ status }) => status === 409)?.body.code).toBe('already_exists')
    const { id } = responses.find(({ status }) => status === 201)?.body ?? {}
    expect((await remove(id)).status).toBe(204)
    expect((await create({ name })).status).toBe(201)
  })

  it('is rejected on a tenant that is suspended, deleted, or has no group yet', async () => {
    const operator = await testApp.token('operator@atrium.test')
    const before = counts()
    const attempt = async () => {
      const { status, body } = await testApp.request('POST', '/tenants/globex/sso-apps', {
        token: operator,
        body: { name: fresh(), redirectUris },
      })
      return [status, body.code]
    }
    const set = (fields: UpdateObject<Tables, 'tenants'>) => change.set(fields).execute()
    const change = testApp.database.db.updateTable('tenants').where('slug', '=', 'globex')
    const { identity_group_id } = await testApp.database.db
      .selectFrom('tenants')
      .select('identity_group_id')
      .where('slug', '=', 'globex')
      .executeTakeFirstOrThrow()
    await set({ identity_group_id: null })
    expect(await attempt()).toEqual([409, 'tenant_not_provisioned'])
    await set({ identity_group_id, status: 'suspended' })
    expect(await attempt()).toEqual([409, 'tenant_suspended'])
    await set({ status: 'deleted', deleted_at: new Date() })
    expect(await attempt()).toEqual([409, 'tenant_deleted'])
    await set({ status: 'active', deleted_at: null })
    expect(counts()).toEqual(before)
    expect(await attempt()).toEqual([201, undefined])
  })

  it('is rejected beyond a hundred in a tenant', async () => {
    const id = await tenantIdOf(testApp.database.db, 'globex')
    const operator = await testApp.token('operator@atrium.test')
    const rows = Array.from({ length: 100 }, (_, n) => ({
      tenant_id: id,
      name: `Many ${n}`,
      slug: `many-${n}`,
      state: 'active' as const,
      provider_id: '9',
      client_id: `many-${n}`,
      redirect_uris: redirectUris,
    }))
    await testApp.database.db.insertInto('sso_apps').values(rows).execute()
    const response = await testApp.request('POST', '/tenants/globex/sso-apps', {
      token: operator,
      body: { name: fresh(), redirectUris },
    })
    expect(response).toMatchObject({ status: 409, body: { code: 'limit_reached' } })
    await testApp.database.db.deleteFrom('sso_apps').where('name', 'like', 'Many %').execute()
  })

  it('is rejected where there is no identity provider', async () => {
    await using other = await startTestApp({
      provisioned: false,
      env: { IDP_API_URL: '', IDP_API_TOKEN: '' },
    })
    const admin = await other.token('admin@acme.test')
    const response = await other.request('POST', path, {
      token: admin,
      body: { name: 'App', redirectUris },
    })
    expect(response).toMatchObject({ status: 409, body: { code: 'integration_off' } })
    expect(await other.request('GET', path, { token: admin })).toMatchObject({
      status: 200,
      body: { items: [], nextCursor: null },
    })
  })

  it('tells for each field what is wrong, and makes nothing', async () => {
    const before = counts()
    const response = await create({
      name: ' ',
      redirectUris: [
        'https://a.example.test/#x',
        'http://a.example.test/',
        'https://ok.example.test/',
        'https://ok.example.test/',
      ],
      launchUrl: 'javascript:alert(1)',
      clientSecret: 'mine',
    })
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(response.body.issues.map((issue: { path: string }) => issue.path).sort()).toEqual(
      [
        'clientSecret',
        'launchUrl',
        'name',
        'redirectUris.0',
        'redirectUris.1',
        'redirectUris.3',
      ].sort(),
    )
    expect((await create({ redirectUris: [] })).body.issues).toEqual([
      { path: 'redirectUris', message: 'This must not be empty.' },
    ])
    expect(counts()).toEqual(before)
  })
})

describe('a creation that fails', () => {
  const parts = [
    ['the flows', 'GET /api/v3/flows/instances/'],
    ['provider, application and binding', 'PUT /api/v3/core/transactional/applications/'],
    ['the look at the application', 'GET /api/v3/core/applications/'],
    ['the look at the provider', 'GET /api/v3/providers/oauth2/'],
    ['the look at the binding', 'GET /api/v3/policies/bindings/'],
  ] as const
  const modes = [
    { mode: 'error', status: 500 },
    { mode: 'error', status: 403 },
    { mode: 'reset' },
    { mode: 'garbage' },
    { mode: 'timeout' },
  ] as const
  const cases = parts.flatMap(([part, match]) =>
    modes.flatMap((fault) =>
      (match.startsWith('PUT') ? [false, true] : [false]).map((after) => ({
        name: `${part}, ${Object.values(fault).join(' ')}${after ? ' after it was done' : ''}`,
        fault: { ...fault, match, ...(after ? { after } : {}) },
      })),
    ),
  )

  it.each(cases)('leaves nothing behind and can be repeated: $name', async ({ fault }) => {
    const name = fresh()
    // Two hits: the first try and the second one of what is tried again.
    testApp.sandbox.fault({ system: 'identity', times: 2, ...fault })
    const before = counts()
    const response = await create({ name })
    testApp.sandbox.clearFaults()
    expect(response).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(response.body.detail).toMatch(
      /^The identity provider .*\.( \[.*\])? (Nothing was left behind|What may have been left behind .*)\.$/,
    )
    // What a failed look could not take away at once, the clean-up does.
    await sweepSsoApps(testApp.app.services, 0)
    expect(await rowsOf(name)).toEqual([])
    expect(outside(name)).toEqual(nothing)
    expect(counts()).toEqual(before)
    const repeated = await create({ name })
    expect(repeated.status).toBe(201)
    expect(outside(name)).toEqual(all)
  })

  it('tells which part failed', async () => {
    for (const [match, part] of [
      ['GET /api/v3/core/applications/', 'application'],
      ['GET /api/v3/policies/bindings/', 'group binding'],
    ] as const) {
      testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 500, match, times: 2 })
      expect((await create()).body.detail).toContain(`the part that failed is the ${part}`)
      testApp.sandbox.clearFaults()
    }
  })

  it('and whose roll-back fails too is taken away later, and its name is free meanwhile', async () => {
    const name = fresh()
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'reset',
      match: 'PUT /api/v3/core/transactional/',
      times: 1,
      after: true,
    })
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'error',
      status: 500,
      match: 'DELETE /api/v3/',
    })
    const response = await create({ name })
    expect(response).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(response.body.detail).toMatch(/left behind/)
    expect(await rowOf(name)).toMatchObject({ state: 'removing' })
    expect(outside(name)).toEqual(all)
    expect((await list()).find((app: { name: string }) => app.name === name)).toMatchObject({
      state: 'removing',
    })
    expect(await sweepSsoApps(testApp.app.services, 0)).toEqual({ gone: 0, left: 1 })
    expect(await rowOf(name)).toMatchObject({ state: 'removing' })
    testApp.sandbox.clearFaults()
    expect((await create({ name })).status).toBe(201)
    expect(await sweepSsoApps(testApp.app.services, 0)).toEqual({ gone: 1, left: 0 })
    expect(await rowsOf(name)).toMatchObject([{ state: 'active' }])
    expect(outside(name)).toEqual(all)
  })

  it('and whose roll-back takes the application away alone leaves no provider for good', async () => {
    const name = fresh()
    const before = counts()
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'reset',
      match: 'PUT /api/v3/core/transactional/',
      times: 1,
      after: true,
    })
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'error',
      status: 500,
      match: 'DELETE /api/v3/providers/',
    })
    expect(await create({ name })).toMatchObject({ status: 502 })
    expect(counts()).not.toEqual(before)
    testApp.sandbox.clearFaults()
    expect(await sweepSsoApps(testApp.app.services, 0)).toEqual({ gone: 1, left: 0 })
    expect(counts()).toEqual(before)
  })

  it('is reported without secrets, and not audited as done', async () => {
    const before = (await testApp.auditActions()).length
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'error',
      status: 500,
      match: 'PUT /api/v3/core/transactional/',
    })
    const { body } = await create()
    expect(body.detail).not.toMatch(/[A-Za-z0-9_-]{40}/)
    expect(await testApp.auditActions()).toHaveLength(before)
  })

  it('because the process was killed is cleaned up by the next one', async () => {
    for (const after of [false, true]) {
      const name = fresh()
      await using process = await startApi(testApp)
      testApp.sandbox.fault({
        system: 'identity',
        mode: 'latency',
        delayMs: 60_000,
        match: 'PUT /api/v3/core/transactional/',
        times: 1,
        ...(after ? { after } : {}),
      })
      const call = send(process.url, 'POST', path, token, { name, redirectUris }).catch(
        () => undefined,
      )
      await expect
        .poll(() => rowOf(name), { timeout: 10_000, interval: 20 })
        .toMatchObject({ state: 'pending' })
      if (after)
        await expect.poll(() => outside(name), { timeout: 10_000, interval: 20 }).toEqual(all)
      process.signal('SIGKILL')
      await process.ended
      await call
      testApp.sandbox.clearFaults()
      expect((await list()).find((app: { name: string }) => app.name === name)).toMatchObject({
        state: 'pending',
      })
      expect(await sweepSsoApps(testApp.app.services)).toEqual({ gone: 0, left: 0 })
      expect(await sweepSsoApps(testApp.app.services, 0)).toEqual({ gone: 1, left: 0 })
      expect(await rowOf(name)).toBeUndefined()
      expect(outside(name)).toEqual(nothing)
    }
  }, 90_000)

  it('because the process was killed long ago is cleaned up by the job of the next process', async () => {
    const name = fresh()
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'error',
      status: 500,
      match: 'DELETE /api/v3/',
    })
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'reset',
      match: 'PUT /api/v3/core/transactional/',
      times: 1,
      after: true,
    })
    await create({ name })
    testApp.sandbox.clearFaults()
    expect(outside(name)).toEqual(all)
    await testApp.database.db
      .updateTable('sso_apps')
      .set({ state: 'pending', changed_at: new Date(Date.now() - 600_000) })
      .where('name', '=', name)
      .execute()
    await using process = await startApi(testApp)
    await expect.poll(() => rowOf(name), { timeout: 20_000, interval: 100 }).toBeUndefined()
    expect(outside(name)).toEqual(nothing)
    process.signal('SIGTERM')
    await process.ended
  }, 90_000)

  it('because the clean-up came first is withdrawn', async () => {
    const name = fresh()
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'latency',
      delayMs: 500,
      match: 'PUT /api/v3/core/transactional/',
      times: 1,
    })
    const call = create({ name })
    await expect.poll(() => rowOf(name), { interval: 10 }).toMatchObject({ state: 'pending' })
    await sweepSsoApps(testApp.app.services, 0)
    expect(await call).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(await rowOf(name)).toBeUndefined()
    expect(outside(name)).toEqual(nothing)
  })
})

describe('the list', () => {
  it('tells what became of each application at the provider', async () => {
    const [kept, lost, changed] = await Promise.all([create(), create(), create()])
    await identityApi(testApp, 'DELETE', `/core/applications/${lost.body.slug}/`)
    const application = provider().applications.find(({ slug }) => slug === changed.body.slug)
    await identityApi(testApp, 'DELETE', `/providers/oauth2/${application?.provider}/`)
    const states = async () =>
      Object.fromEntries(
        (await list()).map((app: { id: string; state: string }) => [app.id, app.state]),
      )
    expect(await states()).toMatchObject({
      [kept.body.id]: 'active',
      [lost.body.id]: 'missing',
      [changed.body.id]: 'missing',
    })
    testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 500 })
    expect(await states()).toMatchObject({ [kept.body.id]: 'unknown', [lost.body.id]: 'unknown' })
    testApp.sandbox.clearFaults()
    for (const { body } of [lost, changed]) expect((await remove(body.id)).status).toBe(204)
    expect(outside(lost.body.name)).toEqual(nothing)
  })

  it('does not wait for a provider that stays silent', async () => {
    const { body } = await create()
    testApp.sandbox.fault({ system: 'identity', mode: 'timeout' })
    expect((await list()).find(({ id }: { id: string }) => id === body.id)).toMatchObject({
      state: 'unknown',
    })
  })
})

describe('removing an application', () => {
  it('takes all of it away, once', async () => {
    const { body } = await create()
    expect((await remove(body.id)).status).toBe(204)
    expect(outside(body.name)).toEqual(nothing)
    expect(await rowOf(body.name)).toBeUndefined()
    expect(await remove(body.id)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await auditOf(body.id)).map(({ action }) => action)).toEqual([
      'sso_app.created',
      'sso_app.deleted',
    ])
  })

  it.each([
    ['before', {}],
    ['after it was done', { after: true }],
  ])(
    'keeps the record while the provider fails %s, and the clean-up or another try ends it',
    async (_when, after) => {
      const { body } = await create()
      testApp.sandbox.fault({
        system: 'identity',
        mode: 'error',
        status: 500,
        match: 'DELETE /api/v3/providers/',
        ...after,
      })
      expect(await remove(body.id)).toMatchObject({
        status: 502,
        body: { code: 'upstream_failed' },
      })
      expect(await rowOf(body.name)).toMatchObject({ state: 'removing' })
      expect((await auditOf(body.id)).at(-1)).toMatchObject({
        action: 'sso_app.deleted',
        outcome: 'failure',
      })
      testApp.sandbox.clearFaults()
      expect((await remove(body.id)).status).toBe(204)
      expect(await rowOf(body.name)).toBeUndefined()
      expect(provider().providers.some(({ client_id }) => client_id === body.clientId)).toBe(false)
    },
  )

  it('leaves the applications of other tenants alone', async () => {
    const owner = await testApp.token('owner@globex.test')
    const { body } = await testApp.request('POST', '/tenants/globex/sso-apps', {
      token: owner,
      body: { name: fresh(), redirectUris },
    })
    expect(await remove(body.id)).toMatchObject({ status: 404 })
    expect(outside(body.name)).toEqual(all)
  })

  it('is rejected while the tenant is suspended', async () => {
    const { body } = await create()
    const change = testApp.database.db.updateTable('tenants').where('slug', '=', 'acme')
    await change.set({ status: 'suspended' }).execute()
    expect(await remove(body.id)).toMatchObject({ status: 409, body: { code: 'tenant_suspended' } })
    await change.set({ status: 'active' }).execute()
    expect(outside(body.name)).toEqual(all)
  })
})
