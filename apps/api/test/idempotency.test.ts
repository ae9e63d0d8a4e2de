import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openHouse, type TestHouse } from './house.ts'

let house: TestHouse
let token: string
let operator: string

beforeAll(async () => {
  house = await openHouse({ provisioned: false, sandbox: { identity: { accessTokenSeconds: 3600 } } })
  token = await house.token('newcomer@example.test')
  operator = await house.token('operator@atrium.test')
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.sandbox.clearFaults())

const create = (key: string, body: object, as = token) =>
  house.request('POST', '/tenants', { token: as, body, headers: { 'idempotency-key': key } })
const tenantsNamed = async (name: string) =>
  (await house.database.db.selectFrom('tenants').select('id').where('name', '=', name).execute()).length

it('replays the answer to the same request, and says so', async () => {
  const first = await create('replay', { name: 'Replayed' })
  const second = await create('replay', { name: 'Replayed' })
  expect(first.status).toBe(201)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(second).toMatchObject({ status: 201, body: first.body })
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(await tenantsNamed('Replayed')).toBe(1)
})

it('replays a refusal as the problem that it was', async () => {
  const first = await create('refusal', { name: 'x', slug: 'acme' })
  const second = await create('refusal', { name: 'x', slug: 'acme' })
  expect(first).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  expect(second).toMatchObject({ status: 409, body: first.body })
  expect(second.headers.get('content-type')).toBe('application/problem+json')
})

it('refuses another request under the key: another body, another path', async () => {
  await create('mismatch', { name: 'Original' })
  expect(await create('mismatch', { name: 'Other' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } })
  const elsewhere = await house.request('POST', '/tenants/acme/reconcile', {
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

it('carries a hundred equal requests at once out once and answers them all alike', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => create('parallel', { name: 'Parallel' })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
  expect(await tenantsNamed('Parallel')).toBe(1)
})

it('of two different requests at once under one key carries one out', async () => {
  const answers = await Promise.all(['Left', 'Right'].map((name) => create('torn', { name })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  expect((await tenantsNamed('Left')) + (await tenantsNamed('Right'))).toBe(1)
})

it('keeps no failure of ours: the same request may be tried again', async () => {
  const invite = () =>
    house.request('POST', '/users/invite', {
      token: operator,
      body: { name: 'Retry', email: 'retry@example.test' },
      headers: { 'idempotency-key': 'failed' },
    })
  house.sandbox.fault({ system: 'identity', mode: 'error', status: 503, match: '/api/v3/' })
  expect((await invite()).status).toBe(502)
  house.sandbox.clearFaults()
  expect((await invite()).status).toBe(201)
})

it('keeps no refusal that a new right would lift', async () => {
  const suspend = (as: string) =>
    house.request('POST', '/tenants/globex/suspend', { token: as, body: {}, headers: { 'idempotency-key': 'rights' } })
  expect((await suspend(await house.token('operator@atrium.test', 'portal'))).status).toBe(403)
  expect((await suspend(operator)).status).toBe(200)
})

it('forgets after a day', async () => {
  await create('aged', { name: 'Aged' })
  await sql`update idempotency_keys set expires_at = now() - interval '1 second' where key = 'aged'`.execute(house.database.db)
  expect(await create('aged', { name: 'Aged anew' })).toMatchObject({ status: 201, body: { name: 'Aged anew' } })
})

it('takes up what a dead process left: the same request, some minutes later', async () => {
  await create('orphan', { name: 'Orphaned' })
  await sql`update idempotency_keys set state = 'running', status = null, body = null, created_at = now() - interval '6 minutes' where key = 'orphan'`.execute(
    house.database.db,
  )
  expect(await create('orphan', { name: 'Something else' })).toMatchObject({ status: 422 })
  const answer = await create('orphan', { name: 'Orphaned' })
  expect(answer.status).toBe(201)
  expect(answer.headers.get('idempotency-replayed')).toBeNull()
})

it.each(['', ' ', 'a b', 'ü', 'a'.repeat(256)])('refuses the key %j', async (key) => {
  const answer = await create(key, { name: 'Unkeyed' })
  expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'Idempotency-Key' }] } })
  expect(await tenantsNamed('Unkeyed')).toBe(0)
})

it('means nothing on other methods', async () => {
  const rename = (name: string) =>
    house.request('PATCH', '/tenants/acme', { token: operator, body: { name }, headers: { 'idempotency-key': 'patch' } })
  expect((await rename('One')).body.name).toBe('One')
  expect((await rename('Two')).body.name).toBe('Two')
})

it('needs a caller', async () => {
  const answer = await house.request('POST', '/tenants', { body: { name: 'x' }, headers: { 'idempotency-key': 'nobody' } })
  expect(answer).toMatchObject({ status: 401 })
  expect(await house.database.db.selectFrom('idempotency_keys').select('key').where('key', '=', 'nobody').execute()).toEqual([])
})
