import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

let testApp: TestApp
let token: string
let operator: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  token = await testApp.token('newcomer@example.test')
  operator = await testApp.token('operator@atrium.test')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const create = (key: string, body: object, as = token) =>
  testApp.request('POST', '/tenants', { token: as, body, headers: { 'idempotency-key': key } })
const tenantsNamed = async (name: string) =>
  (await testApp.database.db.selectFrom('tenants').select('id').where('name', '=', name).execute())
    .length

it('replays the answer to the same request, and says so', async () => {
  const first = await create('replay', { name: 'Replayed' })
  const second = await create('replay', { name: 'Replayed' })
  expect(first.status).toBe(201)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(second).toMatchObject({ status: 201, body: first.body })
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(await tenantsNamed('Replayed')).toBe(1)
})

it('replays a rejection as the problem that it was', async () => {
  const first = await create('refusal', { name: 'x', slug: 'acme' })
  const second = await create('refusal', { name: 'x', slug: 'acme' })
  expect(first).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  expect(second).toMatchObject({ status: 409, body: first.body })
  expect(second.headers.get('content-type')).toBe('application/problem+json')
})

it('rejects another request under the key: another body, another path', async () => {
  await create('mismatch', { name: 'Original' })
  expect(await create('mismatch', { name: 'Other' })).toMatchObject({
    status: 422,
    body: { code: 'idempotency_mismatch' },
  })
  const elsewhere = await testApp.request('POST', '/tenants/acme/reconcile', {
    token,
    body: { name: 'Original' },
    headers: { 'idempotency-key': 'mismatch' },
  })
  expect(elsewhere).toMatchObject({ status: 422 })
  expect(await tenantsNamed('Other')).toBe(0)
})

it('keeps the keys of people apart', async () => {
  const mine = await create('shared', { name: 'Apart' })
  const theirs = await create('shared', { name: 'Apart' }, operator)
  expect([mine.status, theirs.status]).toEqual([201, 201])
  expect(mine.body.id).not.toBe(theirs.body.id)
})

it('runs a hundred simultaneous equal requests once and returns the same to all', async () => {
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => create('parallel', { name: 'Parallel' })),
  )
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
  expect(
    responses.filter(({ headers }) => headers.get('idempotency-replayed') === null),
  ).toHaveLength(1)
  expect(await tenantsNamed('Parallel')).toBe(1)
})

it('of two different requests at once under one key carries one out', async () => {
  const responses = await Promise.all(['Left', 'Right'].map((name) => create('torn', { name })))
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 422])
  expect((await tenantsNamed('Left')) + (await tenantsNamed('Right'))).toBe(1)
})

it('keeps no failure of ours: the same request may be tried again', async () => {
  const invite = () =>
    testApp.request('POST', '/users/invite', {
      token: operator,
      body: { name: 'Retry', email: 'retry@example.test' },
      headers: { 'idempotency-key': 'failed' },
    })
  testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 503, match: '/api/v3/' })
  expect((await invite()).status).toBe(502)
  testApp.sandbox.clearFaults()
  expect((await invite()).status).toBe(201)
})

it('keeps no rejection that a new right would lift', async () => {
  const suspend = (as: string) =>
    testApp.request('POST', '/tenants/globex/suspend', {
      token: as,
      body: {},
      headers: { 'idempotency-key': 'rights' },
    })
  expect((await suspend(await testApp.token('operator@atrium.test', 'portal'))).status).toBe(403)
  expect((await suspend(operator)).status).toBe(200)
})

it('forgets after a day', async () => {
  await create('aged', { name: 'Aged' })
  await sql`update idempotency_keys set expires_at = now() - interval '1 second' where key = 'aged'`.execute(
    testApp.database.db,
  )
  expect(await create('aged', { name: 'Aged anew' })).toMatchObject({
    status: 201,
    body: { name: 'Aged anew' },
  })
})

/** What the database holds of requests under a key. */
const rowsOf = async (key: string) =>
  (
    await sql<Record<string, unknown>>`select * from idempotency_keys where key = ${key}`.execute(
      testApp.database.db,
    )
  ).rows

it('takes up what a dead process left, once its lease of twelve seconds has lapsed', async () => {
  const inherit = (key: string, leaseUntil: string) =>
    sql`update idempotency_keys set state = 'running', status = null, body = null, sealed = null, lease_until = ${sql.raw(leaseUntil)}
      where key = ${key}`.execute(testApp.database.db)
  await create('orphan', { name: 'Orphaned' })
  const [{ lease_until, expires_at, created_at }] = (await rowsOf('orphan')) as [
    Record<string, Date>,
  ]
  expect(lease_until).toBeNull()
  expect(expires_at).not.toEqual(created_at)
  await inherit('orphan', `now() + interval '1 second'`)
  expect(await create('orphan', { name: 'Something else' })).toMatchObject({ status: 422 })
  // Waits for the lease, then carries the request out itself.
  const response = await create('orphan', { name: 'Orphaned' })
  expect(response.status).toBe(201)
  expect(response.headers.get('idempotency-replayed')).toBeNull()
})

it('leaves to the program before what it began, for five minutes', async () => {
  await create('elder', { name: 'Elder' })
  const began = (ago: string) =>
    sql`update idempotency_keys set state = 'running', status = null, body = null, sealed = null, run = null, lease_until = null,
      created_at = now() - ${sql.lit(ago)}::interval where key = 'elder'`.execute(
      testApp.database.db,
    )
  await began('6 minutes')
  expect((await create('elder', { name: 'Elder' })).headers.get('idempotency-replayed')).toBeNull()
  await sql`update idempotency_keys set state = 'done', status = 201, body = '{"from":"before"}', sealed = null where key = 'elder'`.execute(
    testApp.database.db,
  )
  expect(await create('elder', { name: 'Elder' })).toMatchObject({
    status: 201,
    body: { from: 'before' },
  })
})

it('extends its lease for as long as it is carried out', async () => {
  testApp.sandbox.fault({
    system: 'identity',
    mode: 'latency',
    delayMs: 6_000,
    times: 1,
    match: '/api/v3/',
  })
  const slow = testApp.request('POST', '/users/invite', {
    token: operator,
    body: { name: 'Slow', email: 'slow@example.test' },
    headers: { 'idempotency-key': 'slow' },
  })
  const leases = new Set<number>()
  for (let i = 0; i < 30 && leases.size < 2; i++) {
    await new Promise((done) => setTimeout(done, 250))
    for (const { lease_until } of await rowsOf('slow'))
      if (lease_until instanceof Date) leases.add(lease_until.getTime())
  }
  testApp.sandbox.clearFaults()
  await slow
  expect(leases.size).toBe(2)
})

it('stores no rejection but a conflict', async () => {
  const rejected = await create('no-input', { unknown: 'x' })
  expect(rejected).toMatchObject({ status: 400 })
  expect(await rowsOf('no-input')).toEqual([])
  const absent = await testApp.request('POST', '/tenants/nowhere/reconcile', {
    token,
    headers: { 'idempotency-key': 'nowhere' },
  })
  expect(absent.status).toBe(404)
  expect(await rowsOf('nowhere')).toEqual([])
  // The next one is another request under a free key.
  expect((await create('no-input', { name: 'Mended' })).status).toBe(201)
})

it('carries a rejected request out again for each who waited for it', async () => {
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => create('refused-at-once', { unknown: 'x' })),
  )
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
})

it('stores answers encrypted, bound to caller and key', async () => {
  await create('sealed', { name: 'Unmistakable' })
  const [row] = await rowsOf('sealed')
  expect(row).toMatchObject({ body: null, status: 201 })
  expect(JSON.stringify(row)).not.toContain('Unmistakable')
  expect(String(row?.sealed)).not.toContain('Unmistakable')
  await create('moved', { name: 'Unmistakable' })
  await sql`update idempotency_keys set sealed = (select sealed from idempotency_keys where key = 'sealed') where key = 'moved'`.execute(
    testApp.database.db,
  )
  expect(await create('moved', { name: 'Unmistakable' })).toMatchObject({
    status: 409,
    body: { code: 'idempotency_answer_withheld' },
  })
})

it('stores no answer that is larger than 32 KiB, and says so', async () => {
  const big = (key: string) =>
    testApp.request('POST', '/tenants/acme/branding/preview', {
      token: operator,
      body: {
        template: 'member.welcome',
        draft: { subject: 'x', html: 'y'.repeat(19_000), text: 'y'.repeat(19_000) },
      },
      headers: { 'idempotency-key': key },
    })
  const first = await big('big')
  expect({ status: first.status, large: JSON.stringify(first.body).length > 32 * 1024 }).toEqual({
    status: 200,
    large: true,
  })
  const [row] = await rowsOf('big')
  expect(row).toMatchObject({ body: null, sealed: null, status: 200 })
  expect(await big('big')).toMatchObject({
    status: 409,
    body: { code: 'idempotency_answer_withheld' },
  })
})

it('names of a hundred unknown fields at most, each cut to 64 characters', async () => {
  const body = {
    name: 'Named',
    ...Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`${n}`.padStart(60, '0') + 'ü'.repeat(1_500), 1]),
    ),
  }
  const response = await create('unknown', body)
  expect(response.status).toBe(400)
  expect(response.body.issues).toHaveLength(100)
  for (const { path } of response.body.issues) expect(path).toMatch(/^\d{60}ü{3}…$/)
  const query = await testApp.request(
    'GET',
    `/tenants?${'q'.repeat(5_000)}=1&${'q'.repeat(5_000)}=2`,
    { token },
  )
  expect(query.body.issues).toEqual([{ path: `${'q'.repeat(63)}…`, message: expect.any(String) }])
})

it.each(['', ' ', 'a b', 'ü', 'a'.repeat(256)])('refuses the key %j', async (key) => {
  const response = await create(key, { name: 'Unkeyed' })
  expect(response).toMatchObject({ status: 400, body: { issues: [{ path: 'Idempotency-Key' }] } })
  expect(await tenantsNamed('Unkeyed')).toBe(0)
})

it('means nothing on other methods', async () => {
  const rename = (name: string) =>
    testApp.request('PATCH', '/tenants/acme', {
      token: operator,
      body: { name },
      headers: { 'idempotency-key': 'patch' },
    })
  expect((await rename('One')).body.name).toBe('One')
  expect((await rename('Two')).body.name).toBe('Two')
})

it('needs a caller', async () => {
  const response = await testApp.request('POST', '/tenants', {
    body: { name: 'x' },
    headers: { 'idempotency-key': 'nobody' },
  })
  expect(response).toMatchObject({ status: 401 })
  expect(
    await testApp.database.db
      .selectFrom('idempotency_keys')
      .select('key')
      .where('key', '=', 'nobody')
      .execute(),
  ).toEqual([])
})
