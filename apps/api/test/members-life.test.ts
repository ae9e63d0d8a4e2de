import { randomBytes } from 'node:crypto'
import { authentik } from '@atrium/integrations/identity/authentik'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auditOf } from './mailboxes.ts'
import {
  expectNowhere,
  fileUser,
  identityUser,
  type MembersHouse,
  mailbox,
  mailboxOpens,
  openMembersHouse,
  openUnfilteredIdentity,
} from './members-house.ts'
import { identityApi } from './outside.ts'

let house: MembersHouse
beforeAll(async () => {
  house = await openMembersHouse()
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())
beforeEach(() => house.sandbox.clearFaults())

const act = (id: string, verb: string, token?: string) => house.call('POST', `/users/${id}/${verb}`, undefined, token)
const refused = (code: string) => ({ status: 409, body: { code } })

describe('a retry', () => {
  it('gives whoever created the tenant, who got nothing but the membership, the files of the tenant', async () => {
    const id = await house.idOf('owner@acme.test')
    expect(await house.member(id)).toMatchObject({ role: 'owner', outcomes: { identity: 'ok', mail: 'skipped', files: 'skipped' } })
    expect(await fileUser(house, 'owner@acme.test')).toBeUndefined()
    const answer = await act(id, 'retry', house.as.owner)
    expect(answer).toMatchObject({
      status: 200,
      body: { member: { role: 'owner', outcomes: { identity: 'ok', mail: 'skipped', files: 'ok' } }, oneTimePassword: null },
    })
    expect(await fileUser(house, 'owner@acme.test')).toMatchObject({ mail: 'owner@acme.test' })
  })
})

describe('a suspension', () => {
  it('shuts the person out everywhere, and resuming gives back the mailbox with its old password', async () => {
    const { member, oneTimePassword } = await house.newMember()
    const token = await house.token(member.email)
    expect((await house.call('GET', '/users', undefined, token)).status).toBe(200)

    expect(await act(member.id, 'suspend')).toMatchObject({
      status: 200,
      body: { status: 'suspended', outcomes: { identity: 'ok', mail: 'ok', files: 'ok' } },
    })
    expect(await mailboxOpens(house, member.email, oneTimePassword)).toBe(false)
    expect(await identityUser(house, member.email)).toMatchObject({ is_active: false })
    expect(await fileUser(house, member.email)).toMatchObject({ accountEnabled: false })
    expect(await house.call('GET', '/users', undefined, token)).toMatchObject({ status: 403, body: { code: 'not_member' } })
    await expect(house.token(member.email)).rejects.toThrow()

    expect(await act(member.id, 'resume')).toMatchObject({
      status: 200,
      body: { status: 'active', outcomes: { identity: 'ok', mail: 'ok', files: 'ok' } },
    })
    expect(await mailboxOpens(house, member.email, oneTimePassword)).toBe(true)
    expect(await identityUser(house, member.email)).toMatchObject({ is_active: true })
    expect(await fileUser(house, member.email)).toMatchObject({ accountEnabled: true })
    expect((await house.call('GET', '/users', undefined, await house.token(member.email))).status).toBe(200)
  })

  it('gives back exactly the permissions that were there', async () => {
    const { member } = await house.newMember()
    const { mail } = house.app.house.systems
    const id = mailbox(house, member.email)?.id ?? ''
    const before = (await mail?.readAccount(id))?.permissions
    await act(member.id, 'suspend')
    expect((await mail?.readAccount(id))?.frozen).toBe(true)
    await act(member.id, 'resume')
    expect((await mail?.readAccount(id))?.permissions).toEqual(before)
  })

  it('is refused for oneself, the owner, and twice; a resume needs one', async () => {
    const [owner, admin] = [await house.idOf('owner@acme.test'), await house.idOf('admin@acme.test')]
    expect(await act(admin, 'suspend')).toMatchObject(refused('self_suspend'))
    expect(await act(owner, 'suspend')).toMatchObject(refused('owner_locked'))
    const { member } = await house.newMember()
    expect(await act(member.id, 'resume')).toMatchObject(refused('not_suspended'))
    await act(member.id, 'suspend')
    expect(await act(member.id, 'suspend')).toMatchObject(refused('already_suspended'))
  })

  it('of somebody with another address change waits for the resume', async () => {
    const { member } = await house.newMember()
    await act(member.id, 'suspend')
    expect(await house.call('PUT', `/users/${member.id}/email`, { email: 'while-out' })).toMatchObject(refused('member_not_active'))
    const renamed = await house.call('PATCH', `/users/${member.id}`, { name: 'While Out' })
    expect(renamed.body.mirrors).toMatchObject({ identity: { state: 'ok' }, mail: { state: 'skipped' } })
    await act(member.id, 'resume')
    expect(mailbox(house, member.email)).toMatchObject({ description: 'While Out' })
  })
})

describe('the last admin', () => {
  it('who is not shut out stays one', async () => {
    const { db } = house.database
    const owner = db.updateTable('users').where('email', '=', 'owner@acme.test')
    const others = db.updateTable('memberships').where('tenant_id', '=', house.acmeId).where('role', '=', 'admin')
    const admin = await house.idOf('admin@acme.test')
    await others.set({ role: 'member' }).where('user_id', '<>', admin).execute()
    await owner.set({ deactivated_at: new Date() }).execute()
    try {
      const { operator } = house.as
      expect(await house.call('PATCH', `/users/${admin}`, { role: 'member' }, operator)).toMatchObject(refused('last_admin'))
      expect(await act(admin, 'suspend', operator)).toMatchObject(refused('last_admin'))
      expect(await house.call('DELETE', `/users/${admin}`, undefined, operator)).toMatchObject(refused('last_admin'))
      const { member } = await house.newMember({ role: 'admin' })
      expect((await house.call('PATCH', `/users/${admin}`, { role: 'member' }, operator)).status).toBe(200)
      expect((await house.call('PATCH', `/users/${admin}`, { role: 'admin' }, operator)).status).toBe(200)
      expect((await house.call('DELETE', `/users/${member.id}`, undefined, operator)).status).toBe(204)
    } finally {
      await owner.set({ deactivated_at: null }).execute()
    }
  })
})

describe('forcing a sign-out', () => {
  it("ends that person's sessions and nobody else's", async () => {
    const [{ member }, { member: other }] = [await house.newMember(), await house.newMember()]
    for (const { email } of [member, member, other]) await house.token(email)
    const [own, foreign] = [await sessionsOf(house, member.email), await sessionsOf(house, other.email)]
    expect([own.length, foreign.length]).not.toContain(0)
    const answer = await act(member.id, 'force-logout')
    expect(answer).toMatchObject({ status: 200, body: { member: { id: member.id }, sessionsEnded: own.length } })
    expect(await sessionsOf(house, member.email)).toEqual([])
    expect(await sessionsOf(house, other.email)).toEqual(foreign)
  })

  it("ends nobody else's when the provider ignores its filters", async () => {
    await using unfiltered = await openUnfilteredIdentity()
    await using other = await openMembersHouse({
      integrations: (given, config) => ({
        ...given,
        identity: config.identity && authentik({ ...config.identity, baseUrl: unfiltered.url }),
      }),
      provisioned: false,
    })
    unfiltered.target = other.sandbox.identityUrl
    const everybody = ['owner@acme.test', 'admin@acme.test', 'member@acme.test', 'owner@globex.test']
    const before = await Promise.all(everybody.map((email) => sessionsOf(other, email)))
    expect(before.every((sessions) => sessions.length > 0)).toBe(true)
    const answer = await other.call('POST', `/users/${await other.idOf('member@acme.test')}/force-logout`)
    expect(answer).toMatchObject({ status: 200, body: { sessionsEnded: before[2]?.length } })
    const after = await Promise.all(everybody.map((email) => sessionsOf(other, email)))
    expect(after).toEqual(before.map((sessions, index) => (index === 2 ? [] : sessions)))
  })

  it('ends the sessions of our own servers too', async () => {
    const { member } = await house.newMember()
    const { db } = house.database
    const { idp_subject_id: subject } = await db
      .selectFrom('users')
      .select('idp_subject_id')
      .where('id', '=', member.id)
      .executeTakeFirstOrThrow()
    const row = { app: 'portal' as const, tokens: Buffer.from('x'), access_expires_at: new Date(), expires_at: new Date(Date.now() + 1e6) }
    await db
      .insertInto('web_sessions')
      .values([
        { ...row, token_hash: randomBytes(32), subject },
        { ...row, token_hash: randomBytes(32), subject: 'somebody-else' },
      ])
      .execute()
    await act(member.id, 'force-logout')
    expect(await db.selectFrom('web_sessions').select('subject').execute()).toEqual([{ subject: 'somebody-else' }])
  })

  it('is refused for oneself, and tells when the provider fails', async () => {
    expect(await act(await house.idOf('admin@acme.test'), 'force-logout')).toMatchObject(refused('self_force_logout'))
    const { member } = await house.newMember()
    house.sandbox.fault({ system: 'identity', mode: 'error' })
    expect(await act(member.id, 'force-logout')).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    house.sandbox.clearFaults()
    expect((await act(member.id, 'force-logout')).status).toBe(200)
  })
})

async function sessionsOf(house: MembersHouse, email: string): Promise<unknown[]> {
  const user = await identityUser(house, email)
  const { results } = await identityApi(house, 'GET', '/core/authenticated_sessions/?page_size=1000')
  return results.filter((one: { user: number }) => one.user === user?.pk)
}

describe('a password reset', () => {
  it('sets one new password on identity and mailbox and shows it once', async () => {
    const { member, oneTimePassword: old } = await house.newMember()
    const { status, body } = await act(member.id, 'reset-password')
    expect({ status, outcomes: body.outcomes }).toEqual({ status: 200, outcomes: { identity: { state: 'ok' }, mail: { state: 'ok' } } })
    expect(await mailboxOpens(house, member.email, old)).toBe(false)
    expect(await mailboxOpens(house, member.email, body.oneTimePassword)).toBe(true)
    await expectNowhere(house, body.oneTimePassword)
  })

  it('is answered as partly done when one system fails, with the password that holds for the other', async () => {
    const { member } = await house.newMember()
    house.sandbox.fault({ system: 'identity', match: 'set_password', mode: 'error' })
    const answer = await act(member.id, 'reset-password')
    expect(answer).toMatchObject({ status: 200, body: { outcomes: { identity: { state: 'error' }, mail: { state: 'ok' } } } })
    expect(await mailboxOpens(house, member.email, answer.body.oneTimePassword)).toBe(true)
    expect((await auditOf(house, 'member.password_reset'))[0]).toMatchObject({ outcome: 'failure', resource_id: member.id })
    house.sandbox.clearFaults()
    house.sandbox.fault({ system: 'mail', mode: 'reset' })
    const second = await act(member.id, 'reset-password')
    expect(second).toMatchObject({
      status: 200,
      body: { outcomes: { identity: { state: 'ok' }, mail: { state: 'error', error: expect.stringContaining('mail server') } } },
    })
    expect(await mailboxOpensAfterFaults(member.email, answer.body.oneTimePassword)).toBe(true)
  })

  it('fails as a whole when nothing took the password', async () => {
    const { member, oneTimePassword } = await house.newMember()
    house.sandbox.fault({ system: 'identity', match: 'set_password', mode: 'error' })
    house.sandbox.fault({ system: 'mail', mode: 'reset' })
    const answer = await act(member.id, 'reset-password')
    expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(JSON.stringify(answer.body)).not.toContain('oneTimePassword')
    expect(await mailboxOpensAfterFaults(member.email, oneTimePassword)).toBe(true)
  })
})

function mailboxOpensAfterFaults(address: string, password: string): Promise<boolean> {
  house.sandbox.clearFaults()
  return mailboxOpens(house, address, password)
}

describe('a removal', () => {
  it('takes mailbox, identity, file account and record, and no token of before brings the person back', async () => {
    const { member } = await house.newMember()
    const token = await house.token(member.email)
    await house.request('GET', '/users/me', { token })
    const { memberCount } = (await house.call('GET', '')).body
    expect((await house.call('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(mailbox(house, member.email)).toBeUndefined()
    expect(await identityUser(house, member.email)).toBeUndefined()
    expect(await fileUser(house, member.email)).toBeUndefined()
    expect((await house.call('GET', `/users/${member.id}`)).status).toBe(404)
    expect((await house.call('GET', '')).body.memberCount).toBe(memberCount - 1)
    expect(await house.request('GET', '/users/me', { token })).toMatchObject({ status: 403, body: { code: 'user_deactivated' } })
    expect((await auditOf(house, 'member.removed'))[0]).toMatchObject({
      ...{ resource_id: member.id, actor_email: 'admin@acme.test', tenant_slug: 'acme' },
      metadata: { identity: 'deleted', complete: true, mailbox: member.email },
    })
  })

  it('frees the address for somebody new', async () => {
    const { member } = await house.newMember()
    await house.call('DELETE', `/users/${member.id}`)
    const again = await house.call('POST', '/users', { email: member.email, name: 'Somebody New' })
    expect(again).toMatchObject({ status: 201, body: { member: { status: 'active', name: 'Somebody New' } } })
    expect(again.body.member.id).not.toBe(member.id)
    const token = await house.token(member.email)
    expect((await house.request('GET', '/users/me', { token })).body.id).toBe(again.body.member.id)
  })

  it('is refused for the owner and for oneself, and 404 for strangers', async () => {
    const remove = async (email: string, token?: string) => house.call('DELETE', `/users/${await house.idOf(email)}`, undefined, token)
    expect(await remove('owner@acme.test')).toMatchObject(refused('owner_removal'))
    expect(await remove('owner@acme.test', house.as.operator)).toMatchObject(refused('owner_removal'))
    expect(await remove('admin@acme.test')).toMatchObject(refused('self_removal'))
    expect(await remove('owner@globex.test')).toMatchObject({ status: 404 })
  })

  it('forgets closed records after thirty days, and keeps them until then', async () => {
    const { deleteRemovedPeople } = await import('@atrium/db/member-work')
    const { member } = await house.newMember()
    await house.call('DELETE', `/users/${member.id}`)
    const { db } = house.database
    await deleteRemovedPeople(db)
    const row = () => db.selectFrom('users').select('id').where('id', '=', member.id).executeTakeFirst()
    expect(await row()).toBeDefined()
    await db
      .updateTable('users')
      .set({ removed_at: new Date(Date.now() - 31 * 86_400_000) })
      .where('id', '=', member.id)
      .execute()
    await deleteRemovedPeople(db)
    expect(await row()).toBeUndefined()
  })
})

describe('the ownership', () => {
  it('passes to an active member, and the owner of before is an admin', async () => {
    const { member } = await house.newMember()
    const owner = await house.idOf('owner@acme.test')
    const answer = await house.call('POST', '/transfer-ownership', { userId: member.id }, house.as.owner)
    expect(answer).toMatchObject({
      status: 200,
      body: { owner: { id: member.id, role: 'owner' }, previousOwner: { id: owner, role: 'admin' } },
    })
    expect((await house.call('GET', '')).body.owner.id).toBe(member.id)
    expect(await house.call('POST', '/transfer-ownership', { userId: member.id })).toMatchObject(refused('already_owner'))
    expect((await house.call('POST', '/transfer-ownership', { userId: owner }, house.as.operator)).status).toBe(200)
    expect((await auditOf(house, 'tenant.ownership_transferred'))[0]).toMatchObject({
      metadata: { changes: { owner: [member.email, 'owner@acme.test'] } },
    })
  })

  it('does not pass to somebody who is suspended, deactivated or no member', async () => {
    const { member } = await house.newMember()
    const to = (userId: string) => house.call('POST', '/transfer-ownership', { userId })
    await act(member.id, 'suspend')
    expect(await to(member.id)).toMatchObject(refused('member_not_active'))
    await act(member.id, 'resume')
    await house.database.db.updateTable('users').set({ deactivated_at: new Date() }).where('id', '=', member.id).execute()
    expect(await to(member.id)).toMatchObject(refused('member_not_active'))
    expect(await to(await house.idOf('owner@globex.test'))).toMatchObject({ status: 404 })
  })
})
