import { randomBytes } from 'node:crypto'
import { deleteRemovedPeople } from '@atrium/db/member-work'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followIdentities } from '../src/users/follow-identity.ts'
import { openHouse, type RequestOptions, type TestHouse } from './house.ts'
import { clientsWithDeadline, identityApi, identityRecords } from './outside.ts'

let house: TestHouse
let operator: string

beforeAll(async () => {
  house = await openHouse({ integrations: clientsWithDeadline(3_000), sandbox: { identity: { accessTokenSeconds: 3600 } } })
  operator = await house.token('operator@atrium.test')
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.sandbox.clearFaults())

const call = (method: string, path: string, body?: unknown, token = operator) =>
  house.request(method, path, { token, ...(body === undefined ? {} : { body }) } as RequestOptions)
const dueOf = (id: string) => house.database.db.selectFrom('identity_dues').selectAll().where('user_id', '=', id).executeTakeFirst()

/** Somebody whom the identity provider knows, with a record here. */
async function person(name: string): Promise<{ id: string; email: string; token: () => Promise<string> }> {
  const email = `${name}-${randomBytes(3).toString('hex')}@example.test`
  await identityApi(house, 'POST', '/core/users/', { username: email, email, name, groups: [] })
  const token = () => house.token(email, 'portal')
  return { id: (await call('GET', '/users/me', undefined, await token())).body.id, email, token }
}

async function operatorPerson(name: string) {
  const made = await person(name)
  expect(await call('PATCH', `/users/${made.id}`, { platformAdmin: true })).toMatchObject({ status: 200, body: { platformAdmin: true } })
  return { ...made, token: () => house.token(made.email, 'operator') }
}

function groupMembers(name: string): string[] {
  const { groups, users } = identityRecords(house)
  const pk = groups.find((group) => group.name === name)?.pk ?? ''
  return users.filter((user) => user.groups.includes(pk)).map((user) => user.email)
}

describe('removing somebody who has signed in', () => {
  const refused = { status: 403, body: { code: 'user_deactivated' } }
  const inGroups = (email: string) => ['platform-admins', 'partner-staff'].filter((name) => groupMembers(name).includes(email))

  it('leaves an administrator no way back by a token of before, and takes the provider’s group', async () => {
    const { id, email, token } = await operatorPerson('removed')
    const before = await token()
    expect((await call('GET', '/users?limit=1', undefined, before)).status).toBe(200)
    expect((await call('DELETE', `/users/${id}`)).status).toBe(204)
    expect(inGroups(email)).toEqual([])
    expect(await dueOf(id)).toBeUndefined()
    for (const path of ['/users/me', '/users?limit=1', '/tenants'])
      expect(await call('GET', path, undefined, before), path).toMatchObject(refused)
    expect((await call('GET', `/users?q=${email}`)).body.items).toEqual([])
  })

  it('tries on at the provider until it follows, and lets the person come back as anybody after two days', async () => {
    const { id, email, token } = await operatorPerson('returning')
    const { db } = house.database
    house.sandbox.fault({ system: 'identity', mode: 'error', status: 503, match: '/remove_user/' })
    expect((await call('DELETE', `/users/${id}`)).status).toBe(204)
    house.sandbox.clearFaults()
    expect(inGroups(email)).toEqual(['platform-admins'])
    const ago = new Date(Date.now() - 3 * 86_400_000)
    await db.updateTable('users').set({ removed_at: ago }).where('id', '=', id).execute()
    await deleteRemovedPeople(db)
    expect(await call('GET', '/users/me', undefined, await token())).toMatchObject(refused)
    await db.updateTable('identity_dues').set({ next_at: ago }).where('user_id', '=', id).execute()
    await followIdentities(house.app.house)
    expect(inGroups(email)).toEqual([])
    expect(identityRecords(house).users.find((user) => user.email === email)).toMatchObject({ is_active: true })
    await deleteRemovedPeople(db)
    expect(await call('GET', '/users/me', undefined, await token())).toMatchObject({ status: 200, body: { email, platformAdmin: false } })
  })

  it('gives no membership back by the groups of a token of before', async () => {
    const { id, email, token } = await person('guest')
    const owner = await house.token('owner@globex.test', 'portal')
    expect((await call('POST', '/tenants/globex/users', { email }, owner)).status).toBe(201)
    const before = await token()
    expect((await call('GET', '/tenants/globex/users', undefined, before)).status).toBe(200)
    expect((await call('DELETE', `/users/${id}`)).status).toBe(204)
    for (const path of ['/users/me', '/tenants/globex/users'])
      expect(await call('GET', path, undefined, before), path).toMatchObject(refused)
  })
})

describe('somebody whose tenants are no longer open to them', () => {
  it('shows the person no tenant that they are suspended in, and operators every one', async () => {
    const { id, email, token } = await person('resting')
    const { db } = house.database
    const { id: tenantId } = await db.selectFrom('tenants').select('id').where('slug', '=', 'acme').executeTakeFirstOrThrow()
    await db.insertInto('memberships').values({ tenant_id: tenantId, user_id: id, role: 'member', status: 'suspended' }).execute()
    const own = { tenantIds: [], tenantRoles: {}, tenants: [] }
    expect((await call('GET', '/users/me', undefined, await token())).body).toMatchObject({ email, ...own })
    expect((await call('GET', `/users/${id}`, undefined, await token())).body).toMatchObject({ email, ...own })
    expect((await call('PATCH', `/users/${id}`, { phone: null }, await token())).body).toMatchObject({ email, ...own })
    expect((await call('GET', `/users/${id}`)).body).toMatchObject({ tenantIds: [tenantId], tenants: [{ slug: 'acme', role: 'member' }] })
  })

  it('is kept while the person owns what was deleted, and says what to do instead', async () => {
    const { id, token } = await person('former')
    const slug = `former-${randomBytes(3).toString('hex')}`
    expect(await call('POST', '/tenants', { name: 'Former', slug }, await token())).toMatchObject({ status: 201 })
    expect(await call('DELETE', `/tenants/${slug}`, undefined, await token())).toMatchObject({ status: 204 })
    expect(await call('DELETE', `/users/${id}`)).toMatchObject({
      status: 409,
      body: { code: 'user_in_use', detail: expect.stringMatching(new RegExp(`${slug}\\. Deactivate the user instead`)) },
    })
  })
})
