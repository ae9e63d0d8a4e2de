import { createHash, randomUUID } from 'node:crypto'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff } from '@atrium/testing/bff/test-bff'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, expect, it } from 'vitest'

const testBff = await startTestBff()
afterAll(() => testBff[Symbol.asyncDispose]())
const app = testBff.publicUrl
const name = testBff.cookieName
const person = 'owner@acme.test'
const attacker = 'owner@globex.test'

const stateOf = (url: string) => new URL(url).searchParams.get('state') ?? ''
const signInCookie = (state: string) =>
  `${name}-signin-${createHash('sha256').update(state).digest('hex').slice(0, 16)}`

function changed(url: string, fields: Record<string, string | undefined>): string {
  const result = new URL(url)
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) result.searchParams.delete(key)
    else result.searchParams.set(key, value)
  }
  return result.href
}

async function emailOf(browser: Browser): Promise<string | null> {
  const view = (await (await browser.fetch(`${app}/api/session`)).json()) as {
    email: string | null
  }
  return view.email
}

/** What came of a callback: who is signed in now, and where the browser was sent. */
async function opened(
  browser: Browser,
  url: string,
  init: RequestInit = {},
): Promise<string | undefined> {
  const before = await emailOf(browser)
  const response = await browser.fetch(url, init)
  await response.text()
  const location = response.headers.get('location')
  if (location && new URL(location, app).origin !== app) return `sent to ${location}`
  const after = await emailOf(browser)
  return after === before ? undefined : `signed in as ${after}`
}

/** A callback with something else in its query, in the browser that began the sign-in. */
const withQuery = (fields: Record<string, string | undefined>) => async () => {
  const browser = testBff.browser()
  return opened(browser, changed(await browser.signInUpToCallback(app, person), fields))
}

/**
 * The sign-in that the browser remembers, opened, changed and sealed again under a name and for an
 * app.
 */
async function remembered(
  change: Record<string, unknown>,
  sealFor = 'portal',
): Promise<string | undefined> {
  const browser = testBff.browser()
  const url = await browser.signInUpToCallback(app, person)
  const state = stateOf(url)
  const sealed = Buffer.from(browser.cookie(app, signInCookie(state))?.value ?? '', 'base64url')
  const transaction = JSON.parse(
    testBff.keyring.decrypt(sealed, `sign-in:portal:${state}`),
  ) as object
  const value = testBff.keyring.encrypt(
    JSON.stringify({ ...transaction, ...change }),
    `sign-in:${sealFor}:${state}`,
  )
  browser.setCookie(app, signInCookie(state), value.toString('base64url'))
  return opened(browser, url)
}

async function codeOf(email: string): Promise<string> {
  return (
    new URL(await testBff.browser().signInUpToCallback(app, email)).searchParams.get('code') ?? ''
  )
}

/** The page that a sign-in leads to, when it is told to lead elsewhere. */
const returningTo = (requested: string) => async () => {
  const browser = testBff.browser()
  const location = await browser.signIn(app, person, `?returnTo=${encodeURIComponent(requested)}`)
  const target = new URL(location ?? '', app)
  return target.origin === app && !location?.startsWith('//') && !/[\r\n\\]/.test(location ?? '')
    ? undefined
    : `sent to ${location}`
}

/** Where the identity provider would be told to send the code. */
const beginningWith =
  (headers: Record<string, string>, query = '') =>
  async () => {
    const response = await testBff.browser().fetch(`${app}/auth/login${query}`, { headers })
    const target = new URL(response.headers.get('location') ?? '')
    const back = target.searchParams.get('redirect_uri')
    if (!target.href.startsWith(testBff.sandbox.issuers.portal)) return `asks ${target.href}`
    return back === `${app}/auth/callback` ? undefined : `the code goes to ${back}`
  }

async function signedIn(email = person): Promise<Browser> {
  const browser = testBff.browser()
  await browser.signIn(app, email)
  return browser
}

/** A cookie chosen by an attacker, then a sign-in: is the session the chosen one? */
const planted = (cookie: (own: Browser) => Promise<[string, string]>) => async () => {
  const [cookieName, value] = await cookie(await signedIn(attacker))
  const victim = testBff.browser()
  victim.setCookie(app, cookieName, value)
  await victim.signIn(app, person)
  const session = victim.cookie(app, name)?.value
  const thief = testBff.browser()
  thief.setCookie(app, name, value)
  const seen = await emailOf(thief)
  return session === value || seen === person
    ? 'the planted cookie is the session of the victim'
    : undefined
}

/** Requests with cookies as another host or port could set them beside ours. */
const withCookies = (cookies: (value: string) => string) => async () => {
  const value = (await signedIn()).cookie(app, name)?.value ?? ''
  const response = await fetch(`${app}/api/session`, { headers: { cookie: cookies(value) } })
  const { email } = (await response.json()) as { email: string | null }
  return email === null ? undefined : `read as the session of ${email}`
}

const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
/** A logout notice by an attacker: does it end the session? */
const logoutNotice =
  (make: (session: { id: string; access: string; subject: string }) => Promise<string>) =>
  async () => {
    const victim = await signedIn()
    const [stored] = (await testBff.storedSessions()).slice(-1)
    const access = stored?.tokens.access ?? ''
    const claims = JSON.parse(Buffer.from(access.split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string
    }
    const token = await make({ id: stored?.tokens.id ?? '', access, subject: claims.sub })
    const response = await fetch(`${app}/auth/backchannel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    })
    if (response.status !== 400) return `answered ${response.status}`
    return (await emailOf(victim)) === person ? undefined : 'the session ended'
  }
const noticeOf = (subject: string, changes: object = {}) => ({
  iss: testBff.sandbox.issuers.portal,
  aud: 'atrium-portal',
  sub: subject,
  iat: Math.floor(Date.now() / 1000),
  jti: randomUUID(),
  exp: Math.floor(Date.now() / 1000) + 60,
  events: event,
  ...changes,
})
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const { privateKey } = await generateKeyPair('RS256')
const signedByUs = (claims: object, header: object = {}) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid: 'k', ...header })
    .sign(privateKey)

/** Each by its name; returns what it reached, or undefined when it reached nothing. */
const attacks: Record<string, () => Promise<string | undefined>> = {
  'state: left out': withQuery({ state: undefined }),
  'state: empty': withQuery({ state: '' }),
  'state: of nobody': withQuery({ state: 'A'.repeat(43) }),
  'state: with a space behind it': async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(app, person)
    return opened(browser, changed(url, { state: `${stateOf(url)} ` }))
  },
  'state: twice': async () => {
    const browser = testBff.browser()
    return opened(
      browser,
      `${await browser.signInUpToCallback(app, person)}&state=${'A'.repeat(43)}`,
    )
  },
  "state: the attacker's callback in the victim's browser": async () =>
    opened(testBff.browser(), await testBff.browser().signInUpToCallback(app, attacker)),
  "state: the attacker's callback in a browser that is signing in itself": async () => {
    const victim = testBff.browser()
    await victim.fetch(`${app}/auth/login`)
    return opened(victim, await testBff.browser().signInUpToCallback(app, attacker))
  },
  "state: the attacker's callback where somebody is signed in": async () =>
    opened(await signedIn(), await testBff.browser().signInUpToCallback(app, attacker)),
  'state: of another tab': async () => {
    const browser = testBff.browser()
    const [first, second] = [
      await browser.signInUpToCallback(app, person),
      await browser.signInUpToCallback(app, person),
    ]
    browser.setCookie(
      app,
      signInCookie(stateOf(second)),
      browser.cookie(app, signInCookie(stateOf(first)))?.value ?? '',
    )
    return opened(browser, second)
  },
  'sign-in cookie: made up': async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(app, person)
    browser.setCookie(app, signInCookie(stateOf(url)), Buffer.alloc(200, 1).toString('base64url'))
    return opened(browser, url)
  },
  'sign-in cookie: sealed for the other app': () => remembered({}, 'operator'),
  'sign-in cookie: eleven minutes old': () => remembered({ startedAt: Date.now() - 660_000 }),
  'nonce: another': () => remembered({ nonce: 'A'.repeat(43) }),
  'PKCE: another verifier': () => remembered({ verifier: 'A'.repeat(43) }),
  'PKCE: no verifier': () => remembered({ verifier: '' }),
  'state: another is remembered': () => remembered({ state: 'A'.repeat(43) }),
  'code: left out': withQuery({ code: undefined }),
  'code: empty': withQuery({ code: '' }),
  'code: made up': withQuery({ code: 'nonsense' }),
  'code: of somebody else': async () => withQuery({ code: await codeOf(attacker) })(),
  'code: twice': async () => {
    const browser = testBff.browser()
    return opened(
      browser,
      `${await browser.signInUpToCallback(app, person)}&code=${await codeOf(attacker)}`,
    )
  },
  'code: used before, by a thief of the sign-in cookie': async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(app, person)
    const value = browser.cookie(app, signInCookie(stateOf(url)))?.value ?? ''
    await browser.fetch(url)
    const thief = testBff.browser()
    thief.setCookie(app, signInCookie(stateOf(url)), value)
    return opened(thief, url)
  },
  'code: an ID token instead': withQuery({ code: undefined, id_token: 'e30.e30.' }),
  'code: an access token instead': withQuery({
    code: undefined,
    access_token: 'a.b.c',
    token_type: 'Bearer',
  }),
  'code: and an error besides': withQuery({ error: 'access_denied' }),
  'issuer: another': withQuery({ iss: 'https://evil.test/' }),
  'issuer: left out': withQuery({ iss: undefined }),
  'issuer: of the other app': withQuery({ iss: testBff.sandbox.issuers.operator }),
  'callback: as a form of another site': async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(app, person)
    return opened(browser, url, {
      method: 'POST',
      headers: { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    })
  },
  'callback: at another path': async () => {
    const browser = testBff.browser()
    const url = await browser.signInUpToCallback(app, person)
    return opened(browser, url.replace('/auth/callback', '/auth/callback/x'))
  },
  'redirect: //': returningTo('//evil.test'),
  'redirect: ///': returningTo('///evil.test'),
  'redirect: a backslash': returningTo('/\\evil.test'),
  'redirect: two backslashes': returningTo('\\\\evil.test'),
  'redirect: https:': returningTo('https://evil.test/'),
  'redirect: https: without slashes': returningTo('https:evil.test'),
  'redirect: javascript:': returningTo('javascript:alert(1)'),
  'redirect: data:': returningTo('data:text/html,<script>alert(1)</script>'),
  'redirect: a tab': returningTo('/\t/evil.test'),
  'redirect: a line end and a header': returningTo('/\r\nset-cookie: a=b'),
  'redirect: a line end before //': returningTo('\n//evil.test'),
  'redirect: dots': returningTo('/.//evil.test'),
  'redirect: dots in capitals of per cent': returningTo('/%2E%2E//evil.test'),
  'redirect: full-width slashes': returningTo('/／evil.test'),
  'redirect: a name before @': returningTo(`${app}@evil.test/`),
  'redirect: a host that begins like ours': returningTo(`${app}.evil.test/`),
  'redirect: a NUL': returningTo('/\u0000//evil.test'),
  'redirect: back into the sign-in': async () => {
    const location = await testBff
      .browser()
      .signIn(app, person, `?returnTo=${encodeURIComponent('/auth/login?returnTo=//evil.test')}`)
    return location === '/' ? undefined : `sent to ${location}`
  },
  'code sent elsewhere: Host': beginningWith({ host: 'evil.test' }),
  'code sent elsewhere: X-Forwarded-Host': beginningWith({
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
  }),
  'code sent elsewhere: Forwarded': beginningWith({ forwarded: 'host=evil.test;proto=https' }),
  'code sent elsewhere: redirect_uri in the query': beginningWith(
    {},
    '?redirect_uri=https://evil.test/',
  ),
  'code sent elsewhere: another client': beginningWith(
    {},
    '?client_id=evil&issuer=https://evil.test/',
  ),
  'fixation: a made-up session cookie': planted(async () => [name, 'A'.repeat(43)]),
  "fixation: the attacker's own session cookie": planted(async (own) => [
    name,
    own.cookie(app, name)?.value ?? '',
  ]),
  'fixation: the session before goes on after a new sign-in': async () => {
    const browser = await signedIn()
    const former = browser.cookie(app, name)?.value ?? ''
    await browser.signIn(app, person)
    const thief = testBff.browser()
    thief.setCookie(app, name, former)
    return (await emailOf(thief)) === null ? undefined : 'the former cookie still opens'
  },
  'cookie of a sibling host: without the __Host- prefix': withCookies(
    (value) => `${name.replace('__Host-', '')}=${value}`,
  ),
  'cookie of a sibling host: __Secure-': withCookies(
    (value) => `${name.replace('__Host-', '__Secure-')}=${value}`,
  ),
  'cookie of a sibling host: in other case': withCookies(
    (value) => `${name.toLowerCase()}=${value}`,
  ),
  'cookie of a sibling host: of the other app': withCookies(
    (value) => `${name.replace('portal', 'operator')}=${value}`,
  ),
  'cookie: of another port': withCookies((value) => `${name.replace(/-\d+$/, '-1')}=${value}`),
  'cookie: one character less': withCookies((value) => `${name}=${value.slice(0, -1)}`),
  'cookie: another last character': withCookies(
    (value) => `${name}=${value.slice(0, -1)}${value.endsWith('A') ? 'E' : 'A'}`,
  ),
  'cookie: quoted with more behind it': withCookies((value) => `${name}="${value}x"`),
  'cookie: in the query': async () => {
    const value = (await signedIn()).cookie(app, name)?.value ?? ''
    const response = await fetch(`${app}/api/me?${encodeURIComponent(name)}=${value}`, {
      headers: { authorization: `Bearer ${value}` },
    })
    return response.status === 401 ? undefined : `answered ${response.status}`
  },
  'cookie: the access token at this server': async () => {
    await signedIn()
    const [stored] = (await testBff.storedSessions()).slice(-1)
    const response = await fetch(`${app}/api/me`, {
      headers: { authorization: `Bearer ${stored?.tokens.access}` },
    })
    return response.status === 401 ? undefined : `answered ${response.status}`
  },
  'logout notice: unsigned': logoutNotice(
    async ({ subject }) =>
      `${part({ alg: 'none', typ: 'logout+jwt' })}.${part(noticeOf(subject))}.`,
  ),
  'logout notice: by a key of ours': logoutNotice(({ subject }) => signedByUs(noticeOf(subject))),
  'logout notice: the ID token': logoutNotice(async ({ id }) => id),
  'logout notice: the access token': logoutNotice(async ({ access }) => access),
  'logout notice: for the other app': logoutNotice(({ subject }) =>
    signedByUs(noticeOf(subject, { aud: 'atrium-operator' })),
  ),
  'logout: a link': async () => {
    const victim = await signedIn()
    await victim.fetch(`${app}/auth/logout`)
    return (await emailOf(victim)) === person ? undefined : 'signed out'
  },
  'logout: a form of another site': async () => {
    const victim = await signedIn()
    await victim.fetch(`${app}/auth/logout`, {
      method: 'POST',
      headers: { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    })
    return (await emailOf(victim)) === person ? undefined : 'signed out'
  },
  'logout: leading elsewhere afterwards': async () => {
    const response = await (await signedIn()).post(
      `${app}/auth/logout?post_logout_redirect_uri=https://evil.test/&returnTo=//evil.test`,
    )
    const location = new URL(response.headers.get('location') ?? '', app)
    const elsewhere =
      ![app, new URL(testBff.sandbox.identityUrl).origin].includes(location.origin) ||
      location.href.includes('evil.test')
    return elsewhere ? `sent to ${location.href}` : undefined
  },
}

it('no attack on the sign-in reaches anything, and the sign-in itself goes on working', async () => {
  const reached: string[] = []
  for (let round = 0; round < rounds(1, 10); round++) {
    for (const [what, attack] of Object.entries(attacks)) {
      const result = await attack()
      if (result !== undefined) reached.push(`${what}: ${result}`)
    }
    const browser = testBff.browser()
    expect(await browser.signIn(app, person, '?returnTo=/t/acme')).toBe('/t/acme')
    expect(await emailOf(browser)).toBe(person)
  }
  const cases = Object.keys(attacks).length
  await recordMeasurement({
    target: 'S17',
    what: 'state, nonce, code, PKCE, redirect, fixation, cookies, logout notices',
    measured: `${cases} cases × ${rounds(1, 10)}, ${reached.length} reached something`,
    reached: cases >= 30 && reached.length === 0,
  })
  expect(reached).toEqual([])
  expect(cases).toBeGreaterThanOrEqual(30)
})
