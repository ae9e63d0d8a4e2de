import { randomBytes } from 'node:crypto'
import { deleteRemovedPeople } from '@atrium/db/members/member-work'
import { accept } from '@atrium/testing/invitations'
import { identityRecords } from '@atrium/testing/outside'
import { tenantIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followIdentities } from '../src/users/follow-identity.ts'
import { startUsersTestApp, type UsersTestApp } from './users-test-app.ts'

let testApp: UsersTestApp

beforeAll(async () => {
  testApp = await startUsersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

describe('removing a person who has signed in', () => {
  const rejected = { status: 403, body: { code: 'user_deactivated' } }
  const inGroups = (email: string) =>
    ['platform-admins', 'partner-staff'].filter((name) =>
      testApp.groupMembers(name).includes(email),
    )

  it('leaves an administrator no way back by a token of before, and takes the provider’s group', async () => {
    const { id, email, token } = await testApp.operatorPerson('removed')
    const before = await token()
    expect((await testApp.call('GET', '/users?limit=1', undefined, before)).status).toBe(200)
    expect((await testApp.call('DELETE', `/users/${id}`)).status).toBe(204)
    expect(inGroups(email)).toEqual([])
    expect(await testApp.dueOf(id)).toBeUndefined()
    for (const path of ['/users/me', '/users?limit=1', '/tenants'])
      expect(await testApp.call('GET', path, undefined, before), path).toMatchObject(rejected)
    expect((await testApp.call('GET', `/users?q=${email}`)).body.items).toEqual([])
  })

  it('tries on at the provider until it follows, and lets the person come back as anybody after two days', async () => {
    const { id, email, token } = await testApp.operatorPerson('returning')
    const { db } = testApp.database
    testApp.sandbox.fault({
      system: 'identity',
      mode: 'error',
      status: 503,
      match: '/remove_user/',
    })
    expect((await testApp.call('DELETE', `/users/${id}`)).status).toBe(204)
    testApp.sandbox.clearFaults()
    expect(inGroups(email)).toEqual(['platform-admins'])
    const ago = new Date(Date.now() - 3 * 86_400_000)
    await db.updateTable('users').set({ removed_at: ago }).where('id', '=', id).execute()
    await deleteRemovedPeople(db)
    expect(await testApp.call('GET', '/users/me', undefined, await token())).toMatchObject(rejected)
    await db.updateTable('identity_dues').set({ next_at: ago }).where('user_id', '=', id).execute()
    await followIdentities(testApp.app.services)
    expect(inGroups(email)).toEqual([])
    expect(identityRecords(testApp).users.find((user) => user.email === email)).toMatchObject({
      is_active: true,
    })
    await deleteRemovedPeople(db)
    expect(await testApp.call('GET', '/users/me', undefined, await token())).toMatchObject({
      status: 200,
      body: { email, platformAdmin: false },
    })
  })

  it('gives no membership back by the groups of a token of before', async () => {
    const { id, email, token } = await testApp.person('guest')
    const owner = await testApp.token('owner@globex.test', 'portal')
    const proved = { proved_email: email, proved_at: new Date() }
    await testApp.database.db.updateTable('users').set(proved).where('id', '=', id).execute()
    const invitees = [{ email }]
    const invitations = '/tenants/globex/invitations'
    expect((await testApp.call('POST', invitations, { invitees }, owner)).status).toBe(200)
    expect((await accept(testApp, email)).body.handoff).toBe('existing')
    const before = await token()
    expect((await testApp.call('GET', '/tenants/globex/users', undefined, before)).status).toBe(200)
    expect((await testApp.call('DELETE', `/users/${id}`)).status).toBe(204)
    for (const path of ['/users/me', '/tenants/globex/users'])
      expect(await testApp.call('GET', path, undefined, before), path).toMatchObject(rejected)
  })
})

describe('a person without an active tenant', () => {
  it('shows the person no tenant that they are suspended in, and operators every one', async () => {
    const { id, email, token } = await testApp.person('resting')
    const { db } = testApp.database
    const tenantId = await tenantIdOf(db, 'acme')
    await db
      .insertInto('memberships')
      .values({ tenant_id: tenantId, user_id: id, role: 'member', status: 'suspended' })
      .execute()
    const own = { tenantIds: [], tenantRoles: {}, tenants: [] }
    expect((await testApp.call('GET', '/users/me', undefined, await token())).body).toMatchObject({
      email,
      ...own,
    })
    expect(
      (await testApp.call('GET', `/users/${id}`, undefined, await token())).body,
    ).toMatchObject({ email, ...own })
    expect(
      (await testApp.call('PATCH', `/users/${id}`, { phone: null }, await token())).body,
    ).toMatchObject({ email, ...own })
    expect((await testApp.call('GET', `/users/${id}`)).body).toMatchObject({
      tenantIds: [tenantId],
      tenants: [{ slug: 'acme', role: 'member' }],
    })
  })

  it('is kept while the person owns what was deleted, and says what to do instead', async () => {
    const { id, token } = await testApp.person('former')
    const slug = `former-${randomBytes(3).toString('hex')}`
    expect(
      await testApp.call('POST', '/tenants', { name: 'Former', slug }, await token()),
    ).toMatchObject({ status: 201 })
    expect(
      await testApp.call('DELETE', `/tenants/${slug}`, undefined, await token()),
    ).toMatchObject({ status: 204 })
    expect(await testApp.call('DELETE', `/users/${id}`)).toMatchObject({
      status: 409,
      body: {
        code: 'user_in_use',
        detail: expect.stringMatching(new RegExp(`${slug}\\. Deactivate the user instead`)),
      },
    })
  })
})
