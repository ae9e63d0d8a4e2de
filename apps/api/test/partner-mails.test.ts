import { follow, mailedToken } from '@atrium/testing/invitations'
import { caughtMails } from '@atrium/testing/mails'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { drainOutbox } from '../src/outbox/drain.ts'

let testApp: TestApp
beforeAll(async () => {
  testApp = await startTestApp({ mailer: true, provisioned: false })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

it('only the person invited to a partner’s staff gets a link by mail', async () => {
  const token = await testApp.token('operator@atrium.test')
  const invite = { email: 'nina@north.test', name: 'Nina North', access: 'viewer' }
  const { status, body } = await testApp.request('POST', '/partners/north/users', {
    token,
    body: invite,
  })
  expect(status).toBe(201)
  const first = (await mailedToken(testApp, invite.email)) ?? ''
  const mails = caughtMails(testApp)
  expect(mails).toMatchObject([
    {
      to: [{ name: 'Nina North', address: 'nina@north.test' }],
      from: { name: 'Atrium' },
      subject: expect.stringMatching(/^Invitation to the staff of .* in Atrium$/),
    },
  ])
  expect(mails[0]?.text).toContain(`https://portal.test/invitation/${first}`)
  expect(JSON.stringify(body)).not.toContain(first)
  expect(
    await testApp.request('POST', '/partners/north/users', { token, body: invite }),
  ).toMatchObject({ status: 409, body: { code: 'email_taken' } })
  const path = `/partners/north/invitations/${body.invitationId}/resend`
  expect(await testApp.request('POST', path, { token, body: {} })).toMatchObject({
    status: 200,
    body: { state: 'pending', sends: 1 },
  })
  const second = (await mailedToken(testApp, invite.email)) ?? ''
  expect(second).not.toBe(first)
  expect((await follow(testApp, first)).status).toBe(404)
  expect(await follow(testApp, second)).toMatchObject({
    status: 200,
    body: { joined: 'North Cloud Services', path: '/partner' },
  })
  expect(
    await testApp.request('POST', '/partners/north/users', { token, body: invite }),
  ).toMatchObject({
    status: 409,
    body: { code: 'already_exists' },
  })
  await drainOutbox(testApp.app.services)
  expect(caughtMails(testApp)).toHaveLength(2)
})
