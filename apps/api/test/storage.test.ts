import { startTestApp, type TestApp, type TestAppOptions } from '@atrium/testing/test-app'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addMembers, countedFetches, movableClock } from './readings-test-app.ts'

const path = '/tenants/acme/storage'
const gibibyte = 1024 ** 3
const clock = movableClock()
const opened: TestApp[] = []

let testApp: TestApp
let owner: string
let spaceId: string

async function open(options: TestAppOptions = {}): Promise<TestApp> {
  const made = await startTestApp(options)
  opened.push(made)
  return made
}
beforeAll(async () => {
  // The clock passes hours in the course of this file.
  testApp = await startTestApp({ clock, sandbox: { identity: { accessTokenSeconds: 80_000 } } })
  owner = await testApp.token('owner@acme.test')
  spaceId = (await testApp.request('GET', '/tenants/acme', { token: owner })).body.fileSpaceId
  return () => testApp[Symbol.asyncDispose]()
})
afterEach(async () => {
  testApp.sandbox.clearFaults()
  clock.pass(16)
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

async function storage(query = '', token = owner, of = testApp) {
  const { status, body } = await of.request('GET', `${path}${query}`, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const files = async (of: TestApp) => {
  if (!of.app.services.systems.files) throw new Error('no file storage')
  return of.app.services.systems.files
}

describe('GET /tenants/{slug}/storage', () => {
  it('tells the space of the tenant as the file storage does', async () => {
    testApp.sandbox.files.setUsed(spaceId, 3 * gibibyte)
    const before = await storage()
    expect(before).toMatchObject({
      used: 3 * gibibyte,
      unlimited: false,
      reason: null,
      state: 'normal',
    })
    expect(before.remaining).toBe(before.total - 3 * gibibyte)
    testApp.sandbox.files.setUsed(spaceId, before.total)
    expect(await storage()).toMatchObject({ state: 'exceeded', remaining: 0 })
    testApp.sandbox.files.setUsed(spaceId, 0)
    expect(await storage()).toMatchObject({ used: 0, state: 'normal' })
  })

  it('tells what members keep in a space of their own, and who has no account', async () => {
    const port = await files(testApp)
    const person = (email: string) =>
      testApp.database.db
        .selectFrom('users')
        .select(['id', 'idp_subject_id as subject'])
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
    const account = async (email: string, displayName: string) =>
      port.ensureAccount({ person: await person(email), email, displayName })
    await account('owner@acme.test', 'Owner')
    const { id } = await account('member@acme.test', 'Member')
    // Under the address of the admin, and nobody knows whose.
    const issuer = 'https://id.test/'
    testApp.sandbox.files.signInByToken({
      issuer,
      subject: 'somebody-else',
      username: 'admin@acme.test',
      displayName: 'Somebody',
    })
    testApp.sandbox.files.signIn('member@acme.test')
    testApp.sandbox.files.setUsed(id, 4711)
    const { members } = await storage()
    expect(members).toMatchObject({
      refreshing: false,
      nextCursor: null,
      summary: { members: 3, known: 3, unknown: 0, used: 4711 },
    })
    const checkedAt = clock.now().toISOString()
    const byEmail = new Map(members.items.map((item: { email: string }) => [item.email, item]))
    expect(byEmail.get('owner@acme.test')).toMatchObject({
      state: 'known',
      used: 0,
      checkedAt,
      reason: null,
    })
    expect(byEmail.get('member@acme.test')).toMatchObject({ state: 'known', used: 4711 })
    expect(byEmail.get('admin@acme.test')).toMatchObject({ state: 'no_account', used: null })
  })

  it('returns the same over tRPC, and in pages', async () => {
    expect(await testApp.trpc(owner).storage.get.query({ slug: 'acme' })).toEqual(await storage())
    const first = await storage('?limit=2')
    const second = await storage(`?limit=2&cursor=${first.members.nextCursor}`)
    expect([
      first.members.items.length,
      second.members.items.length,
      second.members.nextCursor,
    ]).toEqual([2, 1, null])
  })

  it.each([['?limit=201'], ['?cursor=x'], ['?bytes=1']])(
    'refuses %s with an issue',
    async (query) => {
      const response = await testApp.request('GET', `${path}${query}`, { token: owner })
      expect(response).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', issues: [expect.any(Object)] },
      })
    },
  )

  it('names an unlimited space, a disabled one and one that is gone', async () => {
    const other = await open()
    const token = await other.token('owner@acme.test')
    const port = await files(other)
    const { fileSpaceId } = (await other.request('GET', '/tenants/acme', { token })).body
    await port.ensureSpace({ spaceId: fileSpaceId, marker: 'acme', name: 'Acme', quotaBytes: 0 })
    expect(await storage('', token, other)).toMatchObject({
      unlimited: true,
      total: null,
      remaining: null,
      used: 0,
      state: 'normal',
    })
    await port.ensureSpace({ spaceId: fileSpaceId, marker: 'acme', name: 'Acme', quotaBytes: 1000 })
    await port.disableSpace(fileSpaceId)
    expect(await storage('', token, other)).toMatchObject({
      unlimited: false,
      total: 1000,
      used: null,
      remaining: null,
      state: 'disabled',
    })
    await other.database.db
      .updateTable('tenants')
      .set({ file_space_id: 'gone$gone' })
      .where('slug', '=', 'acme')
      .execute()
    expect(await storage('', token, other)).toMatchObject({
      state: 'no_space',
      used: null,
      reason: expect.stringContaining('no longer exists'),
    })
    await other.database.db
      .updateTable('tenants')
      .set({ file_space_id: null })
      .where('slug', '=', 'acme')
      .execute()
    expect(await storage('', token, other)).toMatchObject({
      state: 'no_space',
      reason: expect.stringContaining('yet'),
    })
  })

  it('says so where no file storage is connected', async () => {
    const alone = await open({
      env: { FILES_API_URL: '', FILES_API_USER: '', FILES_API_TOKEN: '' },
    })
    const body = await storage('', await alone.token('owner@acme.test'), alone)
    expect(body).toMatchObject({
      state: 'unavailable',
      used: null,
      reason: expect.stringContaining('not connected'),
    })
    expect(body.members).toMatchObject({
      refreshing: false,
      summary: { unknown: 3, known: 0, used: 0 },
    })
  })
})

describe('storage when the file storage fails', () => {
  it.each(['error', 'reset', 'garbage', 'shape'] as const)(
    'is unavailable, never zero bytes (%s)',
    async (mode) => {
      const other = await open()
      other.sandbox.fault({ system: 'files', match: 'GET /graph/v1.0/drives/', mode })
      const body = await storage('', await other.token('owner@acme.test'), other)
      expect(body).toMatchObject({
        state: 'unavailable',
        total: null,
        used: null,
        remaining: null,
        unlimited: false,
      })
      expect(body.reason).toMatch(/^The file storage .*storage/)
      expect(body.members.summary.unknown).toBe(0)
    },
  )

  it.each(['error', 'reset', 'garbage', 'shape'] as const)(
    'leaves the use of members unknown (%s)',
    async (mode) => {
      const other = await open()
      other.sandbox.fault({ system: 'files', match: 'GET /graph/v1.0/users/', mode })
      const body = await storage('', await other.token('owner@acme.test'), other)
      expect(body).toMatchObject({ state: 'normal', used: 0 })
      expect(body.members.summary).toMatchObject({ known: 0, unknown: 3, used: 0 })
      for (const item of body.members.items) {
        expect(item).toMatchObject({
          state: 'unknown',
          used: null,
          reason: expect.stringMatching(/^The file storage /),
        })
      }
    },
  )

  it('responds when nothing comes', async () => {
    const slow = await open()
    slow.sandbox.fault({ system: 'files', mode: 'timeout' })
    const body = await storage('', await slow.token('owner@acme.test'), slow)
    expect(body).toMatchObject({
      state: 'unavailable',
      used: null,
      reason: expect.stringContaining('in time'),
    })
    expect(body.members).toMatchObject({ refreshing: true, summary: { unknown: 3 } })
  })
})

it('reads members of a large tenant in the background, four at a time', async () => {
  const { count, integrations } = countedFetches(5)
  const large = await open({ integrations, started: true })
  await addMembers(large, 'acme', 100)
  const token = await large.token('owner@acme.test')
  expect((await storage('', token, large)).members).toMatchObject({
    refreshing: true,
    summary: { members: 103, unknown: 103 },
  })
  await expect
    .poll(async () => (await storage('', token, large)).members, { timeout: 15_000, interval: 200 })
    .toMatchObject({ refreshing: false, summary: { members: 103, known: 103, used: 700 } })
  expect(count).toMatchObject({ made: 100, most: 4 })
})
