import { createHash } from 'node:crypto'
import { insertUser } from '@atrium/db/users/users'
import { languageCookie } from '@atrium/messages/languages'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SessionView } from '../src/views.ts'

let testBff: TestBff
let sessionName: string

beforeAll(async () => {
  testBff = await startTestBff({ bff: { idpDeadlineSeconds: 1 } })
  sessionName = testBff.cookieName
})
afterEach(() => testBff.sandbox.clearFaults())
afterAll(async () => {
  await testBff[Symbol.asyncDispose]()
})

async function sessionOf(browser: Browser): Promise<SessionView> {
  return (await (await browser.fetch(`${testBff.publicUrl}/api/session`)).json()) as SessionView
}

/** Where the callback sends the browser. A rejected one must leave nobody signed in. */
async function callback(browser: Browser, url: string): Promise<string | null> {
  const response = await browser.fetch(url)
  expect(response.status).toBe(303)
  expect(response.headers.get('cache-control')).toBe('no-store')
  return response.headers.get('location')
}

async function expectRejected(browser: Browser, url: string, error: string): Promise<void> {
  expect(await callback(browser, url)).toBe(`/signed-out?error=${error}`)
  expect(await sessionOf(browser)).toMatchObject({ signedIn: false })
  expect(browser.cookie(testBff.publicUrl, sessionName)).toBeUndefined()
}

function change(url: string, name: string, value: string | undefined): string {
  const changed = new URL(url)
  if (value === undefined) changed.searchParams.delete(name)
  else changed.searchParams.set(name, value)
  return changed.href
}

const stateOf = (url: string) => new URL(url).searchParams.get('state') ?? ''
const signInCookie = (state: string) =>
  `${sessionName}-signin-${createHash('sha256').update(state).digest('hex').slice(0, 16)}`
const person = 'owner@acme.test'

describe('signing in', () => {
  it('leads through the identity provider back to the page that was wanted', async () => {
    const browser = testBff.browser()
    expect(await sessionOf(browser)).toEqual({
      signedIn: false,
      app: 'portal',
      email: null,
      name: null,
      subject: null,
      signedInAt: null,
      secondFactor: false,
    })
    const requested = '/t/acme?tab=members#x'
    expect(
      await browser.signIn(testBff.publicUrl, person, `?returnTo=${encodeURIComponent(requested)}`),
    ).toBe(requested)
    const session = await sessionOf(browser)
    expect(session).toEqual({
      signedIn: true,
      app: 'portal',
      email: person,
      name: 'Anna Owner',
      subject: expect.any(String),
      signedInAt: expect.any(String),
      secondFactor: true,
    })
    expect(Math.abs(Date.parse(session.signedInAt ?? '') - Date.now())).toBeLessThan(60_000)
  })

  it('asks the identity provider with state, nonce and an S256 challenge, whatever Host the request names', async () => {
    const response = await testBff
      .browser()
      .fetch(`${testBff.publicUrl}/auth/login`, { headers: { 'x-forwarded-host': 'evil.test' } })
    expect(response.status).toBe(302)
    const target = new URL(response.headers.get('location') ?? '')
    const query = Object.fromEntries(target.searchParams)
    expect(target.href).toContain(testBff.sandbox.issuers.portal)
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'atrium-portal',
      redirect_uri: `${testBff.publicUrl}/auth/callback`,
      scope: 'openid email profile groups offline_access',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(query[name]).toMatch(/^[\w-]{43}$/)
    expect(target.href).not.toContain(testBff.env.OIDC_CLIENT_SECRET)
  })

  it('keeps browser, address and country, by which people recognize their sessions', async () => {
    await using behindProxy = await startTestBff({
      trustedProxyHops: 1,
      env: { CLIENT_COUNTRY_HEADER: 'x-country' },
    })
    const headers = {
      'user-agent': `Firefox ${'x'.repeat(400)}`,
      'x-forwarded-for': '203.0.113.9, 192.0.2.7',
      'x-country': 'de',
    }
    const browser = behindProxy.browser()
    const url = await browser.signInUpToCallback(behindProxy.publicUrl, person)
    expect((await browser.fetch(url, { headers })).status).toBe(303)
    const rows = await behindProxy.database.db
      .selectFrom('web_sessions')
      .select(['user_agent', 'address', 'country'])
      .execute()
    expect(rows).toEqual([
      { user_agent: headers['user-agent'].slice(0, 300), address: '192.0.2.7', country: 'DE' },
    ])
  })

  it('works in two tabs at once', async () => {
    const browser = testBff.browser()
    const first = await browser.signInUpToCallback(testBff.publicUrl, person, '?returnTo=/one')
    const second = await browser.signInUpToCallback(testBff.publicUrl, person, '?returnTo=/two')
    expect(await callback(browser, first)).toBe('/one')
    expect(await callback(browser, second)).toBe('/two')
    expect(
      browser.names(testBff.publicUrl).filter((name) => name.startsWith(`${sessionName}-signin`)),
    ).toEqual([])
  })

  it('puts the pages into the language of the person’s setting', async () => {
    const browser = testBff.browser()
    const { publicUrl } = testBff
    const language = () => browser.cookie(publicUrl, languageCookie)?.value
    await browser.signIn(publicUrl, person)
    expect(language()).toBeUndefined()
    const { subject } = await sessionOf(browser)
    await insertUser(testBff.database.db, {
      subject: subject ?? '',
      email: person,
      name: 'Anna Owner',
    })
    const choose = (language: 'de' | null) =>
      testBff.database.db
        .updateTable('users')
        .set({ language })
        .where('email', '=', person)
        .execute()
    await choose('de')
    await browser.signIn(publicUrl, person)
    expect(language()).toBe('de')
    const page = await browser.fetch(`${publicUrl}/`, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('<html lang="de">')

    await choose(null)
    await browser.signIn(publicUrl, person)
    expect(language()).toBeUndefined()
    browser.setCookie(publicUrl, languageCookie, 'en-XA')
    await browser.signIn(publicUrl, person)
    expect(language()).toBe('en-XA')
  })

  it('does not fill the browser with cookies of abandoned sign-ins', async () => {
    const browser = testBff.browser()
    for (let n = 0; n < 20; n++) await browser.fetch(`${testBff.publicUrl}/auth/login`)
    expect(browser.names(testBff.publicUrl).length).toBeLessThan(10)
    expect(await browser.signIn(testBff.publicUrl, person)).toBe('/')
  })

  it('stores a hash of the cookie and no token in the clear', async () => {
    const browser = testBff.browser()
    await browser.signIn(testBff.publicUrl, person)
    const cookie = browser.cookie(testBff.publicUrl, sessionName)?.value ?? ''
    expect(cookie).toMatch(/^[\w-]{43}$/)
    const rows = await testBff.database.db.selectFrom('web_sessions').selectAll().execute()
    const hash = createHash('sha256').update(cookie).digest()
    expect(rows.some((row) => row.token_hash.equals(hash))).toBe(true)
    const table = Buffer.concat(rows.flatMap((row) => [row.tokens, row.token_hash])).toString(
      'latin1',
    )
    for (const { tokens } of await testBff.storedSessions()) {
      expect(tokens.refresh).toBeTruthy()
      for (const token of [tokens.access, tokens.refresh ?? '', tokens.id ?? '', cookie])
        expect(table).not.toContain(token)
    }
  })

  it('writes no code, state, cookie or token into the log', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    await callback(browser, url)
    await expectRejected(testBff.browser(), url, 'sign_in_expired')
    const { searchParams } = new URL(url)
    const [stored] = (await testBff.storedSessions()).slice(-1)
    const text = testBff.logLines.join('')
    expect(text).toContain('"path":"/auth/callback"')
    const cookie = browser.cookie(testBff.publicUrl, sessionName)?.value
    for (const secret of [
      searchParams.get('code'),
      searchParams.get('state'),
      cookie,
      stored?.tokens.access,
      stored?.tokens.refresh,
    ]) {
      expect(secret).toBeTruthy()
      expect(text).not.toContain(secret)
    }
  })
})

describe('a callback is rejected', () => {
  it('in a browser that did not begin the sign-in', async () => {
    const attacker = await testBff.browser().signInUpToCallback(testBff.publicUrl, person)
    await expectRejected(testBff.browser(), attacker, 'sign_in_expired')
  })

  it('without state', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    await expectRejected(browser, change(url, 'state', undefined), 'sign_in_expired')
    await expectRejected(browser, change(url, 'state', ''), 'sign_in_expired')
  })

  it('with an unknown state', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    await expectRejected(browser, change(url, 'state', 'A'.repeat(43)), 'sign_in_expired')
  })

  it('when the cookie of one sign-in is put under the name of another', async () => {
    const browser = testBff.browser()
    const first = await browser.signInUpToCallback(testBff.publicUrl, person)
    const second = await browser.signInUpToCallback(testBff.publicUrl, person)
    const value = browser.cookie(testBff.publicUrl, signInCookie(stateOf(first)))?.value ?? ''
    browser.setCookie(testBff.publicUrl, signInCookie(stateOf(second)), value)
    await expectRejected(browser, second, 'sign_in_expired')
  })

  it.each([0, 10, 40, -1])('when byte %i of the sign-in cookie was altered', async (position) => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    const name = signInCookie(stateOf(url))
    const bytes = Buffer.from(browser.cookie(testBff.publicUrl, name)?.value ?? '', 'base64url')
    const index = position < 0 ? bytes.length + position : position
    bytes[index] = (bytes[index] ?? 0) ^ 1
    browser.setCookie(testBff.publicUrl, name, bytes.toString('base64url'))
    await expectRejected(browser, url, 'sign_in_expired')
  })

  it.each(['', 'x', '%00', 'A'.repeat(3_000)])(
    'when the sign-in cookie is the made-up text "%s"',
    async (value) => {
      const browser = testBff.browser()
      const url = await browser.signInUpToCallback(testBff.publicUrl, person)
      browser.setCookie(testBff.publicUrl, signInCookie(stateOf(url)), value)
      await expectRejected(browser, url, 'sign_in_expired')
    },
  )

  it('when it comes more than ten minutes later, also from a browser that kept the cookie', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    testBff.elapse(601)
    await expectRejected(browser, url, 'sign_in_expired')
    testBff.elapse(-601)
  })

  it('when it is sent again, and changes nothing for who is signed in', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    await callback(browser, url)
    const before = browser.cookie(testBff.publicUrl, sessionName)?.value
    expect(await callback(browser, url)).toBe('/')
    expect(browser.cookie(testBff.publicUrl, sessionName)?.value).toBe(before)
  })

  it('when it is sent again with a kept sign-in cookie: a code works once', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    const name = signInCookie(stateOf(url))
    const value = browser.cookie(testBff.publicUrl, name)?.value ?? ''
    await callback(browser, url)
    const thief = testBff.browser()
    thief.setCookie(testBff.publicUrl, name, value)
    await expectRejected(thief, url, 'sign_in_failed')
  })

  it("with somebody else's code under the browser's own state (code injection)", async () => {
    const attacker = await testBff
      .browser()
      .signInUpToCallback(testBff.publicUrl, 'owner@globex.test')
    const victim = testBff.browser()
    const url = await victim.signInUpToCallback(testBff.publicUrl, person)
    await expectRejected(
      victim,
      change(url, 'code', new URL(attacker).searchParams.get('code') ?? ''),
      'sign_in_failed',
    )
  })

  it.each(['verifier', 'nonce', 'state'])('when the remembered %s is another', async (part) => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    const state = stateOf(url)
    const context = `sign-in:portal:${state}`
    const name = signInCookie(state)
    const sealed = Buffer.from(browser.cookie(testBff.publicUrl, name)?.value ?? '', 'base64url')
    const transaction = JSON.parse(testBff.keyring.decrypt(sealed, context)) as Record<
      string,
      unknown
    >
    const altered = { ...transaction, [part]: 'A'.repeat(43) }
    browser.setCookie(
      testBff.publicUrl,
      name,
      testBff.keyring.encrypt(JSON.stringify(altered), context).toString('base64url'),
    )
    await expectRejected(browser, url, 'sign_in_failed')
  })

  it('when the sign-in cookie is one of the other app', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    const state = stateOf(url)
    const name = signInCookie(state)
    const sealed = Buffer.from(browser.cookie(testBff.publicUrl, name)?.value ?? '', 'base64url')
    const text = testBff.keyring.decrypt(sealed, `sign-in:portal:${state}`)
    browser.setCookie(
      testBff.publicUrl,
      name,
      testBff.keyring.encrypt(text, `sign-in:operator:${state}`).toString('base64url'),
    )
    await expectRejected(browser, url, 'sign_in_expired')
  })

  it('with the answer of another issuer (mix-up)', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    await expectRejected(browser, change(url, 'iss', 'https://evil.test/'), 'sign_in_failed')
  })

  it('with a code of the other app', async () => {
    const operator = new URL(testBff.sandbox.issuers.operator)
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'atrium-operator',
      redirect_uri: `${testBff.publicUrl}/auth/callback`,
      scope: 'openid',
      state: 'A'.repeat(43),
    })
    const isCallback = (url: string) => url.startsWith(`${testBff.publicUrl}/auth/callback`)
    const other = testBff.browser()
    const start = await other.follow(`${operator.href}authorize/?${query}`, isCallback)
    const end = await other.follow(start.url, isCallback, {
      method: 'POST',
      body: new URLSearchParams({ person: 'operator@atrium.test' }),
    })
    const code = new URL(end.url).searchParams.get('code') ?? ''
    expect(code).not.toBe('')
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    await expectRejected(browser, change(url, 'code', code), 'sign_in_failed')
  })

  it.each([
    ['a code that is none', 'code=nonsense'],
    ['two codes', 'code=a&code=b'],
    ['no code', ''],
    ['an ID token in the query', 'id_token=e30.e30.&code=a'],
  ])('with %s', async (_what, parameters) => {
    const browser = testBff.browser()
    const state = stateOf(await browser.signInUpToCallback(testBff.publicUrl, person))
    const issuer = encodeURIComponent(testBff.sandbox.issuers.portal)
    await expectRejected(
      browser,
      `${testBff.publicUrl}/auth/callback?state=${state}&iss=${issuer}&${parameters}`,
      'sign_in_failed',
    )
  })

  it('with two states', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    await expectRejected(browser, `${url}&state=${'A'.repeat(43)}`, 'sign_in_failed')
  })

  it('as a POST', async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(testBff.publicUrl, person)
    expect(
      (await browser.fetch(url, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }))
        .status,
    ).toBe(403)
    expect((await browser.post(url)).status).toBe(404)
  })
})

describe('an error of the identity provider', () => {
  async function failed(error: string): Promise<string | null> {
    const browser = testBff.browser()
    const state = stateOf(await browser.signInUpToCallback(testBff.publicUrl, person))
    const issuer = encodeURIComponent(testBff.sandbox.issuers.portal)
    return callback(
      browser,
      `${testBff.publicUrl}/auth/callback?state=${state}&iss=${issuer}&error=${encodeURIComponent(error)}&error_description=x`,
    )
  }

  it('ends on a page that says so', async () => {
    expect(await failed('access_denied')).toBe('/signed-out?error=access_denied')
    expect(await failed('temporarily_unavailable')).toBe('/signed-out?error=unavailable')
    expect(await failed('<script>alert(1)</script>')).toBe('/signed-out?error=sign_in_failed')
  })

  it('without a sign-in under way is not repeated to the person', async () => {
    await expectRejected(
      testBff.browser(),
      `${testBff.publicUrl}/auth/callback?error=access_denied&state=x`,
      'sign_in_expired',
    )
  })

  it.each(['error', 'reset', 'garbage', 'shape', 'timeout'] as const)(
    'at the token endpoint (%s) signs nobody in',
    async (mode) => {
      const browser = testBff.browser()
      const url = await browser.signInUpToCallback(testBff.publicUrl, person)
      testBff.sandbox.fault({ system: 'identity', match: '/token/', mode })
      await expectRejected(
        browser,
        url,
        mode === 'garbage' || mode === 'shape' ? 'sign_in_failed' : 'unavailable',
      )
    },
  )
})

it('no one is signed in while the signature of the ID token cannot be verified', async () => {
  await using fresh = await startTestBff()
  const browser = fresh.browser()
  const url = await browser.signInUpToCallback(fresh.publicUrl, person)
  fresh.sandbox.fault({ system: 'identity', match: '/jwks/', mode: 'error' })
  expect((await browser.fetch(url)).headers.get('location')).toBe('/signed-out?error=unavailable')
  expect(await fresh.storedSessions()).toEqual([])
})

it('never leads to another site', async () => {
  const query = `?returnTo=${encodeURIComponent('/.//evil.test')}`
  expect(await testBff.browser().signIn(testBff.publicUrl, person, query)).toBe('/')
})
