import { scimSchemas } from '@atrium/core/scim/schemas'
import { type ScimTestApp, startScimTestApp } from '@atrium/testing/scim'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/*
 * The requests that directories send, in the order in which they send them: Microsoft Entra ID and
 * Okta by the examples of their documentation, authentik 2026.5.0-rc1 as recorded from a running
 * one, with the default mappings of users and groups.
 */

let testApp: ScimTestApp

beforeAll(async () => {
  // One connection: no transaction of a request may need a second one.
  testApp = await startScimTestApp({ poolSize: 1 })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

async function send(method: string, path: string, body?: unknown) {
  const { status, body: answer } = await testApp.scim(method, path, body)
  return { status, body: answer }
}
const member = async (id: string) => testApp.member(id)

const patchOp = [scimSchemas.patchOp]
const { user } = scimSchemas
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

describe('Microsoft Entra ID', () => {
  it('tests the connection, provisions, changes, disables, enables and deletes a user', async () => {
    // The test of the connection asks for a user that does not exist.
    const probe = '/Users?filter=userName+eq+%2210c9d5b2-1d44-4d0e-8f0c-6b0f7f0d0001%22'
    expect(await send('GET', probe)).toMatchObject({
      status: 200,
      body: { totalResults: 0, Resources: [] },
    })
    const created = await send('POST', '/Users', {
      schemas: [user, enterprise],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@acme.tenants.local',
      active: true,
      displayName: 'lennay',
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@acme.tenants.local' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
      [enterprise]: { department: 'Sales', manager: 'x' },
    })
    expect(created).toMatchObject({
      status: 201,
      body: { userName: 'Test_User_ab6490ee@acme.tenants.local', active: true },
    })
    const { id } = created.body
    expect(
      await send('GET', '/Users?filter=userName+eq+%22test_user_AB6490EE%40acme.tenants.local%22'),
    ).toMatchObject({ body: { totalResults: 1, Resources: [{ id }] } })
    expect(await send('GET', `/Users/${id}`)).toMatchObject({ status: 200, body: { id } })

    const changed = await send('PATCH', `/Users/${id}`, {
      schemas: patchOp,
      Operations: [
        {
          op: 'Replace',
          path: 'emails[type eq "work"].value',
          value: 'updatedEmail@microsoft.com',
        },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+1 (425) 555-0100' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 425 555 0199' },
        { op: 'Add', path: `${enterprise}:department`, value: 'Marketing' },
        { op: 'Add', path: 'addresses[type eq "work"].country', value: 'US' },
        { op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'Lennay New' }] },
      ],
    })
    expect(changed.status).toBe(200)
    expect(await member(id)).toMatchObject({
      email: 'test_user_ab6490ee@acme.tenants.local',
      name: 'Lennay New',
      lastName: 'updatedFamilyName',
      phone: '+1 (425) 555-0100',
    })
    // With and without the flag aadOptscim062020.
    for (const [value, status] of [
      ['False', 'suspended'],
      ['True', 'active'],
      [false, 'suspended'],
      [true, 'active'],
    ] as const) {
      const Operations = [{ op: 'Replace', path: 'active', value }]
      expect((await send('PATCH', `/Users/${id}`, { schemas: patchOp, Operations })).status).toBe(
        200,
      )
      expect((await member(id)).status).toBe(status)
    }
    const upn = await send('PATCH', `/Users/${id}`, {
      schemas: patchOp,
      Operations: [
        {
          op: 'Replace',
          path: 'userName',
          value: '5b50642d-79fc-4410-9e90-4c077cdd1a59@acme.tenants.local',
        },
      ],
    })
    expect(upn.body.userName).toBe('5b50642d-79fc-4410-9e90-4c077cdd1a59@acme.tenants.local')
    expect((await send('DELETE', `/Users/${id}`)).status).toBe(204)
    expect((await send('GET', `/Users/${id}`)).status).toBe(404)
  })
})

describe('Okta', () => {
  it('looks for a user, creates, updates, deactivates and reactivates it', async () => {
    const look =
      '/Users?filter=userName%20eq%20%22test.user%40acme.tenants.local%22&startIndex=1&count=100'
    expect((await send('GET', look)).body).toMatchObject({ totalResults: 0, startIndex: 1 })
    const sent = {
      schemas: [user],
      userName: 'test.user@acme.tenants.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@acme.tenants.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    }
    const created = await send('POST', '/Users', sent)
    expect(created).toMatchObject({
      status: 201,
      body: { schemas: [user], externalId: '00ujl29u0le5T6Aj10h7', emails: sent.emails },
    })
    expect(JSON.stringify(created.body)).not.toContain('1mz050nq')
    const { id } = created.body
    expect((await send('POST', '/Users', sent)).body).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    })
    const replaced = await send('PUT', `/Users/${id}`, {
      ...sent,
      id,
      name: { givenName: 'Another', middleName: '', familyName: 'User' },
      displayName: '',
      meta: { resourceType: 'User' },
    })
    expect(replaced).toMatchObject({ status: 200, body: { displayName: 'Another User' } })
    for (const [active, status] of [
      [false, 'suspended'],
      [true, 'active'],
    ] as const) {
      const body = { schemas: patchOp, Operations: [{ op: 'replace', value: { active } }] }
      expect((await send('PATCH', `/Users/${id}`, body)).body.active).toBe(active)
      expect((await member(id)).status).toBe(status)
    }
    // An application made before PATCH was offered puts the whole user.
    expect((await send('PUT', `/Users/${id}`, { ...sent, id, active: false })).body.active).toBe(
      false,
    )
    expect((await send('GET', '/Users?startIndex=1&count=2')).body.Resources).toHaveLength(2)
  })
})

describe('authentik', () => {
  const sent = (userName: string, name: string, active = true) => ({
    userName,
    name: { formatted: name, familyName: name.split(' ')[1], givenName: name.split(' ')[0] },
    displayName: name,
    active,
    emails: [{ value: userName, type: 'other', primary: true }],
    schemas: [user],
    externalId: '49315bb7f5870a224329dcd8e56d4694b20db13816eb8e7e65192b27cb709e0b',
  })
  const first = 'ak.person@acme.tenants.local'
  const moved = 'ak.moved@acme.tenants.local'

  it('creates, changes, deactivates, moves and deletes a user and a group', async () => {
    expect((await send('GET', '/ServiceProviderConfig')).body).toMatchObject({
      patch: { supported: true },
      bulk: { maxOperations: 0 },
      filter: { supported: true },
    })
    const created = await send('POST', '/Users', sent(first, 'Ak Person'))
    expect(created.status).toBe(201)
    const { id } = created.body
    // Every change puts the whole user, with its id.
    const put = (body: object) => send('PUT', `/Users/${id}`, { ...body, id })
    expect(await put(sent(first, 'Ak Renamed'))).toMatchObject({
      status: 200,
      body: { displayName: 'Ak Renamed', name: { familyName: 'Renamed' } },
    })
    // A group comes without its members, which follow one operation each.
    const externalId = '276b58b2-fa0a-4f7b-abf6-ba165aa4bb5a'
    const group = { displayName: 'atrium-team', schemas: [scimSchemas.group], externalId }
    const made = await send('POST', '/Groups', group)
    expect(made.status).toBe(201)
    const members = (op: string) =>
      send('PATCH', `/Groups/${made.body.id}`, {
        Operations: [{ op, path: 'members', value: [{ value: id }] }],
        schemas: patchOp,
      })
    expect(await members('add')).toMatchObject({ status: 200, body: { members: [{ value: id }] } })
    for (const [active, status] of [
      [false, 'suspended'],
      [true, 'active'],
    ] as const) {
      expect((await put(sent(first, 'Ak Renamed', active))).body.active).toBe(active)
      expect((await member(id)).status).toBe(status)
    }
    const after = await put(sent(moved, 'Ak Renamed'))
    expect(after).toMatchObject({ status: 200, body: { userName: moved, groups: [{}] } })
    expect(await put(sent(moved, 'Ak Renamed'))).toEqual(after)
    const group2 = { ...group, id: made.body.id, displayName: 'atrium-team-2' }
    // Without the schema of the message.
    const renamed = await send('PATCH', `/Groups/${made.body.id}`, {
      Operations: [{ op: 'replace', value: group2 }],
    })
    expect(await send('GET', `/Groups/${made.body.id}`)).toEqual(renamed)
    expect(renamed.body).toMatchObject({ displayName: 'atrium-team-2', members: [{ value: id }] })
    expect((await members('remove')).body.members).toEqual([])
    expect((await send('DELETE', `/Users/${id}`)).status).toBe(204)
    expect((await send('DELETE', `/Groups/${made.body.id}`)).status).toBe(204)
  })

  it('takes over who is a member already, and reads all users page by page', async () => {
    expect((await send('POST', '/Users', sent('owner@acme.test', 'Olga Owner'))).status).toBe(409)
    const found = await send('GET', '/Users?filter=userName+eq+%22owner%40acme.test%22')
    expect(found.body.Resources).toHaveLength(1)
    let seen = 0
    let page = await send('GET', '/Users')
    const total = page.body.totalResults
    while (seen < total) {
      seen += page.body.Resources.length
      if (seen < total) page = await send('GET', `/Users?startIndex=${seen + 1}`)
    }
    expect(seen).toBe(total)
  })
})
