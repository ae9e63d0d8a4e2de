import { accept, invite } from '@atrium/testing/invitations'
import {
  fileUser,
  identityUser,
  type Member,
  type MembersTestApp,
  mailbox,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import type { TestResponse } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const rejected = (code: string) => ({ status: 409, body: { code } })
const inGlobex = (method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, `/tenants/globex${path}`, {
    token: testApp.as.outsider,
    ...(body ? { body } : {}),
  })

/** A person of Acme whom Globex has invited as well, and who accepted. */
async function shared(): Promise<{
  member: Member
  password: string
  accepted: TestResponse
  added: TestResponse
}> {
  const { member, oneTimePassword } = await testApp.newMember({ phone: '+49 30 4711' })
  const person = { email: member.email, name: 'Another Name' }
  const invited = await invite(testApp, 'globex', person, testApp.as.outsider)
  expect(invited).toMatchObject({
    status: 200,
    body: { code: null, invitation: { name: 'Another Name', state: 'pending' } },
  })
  const accepted = await accept(testApp, member.email)
  return {
    member,
    password: oneTimePassword,
    accepted,
    added: await inGlobex('GET', `/users/${member.id}`),
  }
}

describe('a person in another tenant', () => {
  it('is added without a new identity, password or name, and is in both groups', async () => {
    const { member, password, accepted, added } = await shared()
    expect(accepted).toMatchObject({ status: 200, body: { handoff: 'existing', joined: 'Globex' } })
    expect(accepted.body).not.toHaveProperty('tempPassword')
    expect(added).toMatchObject({
      status: 200,
      body: {
        id: member.id,
        name: member.name,
        managed: false,
        status: 'active',
        mailboxAddress: null,
        phone: null,
      },
    })
    expect((await identityUser(testApp, member.email))?.groups).toHaveLength(2)
    expect(await mailboxOpens(testApp, member.email, password)).toBe(true)
    const token = await testApp.token(member.email)
    expect((await testApp.request('GET', '/users/me', { token })).body.tenants).toHaveLength(2)
  })

  it('is not in the power of the other tenant: name, address, password and sessions', async () => {
    const { member } = await shared()
    const path = `/users/${member.id}`
    expect(await inGlobex('PATCH', path, { name: 'Taken Over' })).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect(await inGlobex('PUT', `${path}/email`, { email: 'x@elsewhere.example' })).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect(await inGlobex('POST', `${path}/reset-password`)).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect(await inGlobex('POST', `${path}/force-logout`)).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect((await inGlobex('PATCH', path, { role: 'admin' })).status).toBe(200)
    expect(await testApp.call('PATCH', path, { name: 'At Home' })).toMatchObject({ status: 200 })
  })

  it('who gets a mailbox in the other tenant has a password for that mailbox alone', async () => {
    const { member, password } = await shared()
    const made = await inGlobex('POST', `/users/${member.id}/mailbox`, {})
    const address = made.body.member.mailboxAddress
    expect(address).toMatch(/@globex\.tenants\.local$/)
    expect(await mailboxOpens(testApp, address, made.body.oneTimePassword)).toBe(true)
    const reset = await inGlobex('POST', `/users/${member.id}/reset-password`)
    expect(reset).toMatchObject({
      status: 200,
      body: { outcomes: { identity: { state: 'skipped' }, mail: { state: 'ok' } } },
    })
    expect(await mailboxOpens(testApp, address, reset.body.oneTimePassword)).toBe(true)
    expect(await mailboxOpens(testApp, member.email, password)).toBe(true)

    expect((await inGlobex('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(mailbox(testApp, address)).toBeUndefined()
    expect(mailbox(testApp, member.email)).toBeDefined()
    expect((await identityUser(testApp, member.email))?.groups).toHaveLength(1)
    expect(await fileUser(testApp, member.email)).toBeDefined()
    expect(await testApp.member(member.id)).toMatchObject({ status: 'active' })
  })

  it('and is suspended in the other tenant keeps identity and home', async () => {
    const { member, password } = await shared()
    expect(await inGlobex('POST', `/users/${member.id}/suspend`)).toMatchObject({
      status: 200,
      body: { status: 'suspended' },
    })
    expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: true })
    expect((await identityUser(testApp, member.email))?.groups).toHaveLength(1)
    expect(await mailboxOpens(testApp, member.email, password)).toBe(true)
    const token = await testApp.token(member.email)
    await testApp.request('GET', '/users/me', { token })
    expect((await testApp.call('GET', '/users', undefined, token)).status).toBe(200)
    expect((await testApp.request('GET', '/tenants/globex/users', { token })).status).toBe(403)
    expect(await inGlobex('POST', `/users/${member.id}/resume`)).toMatchObject({
      body: { status: 'active' },
    })
    expect((await identityUser(testApp, member.email))?.groups).toHaveLength(2)
  })

  it('and is removed at home keeps the identity for the other tenant, and loses the mailbox', async () => {
    const { member } = await shared()
    await testApp.call('POST', `/users/${member.id}/suspend`)
    expect((await testApp.call('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(mailbox(testApp, member.email)).toBeUndefined()
    expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: true })
    expect((await identityUser(testApp, member.email))?.groups).toHaveLength(1)
    expect((await inGlobex('GET', `/users/${member.id}`)).body).toMatchObject({
      status: 'active',
      managed: false,
    })
    const token = await testApp.token(member.email)
    expect((await testApp.request('GET', '/users/me', { token })).body.tenants).toMatchObject([
      { slug: 'globex' },
    ])
    expect((await testApp.call('GET', '/users', undefined, token)).status).toBe(403)
  })
})

describe('a person without a tenant', () => {
  it('and proved the address keeps the identity that they made themselves', async () => {
    const token = await testApp.token('newcomer@example.test')
    await testApp.request('GET', '/users/me', { token })
    const proved = { proved_email: 'newcomer@example.test', proved_at: new Date() }
    await testApp.database.db
      .updateTable('users')
      .set(proved)
      .where('email', '=', 'newcomer@example.test')
      .execute()
    await invite(testApp, 'acme', { email: 'newcomer@example.test' }, testApp.as.admin)
    expect((await accept(testApp, 'newcomer@example.test')).body).toMatchObject({
      handoff: 'existing',
    })
    const path = `/users/${await testApp.idOf('newcomer@example.test')}`
    expect((await testApp.call('GET', path)).body).toMatchObject({
      managed: false,
      outcomes: { identity: 'ok' },
    })
    expect(await testApp.call('POST', `${path}/reset-password`)).toMatchObject(
      rejected('identity_not_managed'),
    )
    await testApp.request('GET', '/users/me', {
      token: await testApp.token('newcomer@example.test'),
    })
    expect(await testApp.call('POST', `${path}/reset-password`)).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect(
      (await testApp.call('POST', `${path}/reset-password`, undefined, testApp.as.operator)).status,
    ).toBe(200)
    expect((await testApp.call('DELETE', path)).status).toBe(204)
    expect(await identityUser(testApp, 'newcomer@example.test')).toMatchObject({
      is_active: true,
      groups: [],
    })
  })
})

describe('an operator', () => {
  it('is made a member by operators alone, and is never in the power of the tenant', async () => {
    const { body } = await testApp.call(
      'POST',
      '/users',
      { email: 'operator@atrium.test' },
      testApp.as.operator,
    )
    const path = `/users/${body.member.id}`
    expect(await testApp.call('POST', `${path}/reset-password`)).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect(await testApp.call('POST', `${path}/force-logout`)).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect((await testApp.call('POST', `${path}/suspend`)).status).toBe(200)
    expect(await identityUser(testApp, 'operator@atrium.test')).toMatchObject({ is_active: true })
    expect((await testApp.call('DELETE', path)).status).toBe(204)
    expect(await identityUser(testApp, 'operator@atrium.test')).toMatchObject({ is_active: true })
    expect((await testApp.request('GET', '/users', { token: testApp.as.operator })).status).toBe(
      200,
    )
  })
})
