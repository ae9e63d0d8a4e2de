import { randomBytes } from 'node:crypto'
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

const fresh = () => randomBytes(32).toString('base64url')
const accepted = { email: 'vera@elsewhere.example', joined: 'Acme <b>&', path: '/t/acme' }
const answer = (status: number, body: object) => {
  testBff.platform.answer = () => Response.json(body, { status })
}
const open = (token: string, init: RequestInit = {}) =>
  fetch(`${testBff.publicUrl}/invitation/${token}`, { redirect: 'manual', ...init })
const go = (token: string) =>
  open(token, { method: 'POST', headers: { origin: testBff.publicUrl } })

it('the link of a mail shows a page without a session, and changes nothing by being looked at', async () => {
  const response = await open(fresh())
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.text()).toContain('<form method="post"><button type="submit">')
  expect(testBff.platform.seen).toEqual([])
})

it('following it sends the token to the platform and shows the password to the person alone', async () => {
  const token = fresh()
  answer(200, { ...accepted, handoff: 'tempPassword', tempPassword: 'Xy7$abcdefghijkm' })
  const response = await go(token)
  const text = await response.text()
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(text).toContain('<code>Xy7$abcdefghijkm</code>')
  expect(text).toContain('You have joined Acme &lt;b&gt;&amp;')
  expect(text).toContain('href="/t/acme"')
  const [sent] = testBff.platform.seen
  expect(sent).toMatchObject({ method: 'POST', target: '/invitations/accept', body: '{}' })
  expect(sent?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'x-atrium-source': 'portal',
  })
  expect(sent?.headers).not.toHaveProperty('cookie')
  const log = testBff.logLines.join('\n')
  expect(log).toContain('/invitation/***')
  expect(log).not.toContain(token)
  expect(log).not.toContain('Xy7$')
})

it('leads on to the identity provider, or back to the portal', async () => {
  const link = 'https://auth.example/if/flow/recovery/?flow_token=secret'
  answer(200, { ...accepted, handoff: 'link', link })
  expect(await (await go(fresh())).text()).toContain(`href="${link}"`)
  answer(200, { ...accepted, joined: null, path: '/', handoff: 'existing' })
  expect(await (await go(fresh())).text()).toContain('with your existing password')
})

it('shows why a link does not work, and takes no form of another site', async () => {
  answer(404, { code: 'not_found', detail: 'This link is <not> valid.' })
  const rejected = await go(fresh())
  expect(rejected.status).toBe(404)
  expect(await rejected.text()).toContain('This link is &lt;not&gt; valid.')
  testBff.platform.seen.length = 0
  expect(
    (await open(fresh(), { method: 'POST', headers: { origin: 'https://evil.example' } })).status,
  ).toBe(403)
  expect((await open(fresh(), { method: 'POST' })).status).toBe(403)
  expect((await go('not%20a%20token')).status).toBe(404)
  expect(testBff.platform.seen).toEqual([])
})

it('is in the language of the cookie, and asks the platform for the same', async () => {
  const cookie = 'atrium_language=de'
  const page = await open(fresh(), { headers: { cookie, 'accept-language': 'en' } })
  const text = await page.text()
  expect(text).toContain('<html lang="de">')
  expect(text).toContain('<button type="submit">Fortfahren</button>')
  answer(200, { ...accepted, joined: null, handoff: 'existing' })
  const followed = await open(fresh(), {
    method: 'POST',
    headers: { origin: testBff.publicUrl, cookie, 'accept-language': 'en' },
  })
  expect(await followed.text()).toContain('mit Ihrem bisherigen Passwort')
  expect(testBff.platform.seen[0]?.headers).toMatchObject({ 'accept-language': 'de' })
})
