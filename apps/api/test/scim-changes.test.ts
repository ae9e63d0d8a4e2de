import { scimSchemas } from '@atrium/core/scim/schemas'
import { mailbox } from '@atrium/testing/members-test-app'
import { type ScimTestApp, scimBase, startScimTestApp } from '@atrium/testing/scim'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** What one request changes together, and versions of resources. */

let testApp: ScimTestApp
let people: { id: string; email: string }[]

beforeAll(async () => {
  testApp = await startScimTestApp()
  people = []
  for (let index = 0; index < 8; index++) people.push((await testApp.newMember()).member)
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const scim: ScimTestApp['scim'] = (...request) => testApp.scim(...request)
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
const references = (...indexes: number[]) => indexes.map((index) => ({ value: people[index]?.id }))
const read = async (path: string) => (await scim('GET', path)).body

let made = 0
async function newUser(): Promise<string> {
  made += 1
  const created = await scim('POST', '/Users', {
    schemas: [scimSchemas.user],
    userName: `changed${made}@acme.tenants.local`,
    displayName: `Number ${made}`,
  })
  expect(created.status).toBe(201)
  return `/Users/${created.body.id}`
}
async function newSuspended(): Promise<string> {
  const user = await newUser()
  expect((await testApp.patch(user, replace('active', false))).status).toBe(200)
  return user
}
async function newGroup(...members: number[]): Promise<string> {
  made += 1
  const displayName = `Group ${made}`
  const { body } = await scim('POST', '/Groups', { displayName, members: references(...members) })
  return `/Groups/${body.id}`
}
const idIn = (path: string) => path.split('/').at(-1) ?? ''
const member = (user: string) => testApp.member(idIn(user))
const audited = async (user: string) =>
  (
    await testApp.database.db
      .selectFrom('audit_events')
      .select('action')
      .where('resource_id', '=', idIn(user))
      .orderBy('id')
      .execute()
  ).map(({ action }) => action)

/** The requests of eight clients that have all read this version. */
async function eightOf(path: string, operation: (index: number) => object) {
  const { version } = (await read(path)).meta
  return Promise.all(
    people.map((_, index) =>
      scim('PATCH', path, { Operations: [operation(index)] }, { 'if-match': version }),
    ),
  )
}
const oneOfEight = [200, ...Array(7).fill(412)]

describe('a change of several things of a user', () => {
  const several = (user: string, userName: string, active?: boolean) =>
    testApp.patch(
      user,
      replace('displayName', 'Changed'),
      replace('externalId', 'changed'),
      replace('userName', userName),
      ...(active === undefined ? [] : [replace('active', active)]),
    )

  it('changes nothing where one of them is rejected', async () => {
    const user = await newSuspended()
    const before = await read(user)
    const rejected = await several(user, 'owner@acme.test', true)
    expect([rejected.status, rejected.body.scimType]).toEqual([409, 'uniqueness'])
    expect(await read(user)).toEqual(before)
    expect(await audited(user)).toEqual(['member.created', 'member.suspended'])
  })

  it('opens the mailbox of a suspended member under its new address', async () => {
    const user = await newSuspended()
    expect(await several(user, 'back.again', true)).toMatchObject({
      status: 200,
      body: { displayName: 'Changed', externalId: 'changed', active: true },
    })
    expect(await member(user)).toMatchObject({
      status: 'active',
      mailboxAddress: 'back.again@acme.tenants.local',
      outcomes: { identity: 'ok', mail: 'ok', files: 'ok' },
    })
    expect(mailbox(testApp, 'back.again@acme.tenants.local')?.description).toBe('Changed')
    expect((await audited(user)).slice(2)).toEqual([
      'member.resumed',
      'member.email_changed',
      'member.updated',
    ])
  })

  it('gives the mailbox its new address before it is frozen', async () => {
    const user = await newUser()
    const changed = await several(user, 'gone.away', false)
    expect(changed.body).toMatchObject({ active: false, userName: 'gone.away' })
    expect(mailbox(testApp, 'gone.away@acme.tenants.local')?.description).toBe('Changed')
    expect((await audited(user)).slice(1)).toEqual([
      'member.email_changed',
      'member.updated',
      'member.suspended',
    ])
  })

  it('suspends in one change with the name', async () => {
    const user = await newUser()
    await testApp.patch(user, replace('displayName', 'Leaver'), replace('active', false))
    expect(await member(user)).toMatchObject({ status: 'suspended', name: 'Leaver' })
  })

  it('writes nothing when nothing differs', async () => {
    const user = await newUser()
    const before = await read(user)
    expect((await scim('PUT', user, before)).body).toEqual(before)
    expect(await audited(user)).toEqual(['member.created'])
  })
})

describe('a version', () => {
  it('of a user lets one of eight clients change it', async () => {
    const user = await newUser()
    const all = await eightOf(user, (index) => replace('displayName', `Name ${index}`))
    expect(all.map(({ status }) => status).sort()).toEqual(oneOfEight)
    const changed = all.findIndex(({ status }) => status === 200)
    expect((await member(user)).name).toBe(`Name ${changed}`)
  })

  it.each([
    ['a group', newGroup] as const,
    ['the admins', async () => `/Groups/${testApp.acmeId}`],
  ])('of %s lets one of eight clients change it', async (_, find) => {
    const group = await find()
    const before = (await read(group)).members.length
    const all = await eightOf(group, (index) => ({
      op: 'add',
      path: 'members',
      value: references(index),
    }))
    expect(all.map(({ status }) => status).sort()).toEqual(oneOfEight)
    expect((await read(group)).members).toHaveLength(before + 1)
    const all8 = references(0, 1, 2, 3, 4, 5, 6, 7)
    await testApp.patch(group, { op: 'remove', path: 'members', value: all8 })
  })

  it('that is old suspends nobody', async () => {
    const user = await newUser()
    const { version } = (await read(user)).meta
    await testApp.patch(user, replace('displayName', 'Newer'))
    const Operations = [replace('active', false)]
    const stale = await scim('PATCH', user, { Operations }, { 'if-match': version })
    expect([stale.status, (await member(user)).status]).toEqual([412, 'active'])
  })
})

describe('a change of several things of a group', () => {
  it('changes name, members and external id, or nothing', async () => {
    const group = await newGroup(0)
    const { displayName } = await read(await newGroup())
    const before = await read(group)
    const several = (name: string) =>
      testApp.patch(
        group,
        { op: 'replace', value: { displayName: name, externalId: 'several' } },
        { op: 'add', path: 'members', value: references(1) },
      )
    expect((await several(displayName.toUpperCase())).body.scimType).toBe('uniqueness')
    expect(await read(group)).toEqual(before)
    const changed = (await several('Several')).body
    expect(changed).toMatchObject({ displayName: 'Several', externalId: 'several' })
    expect(changed.members).toHaveLength(2)
  })

  it('changes the roles of all admins or of none', async () => {
    const group = `/Groups/${testApp.acmeId}`
    await testApp.patch(group, { op: 'add', path: 'members', value: references(4) })
    const before = await read(group)
    const update = (bootstrap: boolean, address: string | null) =>
      testApp.database.db
        .updateTable('memberships')
        .set({ bootstrap_admin: bootstrap, mailbox_address: address })
        .where('tenant_id', '=', testApp.acmeId)
        .where('user_id', '=', people[4]?.id ?? '')
        .execute()
    // An admin of whom nobody takes the role.
    await update(true, null)
    const body = { displayName: 'Administrators', members: references(5) }
    const rejected = await scim('PUT', group, body)
    await update(false, people[4]?.email ?? '')
    expect(rejected.body.detail).toContain('(role_locked_bootstrap_admin)')
    expect(await read(group)).toEqual(before)
    expect(
      (await testApp.patch(group, { op: 'remove', path: 'members', value: references(4) })).status,
    ).toBe(200)
  })
})

describe('groups of a user', () => {
  it('are shown, are part of its version, and change with the group alone', async () => {
    const user = await newUser()
    const alone = await read(user)
    expect(alone).not.toHaveProperty('groups')
    const members = [{ value: alone.id }]
    const list = (await scim('POST', '/Groups', { displayName: 'Of one', members })).body.id
    const admins = testApp.acmeId
    await testApp.patch(`/Groups/${admins}`, { op: 'add', path: 'members', value: members })
    const shown = await read(user)
    expect(shown.groups).toHaveLength(2)
    for (const [value, display] of [
      [list, 'Of one'],
      [admins, 'Administrators'],
    ]) {
      const $ref = `${scimBase}/Groups/${value}`
      expect(shown.groups).toContainEqual({ value, display, $ref, type: 'direct' })
      const filter = `groups eq "${value}" and id eq "${alone.id}"`
      expect((await read(`/Users?filter=${encodeURIComponent(filter)}`)).Resources).toEqual([shown])
    }
    const count = async (filter: string) =>
      (await read(`/Users?filter=${encodeURIComponent(filter)}`)).totalResults
    expect(await count(`groups.value eq "${alone.id}"`)).toBe(0)
    expect(await count(`id eq "${alone.id}" and not (groups pr)`)).toBe(0)
    expect(shown.meta.version).not.toBe(alone.meta.version)
    expect((await testApp.patch(user, replace('groups', []))).body.groups).toEqual(shown.groups)
    await scim('DELETE', `/Groups/${list}`)
    expect((await read(user)).groups).toHaveLength(1)
  })
})
