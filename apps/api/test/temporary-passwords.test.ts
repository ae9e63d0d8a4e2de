import { expediteTemporaryPassword } from '@atrium/db/users/temporary-passwords'
import { opens } from '@atrium/testing/held-accounts'
import { auditOf } from '@atrium/testing/mailboxes'
import {
  identityUser,
  type MembersTestApp,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { settleTemporaryPasswords } from '../src/members/settle-passwords.ts'
import { newRefreshToken, refresh } from './refresh-tokens.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const hour = 3_600_000
/** The job of every minute, so many hours from now. */
function settleIn(hours: number): Promise<void> {
  const clock = { now: () => new Date(Date.now() + hours * hour) }
  return settleTemporaryPasswords({ ...testApp.app.services, clock })
}
const marksOf = async (email: string) => (await identityUser(testApp, email))?.attributes ?? {}
const act = (id: string, verb: string) => testApp.call('POST', `/users/${id}/${verb}`)

describe('a password that an admin was shown', () => {
  it('is marked at the identity provider, and the member says until when it is valid', async () => {
    const { member } = await testApp.newMember()
    const { expiresAt } = member.temporaryPassword
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 71 * hour)
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 72 * hour)
    expect(await marksOf(member.email)).toMatchObject({
      atrium_password_change_required: true,
      atrium_password_expires_at: expiresAt,
    })
    const seen = await testApp.call('GET', `/users/${member.id}`, undefined, testApp.as.member)
    expect(seen.body.temporaryPassword).toBeNull()
  })

  it('stays until it expires, then opens neither sign-in nor mailbox, and the member says so', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    await settleIn(71)
    expect(opens(testApp, member.email, oneTimePassword)).toBe(true)
    expect(await testApp.member(member.id)).toMatchObject({ temporaryPassword: { expired: false } })
    await settleIn(73)
    expect(opens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await marksOf(member.email)).not.toHaveProperty('atrium_password_change_required')
    expect(await testApp.member(member.id)).toMatchObject({
      status: 'active',
      needsPassword: true,
      temporaryPassword: { expired: true },
    })
    const entries = await auditOf(testApp, 'member.password_expired')
    expect(entries.filter((entry) => entry.resource_id === member.id)).toHaveLength(1)
    await settleIn(74)
    expect(await auditOf(testApp, 'member.password_expired')).toHaveLength(entries.length)

    const { body } = await act(member.id, 'reset-password')
    expect(body.member).toMatchObject({
      needsPassword: false,
      temporaryPassword: { expired: false },
    })
    expect(opens(testApp, member.email, body.oneTimePassword)).toBe(true)
  })

  it('is forgotten once the person has chosen an own one, which stays', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const token = await newRefreshToken(testApp, member.email, oneTimePassword)
    await settleIn(73)
    expect(await refresh(testApp, token)).toMatchObject({ status: 200 })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await testApp.member(member.id)).toMatchObject({
      needsPassword: false,
      temporaryPassword: null,
    })
  })

  it('is not shown as unused once the person was here', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    expect((await testApp.request('GET', '/users/me', { token })).status).toBe(200)
    expect(await testApp.member(member.id)).toMatchObject({ temporaryPassword: null })
  })

  it('is not ended by a clean-up that read it before a reset', async () => {
    const { member } = await testApp.newMember()
    const { db } = testApp.database
    const before = await db
      .selectFrom('temporary_passwords')
      .selectAll()
      .where('user_id', '=', member.id)
      .executeTakeFirstOrThrow()
    const { body } = await act(member.id, 'reset-password')
    // As the clean-up would have read it.
    const { issued_at, expires_at } = before
    const later = await db
      .selectFrom('temporary_passwords')
      .select(['issued_at', 'expires_at'])
      .where('user_id', '=', member.id)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('temporary_passwords')
      .set({ issued_at, expires_at })
      .where('user_id', '=', member.id)
      .execute()
    await settleIn((expires_at.getTime() - Date.now()) / hour + 0.001)
    expect(opens(testApp, member.email, body.oneTimePassword)).toBe(true)
    await db
      .updateTable('temporary_passwords')
      .set(later)
      .where('user_id', '=', member.id)
      .execute()
  })

  it('of an operator expires as well', async () => {
    const email = 'late.operator@atrium.test'
    const { body } = await testApp.request('POST', '/users/invite', {
      token: testApp.as.operator,
      body: { name: 'Late Operator', email },
    })
    expect(opens(testApp, email, body.tempPassword)).toBe(true)
    await settleIn(73)
    expect(opens(testApp, email, body.tempPassword)).toBe(false)
  })
})

describe('ending a temporary password', () => {
  it.each([
    ['the password', 'identity', 'set_password'],
    ['the mailbox', 'mail', 'POST /jmap'],
    ['the sessions', 'identity', 'GET /api/v3/core/authenticated_sessions/'],
  ] as const)(
    'goes on later when %s fails, and holds up no other person',
    async (_, system, match) => {
      const { member, oneTimePassword } = await testApp.newMember()
      testApp.sandbox.fault({ system, match, mode: 'error', status: 500 })
      await expect(settleIn(73)).rejects.toThrow('temporary passwords were not settled')
      testApp.sandbox.clearFaults()
      await settleIn(73.1)
      expect(opens(testApp, member.email, oneTimePassword)).toBe(false)
      expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
      expect(await testApp.member(member.id)).toMatchObject({
        temporaryPassword: { expired: true },
      })
    },
  )

  it('leaves a member alone whom another action holds', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    const hold = (until: string) =>
      testApp.database.db
        .updateTable('memberships')
        .set({ lease_until: new Date(until) })
        .where('user_id', '=', member.id)
        .execute()
    await hold('2100-01-01')
    await settleIn(73)
    expect(opens(testApp, member.email, oneTimePassword)).toBe(true)
    await hold('2000-01-01')
    await settleIn(73)
    expect(opens(testApp, member.email, oneTimePassword)).toBe(false)
  })
})

describe('a password that the person has replaced', () => {
  const rowOf = (id: string) =>
    testApp.database.db
      .selectFrom('temporary_passwords')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirst()
  const entriesOf = async (id: string) =>
    (await auditOf(testApp, 'member.mailbox_password_replaced')).filter(
      (entry) => entry.resource_id === id,
    )

  it('opens the mailbox no more, while app passwords do, and the log says so once', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    await newRefreshToken(testApp, member.email, oneTimePassword)
    const { body } = await testApp.call(
      'POST',
      '/app-passwords',
      { name: 'Phone' },
      await testApp.token(member.email),
    )
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    await settleIn(0.2)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await mailboxOpens(testApp, member.email, body.secret)).toBe(true)
    await settleIn(1)
    expect(await entriesOf(member.id)).toHaveLength(1)
    expect(await rowOf(member.id)).toBeUndefined()
    expect(await testApp.member(member.id)).toMatchObject({ needsPassword: false })
  })

  it('is asked about ten minutes later, and at once after a sign-in at a portal', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    await settleIn(0.01)
    await newRefreshToken(testApp, member.email, oneTimePassword)
    await settleIn(0.1)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    const { db } = testApp.database
    const { subject } = await db
      .selectFrom('users')
      .select('idp_subject_id as subject')
      .where('id', '=', member.id)
      .executeTakeFirstOrThrow()
    await expediteTemporaryPassword(db, subject)
    await settleIn(0.1)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
  })

  it.each([
    ['the provider', { system: 'identity', match: 'GET /api/v3/core/users/' }],
    ['the mail server', { system: 'mail', match: 'POST /jmap' }],
  ] as const)('is followed later when %s fails', async (_, at) => {
    const { member, oneTimePassword } = await testApp.newMember()
    await newRefreshToken(testApp, member.email, oneTimePassword)
    testApp.sandbox.fault({ ...at, mode: 'error', status: 500 })
    await expect(settleIn(0.2)).rejects.toThrow('temporary passwords were not settled')
    testApp.sandbox.clearFaults()
    expect(await rowOf(member.id)).toBeDefined()
    await settleIn(0.3)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await rowOf(member.id)).toBeUndefined()
  })

  it('does not come back with a suspended member who resumes', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    await newRefreshToken(testApp, member.email, oneTimePassword)
    await act(member.id, 'suspend')
    await settleIn(0.2)
    await act(member.id, 'resume')
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await testApp.member(member.id)).toMatchObject({ status: 'active' })
  })

  it('stays that of the mailbox of a suspended member who has not replaced it', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    await act(member.id, 'suspend')
    await settleIn(0.2)
    await act(member.id, 'resume')
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
  })

  it('is replaced once by eight processes at the same time', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    await newRefreshToken(testApp, member.email, oneTimePassword)
    await Promise.all(Array.from({ length: 8 }, () => settleIn(0.2)))
    await settleIn(0.2)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await entriesOf(member.id)).toHaveLength(1)
  })

  it('ends later when the mail server failed while a link was sent instead', async () => {
    const { member, oneTimePassword } = await testApp.newMember()
    testApp.sandbox.fault({ system: 'mail', match: 'POST /jmap', mode: 'error', status: 500 })
    const { body } = await testApp.call('POST', `/users/${member.id}/reset-password`, {
      linkTo: 'second@elsewhere.example',
    })
    testApp.sandbox.clearFaults()
    expect(body).toMatchObject({ outcomes: { mail: { state: 'error' } } })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
    await settleIn(0.2)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
  })
})
