import { afterAll, beforeAll, expect, it } from 'vitest'
import { drainOutbox } from '../src/outbox/drain.ts'
import { openHouse, type TestHouse } from './house.ts'
import { caughtMails } from './mails.ts'

let house: TestHouse
beforeAll(async () => {
  house = await openHouse({ mailer: true, provisioned: false, env: { PORTAL_URL: 'https://portal.test' } })
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

it('somebody put on the staff of a partner is told so, without the link or the password for signing in', async () => {
  const token = await house.token('operator@atrium.test')
  const invite = { email: 'nina@north.test', name: 'Nina North', access: 'viewer' }
  const { status, body } = await house.request('POST', '/partners/north/users', { token, body: invite })
  expect(status).toBe(201)
  await drainOutbox(house.app.house)
  const mails = caughtMails(house)
  expect(mails).toMatchObject([
    {
      to: [{ name: 'Nina North', address: 'nina@north.test' }],
      from: { name: 'Atrium' },
      subject: expect.stringMatching(/^You now work for .* in Atrium$/),
    },
  ])
  expect(mails[0]?.text).toContain('https://portal.test/partner')
  for (const secret of [body.link, body.tempPassword]) if (secret) expect(JSON.stringify(mails)).not.toContain(secret)
  const again = await house.request('POST', '/partners/north/users', { token, body: invite })
  expect(again.status).toBe(409)
  await drainOutbox(house.app.house)
  expect(caughtMails(house)).toHaveLength(1)
})
