import { randomBytes } from 'node:crypto'
import {
  addIdentitySyncTask,
  allKinds,
  completeIdentitySyncTask,
} from '@atrium/db/users/identity-sync-tasks'
import { accept } from '@atrium/testing/invitations'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { clientsWithDeadline, identityApi, identityRecords } from '@atrium/testing/outside'
import { userIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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

const act = (method: string, path: string, body?: object) =>
  testApp.request(method, path, { token: testApp.as.operator, ...(body ? { body } : {}) })
const dueOf = (id: string) =>
  testApp.database.db
    .selectFrom('identity_dues')
    .selectAll()
    .where('user_id', '=', id)
    .executeTakeFirst()
/** As if a minute had passed. */
async function follow(): Promise<void> {
  const { db } = testApp.database
  await db
    .updateTable('identity_dues')
    .set({ next_at: new Date(Date.now() - 1_000) })
    .execute()
  await followIdentities(testApp.app.services)
}
function identityOf(email: string) {
  const { users, groups } = identityRecords(testApp)
  return users
    .filter((user) => user.email === email)
    .map(({ is_active: active, groups: keys }) => ({
      active,
      groups: keys.map((pk) => groups.find((group) => group.pk === pk)?.name),
    }))
}
async function newOperator() {
  const email = `operator-${randomBytes(4).toString('hex')}@example.test`
  const { status, body } = await act('POST', '/users/invite', { name: 'Operator', email })
  expect(status).toBe(201)
  return { email, id: body.userId as string }
}
const providerFails = () =>
  testApp.sandbox.fault({ system: 'identity', mode: 'error', status: 503 })

describe('an identity provider that fails', () => {
  it('follows a deactivation later without a repeated call', async () => {
    const { id, email } = await newOperator()
    providerFails()
    expect(await act('POST', `/users/${id}/deactivate`, {})).toMatchObject({ status: 502 })
    testApp.sandbox.clearFaults()
    expect(identityOf(email)).toMatchObject([{ active: true }])
    await follow()
    expect(identityOf(email)).toMatchObject([{ active: false }])
    expect(await dueOf(id)).toBeUndefined()
  })

  it('is asked again, later each time, and why it failed is on record', async () => {
    const { id, email } = await newOperator()
    providerFails()
    await act('POST', `/users/${id}/deactivate`, {})
    await follow()
    expect(await dueOf(id)).toMatchObject({
      attempts: 1,
      error: expect.stringMatching(/^The identity provider /),
    })
    const early = (await dueOf(id))?.next_at.getTime() ?? 0
    await follow()
    expect(await dueOf(id)).toMatchObject({ attempts: 2 })
    expect((await dueOf(id))?.next_at.getTime()).toBeGreaterThan(early)
    testApp.sandbox.clearFaults()
    await follow()
    expect(identityOf(email)).toMatchObject([{ active: false }])
  })

  it('lets an administrator out of the group later on, and from then on believes tokens again', async () => {
    const { id, email } = await newOperator()
    testApp.sandbox.fault({
      system: 'identity',
      match: '/remove_user/',
      mode: 'error',
      status: 503,
    })
    expect(await act('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({
      status: 502,
    })
    testApp.sandbox.clearFaults()
    expect(identityOf(email)).toMatchObject([{ groups: ['platform-admins'] }])
    await follow()
    expect(identityOf(email)).toMatchObject([{ active: true, groups: [] }])
    const row = await testApp.database.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.platform_admin).toBe(false)
    expect(Number(row.platform_admin_changed_at)).toBeLessThan(Number.POSITIVE_INFINITY)
  })

  it('lets somebody who left a staff out of the group later on', async () => {
    const email = `staff-${randomBytes(4).toString('hex')}@example.test`
    await act('POST', '/partners/north/users', { name: 'Leaving', email, access: 'viewer' })
    expect((await accept(testApp, email)).status).toBe(200)
    const id = await userIdOf(testApp.database.db, email)
    providerFails()
    expect(await act('DELETE', `/partners/north/users/${id}`)).toMatchObject({
      status: 204,
    })
    testApp.sandbox.clearFaults()
    expect(identityOf(email)).toMatchObject([{ groups: ['partner-staff'] }])
    await follow()
    expect(identityOf(email)).toMatchObject([{ active: true, groups: [] }])
  })
})

describe('a process that dies in between', () => {
  it('while it lets somebody in again: the identity is shut, as the record is', async () => {
    const { member } = await testApp.newMember()
    expect(await act('POST', `/users/${member.id}/deactivate`, {})).toMatchObject({ status: 200 })
    const pk = identityRecords(testApp).users.find((user) => user.email === member.email)?.pk
    await addIdentitySyncTask(testApp.database.db, member.id, { everywhere: true })
    await identityApi(testApp, 'PATCH', `/core/users/${pk}/`, { is_active: true })
    await follow()
    expect(identityOf(member.email)).toMatchObject([{ active: false }])
    expect(await dueOf(member.id)).toBeUndefined()
  })

  it('after the record says that somebody is in: mailbox and files follow', async () => {
    const { member } = await testApp.newMember()
    const { db } = testApp.database
    await act('POST', `/users/${member.id}/deactivate`, {})
    const frozen = () =>
      db
        .selectFrom('memberships')
        .select('mail_frozen as frozen')
        .where('user_id', '=', member.id)
        .execute()
    expect(await frozen()).toEqual([{ frozen: true }])
    await db
      .updateTable('users')
      .set({ deactivated_at: null })
      .where('id', '=', member.id)
      .execute()
    await addIdentitySyncTask(db, member.id, { everywhere: true })
    await follow()
    expect(await frozen()).toEqual([{ frozen: false }])
  })
})

it('what is settled under an old mark stays due', async () => {
  const { id } = await newOperator()
  const { db } = testApp.database
  const old = await addIdentitySyncTask(db, id, { everywhere: true })
  const mark = await addIdentitySyncTask(db, id, { staff: true })
  await completeIdentitySyncTask(db, id, old, { everywhere: true })
  expect(await dueOf(id)).toMatchObject({ mark, everywhere: true, staff: true, attempts: 0 })
  await completeIdentitySyncTask(db, id, mark, allKinds)
  expect(await dueOf(id)).toBeUndefined()
})

it('a later change that is followed does not take an earlier one off that is not', async () => {
  const { id, email } = await newOperator()
  providerFails()
  expect(await act('POST', `/users/${id}/deactivate`, {})).toMatchObject({ status: 502 })
  testApp.sandbox.clearFaults()
  expect(await act('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({
    status: 200,
  })
  expect(identityOf(email)).toEqual([{ active: true, groups: [] }])
  expect(await dueOf(id)).toMatchObject({
    everywhere: true,
    administrators: false,
    staff: false,
    profile: false,
  })
  await follow()
  expect(identityOf(email)).toEqual([{ active: false, groups: [] }])
  expect(await dueOf(id)).toBeUndefined()
})

it('nothing is left due where everything went well', async () => {
  const { id } = await newOperator()
  for (const path of ['deactivate', 'reactivate'])
    expect(await act('POST', `/users/${id}/${path}`, {})).toMatchObject({ status: 200 })
  expect(await act('PATCH', `/users/${id}`, { platformAdmin: false })).toMatchObject({
    status: 200,
  })
  expect(await dueOf(id)).toBeUndefined()
})
