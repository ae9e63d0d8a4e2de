import { afterAll, beforeAll, expect, it } from 'vitest'
import { drainOutbox } from '../src/outbox/drain.ts'
import { openHouse, type TestHouse } from './house.ts'
import { follow, mailedToken } from './invitations.ts'
import { caughtMails } from './mails.ts'

let house: TestHouse
beforeAll(async () => {
  house = await openHouse({ mailer: true, provisioned: false })
}, 60_000)
afterAll(() => house[Symbol.asyncDispose]())

it('somebody invited to the staff of a partner gets a link by mail, and nobody else does', async () => {
  const token = await house.token('operator@atrium.test')
  const invite = { email: 'nina@north.test', name: 'Nina North', access: 'viewer' }
  const { status, body } = await house.request('POST', '/partners/north/users', { token, body: invite })
  expect(status).toBe(201)
  const first = (await mailedToken(house, invite.email)) ?? ''
  const mails = caughtMails(house)
  expect(mails).toMatchObject([
    {
      to: [{ name: 'Nina North', address: 'nina@north.test' }],
      from: { name: 'Atrium' },
      subject: expect.stringMatching(/^Invitation to the staff of .* in Atrium$/),
    },
  ])
  expect(mails[0]?.text).toContain(`https://portal.test/invitation/${first}`)
  expect(JSON.stringify(body)).not.toContain(first)
  const again = await house.request('POST', '/partners/north/users', { token, body: { ...invite, access: 'support' } })
  expect(again).toMatchObject({ status: 201, body: { userId: body.userId, access: 'support' } })
  const second = (await mailedToken(house, invite.email)) ?? ''
  expect(second).not.toBe(first)
  expect((await follow(house, first)).status).toBe(404)
  expect(await follow(house, second)).toMatchObject({ status: 200, body: { joined: 'North Cloud Services', path: '/partner' } })
  expect(await house.request('POST', '/partners/north/users', { token, body: invite })).toMatchObject({
    ...{ status: 409, body: { code: 'already_exists' } },
  })
  await drainOutbox(house.app.house)
  expect(caughtMails(house)).toHaveLength(2)
})
