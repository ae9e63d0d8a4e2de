import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from './house.ts'
import { accept } from './invitations.ts'
import { fileUser, identityUser, type Member, type MembersHouse, mailbox, mailboxOpens, openMembersHouse } from './members-house.ts'

let house: MembersHouse
beforeAll(async () => {
  house = await openMembersHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

const refused = (code: string) => ({ status: 409, body: { code } })
const inGlobex = (method: string, path: string, body?: object): Promise<Answer> =>
  house.request(method, `/tenants/globex${path}`, { token: house.as.stranger, ...(body ? { body } : {}) })

/** A person of Acme whom Globex has invited as well, and who accepted. */
async function shared(): Promise<{ member: Member; password: string; accepted: Answer; added: Answer }> {
  const { member, oneTimePassword } = await house.newMember({ phone: '+49 30 4711' })
  const invited = await inGlobex('POST', '/users', { email: member.email, name: 'Another Name' })
  expect(invited).toMatchObject({ status: 201, body: { oneTimePassword: null, member: { name: 'Another Name', invited: true } } })
  const accepted = await accept(house, member.email)
  return { member, password: oneTimePassword, accepted, added: await inGlobex('GET', `/users/${member.id}`) }
}

describe('somebody who is in another tenant already', () => {
  it('is added without a new identity, password or name, and is in both groups', async () => {
    const { member, password, accepted, added } = await shared()
    expect(accepted).toMatchObject({ status: 200, body: { handoff: 'existing', joined: 'Globex' } })
    expect(accepted.body).not.toHaveProperty('tempPassword')
    expect(added).toMatchObject({
      status: 200,
      body: { id: member.id, name: member.name, managed: false, status: 'active', mailboxAddress: null, phone: null },
    })
    expect((await identityUser(house, member.email))?.groups).toHaveLength(2)
    expect(await mailboxOpens(house, member.email, password)).toBe(true)
    const token = await house.token(member.email)
    expect((await house.request('GET', '/users/me', { token })).body.tenants).toHaveLength(2)
  })

  it('is not in the power of the other tenant: name, address, password and sessions', async () => {
    const { member } = await shared()
    const path = `/users/${member.id}`
    expect(await inGlobex('PATCH', path, { name: 'Taken Over' })).toMatchObject(refused('identity_not_managed'))
    expect(await inGlobex('PUT', `${path}/email`, { email: 'x@elsewhere.example' })).toMatchObject(refused('identity_not_managed'))
    expect(await inGlobex('POST', `${path}/reset-password`)).toMatchObject(refused('identity_not_managed'))
    expect(await inGlobex('POST', `${path}/force-logout`)).toMatchObject(refused('identity_not_managed'))
    expect((await inGlobex('PATCH', path, { role: 'admin' })).status).toBe(200)
    expect(await house.call('PATCH', path, { name: 'At Home' })).toMatchObject({ status: 200 })
  })

  it('who gets a mailbox in the other tenant has a password for that mailbox alone', async () => {
    const { member, password } = await shared()
    const made = await inGlobex('POST', `/users/${member.id}/mailbox`, {})
    const address = made.body.member.mailboxAddress
    expect(address).toMatch(/@globex\.tenants\.local$/)
    expect(await mailboxOpens(house, address, made.body.oneTimePassword)).toBe(true)
    const reset = await inGlobex('POST', `/users/${member.id}/reset-password`)
    expect(reset).toMatchObject({ status: 200, body: { outcomes: { identity: { state: 'skipped' }, mail: { state: 'ok' } } } })
    expect(await mailboxOpens(house, address, reset.body.oneTimePassword)).toBe(true)
    expect(await mailboxOpens(house, member.email, password)).toBe(true)

    expect((await inGlobex('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(mailbox(house, address)).toBeUndefined()
    expect(mailbox(house, member.email)).toBeDefined()
    expect((await identityUser(house, member.email))?.groups).toHaveLength(1)
    expect(await fileUser(house, member.email)).toBeDefined()
    expect(await house.member(member.id)).toMatchObject({ status: 'active' })
  })

  it('and is suspended in the other tenant keeps identity and home', async () => {
    const { member, password } = await shared()
    expect(await inGlobex('POST', `/users/${member.id}/suspend`)).toMatchObject({ status: 200, body: { status: 'suspended' } })
    expect(await identityUser(house, member.email)).toMatchObject({ is_active: true })
    expect((await identityUser(house, member.email))?.groups).toHaveLength(1)
    expect(await mailboxOpens(house, member.email, password)).toBe(true)
    const token = await house.token(member.email)
    await house.request('GET', '/users/me', { token })
    expect((await house.call('GET', '/users', undefined, token)).status).toBe(200)
    expect((await house.request('GET', '/tenants/globex/users', { token })).status).toBe(403)
    expect(await inGlobex('POST', `/users/${member.id}/resume`)).toMatchObject({ body: { status: 'active' } })
    expect((await identityUser(house, member.email))?.groups).toHaveLength(2)
  })

  it('and is removed at home keeps the identity for the other tenant, and loses the mailbox', async () => {
    const { member } = await shared()
    await house.call('POST', `/users/${member.id}/suspend`)
    expect((await house.call('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(mailbox(house, member.email)).toBeUndefined()
    expect(await identityUser(house, member.email)).toMatchObject({ is_active: true })
    expect((await identityUser(house, member.email))?.groups).toHaveLength(1)
    expect((await inGlobex('GET', `/users/${member.id}`)).body).toMatchObject({ status: 'active', managed: false })
    const token = await house.token(member.email)
    expect((await house.request('GET', '/users/me', { token })).body.tenants).toMatchObject([{ slug: 'globex' }])
    expect((await house.call('GET', '/users', undefined, token)).status).toBe(403)
  })
})

describe('somebody who belongs to no tenant yet', () => {
  it('and proved the address keeps the identity that they made themselves', async () => {
    const token = await house.token('newcomer@example.test')
    await house.request('GET', '/users/me', { token })
    const proved = { proved_email: 'newcomer@example.test', proved_at: new Date() }
    await house.database.db.updateTable('users').set(proved).where('email', '=', 'newcomer@example.test').execute()
    await house.call('POST', '/users', { email: 'newcomer@example.test' })
    expect((await accept(house, 'newcomer@example.test')).body).toMatchObject({ handoff: 'existing' })
    const path = `/users/${await house.idOf('newcomer@example.test')}`
    expect((await house.call('GET', path)).body).toMatchObject({ managed: false, outcomes: { identity: 'ok' } })
    expect(await house.call('POST', `${path}/reset-password`)).toMatchObject(refused('identity_not_managed'))
    await house.request('GET', '/users/me', { token: await house.token('newcomer@example.test') })
    expect(await house.call('POST', `${path}/reset-password`)).toMatchObject(refused('identity_not_managed'))
    expect((await house.call('POST', `${path}/reset-password`, undefined, house.as.operator)).status).toBe(200)
    expect((await house.call('DELETE', path)).status).toBe(204)
    expect(await identityUser(house, 'newcomer@example.test')).toMatchObject({ is_active: true, groups: [] })
  })
})

describe('an operator', () => {
  it('is made a member by operators alone, and is never in the power of the tenant', async () => {
    const { body } = await house.call('POST', '/users', { email: 'operator@atrium.test' }, house.as.operator)
    const path = `/users/${body.member.id}`
    expect(await house.call('POST', `${path}/reset-password`)).toMatchObject(refused('identity_not_managed'))
    expect(await house.call('POST', `${path}/force-logout`)).toMatchObject(refused('identity_not_managed'))
    expect((await house.call('POST', `${path}/suspend`)).status).toBe(200)
    expect(await identityUser(house, 'operator@atrium.test')).toMatchObject({ is_active: true })
    expect((await house.call('DELETE', path)).status).toBe(204)
    expect(await identityUser(house, 'operator@atrium.test')).toMatchObject({ is_active: true })
    expect((await house.request('GET', '/users', { token: house.as.operator })).status).toBe(200)
  })
})
