import { reminderKey } from '@atrium/db/upstream-cache/mfa'
import { accept, invite } from '@atrium/testing/invitations'
import { auditOf } from '@atrium/testing/mailboxes'
import {
  type Member,
  type MembersTestApp,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { upstreamText } from '@atrium/testing/outside'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
let at = new Date('2026-11-02T10:00:00Z')
beforeAll(async () => {
  testApp = await startMembersTestApp({ manyChanges: true })
}, 120_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => {
  testApp.sandbox.clearFaults()
  at = new Date()
})

const userAt = (email: string) => {
  const user = testApp.sandbox.identity.findUser(email)
  if (!user) throw new Error(`the provider does not know ${email}`)
  return user
}
const give = (email: string, ...kinds: ('totp' | 'static' | 'webauthn')[]) => {
  for (const kind of kinds)
    testApp.sandbox.identity.addDevice(userAt(email), { kind, name: kind, confirmed: true })
}
const devicesOf = async (userEmail: string) => {
  const { identity } = testApp.app.services.systems
  return (await identity?.listDevices(String(userAt(userEmail).pk)))?.length
}
const reset = (id: string, token?: string, tenant = 'acme') =>
  testApp.request('POST', `/tenants/${tenant}/users/${id}/reset-second-factors`, {
    token: token ?? testApp.as.admin,
  })
const mailsOf = async (
  template: 'member.second_factors_reset' | 'member.second_factor_reminder',
  member: Member,
) =>
  (
    await testApp.database.db
      .selectFrom('outbox')
      .select(['recipient', 'values'])
      .where('template', '=', template)
      .execute()
  ).filter(({ values }) => values['member.email'] === member.email)

describe('own second factors', () => {
  it('are what the provider has, without unfinished ones', async () => {
    const { member } = await testApp.newMember()
    const token = await testApp.token(member.email)
    give(member.email, 'totp', 'static')
    testApp.sandbox.identity.addDevice(userAt(member.email), {
      kind: 'webauthn',
      name: 'Begun',
      confirmed: false,
    })
    const read = () => testApp.request('GET', '/users/me/second-factors', { token })
    expect((await read()).body).toEqual({
      items: ['totp', 'static'].map((kind) => ({
        kind,
        name: kind,
        createdAt: expect.stringMatching(/^20/),
        lastUsedAt: null,
      })),
      reason: null,
    })
    testApp.sandbox.fault({
      system: 'identity',
      match: 'GET /api/v3/authenticators/admin/all/',
      mode: 'error',
      status: 503,
    })
    const { status, body } = await read()
    expect({ status, items: body.items }).toEqual({ status: 200, items: null })
    for (const text of upstreamText) expect(body.reason).not.toContain(text)
  })
})

describe('resetting lost second factors', () => {
  it("removes all of the member's and nobody else's, and tells the member", async () => {
    const [{ member }, other] = [await testApp.newMember(), await testApp.newMember()]
    give(member.email, 'totp', 'webauthn', 'static')
    give(other.member.email, 'totp')
    expect(await reset(member.id)).toMatchObject({
      status: 200,
      body: { member: { id: member.id }, removed: 3 },
    })
    expect(await devicesOf(member.email)).toBe(0)
    expect(await devicesOf(other.member.email)).toBe(1)
    expect(await mailsOf('member.second_factors_reset', member)).toHaveLength(1)
    expect((await auditOf(testApp, 'member.second_factors_reset'))[0]).toMatchObject({
      outcome: 'success',
      resource_id: member.id,
      metadata: expect.objectContaining({ removed: 3 }),
    })
  })

  it('is not for oneself, the owner, operators and people whose home is elsewhere', async () => {
    const { db } = testApp.database
    const { member } = await testApp.newMember()
    give(member.email, 'totp')
    const set = (platformAdmin: boolean) =>
      db
        .updateTable('users')
        .set({ platform_admin: platformAdmin })
        .where('id', '=', member.id)
        .execute()
    const rejected = (code: string) => ({ status: 409, body: { code } })
    const admin = await testApp.idOf('admin@acme.test')
    const owner = await testApp.idOf('owner@acme.test')
    expect(await reset(admin)).toMatchObject(rejected('self_second_factors'))
    expect((await reset(owner)).body.code).toMatch(/^(owner_locked|identity_not_managed)$/)

    await set(true)
    for (const token of [testApp.as.admin, testApp.as.operator])
      expect(await reset(member.id, token)).toMatchObject(rejected('identity_not_managed'))
    await set(false)

    const { member: guest } = await testApp.newMember()
    give(guest.email, 'totp')
    await invite(testApp, 'globex', { email: guest.email, name: 'Guest' }, testApp.as.outsider)
    await accept(testApp, guest.email)
    expect(await reset(guest.id, testApp.as.outsider, 'globex')).toMatchObject(
      rejected('identity_not_managed'),
    )
    expect(await reset(member.id, testApp.as.outsider, 'globex')).toMatchObject({ status: 404 })
    expect(await reset(member.id, testApp.as.outsider)).toMatchObject({ status: 403 })
    expect(await reset(member.id, testApp.as.member)).toMatchObject({ status: 403 })
    expect([await devicesOf(member.email), await devicesOf(guest.email)]).toEqual([1, 1])
  })

  it.each(['GET', 'DELETE'])(
    'claims no success when the provider fails at %s, and can be repeated',
    async (method) => {
      const { member } = await testApp.newMember()
      give(member.email, 'totp', 'static')
      testApp.sandbox.fault({
        system: 'identity',
        match: `${method} /api/v3/authenticators/admin/`,
        mode: 'error',
        status: 403,
      })
      expect(await reset(member.id)).toMatchObject({
        status: 502,
        body: { code: 'upstream_failed' },
      })
      expect((await auditOf(testApp, 'member.second_factors_reset'))[0]).toMatchObject({
        outcome: 'failure',
        resource_id: member.id,
      })
      expect(await mailsOf('member.second_factors_reset', member)).toEqual([])
      testApp.sandbox.clearFaults()
      expect(await reset(member.id)).toMatchObject({ status: 200, body: { removed: 2 } })
      expect(await mailsOf('member.second_factors_reset', member)).toHaveLength(1)
    },
  )

  it('by eight at the same time removes each once', async () => {
    const { member } = await testApp.newMember()
    give(member.email, 'totp', 'static')
    const answers = await Promise.all(Array.from({ length: 8 }, () => reset(member.id)))
    const removed = answers.map(({ body }) => body.removed ?? 0)
    expect(removed.reduce((sum, count) => sum + count, 0)).toBe(2)
    for (const { status, body } of answers)
      if (status !== 200) expect(body.code).toBe('member_busy')
  })
})

describe('reminders of a missing second factor', () => {
  const remind = (userIds?: string[], token = testApp.as.admin) =>
    testApp.call('POST', '/second-factor-reminders', { ...(userIds && { userIds }) }, token)
  const known = (member: Member, enrolled: boolean) =>
    testApp.database.db
      .insertInto('user_readings')
      .values({
        user_id: member.id,
        kind: 'second_factors',
        value: JSON.stringify({ enrolled, factors: enrolled ? { totp: 1 } : {} }),
        read_at: new Date(),
      })
      .onConflict((clash) =>
        clash.columns(['user_id', 'kind']).doUpdateSet({
          value: JSON.stringify({ enrolled, factors: enrolled ? { totp: 1 } : {} }),
        }),
      )
      .execute()

  it('go to those without one, once a day', async () => {
    const people = [
      (await testApp.newMember()).member,
      (await testApp.newMember()).member,
      (await testApp.newMember()).member,
    ] as const
    const [without, enrolled, unknown] = people
    await known(without, false)
    await known(enrolled, true)
    const ids = people.map(({ id }) => id)
    expect(await remind(ids)).toMatchObject({ status: 200, body: { reminded: 1, more: false } })
    expect((await remind(ids)).body).toEqual({ reminded: 0, more: false })
    expect(await mailsOf('member.second_factor_reminder', without)).toHaveLength(1)
    for (const member of [enrolled, unknown])
      expect(await mailsOf('member.second_factor_reminder', member)).toEqual([])

    // The day after.
    const key = reminderKey(without.id, at.toISOString().slice(0, 10))
    await testApp.database.db
      .updateTable('outbox')
      .set({ key: reminderKey(without.id, '2026-01-01') })
      .where('key', '=', key)
      .execute()
    expect((await remind(ids)).body).toEqual({ reminded: 1, more: false })
  })

  it('go to all without one when nobody is named, by eight at once', async () => {
    const { member } = await testApp.newMember()
    await known(member, false)
    const answers = await Promise.all(Array.from({ length: 8 }, () => remind()))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await mailsOf('member.second_factor_reminder', member)).toHaveLength(1)
    expect((await auditOf(testApp, 'member.second_factors_reminded'))[0]).toMatchObject({
      outcome: 'success',
    })
  })

  it("mail nobody when one of those named is another tenant's", async () => {
    const { member } = await testApp.newMember()
    await known(member, false)
    const foreign = await testApp.idOf('owner@globex.test')
    expect(await remind([member.id, foreign])).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    expect(await mailsOf('member.second_factor_reminder', member)).toEqual([])
    expect(await remind([member.id], testApp.as.member)).toMatchObject({ status: 403 })
    expect(await remind([member.id], testApp.as.outsider)).toMatchObject({ status: 403 })
  })
})
