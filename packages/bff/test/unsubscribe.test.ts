import { randomBytes, randomUUID } from 'node:crypto'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

let testBff: TestBff
beforeAll(async () => {
  testBff = await startTestBff()
}, 60_000)
afterAll(() => testBff[Symbol.asyncDispose]())
beforeEach(() => {
  testBff.platform.seen.length = 0
  testBff.platform.answer = undefined
})

const fresh = () => `reminders_${randomUUID()}_${randomBytes(32).toString('base64url')}`
const open = (token: string, init: RequestInit = {}) =>
  fetch(`${testBff.publicUrl}/unsubscribe/${token}`, { redirect: 'manual', ...init })
/** As RFC 8058 says: from another server, without cookies, with one field. */
const oneClick = (token: string) =>
  open(token, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })

it('the link of a mail asks first, and reading it changes nothing', async () => {
  const response = await open(fresh())
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const page = await response.text()
  expect(page).toContain('Stop getting mails about a missing second factor?')
  expect(page).toContain('<form method="post">')
  for (const method of ['HEAD', 'OPTIONS']) await open(fresh(), { method })
  expect(testBff.platform.seen).toEqual([])
})

it('a text from the address does not get onto the page', async () => {
  const page = await (await open('constructor_%3Cb%3E')).text()
  expect(page).toContain('Stop getting these mails?')
  expect(page).not.toContain('constructor')
})

it('a mail program switches off with one POST and no session', async () => {
  const token = fresh()
  testBff.platform.answer = () => Response.json({ group: 'reminders' })
  const response = await oneClick(token)
  expect(response.status).toBe(200)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await response.text()).toContain('You get no more mails about a missing second factor.')
  const [sent] = testBff.platform.seen
  expect(sent).toMatchObject({ method: 'POST', target: '/unsubscribe', body: '{}' })
  expect(sent?.headers).toMatchObject({ authorization: `Bearer ${token}` })
  expect(testBff.logLines.join('\n')).toContain('/unsubscribe/***')
  expect(testBff.logLines.join('\n')).not.toContain(token)
})

it('a rejection is a page with the words of the platform, and nothing else is a token', async () => {
  testBff.platform.answer = () => Response.json({ detail: 'Not this one.' }, { status: 404 })
  const response = await oneClick(fresh())
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('Not this one.')
  testBff.platform.seen.length = 0
  expect((await oneClick('not.a.token')).status).toBe(404)
  expect((await oneClick('x'.repeat(101))).status).toBe(404)
  expect(testBff.platform.seen).toEqual([])
})
