import { scimSchemas } from '@atrium/core/scim/schemas'
import { tenantIdOf } from '@atrium/testing/records'
import { type ScimTestApp, startScimTestApp } from '@atrium/testing/scim'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: ScimTestApp
let people: { id: string; email: string }[]

beforeAll(async () => {
  testApp = await startScimTestApp()
  people = []
  for (let index = 0; index < 8; index++) people.push((await testApp.newMember()).member)
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const { group } = scimSchemas

const send: ScimTestApp['scim'] = (...request) => testApp.scim(...request)
const patch = (id: string, ...operations: object[]) => testApp.patch(`/Groups/${id}`, ...operations)
const person = (index: number) => people[index] ?? { id: '', email: '' }
const references = (...indexes: number[]) => indexes.map((index) => ({ value: person(index).id }))
const idsIn = (body: { members: { value: string }[] }) => body.members.map(({ value }) => value)
const list = async (id: string) => (await testApp.call('GET', `/lists/${id}`)).body

let made = 0
async function newGroup(...members: number[]): Promise<string> {
  made += 1
  const created = await send('POST', '/Groups', {
    schemas: [group],
    displayName: `Group ${made}`,
    members: references(...members),
  })
  expect(created.status).toBe(201)
  return created.body.id
}

describe('a group', () => {
  it('is a distribution list, with an address made of its name', async () => {
    const created = await send('POST', '/Groups', {
      schemas: [group],
      externalId: 'e-1',
      displayName: 'Größe & Team',
      members: references(0, 1),
    })
    expect(created.status).toBe(201)
    const { id } = created.body
    expect(created.headers.get('location')).toBe(`/tenants/acme/scim/v2/Groups/${id}`)
    expect(created.body).toMatchObject({
      schemas: [group],
      externalId: 'e-1',
      displayName: 'Größe & Team',
      members: [person(0), person(1)].map((one) => ({
        value: one.id,
        $ref: `/tenants/acme/scim/v2/Users/${one.id}`,
        type: 'User',
      })),
      meta: { resourceType: 'Group', version: created.headers.get('etag') },
    })
    expect(await list(id)).toMatchObject({
      name: 'Größe & Team',
      state: 'ok',
      recipients: [person(0).email, person(1).email].sort(),
    })
    const entries = await testApp.database.db
      .selectFrom('audit_events')
      .select(['action', 'actor_type', 'actor_id'])
      .where('resource_id', '=', id)
      .execute()
    expect(entries).toEqual([
      { action: 'list.created', actor_type: 'service', actor_id: testApp.tokenId },
    ])
  })

  it('has a name of its own; an address in use gets an ending', async () => {
    const body = { schemas: [group], displayName: 'Only One' }
    const all = await Promise.all(Array.from({ length: 4 }, () => send('POST', '/Groups', body)))
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(all.find(({ status }) => status === 409)?.body.scimType).toBe('uniqueness')
    expect((await send('POST', '/Groups', { ...body, displayName: 'only one' })).status).toBe(409)
    const alike = await send('POST', '/Groups', { ...body, displayName: 'Only-One' })
    expect(alike.status).toBe(201)
    expect((await list(alike.body.id)).address).toMatch(/^only-one-[0-9a-f]{6}@/)
  })

  it('keeps recipients that are no members', async () => {
    const id = await newGroup(0)
    await testApp.call('PATCH', `/lists/${id}`, { add: ['guest@elsewhere.test'] })
    expect(idsIn((await send('GET', `/Groups/${id}`)).body)).toEqual([person(0).id])
    await send('PUT', `/Groups/${id}`, { displayName: 'Kept', members: references(1) })
    expect((await list(id)).recipients).toEqual(['guest@elsewhere.test', person(1).email].sort())
  })

  it('gets every member that eight requests add at the same time', async () => {
    const id = await newGroup()
    const added = await Promise.all(
      people.map((_, index) => patch(id, { op: 'add', path: 'members', value: references(index) })),
    )
    expect(added.map(({ status }) => status)).toEqual(people.map(() => 200))
    expect((await list(id)).recipients).toEqual(people.map(({ email }) => email).sort())
  })

  it('rejects members that the tenant does not have, and changes nothing', async () => {
    const id = await newGroup(0)
    const foreign = await testApp.idOf('owner@globex.test')
    for (const value of [foreign, 'nobody', '0197f7a4-2c1e-7000-8000-000000000001']) {
      const rejected = await patch(
        id,
        { op: 'replace', path: 'displayName', value: 'Changed' },
        { op: 'add', path: 'members', value: [{ value }] },
      )
      expect([rejected.status, rejected.body.scimType]).toEqual([400, 'invalidValue'])
    }
    expect((await list(id)).name).not.toBe('Changed')
  })

  it('is removed with its list, and is not found by another tenant', async () => {
    const id = await newGroup(0)
    const globex = await tenantIdOf(testApp.database.db, 'globex')
    const foreign = await insertServiceToken(testApp, { kind: 'tenant', tenantId: globex })
    for (const slug of ['acme', 'globex']) {
      const path = `/tenants/${slug}/scim/v2/Groups/${id}`
      const { status } = await testApp.request('DELETE', path, { token: foreign.token })
      expect(status).toBe(slug === 'acme' ? 403 : 404)
    }
    expect((await send('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await send('GET', `/Groups/${id}`)).status).toBe(404)
    expect((await testApp.call('GET', `/lists/${id}`)).status).toBe(404)
  })

  it('is created while the mail server fails, and a removal is completed later', async () => {
    const id = await newGroup(0)
    testApp.sandbox.fault({
      system: 'mail',
      match: 'x:MailingList/set',
      mode: 'error',
      status: 503,
    })
    const created = await send('POST', '/Groups', { displayName: 'Behind' })
    const { state } = await list(created.body.id)
    const removed = await send('DELETE', `/Groups/${id}`)
    testApp.sandbox.clearFaults()
    expect([created.status, state, removed.status]).toEqual([201, 'error', 502])
    expect((await send('GET', `/Groups/${id}`)).status).toBe(404)
  })

  it('has a version that conditional requests compare', async () => {
    const id = await newGroup(0)
    const version = (await send('GET', `/Groups/${id}`)).headers.get('etag') ?? ''
    const headers = { 'if-match': version }
    const body = { displayName: `Group v${made}`, members: [] }
    expect((await send('PUT', `/Groups/${id}`, body, headers)).status).toBe(200)
    expect((await send('PUT', `/Groups/${id}`, body, headers)).status).toBe(412)
    expect((await send('DELETE', `/Groups/${id}`, undefined, headers)).status).toBe(412)
  })

  it('is found by name, member and external id', async () => {
    const id = await newGroup(2)
    await patch(id, { op: 'add', path: 'externalId', value: 'found' })
    const { displayName } = (await send('GET', `/Groups/${id}`)).body
    const expected: Record<string, string[]> = {
      [`displayName eq "${displayName.toUpperCase()}"`]: [id],
      'externalId eq "found"': [id],
      [`externalId eq "found" and members eq "${person(2).id}"`]: [id],
      [`externalId eq "found" and members[value eq "${person(2).id}"]`]: [id],
      [`externalId eq "found" and members.value ne "${person(2).id}"`]: [],
      'externalId eq "found" and not (members pr)': [],
      'displayName eq "administrators"': [testApp.acmeId],
    }
    for (const [filter, found] of Object.entries(expected)) {
      const { body } = await send(
        'GET',
        `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`,
      )
      expect([filter, body.Resources.map((one: { id: string }) => one.id)]).toEqual([filter, found])
      for (const one of body.Resources) expect(one).not.toHaveProperty('members')
    }
    const wrong = await send('GET', '/Groups?filter=members%20co%20%22x%22')
    expect(wrong.body.scimType).toBe('invalidFilter')
  })
})

describe('the group of admins', () => {
  const role = async (id: string) => (await testApp.member(id)).role

  it('gives and takes the role, and leaves the owner as it is', async () => {
    const id = testApp.acmeId
    const before = idsIn((await send('GET', `/Groups/${id}`)).body)
    expect(before).toContain(await testApp.idOf('admin@acme.test'))
    const owner = await testApp.idOf('owner@acme.test')
    const value = [...references(3), { value: owner }]
    const added = await patch(id, { op: 'Add', path: 'members', value })
    expect(idsIn(added.body).sort()).toEqual([...before, person(3).id].sort())
    expect([await role(person(3).id), await role(owner)]).toEqual(['admin', 'owner'])
    await patch(id, { op: 'remove', path: `members[value eq "${person(3).id}"]` })
    expect(await role(person(3).id)).toBe('member')
  })

  it('is neither renamed, removed nor created again', async () => {
    const id = testApp.acmeId
    const renamed = await patch(id, { op: 'replace', value: { displayName: 'Bosses' } })
    expect([renamed.status, renamed.body.scimType]).toEqual([400, 'mutability'])
    expect((await send('DELETE', `/Groups/${id}`)).body.scimType).toBe('mutability')
    const again = await send('POST', '/Groups', { displayName: 'administrators' })
    expect([again.status, again.body.scimType]).toEqual([409, 'uniqueness'])
  })
})

describe('the requests of', () => {
  it('Microsoft Entra ID', async () => {
    const look = '/Groups?excludedAttributes=members&filter=displayName+eq+%22displayName%22'
    expect((await send('GET', look)).body.totalResults).toBe(0)
    const created = await send('POST', '/Groups', {
      schemas: [group, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    })
    expect(created).toMatchObject({ status: 201, body: { members: [] } })
    const { id } = created.body
    expect((await send('GET', `/Groups/${id}?excludedAttributes=members`)).status).toBe(200)
    await patch(id, { op: 'Replace', path: 'displayName', value: '1879db59-3bdf' })
    const added = await patch(id, {
      op: 'Add',
      path: 'members',
      value: [
        { $ref: null, value: person(0).id },
        { $ref: null, value: person(1).id },
      ],
    })
    expect(idsIn(added.body)).toHaveLength(2)
    const left = await patch(id, {
      op: 'Remove',
      path: 'members',
      value: [{ $ref: null, value: person(0).id }],
    })
    expect(left.body).toMatchObject({ displayName: '1879db59-3bdf' })
    expect(idsIn(left.body)).toEqual([person(1).id])
    expect((await send('DELETE', `/Groups/${id}`)).status).toBe(204)
  })

  it('Okta', async () => {
    const body = { schemas: [group], displayName: 'Test SCIMv2', members: [] }
    const { id } = (await send('POST', '/Groups', body)).body
    await patch(
      id,
      { op: 'replace', value: { id, displayName: 'Test SCIMv2 new' } },
      {
        op: 'add',
        path: 'members',
        value: [{ value: person(4).id, display: person(4).email }],
      },
    )
    const removed = await patch(
      id,
      { op: 'remove', path: `members[value eq "${person(4).id}"]` },
      { op: 'add', path: 'members', value: [{ value: person(5).id }] },
    )
    expect(removed.body.displayName).toBe('Test SCIMv2 new')
    expect(idsIn(removed.body)).toEqual([person(5).id])
    const put = await send('PUT', `/Groups/${id}`, { ...body, id, members: references(4, 5) })
    expect(idsIn(put.body).sort()).toEqual([person(4).id, person(5).id].sort())
    expect((await send('DELETE', `/Groups/${id}`)).status).toBe(204)
  })

  it('authentik', async () => {
    const sent = { schemas: [group], externalId: 'pk-1', displayName: 'authentik Team' }
    const { id } = (await send('POST', '/Groups', sent)).body
    const again = await send('POST', '/Groups', sent)
    expect(again.status).toBe(409)
    const add = (index: number) => ({ op: 'add', path: 'members', value: references(index) })
    await patch(id, add(0), add(1))
    // It sends the whole group without its members, and then what changed of these.
    await patch(id, { op: 'replace', value: { ...sent, id, displayName: 'authentik Team 2' } })
    const after = await patch(id, { op: 'remove', path: 'members', value: references(0) })
    expect(after.body).toMatchObject({ displayName: 'authentik Team 2', externalId: 'pk-1' })
    expect(idsIn(after.body)).toEqual([person(1).id])
  })
})
