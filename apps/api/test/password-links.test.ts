import { opens } from '@atrium/testing/held-accounts'
import { follow, mailedToken } from '@atrium/testing/invitations'
import { auditOf } from '@atrium/testing/mailboxes'
import { caughtMails } from '@atrium/testing/mails'
import {
  type MembersTestApp,
  mailboxOpens,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ mailer: true })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(() => testApp.sandbox.clearFaults())

let made = 0
const second = () => `second${++made}@elsewhere.example`
const reset = (id: string, body: object = {}, token?: string) =>
  testApp.call('POST', `/users/${id}/reset-password`, body, token)

/** A new member whose link was sent to a second address. */
async function linked() {
  const { member, oneTimePassword } = await testApp.newMember()
  const linkTo = second()
  const response = await reset(member.id, { linkTo })
  expect(response).toMatchObject({ status: 200 })
  return { member, oneTimePassword, linkTo, response }
}
const tokenFor = async (linkTo: string) => (await mailedToken(testApp, linkTo)) ?? ''

describe('a link to a new password at a second address', () => {
  it('ends the password that the admin saw, and shows no other', async () => {
    const { member, oneTimePassword, linkTo, response } = await linked()
    expect(response.body).toMatchObject({
      oneTimePassword: null,
      linkSentTo: linkTo,
      outcomes: { identity: { state: 'ok' }, mail: { state: 'ok' }, sessions: { state: 'ok' } },
      member: { needsPassword: false, temporaryPassword: null },
    })
    expect(opens(testApp, member.email, oneTimePassword)).toBe(false)
    expect(await mailboxOpens(testApp, member.email, oneTimePassword)).toBe(false)
    const [entry] = await auditOf(testApp, 'member.password_reset')
    expect(entry).toMatchObject({ outcome: 'success', metadata: { linkTo } })
  })

  it('gives the person a new password once, and proves no address', async () => {
    const { member, linkTo } = await linked()
    const token = await tokenFor(linkTo)
    const shown = await testApp.request('GET', '/invitations/link', { token })
    expect(shown.body).toMatchObject({ kind: 'password', email: member.email })
    const answers = await Promise.all(Array.from({ length: 8 }, () => follow(testApp, token)))
    const opened = answers.filter(({ status }) => status === 200)
    expect(opened).toHaveLength(1)
    expect(opened[0]?.body.link ?? opened[0]?.body.tempPassword).toEqual(expect.any(String))
    for (const { status } of answers) expect([200, 404]).toContain(status)
    const { proved_email } = await testApp.database.db
      .selectFrom('users')
      .select('proved_email')
      .where('id', '=', member.id)
      .executeTakeFirstOrThrow()
    expect(proved_email).toBeNull()
    const [entry] = await auditOf(testApp, 'user.password_link_followed')
    expect(entry).toMatchObject({ resource_id: member.id, metadata: { sentTo: linkTo } })
  })

  it('tells the member at another address', async () => {
    const { member, linkTo } = await linked()
    await tokenFor(linkTo)
    const notices = caughtMails(testApp).filter(({ envelope }) =>
      envelope.to.includes(member.email),
    )
    expect(notices.some(({ subject }) => /reset/.test(subject ?? ''))).toBe(true)
  })

  it.each([
    ['the member is suspended', (id: string) => testApp.call('POST', `/users/${id}/suspend`)],
    ['the password is reset again', (id: string) => reset(id)],
    ['it is sent to another address', (id: string) => reset(id, { linkTo: second() })],
    [
      'the member gets another address',
      (id: string) => testApp.call('PUT', `/users/${id}/email`, { email: `moved${++made}` }),
    ],
    ['the member is removed', (id: string) => testApp.call('DELETE', `/users/${id}`)],
  ])('opens nothing once %s', async (_, act) => {
    const { member, linkTo } = await linked()
    const token = await tokenFor(linkTo)
    expect((await act(member.id)).status).toBeLessThan(300)
    expect(await follow(testApp, token)).toMatchObject({ status: 404 })
    await testApp.call('POST', `/users/${member.id}/resume`)
  })

  it('opens nothing once the tenant has lost the domain of the address', async () => {
    const { member, linkTo } = await linked()
    const token = await tokenFor(linkTo)
    const { db } = testApp.database
    const name = member.email.split('@')[1] ?? ''
    const proof = (verified_at: Date | null) =>
      db.updateTable('domains').set({ verified_at }).where('name', '=', name).execute()
    await proof(null)
    expect(await follow(testApp, token)).toMatchObject({ status: 404 })
    await proof(new Date())
    expect(await follow(testApp, token)).toMatchObject({ status: 200 })
  })

  it('expires after 72 hours', async () => {
    const { member, linkTo } = await linked()
    const token = await tokenFor(linkTo)
    const { hours } = await testApp.database.db
      .selectFrom('access_links')
      .select(sql<number>`extract(epoch from expires_at - created_at)::float8 / 3600`.as('hours'))
      .where('user_id', '=', member.id)
      .executeTakeFirstOrThrow()
    expect(hours).toBe(72)
    await testApp.database.db
      .updateTable('access_links')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('user_id', '=', member.id)
      .execute()
    expect(await follow(testApp, token)).toMatchObject({ status: 404 })
  })

  it('is not mailed any more once it is void', async () => {
    const { member, linkTo } = await linked()
    await reset(member.id)
    expect(await mailedToken(testApp, linkTo)).toBeUndefined()
  })

  it('is no way around the rules of a reset', async () => {
    const { member } = await testApp.newMember()
    expect(await reset(member.id, { linkTo: member.email })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'linkTo' }] },
    })
    expect(await reset(member.id, { linkTo: 'nobody' })).toMatchObject({ status: 400 })
    const name = member.email.split('@')[1] ?? ''
    const { db } = testApp.database
    const proof = (verified_at: Date | null) =>
      db.updateTable('domains').set({ verified_at }).where('name', '=', name).execute()
    await proof(null)
    expect(await reset(member.id, { linkTo: second() })).toMatchObject({
      status: 409,
      body: { code: 'address_not_proved' },
    })
    await proof(new Date())
    const owner = await testApp.idOf('owner@acme.test')
    expect((await reset(owner, { linkTo: second() })).status).toBe(409)
    expect(await reset(member.id, { linkTo: second() }, testApp.as.member)).toMatchObject({
      status: 403,
    })
    await testApp.call('POST', `/users/${member.id}/suspend`)
    expect(await reset(member.id, { linkTo: second() })).toMatchObject({
      status: 409,
      body: { code: 'member_not_active' },
    })
  })

  it.each(['set_password', 'GET /api/v3/core/users/'])(
    'is not sent when the provider fails at %s, and says so',
    async (match) => {
      const { member } = await testApp.newMember()
      const linkTo = second()
      testApp.sandbox.fault({ system: 'identity', match, mode: 'error', status: 500 })
      const { body } = await reset(member.id, { linkTo })
      testApp.sandbox.clearFaults()
      expect(body).toMatchObject({
        oneTimePassword: null,
        linkSentTo: null,
        outcomes: { identity: { state: 'error' } },
      })
      expect(await mailedToken(testApp, linkTo)).toBeUndefined()
    },
  )

  it('stays valid when the provider fails while it is followed', async () => {
    const { linkTo } = await linked()
    const token = await tokenFor(linkTo)
    testApp.sandbox.fault({ system: 'identity', match: 'recovery', mode: 'error', status: 500 })
    expect(await follow(testApp, token)).toMatchObject({ status: 502 })
    testApp.sandbox.clearFaults()
    expect(await follow(testApp, token)).toMatchObject({ status: 200 })
  })
})
