import { opens } from '@atrium/testing/held-accounts'
import { auditOf } from '@atrium/testing/mailboxes'
import {
  identityUser,
  type MembersTestApp,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expireTemporaryPasswords } from '../src/members/expire-passwords.ts'
import { newRefreshToken, refresh } from './refresh-tokens.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

const hour = 3_600_000
/** The hourly clean-up, so many hours from now. */
function cleanUpIn(hours: number): Promise<void> {
  const clock = { now: () => new Date(Date.now() + hours * hour) }
  return expireTemporaryPasswords({ ...testApp.app.services, clock })
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
    await cleanUpIn(71)
    expect(opens(testApp, member.email, oneTimePassword)).toBe(true)
    expect(await testApp.member(member.id)).toMatchObject({ temporaryPassword: { expired: false } })
    await cleanUpIn(73)
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
    await cleanUpIn(74)
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
    await cleanUpIn(73)
    expect(await refresh(testApp, token)).toMatchObject({ status: 200 })
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(true)
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
    await cleanUpIn((expires_at.getTime() - Date.now()) / hour + 0.001)
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
    await cleanUpIn(73)
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
      await expect(cleanUpIn(73)).rejects.toThrow('temporary passwords were not ended')
      testApp.sandbox.clearFaults()
      await cleanUpIn(73)
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
    await cleanUpIn(73)
    expect(opens(testApp, member.email, oneTimePassword)).toBe(true)
    await hold('2000-01-01')
    await cleanUpIn(73)
    expect(opens(testApp, member.email, oneTimePassword)).toBe(false)
  })
})
