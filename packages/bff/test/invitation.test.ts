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
const go = (token: string, action = 'accept') =>
  open(`${token}?action=${action}`, { method: 'POST', headers: { origin: testBff.publicUrl } })

const link = {
  kind: 'member',
  email: 'vera@elsewhere.example',
  inviter: 'Adam <b>',
  place: 'Acme & Co',
  role: 'admin',
  access: null,
  message: 'See you on <i>Monday</i>.',
  language: null,
  expiresAt: '2030-05-01T12:00:00.000Z',
}

it('the link of a mail shows who invites to what, and changes nothing by being looked at', async () => {
  const token = fresh()
  answer(200, link)
  const response = await open(token)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const text = await response.text()
  expect(text).toContain('Adam &lt;b&gt; invites you to Acme &amp; Co (admin).')
  expect(text).toContain('<form method="post" action="?action=open">')
  expect(testBff.platform.seen).toMatchObject([{ method: 'GET', target: '/invitations/link' }])
  expect(testBff.platform.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${token}` })
})

it('who continues sees the message and the end of the invitation, and accepts or declines', async () => {
  answer(200, link)
  const page = await (await go(fresh(), 'open')).text()
  expect(page).toContain('See you on &lt;i&gt;Monday&lt;/i&gt;.')
  expect(page).toContain('The invitation is valid until May 1, 2030.')
  for (const action of ['accept', 'decline'])
    expect(page).toContain(`<form method="post" action="?action=${action}">`)
  testBff.platform.answer = () => new Response(null, { status: 204 })
  expect(await (await go(fresh(), 'decline')).text()).toContain('You have declined')
  expect(testBff.platform.seen.map(({ target }) => target)).toEqual([
    '/invitations/open',
    '/invitations/decline',
  ])
})

it('a link to a new password asks for nothing but to continue', async () => {
  answer(200, { ...link, kind: 'password', inviter: null, place: null, role: null, message: null })
  expect(await (await open(fresh())).text()).toContain(
    '<form method="post" action="?action=accept">',
  )
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
  answer(200, link)
  const page = await open(fresh(), { headers: { cookie, 'accept-language': 'en' } })
  const text = await page.text()
  expect(text).toContain('<html lang="de">')
  expect(text).toContain('Fortfahren</button>')
  testBff.platform.seen.length = 0
  answer(200, { ...accepted, joined: null, handoff: 'existing' })
  const followed = await open(fresh(), {
    method: 'POST',
    headers: { origin: testBff.publicUrl, cookie, 'accept-language': 'en' },
  })
  expect(await followed.text()).toContain('mit Ihrem bisherigen Passwort')
  expect(testBff.platform.seen[0]?.headers).toMatchObject({ 'accept-language': 'de' })
})
