import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SessionView } from '../src/views.ts'

let testBff: TestBff
beforeAll(async () => {
  testBff = await startTestBff({ bff: { idpDeadlineSeconds: 1 } })
})
afterEach(() => {
  testBff.platform.answer = undefined
  testBff.sandbox.clearFaults()
})
afterAll(async () => {
  await testBff[Symbol.asyncDispose]()
})

const person = 'owner@acme.test'
const hourAgo = () => new Date(Date.now() - 3_700_000)
const sessionOf = async (browser: Browser) =>
  (await (await browser.fetch(`${testBff.publicUrl}/api/session`)).json()) as SessionView

/** Somebody whose sign-in was an hour ago, as the provider and the session's tokens tell. */
async function signedInLongAgo(): Promise<Browser> {
  const browser = testBff.browser()
  await browser.signIn(testBff.publicUrl, person)
  const user = testBff.sandbox.identity.findUser(person)
  if (!user) throw new Error('there is no such person')
  expect(testBff.sandbox.identity.moveSignIns(user, hourAgo())).toBeGreaterThan(0)
  await testBff.expireTokens()
  await browser.fetch(`${testBff.publicUrl}/trpc/tenants.list`)
  expect(Date.parse((await sessionOf(browser)).signedInAt ?? '')).toBeLessThan(
    Date.now() - 3_600_000,
  )
  return browser
}

const challenge = (detail = 'Too old.') =>
  Response.json(
    {
      type: 'about:blank',
      title: detail,
      status: 401,
      detail,
      code: 'recent_sign_in_required',
      requestId: 'r',
    },
    {
      status: 401,
      headers: {
        'content-type': 'application/problem+json',
        'www-authenticate':
          'Bearer realm="atrium", error="insufficient_user_authentication", error_description="Too old.", max_age="3600"',
      },
    },
  )

describe('a second sign-in', () => {
  it('asks the provider for a sign-in of this moment, with the name of who is signed in', async () => {
    const browser = await signedInLongAgo()
    const response = await browser.fetch(`${testBff.publicUrl}/auth/login?recent=1`)
    const query = new URL(response.headers.get('location') ?? '').searchParams
    expect(Object.fromEntries(query)).toMatchObject({ max_age: '30', login_hint: person })
    expect(query.has('prompt')).toBe(false)
    const ordinary = new URL(
      (await browser.fetch(`${testBff.publicUrl}/auth/login`)).headers.get('location') ?? '',
    ).searchParams
    expect([...ordinary.keys()]).not.toContain('max_age')
  })

  it('gives the same person a new session, ends the one before, and ends in a page that tells the one that waits', async () => {
    const browser = await signedInLongAgo()
    const before = browser.cookie(testBff.publicUrl, testBff.cookieName)?.value ?? ''
    const old = await sessionOf(browser)
    expect(await browser.signIn(testBff.publicUrl, person, '?recent=1')).toBe('/auth/confirmed')
    const renewed = await sessionOf(browser)
    expect(renewed.subject).toBe(old.subject)
    expect(Date.parse(renewed.signedInAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
    const thief = testBff.browser()
    thief.setCookie(testBff.publicUrl, testBff.cookieName, before)
    expect(await sessionOf(thief)).toMatchObject({
      signedIn: false,
      subject: null,
      signedInAt: null,
      secondFactor: false,
    })

    const page = await browser.fetch(`${testBff.publicUrl}/auth/confirmed`)
    expect(page.status).toBe(200)
    const text = await page.text()
    expect(text).toContain('<script src="/auth/confirmed.js" defer></script>')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
    const script = await browser.fetch(`${testBff.publicUrl}/auth/confirmed.js`)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await script.text()).toContain("new BroadcastChannel('atrium-sign-in')")
  })

  it('leads where it was told to on this site, and never to another', async () => {
    const browser = await signedInLongAgo()
    expect(
      await browser.signIn(
        testBff.publicUrl,
        person,
        `?recent=1&returnTo=${encodeURIComponent('/t/acme?tab=x')}`,
      ),
    ).toBe('/t/acme?tab=x')
    const other = await signedInLongAgo()
    expect(
      await other.signIn(
        testBff.publicUrl,
        person,
        `?recent=1&returnTo=${encodeURIComponent('//evil.test/')}`,
      ),
    ).toBe('/')
  })

  it('keeps the previous session for other pages until the response with the new one', async () => {
    const browser = await signedInLongAgo()
    const waiting = testBff.browser()
    const former = browser.cookie(testBff.publicUrl, testBff.cookieName)?.value ?? ''
    waiting.setCookie(testBff.publicUrl, testBff.cookieName, former)
    const { db } = testBff.database
    const sessions = () =>
      db
        .selectFrom('web_sessions')
        .select(['id'])
        .where('email', '=', person)
        .where('signed_in_at', '>', new Date(Date.now() - 60_000))
        .execute()
    const before = await sessions()
    // The sign-in is recorded after the new session is created, and waits here.
    const lock = await db.startTransaction().execute()
    await sql`lock table sign_ins in exclusive mode`.execute(lock)
    const signIn = browser.signIn(testBff.publicUrl, person, '?recent=1')
    await expect.poll(async () => (await sessions()).length).toBe(before.length + 1)
    expect(await sessionOf(waiting)).toMatchObject({ signedIn: true, email: person })
    await lock.rollback().execute()
    await signIn
    expect(await sessionOf(waiting)).toMatchObject({ signedIn: false })
    expect(await sessionOf(browser)).toMatchObject({ signedIn: true, email: person })
  })

  it('ends the previous session when another person signs in', async () => {
    const browser = await signedInLongAgo()
    const before = browser.cookie(testBff.publicUrl, testBff.cookieName)?.value ?? ''
    const old = await sessionOf(browser)
    await browser.signIn(testBff.publicUrl, 'owner@globex.test', '?recent=1')
    const now = await sessionOf(browser)
    expect(now).toMatchObject({ signedIn: true, email: 'owner@globex.test' })
    expect(now.subject).not.toBe(old.subject)
    const former = testBff.browser()
    former.setCookie(testBff.publicUrl, testBff.cookieName, before)
    expect(await sessionOf(former)).toMatchObject({ signedIn: false })
  })

  it('that was none is rejected with a page that says so, and the session stays as it was', async () => {
    const browser = await signedInLongAgo()
    const before = await sessionOf(browser)
    // Whoever leaves max_age out of the address on its way to the provider is let through by it.
    const start = await browser.fetch(`${testBff.publicUrl}/auth/login?recent=1`)
    const target = new URL(start.headers.get('location') ?? '')
    target.searchParams.delete('max_age')
    const back = await browser.follow(target.href, (url) =>
      url.startsWith(`${testBff.publicUrl}/auth/callback`),
    )
    const refused = await browser.fetch(back.url)
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('You were not asked to sign in')
    expect(
      refused.headers.getSetCookie().some((cookie) => cookie.startsWith(`${testBff.cookieName}=`)),
    ).toBe(false)
    expect(await sessionOf(browser)).toEqual(before)
  })

  it('that fails leaves the session alone and says so in its window', async () => {
    const browser = await signedInLongAgo()
    const before = await sessionOf(browser)
    const callback = await browser.signInUpToCallback(testBff.publicUrl, person, '?recent=1')
    const state = new URL(callback).searchParams.get('state') ?? ''
    const denied = await browser.fetch(
      `${testBff.publicUrl}/auth/callback?${new URLSearchParams({ error: 'access_denied', state })}`,
    )
    expect(denied.status).toBe(403)
    expect(await denied.text()).toContain('You were not signed in again')
    expect(await sessionOf(browser)).toEqual(before)
  })

  it('while the provider is away says so in its window', async () => {
    const browser = await signedInLongAgo()
    const callback = await browser.signInUpToCallback(testBff.publicUrl, person, '?recent=1')
    testBff.sandbox.fault({ system: 'identity', match: '/token/', mode: 'error' })
    const away = await browser.fetch(callback)
    expect(away.status).toBe(503)
    expect(await away.text()).toContain('you are still signed in as before')
    testBff.sandbox.clearFaults()
    expect(await sessionOf(browser)).toMatchObject({ signedIn: true })
  })
})

describe('a call that needs a recent sign-in', () => {
  it('is neither refreshed nor repeated, and the session goes on', async () => {
    const browser = await signedInLongAgo()
    const [refreshes, before] = [testBff.tokenCalls(), await sessionOf(browser)]
    testBff.platform.answer = ({ target }) =>
      target.startsWith('/trpc/tenants.delete') ? challenge() : undefined
    const seen = testBff.platform.seen.length
    const response = await browser.post(`${testBff.publicUrl}/trpc/tenants.delete`, {
      json: { slug: 'acme' },
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'recent_sign_in_required' })
    // What the API says to callers with tokens is not for a browser.
    expect(response.headers.get('www-authenticate')).toBeNull()
    expect(testBff.platform.seen.length).toBe(seen + 1)
    expect(testBff.tokenCalls()).toBe(refreshes)
    expect(await sessionOf(browser)).toEqual(before)
  })

  it('is still refreshed and repeated when it is the token that is rejected', async () => {
    const browser = await signedInLongAgo()
    const [stored] = (await testBff.storedSessions()).slice(-1)
    testBff.platform.refused.add(stored?.tokens.access ?? '')
    const refreshes = testBff.tokenCalls()
    expect(
      (await browser.post(`${testBff.publicUrl}/trpc/tenants.delete`, { json: {} })).status,
    ).toBe(200)
    expect(testBff.tokenCalls()).toBe(refreshes + 1)
    const [renewed] = (await testBff.storedSessions()).slice(-1)
    expect(decodeJwt(renewed?.tokens.access ?? '').auth_time).toBe(
      decodeJwt(stored?.tokens.access ?? '').auth_time,
    )
  })
})
