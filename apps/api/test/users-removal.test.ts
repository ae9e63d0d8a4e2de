import { randomBytes } from 'node:crypto'
import { deleteRemovedPeople } from '@atrium/db/member-work'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followIdentities } from '../src/users/follow-identity.ts'
import { accept } from './invitations.ts'
import { identityRecords } from './outside.ts'
import { openUsersHouse, type UsersHouse } from './users-house.ts'

let house: UsersHouse

beforeAll(async () => {
  house = await openUsersHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.sandbox.clearFaults())

describe('removing somebody who has signed in', () => {
  const refused = { status: 403, body: { code: 'user_deactivated' } }
  const inGroups = (email: string) => ['platform-admins', 'partner-staff'].filter((name) => house.groupMembers(name).includes(email))

  it('leaves an administrator no way back by a token of before, and takes the provider’s group', async () => {
    const { id, email, token } = await house.operatorPerson('removed')
    const before = await token()
    expect((await house.call('GET', '/users?limit=1', undefined, before)).status).toBe(200)
    expect((await house.call('DELETE', `/users/${id}`)).status).toBe(204)
    expect(inGroups(email)).toEqual([])
    expect(await house.dueOf(id)).toBeUndefined()
    for (const path of ['/users/me', '/users?limit=1', '/tenants'])
      expect(await house.call('GET', path, undefined, before), path).toMatchObject(refused)
    expect((await house.call('GET', `/users?q=${email}`)).body.items).toEqual([])
  })

  it('tries on at the provider until it follows, and lets the person come back as anybody after two days', async () => {
    const { id, email, token } = await house.operatorPerson('returning')
    const { db } = house.database
    house.sandbox.fault({ system: 'identity', mode: 'error', status: 503, match: '/remove_user/' })
    expect((await house.call('DELETE', `/users/${id}`)).status).toBe(204)
    house.sandbox.clearFaults()
    expect(inGroups(email)).toEqual(['platform-admins'])
    const ago = new Date(Date.now() - 3 * 86_400_000)
    await db.updateTable('users').set({ removed_at: ago }).where('id', '=', id).execute()
    await deleteRemovedPeople(db)
    expect(await house.call('GET', '/users/me', undefined, await token())).toMatchObject(refused)
    await db.updateTable('identity_dues').set({ next_at: ago }).where('user_id', '=', id).execute()
    await followIdentities(house.app.house)
    expect(inGroups(email)).toEqual([])
    expect(identityRecords(house).users.find((user) => user.email === email)).toMatchObject({ is_active: true })
    await deleteRemovedPeople(db)
    expect(await house.call('GET', '/users/me', undefined, await token())).toMatchObject({
      status: 200,
      body: { email, platformAdmin: false },
    })
  })

  it('gives no membership back by the groups of a token of before', async () => {
    const { id, email, token } = await house.person('guest')
    const owner = await house.token('owner@globex.test', 'portal')
    const proved = { proved_email: email, proved_at: new Date() }
    await house.database.db.updateTable('users').set(proved).where('id', '=', id).execute()
    expect((await house.call('POST', '/tenants/globex/users', { email }, owner)).status).toBe(201)
    expect((await accept(house, email)).body.handoff).toBe('existing')
    const before = await token()
    expect((await house.call('GET', '/tenants/globex/users', undefined, before)).status).toBe(200)
    expect((await house.call('DELETE', `/users/${id}`)).status).toBe(204)
    for (const path of ['/users/me', '/tenants/globex/users'])
      expect(await house.call('GET', path, undefined, before), path).toMatchObject(refused)
  })
})

describe('somebody whose tenants are no longer open to them', () => {
  it('shows the person no tenant that they are suspended in, and operators every one', async () => {
    const { id, email, token } = await house.person('resting')
    const { db } = house.database
    const { id: tenantId } = await db.selectFrom('tenants').select('id').where('slug', '=', 'acme').executeTakeFirstOrThrow()
    await db.insertInto('memberships').values({ tenant_id: tenantId, user_id: id, role: 'member', status: 'suspended' }).execute()
    const own = { tenantIds: [], tenantRoles: {}, tenants: [] }
    expect((await house.call('GET', '/users/me', undefined, await token())).body).toMatchObject({ email, ...own })
    expect((await house.call('GET', `/users/${id}`, undefined, await token())).body).toMatchObject({ email, ...own })
    expect((await house.call('PATCH', `/users/${id}`, { phone: null }, await token())).body).toMatchObject({ email, ...own })
    expect((await house.call('GET', `/users/${id}`)).body).toMatchObject({
      tenantIds: [tenantId],
      tenants: [{ slug: 'acme', role: 'member' }],
    })
  })

  it('is kept while the person owns what was deleted, and says what to do instead', async () => {
    const { id, token } = await house.person('former')
    const slug = `former-${randomBytes(3).toString('hex')}`
    expect(await house.call('POST', '/tenants', { name: 'Former', slug }, await token())).toMatchObject({ status: 201 })
    expect(await house.call('DELETE', `/tenants/${slug}`, undefined, await token())).toMatchObject({ status: 204 })
    expect(await house.call('DELETE', `/users/${id}`)).toMatchObject({
      status: 409,
      body: { code: 'user_in_use', detail: expect.stringMatching(new RegExp(`${slug}\\. Deactivate the user instead`)) },
    })
  })
})
