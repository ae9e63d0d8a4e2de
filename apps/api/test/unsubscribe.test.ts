import { mailGroups } from '@atrium/core/account/notifications'
import { auditOf } from '@atrium/testing/mailboxes'
import { caughtMails } from '@atrium/testing/mails'
import {
  type Member,
  type MembersTestApp,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drainOutbox } from '../src/outbox/drain.ts'
import { unsubscribeLink } from '../src/platform/unsubscribe-link.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({ mailer: true })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const unsubscribe = (token: string) => testApp.request('POST', '/unsubscribe', { token, body: {} })
const tokenOf = (link: string | undefined) => link?.slice(link.lastIndexOf('/') + 1) ?? ''
const tokenFor = (userId: string) =>
  tokenOf(unsubscribeLink(testApp.config, { userId, group: 'reminders' }))

let sent = 0
/** Queues a reminder for a member and sends it; returns the mail, unless it was left out. */
async function remind({ id, email, name }: Member, { byAddress = false } = {}) {
  const { database, outbox } = testApp.app.services
  await drainOutbox(testApp.app.services)
  const before = mailsTo(email).length
  await database.db.transaction().execute((trx) =>
    outbox.send(trx, {
      tenantId: testApp.acmeId,
      template: 'member.second_factor_reminder',
      to: email,
      ...(byAddress ? {} : { userId: id }),
      name: name as string,
      values: {
        'member.name': name as string,
        'member.email': email,
        'admin.name': 'Adam',
        'link.security': '',
      },
      key: `reminder-${++sent}`,
    }),
  )
  await drainOutbox(testApp.app.services)
  return mailsTo(email)[before]
}
const headerName = ({ name }: { name: string }) => name.toLowerCase()
const mailsTo = (address: string) =>
  caughtMails(testApp).filter(({ envelope }) => envelope.to.includes(address))

describe('a mail that can be switched off', () => {
  it('names a link that a mail program follows with one POST, and then comes no more', async () => {
    const { member } = await testApp.newMember()
    const mail = await remind(member)
    const headers = new Map(mail?.headers.map(({ name, value }) => [name.toLowerCase(), value]))
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const link = /^<(\S+\/unsubscribe\/\S+)>$/.exec(headers.get('list-unsubscribe') ?? '')?.[1]
    expect(link?.startsWith(testApp.config.portalUrl ?? 'none')).toBe(true)

    expect(await unsubscribe(tokenOf(link))).toMatchObject({
      status: 200,
      body: { group: 'reminders' },
    })
    const read = await testApp.request('GET', '/users/me/notifications', {
      token: await testApp.token(member.email),
    })
    expect(read.body.groups).toEqual([
      { group: 'bookings', on: true },
      { group: 'reminders', on: false },
    ])
    expect(await remind(member)).toBeUndefined()
  })

  it('has the link as long as its recipient is known by address alone', async () => {
    const { member } = await testApp.newMember()
    const mail = await remind(member, { byAddress: true })
    const headers = mail?.headers.map(headerName)
    expect(headers).toContain('list-unsubscribe')
  })

  it('is no other mail', async () => {
    const { member } = await testApp.newMember()
    await testApp.call('POST', `/users/${member.id}/reset-password`)
    await drainOutbox(testApp.app.services)
    const mails = mailsTo(member.email)
    expect(mails.length).toBeGreaterThan(0)
    for (const { headers } of mails)
      expect(headers.map(headerName)).not.toContain('list-unsubscribe')
  })
})

describe('a link to unsubscribe', () => {
  it('may be followed again and by eight at once, and the log says so once', async () => {
    const { member } = await testApp.newMember()
    const token = tokenFor(member.id)
    expect((await unsubscribe(token)).status).toBe(200)
    const answers = await Promise.all(Array.from({ length: 8 }, () => unsubscribe(token)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    const entries = await auditOf(testApp, 'user.updated')
    expect(entries.filter(({ resource_id }) => resource_id === member.id)).toMatchObject([
      { metadata: { mails: 'reminders', on: false, unsubscribed: true } },
    ])
  })

  it('opens nothing when a part of it is another one, or its person is gone', async () => {
    const { member } = await testApp.newMember()
    const token = tokenFor(member.id)
    const other = await testApp.idOf('owner@acme.test')
    const proof = token.slice(-43)
    for (const wrong of [
      '',
      'x',
      token.slice(0, -1),
      `${token}x`,
      token.replace('reminders', 'bookings'),
      token.replace('reminders', 'security'),
      token.replace(member.id, other),
      `reminders_${other}_${proof}`,
      `reminders_${member.id}_${'A'.repeat(43)}`,
      testApp.as.admin,
    ])
      expect((await unsubscribe(wrong)).status, wrong).toBe(404)
    await testApp.call('DELETE', `/users/${member.id}`)
    expect((await unsubscribe(token)).status).toBe(404)
  })

  it('is not followed by reading, and is not made without a key or a portal', async () => {
    const { member } = await testApp.newMember()
    const read = await testApp.request('GET', '/unsubscribe', { token: tokenFor(member.id) })
    expect(read.status).toBe(405)
    const person = { userId: member.id, group: mailGroups[0] }
    expect(unsubscribeLink({ ...testApp.config, keyring: null }, person)).toBeUndefined()
    expect(unsubscribeLink({ ...testApp.config, portalUrl: null }, person)).toBeUndefined()
  })
})
