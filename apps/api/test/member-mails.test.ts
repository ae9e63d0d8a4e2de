import { caughtMails } from '@atrium/testing/mails'
import { type MembersTestApp, startMembersTestApp } from '@atrium/testing/members-test-app'
import { proveDomain } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncMember } from '../src/members/jobs.ts'
import { drainOutbox } from '../src/outbox/drain.ts'

let testApp: MembersTestApp
beforeAll(async () => {
  testApp = await startMembersTestApp({
    mailer: true,
    env: { PORTAL_URL: 'https://portal.test' },
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  await proveDomain(testApp, 'acme', 'acme.example')
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

async function mailsTo(address: string) {
  await drainOutbox(testApp.app.services)
  return caughtMails(testApp).filter((mail) => mail.envelope.to.includes(address))
}

describe('a new member', () => {
  it('is welcomed in the own mailbox, without the password', async () => {
    const { member, oneTimePassword } = await testApp.newMember({ email: 'wanda', name: 'Wanda' })
    const mails = await mailsTo(member.email)
    expect(mails).toMatchObject([
      { subject: 'Welcome to Acme Engineering', to: [{ name: 'Wanda', address: member.email }] },
    ])
    expect(mails[0]?.text).toContain('https://portal.test/t/acme')
    expect(JSON.stringify(mails)).not.toContain(oneTimePassword)
  })

  it('is welcomed at the address elsewhere where there is one', async () => {
    const { member } = await testApp.newMember({
      email: 'wim',
      alternativeEmail: 'wim@home.example',
    })
    expect(await mailsTo('wim@home.example')).toHaveLength(1)
    expect(await mailsTo(member.email)).toEqual([])
    await testApp.newMember({ email: 'guest@elsewhere.example' })
    const mails = await mailsTo('guest@elsewhere.example')
    expect(mails.at(-1)).toMatchObject({
      subject: expect.stringContaining('Welcome'),
      text: expect.stringContaining('guest@elsewhere.example'),
    })
  })

  it('is welcomed once the mailbox is there, and once only', async () => {
    testApp.sandbox.fault({ system: 'mail', match: 'x:Account/set', mode: 'error', status: 503 })
    const { body } = await testApp.call('POST', '/users', { email: 'late', name: 'Late' })
    expect(body.member.outcomes.mail).toBe('error')
    expect(await mailsTo('late@acme.tenants.local')).toEqual([])
    testApp.sandbox.clearFaults()
    const { id } = body.member
    await testApp.database.db
      .updateTable('memberships')
      .set({ next_at: new Date(0) })
      .where('user_id', '=', id)
      .execute()
    await syncMember(testApp.app.services, testApp.acmeId, id)
    expect((await testApp.member(id)).status).toBe('active')
    expect(await mailsTo(body.member.email)).toHaveLength(1)
    await testApp.call('PATCH', `/users/${id}`, { name: 'Later' })
    expect(await mailsTo(body.member.email)).toHaveLength(1)
  })

  it('of an import is welcomed too', async () => {
    const csv = 'email,alternativeEmail\nimported,imported@home.example\n'
    const { body } = await testApp.call('POST', '/user-imports', { csv, dryRun: false })
    await expect
      .poll(
        async () => (await testApp.call('GET', `/user-imports/${body.id}?rows=none`)).body.state,
        { timeout: 20_000 },
      )
      .toBe('done')
    expect(await mailsTo('imported@home.example')).toHaveLength(1)
  })
})

describe('a password reset', () => {
  it('is told to the member, with who did it and without the password', async () => {
    const { member } = await testApp.newMember({
      email: 'rita',
      alternativeEmail: 'rita@home.example',
    })
    await mailsTo('rita@home.example')
    const { body } = await testApp.call('POST', `/users/${member.id}/reset-password`)
    const mails = (await mailsTo('rita@home.example')).filter(({ subject }) =>
      subject.includes('reset'),
    )
    expect(mails).toMatchObject([
      {
        subject: 'Your password for Acme Engineering was reset',
        text: expect.stringContaining(`${member.email}`),
      },
    ])
    expect(mails[0]?.text).toMatch(/Hello Person.*\n\n.+ has reset the password/)
    expect(JSON.stringify(mails)).not.toContain(body.oneTimePassword)
  })

  it('is in the language of the member, else in that of the tenant', async () => {
    const { member } = await testApp.newMember({
      email: 'gerda',
      alternativeEmail: 'gerda@home.example',
    })
    await testApp.database.db
      .updateTable('users')
      .set({ language: 'de' })
      .where('id', '=', member.id)
      .execute()
    await testApp.call('POST', `/users/${member.id}/reset-password`)
    const [welcome, reset] = await mailsTo('gerda@home.example')
    expect(welcome?.subject).toBe('Welcome to Acme Engineering')
    expect(reset?.subject).toBe('Ihr Passwort für Acme Engineering wurde zurückgesetzt')
    expect(reset?.html).toContain('<html lang="de">')
    expect(reset?.text).toContain('Anmelden: https://portal.test/t/acme')
    const speak = (language: 'de' | null) =>
      testApp.database.db
        .updateTable('tenants')
        .set({ language })
        .where('id', '=', testApp.acmeId)
        .execute()
    await speak('de')
    const inGerman = await testApp.newMember({ email: 'hilde' })
    await speak(null)
    expect((await mailsTo(inGerman.member.email))[0]?.subject).toBe(
      'Willkommen bei Acme Engineering',
    )
  })

  it('returns the password even when the notice cannot be queued', async () => {
    const { member } = await testApp.newMember({ email: 'rolf' })
    const send = testApp.app.services.outbox.send
    testApp.app.services.outbox.send = () => Promise.reject(new Error('the queue is broken'))
    const response = await testApp.call('POST', `/users/${member.id}/reset-password`)
    testApp.app.services.outbox.send = send
    expect(response).toMatchObject({
      status: 200,
      body: { oneTimePassword: expect.any(String), outcomes: { identity: { state: 'ok' } } },
    })
    expect(testApp.logLines.join('\n')).toContain('failed to queue a mail about an account')
  })
})
