import { demoServiceCredentials } from '@atrium/core/demo/demo'
import {
  fileUser,
  identityUser,
  type MembersTestApp,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline, identityApi, outsideObjects } from '@atrium/testing/outside'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { syncMember } from '../src/members/jobs.ts'
import { provisionTenant } from '../src/provisioning/jobs.ts'

let testApp: MembersTestApp
let members: { id: string; email: string }[]
beforeAll(async () => {
  testApp = await startMembersTestApp({
    integrations: clientsWithDeadline(800),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  members = []
  for (let n = 0; n < 3; n++) members.push((await testApp.newMember()).member)
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  testApp.sandbox.clearFaults()
  // Tokens tell of seconds: what was settled just now would be as new as they are.
  const before = new Date(Date.now() - 60_000)
  await testApp.database.db
    .updateTable('memberships')
    .set({ identity_changed_at: before, created_at: before })
    .execute()
})

const reconcile = () =>
  testApp.request('POST', '/tenants/acme/reconcile', { token: testApp.as.operator })
const groupId = async () =>
  (
    await testApp.database.db
      .selectFrom('tenants')
      .select('identity_group_id as id')
      .where('id', '=', testApp.acmeId)
      .executeTakeFirstOrThrow()
  ).id
const inGroup = () => outsideObjects(testApp, 'acme').members
const status = async (id: string) => (await testApp.member(id)).status
const signIn = async (email: string) =>
  testApp.request('GET', '/users/me', { token: await testApp.token(email) })
/** The job engine's work, at once. */
async function settle(): Promise<void> {
  await provisionTenant(testApp.app.services, testApp.acmeId)
  for (const { id } of members) await syncMember(testApp.app.services, testApp.acmeId, id)
}

it('a group deleted by hand removes no one at sign-in, and is created again with all members', async () => {
  await identityApi(testApp, 'DELETE', `/core/groups/${await groupId()}/`)
  for (const { id, email } of members) {
    await signIn(email)
    expect(await status(id)).toBe('active')
  }
  await settle()
  expect(inGroup()).toEqual(expect.arrayContaining(members.map(({ email }) => email)))
  for (const { id, email } of members) {
    await signIn(email)
    expect(await status(id)).toBe('active')
  }
})

it('a reconcile that creates the group again locks no one out, and adds every member', async () => {
  await identityApi(testApp, 'DELETE', `/core/groups/${await groupId()}/`)
  expect((await reconcile()).status).toBe(200)
  for (const { id, email } of members) {
    await signIn(email)
    expect(await status(id)).toBe('active')
  }
  await settle()
  expect(inGroup()).toEqual(expect.arrayContaining(members.map(({ email }) => email)))
})

it('a reconcile puts those back whom a restored group lacks', async () => {
  const [first] = members
  const { pk } = (await identityUser(testApp, first?.email ?? '')) ?? {}
  await identityApi(testApp, 'POST', `/core/groups/${await groupId()}/remove_user/`, { pk })
  expect(inGroup()).not.toContain(first?.email)
  await reconcile()
  await settle()
  expect(inGroup()).toContain(first?.email)
})

it('while the provider does not tell whether the group is there nobody is taken away', async () => {
  const [first] = members
  const { pk } = (await identityUser(testApp, first?.email ?? '')) ?? {}
  await identityApi(testApp, 'POST', `/core/groups/${await groupId()}/remove_user/`, { pk })
  const token = await testApp.token(first?.email ?? '')
  testApp.sandbox.fault({ system: 'identity', match: '/core/groups/', mode: 'error', status: 503 })
  await testApp.request('GET', '/users/me', { token })
  expect(await status(first?.id ?? '')).toBe('active')
})

it('a person removed from an existing group is suspended at the next sign-in', async () => {
  const { member } = await testApp.newMember()
  const { pk } = (await identityUser(testApp, member.email)) ?? {}
  await testApp.database.db
    .updateTable('memberships')
    .set({
      identity_changed_at: new Date(Date.now() - 60_000),
      created_at: new Date(Date.now() - 60_000),
    })
    .where('user_id', '=', member.id)
    .execute()
  await identityApi(testApp, 'POST', `/core/groups/${await groupId()}/remove_user/`, { pk })
  await signIn(member.email)
  expect(await status(member.id)).toBe('suspended')
})

it('a space that was purged by hand comes back with its members, also by the retry of one', async () => {
  const { filesUser, filesAppToken } = demoServiceCredentials
  const authorization = `Basic ${Buffer.from(`${filesUser}:${filesAppToken}`).toString('base64')}`
  const space = async () =>
    (
      await testApp.database.db
        .selectFrom('tenants')
        .select('file_space_id as id')
        .where('id', '=', testApp.acmeId)
        .executeTakeFirstOrThrow()
    ).id ?? ''
  const call = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${testApp.sandbox.filesUrl}/graph/${path}`, {
      method,
      headers: { authorization, ...headers },
    })
  const purge = async () => {
    const path = `v1.0/drives/${encodeURIComponent(await space())}`
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('DELETE', path, { purge: 'T' })).status).toBe(204)
  }
  const inSpace = async () => {
    const response = await call(
      'GET',
      `v1beta1/drives/${encodeURIComponent(await space())}/root/permissions`,
    )
    return JSON.stringify(await response.json())
  }
  const accounts = await Promise.all(
    members.map(async ({ email }) => (await fileUser(testApp, email))?.id ?? ''),
  )

  await purge()
  expect((await reconcile()).body).toMatchObject({ results: { files: { state: 'ok' } } })
  await settle()
  const shown = await inSpace()
  for (const id of accounts) expect(shown).toContain(id)

  await purge()
  await testApp.call('POST', `/users/${members[0]?.id}/retry`)
  await settle()
  await testApp.database.db.updateTable('memberships').set({ next_at: null }).execute()
  await settle()
  const again = await inSpace()
  for (const id of accounts) expect(again).toContain(id)
})
