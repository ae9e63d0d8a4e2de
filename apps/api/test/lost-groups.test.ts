import { demoServiceCredentials } from '@atrium/core/demo'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { settleMember } from '../src/members/jobs.ts'
import { provisionTenant } from '../src/provisioning/jobs.ts'
import { fileUser, identityUser, type MembersHouse, openMembersHouse } from './members-house.ts'
import { clientsWithDeadline, identityApi, outsideObjects } from './outside.ts'

let house: MembersHouse
let members: { id: string; email: string }[]
beforeAll(async () => {
  house = await openMembersHouse({ integrations: clientsWithDeadline(800), sandbox: { identity: { accessTokenSeconds: 3600 } } })
  members = []
  for (let n = 0; n < 3; n++) members.push((await house.newMember()).member)
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(async () => {
  house.sandbox.clearFaults()
  // Tokens tell of seconds: what was settled just now would be as new as they are.
  const before = new Date(Date.now() - 60_000)
  await house.database.db.updateTable('memberships').set({ identity_changed_at: before, created_at: before }).execute()
})

const reconcile = () => house.request('POST', '/tenants/acme/reconcile', { token: house.as.operator })
const groupId = async () =>
  (await house.database.db.selectFrom('tenants').select('identity_group_id as id').where('id', '=', house.acmeId).executeTakeFirstOrThrow())
    .id
const inGroup = () => outsideObjects(house, 'acme').members
const status = async (id: string) => (await house.member(id)).status
const signIn = async (email: string) => house.request('GET', '/users/me', { token: await house.token(email) })
/** The job engine's work, at once. */
async function settle(): Promise<void> {
  await provisionTenant(house.app.house, house.acmeId)
  for (const { id } of members) await settleMember(house.app.house, house.acmeId, id)
}

it('a group that was deleted by hand takes nobody away who signs in, and comes back with everybody', async () => {
  await identityApi(house, 'DELETE', `/core/groups/${await groupId()}/`)
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

it('a reconcile that makes the group anew shuts nobody out, and puts every member into it', async () => {
  await identityApi(house, 'DELETE', `/core/groups/${await groupId()}/`)
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
  const { pk } = (await identityUser(house, first?.email ?? '')) ?? {}
  await identityApi(house, 'POST', `/core/groups/${await groupId()}/remove_user/`, { pk })
  expect(inGroup()).not.toContain(first?.email)
  await reconcile()
  await settle()
  expect(inGroup()).toContain(first?.email)
})

it('while the provider does not tell whether the group is there nobody is taken away', async () => {
  const [first] = members
  const { pk } = (await identityUser(house, first?.email ?? '')) ?? {}
  await identityApi(house, 'POST', `/core/groups/${await groupId()}/remove_user/`, { pk })
  const token = await house.token(first?.email ?? '')
  house.sandbox.fault({ system: 'identity', match: '/core/groups/', mode: 'error', status: 503 })
  await house.request('GET', '/users/me', { token })
  expect(await status(first?.id ?? '')).toBe('active')
})

it('who was taken out of a group that stands is suspended at the next sign-in', async () => {
  const { member } = await house.newMember()
  const { pk } = (await identityUser(house, member.email)) ?? {}
  await house.database.db
    .updateTable('memberships')
    .set({ identity_changed_at: new Date(Date.now() - 60_000), created_at: new Date(Date.now() - 60_000) })
    .where('user_id', '=', member.id)
    .execute()
  await identityApi(house, 'POST', `/core/groups/${await groupId()}/remove_user/`, { pk })
  await signIn(member.email)
  expect(await status(member.id)).toBe('suspended')
})

it('a space that was purged by hand comes back with its members, also by the retry of one', async () => {
  const { filesUser, filesAppToken } = demoServiceCredentials
  const authorization = `Basic ${Buffer.from(`${filesUser}:${filesAppToken}`).toString('base64')}`
  const space = async () =>
    (await house.database.db.selectFrom('tenants').select('file_space_id as id').where('id', '=', house.acmeId).executeTakeFirstOrThrow())
      .id ?? ''
  const call = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${house.sandbox.filesUrl}/graph/${path}`, { method, headers: { authorization, ...headers } })
  const purge = async () => {
    const path = `v1.0/drives/${encodeURIComponent(await space())}`
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('DELETE', path, { purge: 'T' })).status).toBe(204)
  }
  const inSpace = async () => {
    const response = await call('GET', `v1beta1/drives/${encodeURIComponent(await space())}/root/permissions`)
    return JSON.stringify(await response.json())
  }
  const accounts = await Promise.all(members.map(async ({ email }) => (await fileUser(house, email))?.id ?? ''))

  await purge()
  expect((await reconcile()).body).toMatchObject({ results: { files: { state: 'ok' } } })
  await settle()
  const shown = await inSpace()
  for (const id of accounts) expect(shown).toContain(id)

  await purge()
  await house.call('POST', `/users/${members[0]?.id}/retry`)
  await settle()
  await house.database.db.updateTable('memberships').set({ next_at: null }).execute()
  await settle()
  const again = await inSpace()
  for (const id of accounts) expect(again).toContain(id)
})
