import { randomBytes } from 'node:crypto'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { authentik } from '@atrium/integrations/identity/authentik'
import { auditOf } from '@atrium/testing/mailboxes'
import {
  expectNowhere,
  fileUser,
  identityUser,
  type MembersTestApp,
  mailbox,
  mailboxOpens,
  openUnfilteredIdentity,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { identityApi } from '@atrium/testing/outside'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { reopenIdentity } from '../src/users/end-sessions.ts'
import { followIdentities } from '../src/users/follow-identity.ts'
import { newRefreshToken, refresh } from './refresh-tokens.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const act = (id: string, verb: string, token?: string) =>
  testApp.call('POST', `/users/${id}/${verb}`, undefined, token)
const rejected = (code: string) => ({ status: 409, body: { code } })

describe('a retry', () => {
  it('gives whoever created the tenant, who got nothing but the membership, the files of the tenant', async () => {
    const id = await testApp.idOf('owner@acme.test')
    expect(await testApp.member(id)).toMatchObject({
      role: 'owner',
      outcomes: { identity: 'ok', mail: 'skipped', files: 'skipped' },
    })
    expect(await fileUser(testApp, 'owner@acme.test')).toBeUndefined()
    const response = await act(id, 'retry', testApp.as.owner)
    expect(response).toMatchObject({
      status: 200,
      body: {
        member: { role: 'owner', outcomes: { identity: 'ok', mail: 'skipped', files: 'ok' } },
        oneTimePassword: null,
      },
    })
    expect(await fileUser(testApp, 'owner@acme.test')).toMatchObject({ mail: 'owner@acme.test' })
  })
})

describe('a suspension', () => {
  it('shuts the person out everywhere, and resuming gives back the mailbox with its old password', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const token = await testApp.token(member.email)
    expect((await testApp.call('GET', '/users', undefined, token)).status).toBe(200)

    expect(await act(member.id, 'suspend')).toMatchObject({
      status: 200,
      body: { status: 'suspended', outcomes: { identity: 'ok', mail: 'ok', files: 'ok' } },
    })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: false })
    expect(await fileUser(testApp, member.email)).toMatchObject({ accountEnabled: false })
    expect(await testApp.call('GET', '/users', undefined, token)).toMatchObject({
      status: 403,
      body: { code: 'not_member' },
    })
    await expect(testApp.token(member.email)).rejects.toThrow()

    expect(await act(member.id, 'resume')).toMatchObject({
      status: 200,
      body: { status: 'active', outcomes: { identity: 'ok', mail: 'ok', files: 'ok' } },
    })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: true })
    expect(await fileUser(testApp, member.email)).toMatchObject({ accountEnabled: true })
    expect(
      (await testApp.call('GET', '/users', undefined, await testApp.token(member.email))).status,
    ).toBe(200)
  })

  it('gives back exactly the permissions that were there', async () => {
    const { member } = await testApp.newMember()
    const { mail } = testApp.app.services.systems
    const id = mailbox(testApp, member.email)?.id ?? ''
    const before = (await mail?.readAccount(id))?.permissions
    await act(member.id, 'suspend')
    expect((await mail?.readAccount(id))?.frozen).toBe(true)
    await act(member.id, 'resume')
    expect((await mail?.readAccount(id))?.permissions).toEqual(before)
  })

  it('is rejected for oneself, the owner, and twice; a resume needs one', async () => {
    const [owner, admin] = [
      await testApp.idOf('owner@acme.test'),
      await testApp.idOf('admin@acme.test'),
    ]
    expect(await act(admin, 'suspend')).toMatchObject(rejected('self_suspend'))
    expect(await act(owner, 'suspend')).toMatchObject(rejected('owner_locked'))
    const { member } = await testApp.newMember()
    expect(await act(member.id, 'resume')).toMatchObject(rejected('not_suspended'))
    await act(member.id, 'suspend')
    expect(await act(member.id, 'suspend')).toMatchObject(rejected('already_suspended'))
  })

  it('of somebody with another address change waits for the resume', async () => {
    const { member } = await testApp.newMember()
    await act(member.id, 'suspend')
    expect(
      await testApp.call('PUT', `/users/${member.id}/email`, { email: 'while-out' }),
    ).toMatchObject(rejected('member_not_active'))
    const renamed = await testApp.call('PATCH', `/users/${member.id}`, { name: 'While Out' })
    expect(renamed.body.mirrors).toMatchObject({
      identity: { state: 'ok' },
      mail: { state: 'skipped' },
    })
    await act(member.id, 'resume')
    expect(mailbox(testApp, member.email)).toMatchObject({ description: 'While Out' })
  })

  it('by an operator keeps the address: mailbox and file account of a closed account take no other', async () => {
    const { member } = await testApp.newMember()
    const account = testApp.database.db.updateTable('users').where('id', '=', member.id)
    await account.set({ deactivated_at: new Date() }).execute()
    expect(
      await testApp.call('PUT', `/users/${member.id}/email`, { email: 'another-name' }),
    ).toMatchObject(rejected('member_not_active'))
    expect(await testApp.member(member.id)).toMatchObject({ email: member.email })
    expect(await mailbox(testApp, member.email)).toBeDefined()

    await account.set({ deactivated_at: null }).execute()
    expect(
      (await testApp.call('PUT', `/users/${member.id}/email`, { email: 'another-name' })).status,
    ).toBe(200)
  })
})

describe('the last admin', () => {
  it('who is not shut out stays one', async () => {
    const { db } = testApp.database
    const owner = db.updateTable('users').where('email', '=', 'owner@acme.test')
    const others = db
      .updateTable('memberships')
      .where('tenant_id', '=', testApp.acmeId)
      .where('role', '=', 'admin')
    const admin = await testApp.idOf('admin@acme.test')
    await others.set({ role: 'member' }).where('user_id', '<>', admin).execute()
    await owner.set({ deactivated_at: new Date() }).execute()
    try {
      const { operator } = testApp.as
      expect(
        await testApp.call('PATCH', `/users/${admin}`, { role: 'member' }, operator),
      ).toMatchObject(rejected('last_admin'))
      expect(await act(admin, 'suspend', operator)).toMatchObject(rejected('last_admin'))
      expect(await testApp.call('DELETE', `/users/${admin}`, undefined, operator)).toMatchObject(
        rejected('last_admin'),
      )
      const { member } = await testApp.newMember({ role: 'admin' })
      expect(
        (await testApp.call('PATCH', `/users/${admin}`, { role: 'member' }, operator)).status,
      ).toBe(200)
      expect(
        (await testApp.call('PATCH', `/users/${admin}`, { role: 'admin' }, operator)).status,
      ).toBe(200)
      expect(
        (await testApp.call('DELETE', `/users/${member.id}`, undefined, operator)).status,
      ).toBe(204)
    } finally {
      await owner.set({ deactivated_at: null }).execute()
    }
  })
})

describe('forcing a sign-out', () => {
  it("ends that person's sessions and nobody else's", async () => {
    const [{ member }, { member: other }] = [await testApp.newMember(), await testApp.newMember()]
    for (const { email } of [member, member, other]) await testApp.token(email)
    const [own, foreign] = [
      await sessionsOf(testApp, member.email),
      await sessionsOf(testApp, other.email),
    ]
    expect([own.length, foreign.length]).not.toContain(0)
    const response = await act(member.id, 'force-logout')
    expect(response).toMatchObject({
      status: 200,
      body: { member: { id: member.id }, sessionsEnded: own.length },
    })
    expect(await sessionsOf(testApp, member.email)).toEqual([])
    expect(await sessionsOf(testApp, other.email)).toEqual(foreign)
  })

  it('ends refresh tokens, and leaves the identity active', async () => {
    const [{ member, oneTimePassword }, other] = [
      await testApp.newMember(),
      await testApp.newMember(),
    ]
    const own = await newRefreshToken(testApp, member.email, oneTimePassword)
    const foreign = await newRefreshToken(testApp, other.member.email, other.oneTimePassword)
    expect((await act(member.id, 'force-logout')).status).toBe(200)
    expect(await refresh(testApp, own)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect(await refresh(testApp, foreign)).toMatchObject({ status: 200 })
    expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: true })
    expect(await syncTasksOf(member.id)).toEqual([])
  })

  it('claims no success when the provider ends no tokens', async () => {
    const { member } = await testApp.newMember()
    testApp.sandbox.fault({
      system: 'identity',
      match: 'PATCH /api/v3/core/users/',
      mode: 'error',
      status: 403,
    })
    expect(await act(member.id, 'force-logout')).toMatchObject({
      status: 502,
      body: {
        code: 'upstream_failed',
        detail: expect.stringContaining('may stay signed in until their tokens expire'),
      },
    })
    expect((await auditOf(testApp, 'member.sessions_ended'))[0]).toMatchObject({
      outcome: 'failure',
      resource_id: member.id,
    })
    // Nothing was changed there, so nothing has to be opened again.
    expect(await syncTasksOf(member.id)).toEqual([])
  })

  it('opens the identity again after the provider failed midway', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const token = await newRefreshToken(testApp, member.email, oneTimePassword)
    testApp.sandbox.fault({
      system: 'identity',
      match: 'PATCH /api/v3/core/users/',
      mode: 'reset',
      after: true,
    })
    expect((await act(member.id, 'force-logout')).status).toBe(502)
    testApp.sandbox.clearFaults()
    await identityApi(
      testApp,
      'PATCH',
      `/core/users/${(await identityUser(testApp, member.email))?.pk}/`,
      { is_active: false },
    )
    expect(await syncTasksOf(member.id)).toMatchObject([{ reopen: true }])
    await followSyncTasks()
    expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: true })
    expect(await syncTasksOf(member.id)).toEqual([])
    expect((await refresh(testApp, token)).status).toBe(400)
  })

  it('activates no person who was suspended or deactivated meanwhile', async () => {
    const [{ member: suspended }, { member: deactivated }] = [
      await testApp.newMember(),
      await testApp.newMember(),
    ]
    expect((await act(suspended.id, 'suspend')).status).toBe(200)
    expect(
      (
        await testApp.request('POST', `/users/${deactivated.id}/deactivate`, {
          token: testApp.as.operator,
          body: {},
        })
      ).status,
    ).toBe(200)
    for (const { id, email } of [suspended, deactivated]) {
      expect((await act(id, 'force-logout')).status).toBe(200)
      await addIdentitySyncTask(testApp.database.db, id, { reopen: true })
      await followSyncTasks()
      expect(await identityUser(testApp, email)).toMatchObject({ is_active: false })
      expect(await syncTasksOf(id)).toEqual([])
    }
  })

  it('activates no suspended person while the tokens are ended', async () => {
    const { member } = await testApp.newMember()
    const person = {
      id: member.id,
      idpUserId: String((await identityUser(testApp, member.email))?.pk),
    }
    const { identity } = testApp.app.services.systems
    if (!identity) throw new Error('no identity provider')
    let opened = 0
    const meanwhile: typeof identity = {
      ...identity,
      async setActive(request, options) {
        opened += request.active ? 1 : 0
        // The suspension is on record and has told the provider just before this call reaches it.
        if (request.active && opened === 1)
          expect((await act(member.id, 'suspend')).status).toBe(200)
        return identity.setActive(request, options)
      },
    }
    await reopenIdentity(testApp.app.services, meanwhile, person)
    expect(opened).toBe(1)
    expect(await identityUser(testApp, member.email)).toMatchObject({ is_active: false })
  })

  it("ends nobody else's when the provider ignores its filters", async () => {
    await using unfiltered = await openUnfilteredIdentity()
    await using other = await startMembersTestApp({
      integrations: (given, config) => ({
        ...given,
        identity: config.identity && authentik({ ...config.identity, baseUrl: unfiltered.url }),
      }),
      provisioned: false,
    })
    unfiltered.target = other.sandbox.identityUrl
    const everybody = [
      'owner@acme.test',
      'admin@acme.test',
      'member@acme.test',
      'owner@globex.test',
    ]
    const before = await Promise.all(everybody.map((email) => sessionsOf(other, email)))
    expect(before.every((sessions) => sessions.length > 0)).toBe(true)
    const response = await other.call(
      'POST',
      `/users/${await other.idOf('member@acme.test')}/force-logout`,
    )
    expect(response).toMatchObject({ status: 200, body: { sessionsEnded: before[2]?.length } })
    const after = await Promise.all(everybody.map((email) => sessionsOf(other, email)))
    expect(after).toEqual(before.map((sessions, index) => (index === 2 ? [] : sessions)))
  })

  it('ends the sessions of our own servers too', async () => {
    const { member } = await testApp.newMember()
    const { db } = testApp.database
    const { idp_subject_id: subject } = await db
      .selectFrom('users')
      .select('idp_subject_id')
      .where('id', '=', member.id)
      .executeTakeFirstOrThrow()
    const row = {
      app: 'portal' as const,
      tokens: Buffer.from('x'),
      access_expires_at: new Date(),
      expires_at: new Date(Date.now() + 1e6),
    }
    await db
      .insertInto('web_sessions')
      .values([
        { ...row, token_hash: randomBytes(32), subject },
        { ...row, token_hash: randomBytes(32), subject: 'somebody-else' },
      ])
      .execute()
    await act(member.id, 'force-logout')
    expect(await db.selectFrom('web_sessions').select('subject').execute()).toEqual([
      { subject: 'somebody-else' },
    ])
  })

  it('is rejected for oneself, and tells when the provider fails', async () => {
    expect(await act(await testApp.idOf('admin@acme.test'), 'force-logout')).toMatchObject(
      rejected('self_force_logout'),
    )
    const { member } = await testApp.newMember()
    testApp.sandbox.fault({ system: 'identity', mode: 'error' })
    expect(await act(member.id, 'force-logout')).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    testApp.sandbox.clearFaults()
    expect((await act(member.id, 'force-logout')).status).toBe(200)
  })
})

const syncTasksOf = (id: string) =>
  testApp.database.db.selectFrom('identity_dues').selectAll().where('user_id', '=', id).execute()

/** As if a minute had passed. */
async function followSyncTasks(): Promise<void> {
  await testApp.database.db
    .updateTable('identity_dues')
    .set({ next_at: new Date(Date.now() - 1_000) })
    .execute()
  await followIdentities(testApp.app.services)
}

async function sessionsOf(testApp: MembersTestApp, email: string): Promise<unknown[]> {
  const user = await identityUser(testApp, email)
  const { results } = await identityApi(
    testApp,
    'GET',
    '/core/authenticated_sessions/?page_size=1000',
  )
  return results.filter((one: { user: number }) => one.user === user?.pk)
}

describe('a password reset', () => {
  it('sets one new password on identity and mailbox and shows it once', async () => {
    const { member, oneTimePassword: old } = await testApp.newMember()
    const { status, body } = await act(member.id, 'reset-password')
    expect({ status, outcomes: body.outcomes }).toEqual({
      status: 200,
      outcomes: { identity: { state: 'ok' }, mail: { state: 'ok' }, sessions: { state: 'ok' } },
    })
    expect(await mailboxOpens(testApp, member.email, old)).toBe(false)
    expect(await mailboxOpens(testApp, member.email, body.oneTimePassword)).toBe(true)
    await expectNowhere(testApp, body.oneTimePassword)
  })

  it('ends the refresh tokens that were given for the password before, or says that it did not', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const token = await newRefreshToken(testApp, member.email, oneTimePassword)
    expect(await act(member.id, 'reset-password')).toMatchObject({
      status: 200,
      body: { outcomes: { sessions: { state: 'ok' } } },
    })
    expect(await refresh(testApp, token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    testApp.sandbox.fault({
      system: 'identity',
      match: 'GET /api/v3/core/authenticated_sessions/',
      mode: 'error',
      status: 403,
    })
    expect(await act(member.id, 'reset-password')).toMatchObject({
      status: 200,
      body: {
        outcomes: {
          identity: { state: 'ok' },
          sessions: { state: 'error', error: expect.stringContaining('identity provider') },
        },
      },
    })
    expect((await auditOf(testApp, 'member.password_reset'))[0]).toMatchObject({
      outcome: 'failure',
      resource_id: member.id,
    })
  })

  it('is reported as partly done when one system fails, with the password of the other', async () => {
    const { member } = await testApp.newMember()
    testApp.sandbox.fault({ system: 'identity', match: 'set_password', mode: 'error' })
    const response = await act(member.id, 'reset-password')
    expect(response).toMatchObject({
      status: 200,
      body: { outcomes: { identity: { state: 'error' }, mail: { state: 'ok' } } },
    })
    expect(await mailboxOpens(testApp, member.email, response.body.oneTimePassword)).toBe(true)
    expect((await auditOf(testApp, 'member.password_reset'))[0]).toMatchObject({
      outcome: 'failure',
      resource_id: member.id,
    })
    testApp.sandbox.clearFaults()
    testApp.sandbox.fault({ system: 'mail', mode: 'reset' })
    const second = await act(member.id, 'reset-password')
    expect(second).toMatchObject({
      status: 200,
      body: {
        outcomes: {
          identity: { state: 'ok' },
          mail: { state: 'error', error: expect.stringContaining('mail server') },
        },
      },
    })
    expect(await mailboxOpensAfterFaults(member.email, response.body.oneTimePassword)).toBe(true)
  })

  it('fails as a whole when nothing took the password', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    testApp.sandbox.fault({ system: 'identity', match: 'set_password', mode: 'error' })
    testApp.sandbox.fault({ system: 'mail', mode: 'reset' })
    const response = await act(member.id, 'reset-password')
    expect(response).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(JSON.stringify(response.body)).not.toContain('oneTimePassword')
    expect(await mailboxOpensAfterFaults(member.email, oneTimePassword)).toBe(true)
  })
})

function mailboxOpensAfterFaults(address: string, password: string): Promise<boolean> {
  testApp.sandbox.clearFaults()
  return mailboxOpens(testApp, address, password)
}

describe('a removal', () => {
  it('takes mailbox, identity, file account and record, and no token of before brings the person back', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    await testApp.request('GET', '/users/me', { token })
    const { memberCount } = (await testApp.call('GET', '')).body
    expect((await testApp.call('DELETE', `/users/${member.id}`)).status).toBe(204)
    expect(mailbox(testApp, member.email)).toBeUndefined()
    expect(await identityUser(testApp, member.email)).toBeUndefined()
    expect(await fileUser(testApp, member.email)).toBeUndefined()
    expect((await testApp.call('GET', `/users/${member.id}`)).status).toBe(404)
    expect((await testApp.call('GET', '')).body.memberCount).toBe(memberCount - 1)
    expect(await testApp.request('GET', '/users/me', { token })).toMatchObject({
      status: 403,
      body: { code: 'user_deactivated' },
    })
    expect((await auditOf(testApp, 'member.removed'))[0]).toMatchObject({
      resource_id: member.id,
      actor_email: 'admin@acme.test',
      tenant_slug: 'acme',
      metadata: { identity: 'deleted', complete: true, mailbox: member.email },
    })
  })

  it('frees the address for another person', async () => {
    const { member } = await testApp.newMember()
    await testApp.call('DELETE', `/users/${member.id}`)
    const again = await testApp.call('POST', '/users', {
      email: member.email,
      name: 'Somebody New',
    })
    expect(again).toMatchObject({
      status: 201,
      body: { member: { status: 'active', name: 'Somebody New' } },
    })
    expect(again.body.member.id).not.toBe(member.id)
    const token = await testApp.token(member.email)
    expect((await testApp.request('GET', '/users/me', { token })).body.id).toBe(
      again.body.member.id,
    )
  })

  it('is rejected for the owner and for oneself, and 404 for strangers', async () => {
    const remove = async (email: string, token?: string) =>
      testApp.call('DELETE', `/users/${await testApp.idOf(email)}`, undefined, token)
    expect(await remove('owner@acme.test')).toMatchObject(rejected('owner_removal'))
    expect(await remove('owner@acme.test', testApp.as.operator)).toMatchObject(
      rejected('owner_removal'),
    )
    expect(await remove('admin@acme.test')).toMatchObject(rejected('self_removal'))
    expect(await remove('owner@globex.test')).toMatchObject({ status: 404 })
  })

  it('forgets closed records after thirty days, and keeps them until then', async () => {
    const { deleteRemovedPeople } = await import('@atrium/db/members/member-work')
    const { member } = await testApp.newMember()
    await testApp.call('DELETE', `/users/${member.id}`)
    const { db } = testApp.database
    await deleteRemovedPeople(db)
    const row = () =>
      db.selectFrom('users').select('id').where('id', '=', member.id).executeTakeFirst()
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
    const { member } = await testApp.newMember()
    const owner = await testApp.idOf('owner@acme.test')
    const response = await testApp.call(
      'POST',
      '/transfer-ownership',
      { userId: member.id },
      testApp.as.owner,
    )
    expect(response).toMatchObject({
      status: 200,
      body: {
        owner: { id: member.id, role: 'owner' },
        previousOwner: { id: owner, role: 'admin' },
      },
    })
    expect((await testApp.call('GET', '')).body.owner.id).toBe(member.id)
    expect(await testApp.call('POST', '/transfer-ownership', { userId: member.id })).toMatchObject(
      rejected('already_owner'),
    )
    expect(
      (await testApp.call('POST', '/transfer-ownership', { userId: owner }, testApp.as.operator))
        .status,
    ).toBe(200)
    expect((await auditOf(testApp, 'tenant.ownership_transferred'))[0]).toMatchObject({
      metadata: { changes: { owner: [member.email, 'owner@acme.test'] } },
    })
  })

  it('does not pass to a suspended or deactivated person or a non-member', async () => {
    const { member } = await testApp.newMember()
    const to = (userId: string) => testApp.call('POST', '/transfer-ownership', { userId })
    await act(member.id, 'suspend')
    expect(await to(member.id)).toMatchObject(rejected('member_not_active'))
    await act(member.id, 'resume')
    await testApp.database.db
      .updateTable('users')
      .set({ deactivated_at: new Date() })
      .where('id', '=', member.id)
      .execute()
    expect(await to(member.id)).toMatchObject(rejected('member_not_active'))
    expect(await to(await testApp.idOf('owner@globex.test'))).toMatchObject({ status: 404 })
  })
})
