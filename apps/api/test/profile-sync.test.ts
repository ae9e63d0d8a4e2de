import { claimMember, releaseMember } from '@atrium/db/members/member-work'
import {
  fileUser,
  identityUser,
  type MembersTestApp,
  mailbox,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { clientsWithDeadline, identityApi } from '@atrium/testing/outside'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syncMember } from '../src/members/jobs.ts'
import { followIdentities } from '../src/users/follow-identity.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    integrations: clientsWithDeadline(800),
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const identityFails = () =>
  testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 503 })
const patch = (id: string, body: object) => testApp.call('PATCH', `/users/${id}`, body)
const patchUser = (id: string, body: object) =>
  testApp.request('PATCH', `/users/${id}`, { token: testApp.as.operator, body })
const dueOf = (id: string) =>
  testApp.database.db
    .selectFrom('identity_dues')
    .selectAll()
    .where('user_id', '=', id)
    .executeTakeFirst()
/** As if the next try of everything were due. */
async function settle(id: string): Promise<void> {
  const { db } = testApp.database
  await db
    .updateTable('identity_dues')
    .set({ next_at: new Date(0) })
    .execute()
  await followIdentities(testApp.app.services)
  await db
    .updateTable('memberships')
    .set({ next_at: new Date(0) })
    .where('user_id', '=', id)
    .where('next_at', 'is not', null)
    .execute()
  await syncMember(testApp.app.services, testApp.acmeId, id)
}

describe('what the identity provider has not followed of a member', () => {
  it('reaches it with the next change of something else', async () => {
    const { member } = await testApp.newMember()
    identityFails()
    await patch(member.id, { name: 'Renamed In An Outage' })
    testApp.sandbox.clearFaults()
    expect((await patch(member.id, { phone: '+49 30 1234' })).body).toMatchObject({
      mirrors: { identity: { state: 'ok' } },
    })
    expect(await identityUser(testApp, member.email)).toMatchObject({
      name: 'Renamed In An Outage',
      attributes: { phone: '+49 30 1234' },
    })
    expect(await dueOf(member.id)).toBeUndefined()
  })

  it('includes the address, which the next sign-in does not set back', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    const address = `moved-${member.id.slice(-6)}@acme.tenants.local`
    // The look whether the address is free works; what changes it does not.
    testApp.sandbox.fault({
      system: 'identity',
      match: 'PATCH /api/v3/core/users/',
      mode: 'error',
      status: 503,
    })
    expect(
      (await testApp.call('PUT', `/users/${member.id}/email`, { email: address })).status,
    ).toBe(200)
    await patch(member.id, { firstName: 'Later' })
    testApp.sandbox.clearFaults()
    expect(await identityUser(testApp, member.email)).toBeDefined()
    await testApp.request('GET', '/users/me', { token })
    expect((await testApp.member(member.id)).email).toBe(address)
    await patch(member.id, { lastName: 'Change' })
    expect(await identityUser(testApp, address)).toMatchObject({
      email: address,
      attributes: { firstName: 'Later', lastName: 'Change' },
    })
    expect(await identityUser(testApp, member.email)).toBeUndefined()
    await testApp.request('GET', '/users/me', { token })
    expect((await testApp.member(member.id)).email).toBe(address)
  })

  it('includes fields that were cleared', async () => {
    const { member } = await testApp.newMember({ phone: '+49 30 1', firstName: 'Ada' })
    expect(await identityUser(testApp, member.email)).toMatchObject({
      attributes: { phone: '+49 30 1', firstName: 'Ada' },
    })
    identityFails()
    await patch(member.id, { phone: null })
    testApp.sandbox.clearFaults()
    await settle(member.id)
    const { attributes } = (await identityUser(testApp, member.email)) ?? {}
    expect(attributes).not.toHaveProperty('phone')
    expect(attributes).toMatchObject({ firstName: 'Ada' })
  })

  it('includes contact data that could not be told when the member was made', async () => {
    testApp.sandbox.fault({
      system: 'identity',
      match: 'PATCH /api/v3/core/users/',
      mode: 'error',
      status: 503,
    })
    const email = `contact-${Date.now()}`
    const { body } = await testApp.call('POST', '/users', {
      email,
      name: 'With Contact',
      phone: '+49 30 77',
    })
    testApp.sandbox.clearFaults()
    await settle(body.member.id)
    expect(await identityUser(testApp, body.member.email)).toMatchObject({
      attributes: { phone: '+49 30 77' },
    })
  })
})

describe('what it has not followed of a change by the person or an operator', () => {
  it('reaches it with the next change of something else', async () => {
    const { member } = await testApp.newMember()
    identityFails()
    await patchUser(member.id, { name: 'Renamed By An Operator' })
    testApp.sandbox.clearFaults()
    expect((await patchUser(member.id, { phone: '+49 30 99' })).status).toBe(200)
    expect(await identityUser(testApp, member.email)).toMatchObject({
      name: 'Renamed By An Operator',
      attributes: { phone: '+49 30 99' },
    })
    expect(await dueOf(member.id)).toBeUndefined()
  })

  it('includes cleared fields, and keeps an address that was not changed here', async () => {
    const { member } = await testApp.newMember({ phone: '+49 30 5' })
    identityFails()
    await patchUser(member.id, { phone: null })
    testApp.sandbox.clearFaults()
    const { pk } = (await identityUser(testApp, member.email)) ?? {}
    await identityApi(testApp, 'PATCH', `/core/users/${pk}/`, {
      email: 'other-at-the-provider@example.test',
    })
    await settle(member.id)
    const there = await identityUser(testApp, member.email)
    expect(there?.attributes).not.toHaveProperty('phone')
    expect(there?.email).toBe('other-at-the-provider@example.test')
  })
})

it('two changes at once leave the provider with the record, whoever told it last', async () => {
  const { member } = await testApp.newMember()
  for (let round = 0; round < 5; round++) {
    testApp.sandbox.fault({
      system: 'identity',
      match: 'PATCH /api/v3/core/users/',
      mode: 'latency',
      delayMs: 60,
      times: 1,
    })
    await Promise.all([
      patch(member.id, { name: `By The Admin ${round}` }),
      patchUser(member.id, { name: `By The Operator ${round}` }),
      patchUser(member.id, { phone: `+49 30 ${round}` }),
    ])
    const { name, phone } = await testApp.member(member.id)
    expect(await identityUser(testApp, member.email)).toMatchObject({ name, attributes: { phone } })
  }
})

describe('another name', () => {
  it('reaches mailbox and files of a member whose work is in other hands at that moment', async () => {
    const { member } = await testApp.newMember()
    const { db } = testApp.database
    const work = await claimMember(db, testApp.acmeId, member.id)
    if (!work) throw new Error('the member is held')
    await patchUser(member.id, { name: 'Held Meanwhile' })
    await releaseMember(db, work)
    await syncMember(testApp.app.services, testApp.acmeId, member.id)
    expect(mailbox(testApp, member.email)).toMatchObject({ description: 'Held Meanwhile' })
    expect(await fileUser(testApp, member.email)).toMatchObject({ displayName: 'Held Meanwhile' })
  })

  it('of somebody whom the tenant does not manage reaches the files after they failed', async () => {
    const { member } = await testApp.newMember()
    const { db } = testApp.database
    // Made by nobody here, as somebody who was added with an account of their own.
    await db
      .updateTable('users')
      .set({ home_tenant_id: null, email: `unmanaged-${member.id}@example.test` })
      .where('id', '=', member.id)
      .execute()
    expect(await testApp.member(member.id)).toMatchObject({ managed: false })
    testApp.sandbox.fault({ system: 'files', mode: 'error', status: 503 })
    await patchUser(member.id, { name: 'Known By Another Name' })
    await expect.poll(async () => (await testApp.member(member.id)).outcomes.files).toBe('error')
    testApp.sandbox.clearFaults()
    await settle(member.id)
    expect(await testApp.member(member.id)).toMatchObject({ outcomes: { files: 'ok' } })
    const { users } = testApp.sandbox.state().files.records as { users: { displayName: string }[] }
    expect(users.map(({ displayName }) => displayName)).toContain('Known By Another Name')
  })
})
