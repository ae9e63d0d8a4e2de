import { demoServiceCredentials } from '@atrium/core/demo/demo'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff, type TestBffOptions } from '@atrium/testing/bff/test-bff'
import * as openid from 'openid-client'
import { afterEach, describe, expect, it } from 'vitest'

let testBff: TestBff
let browser: Browser

async function signedIn(options: TestBffOptions = {}): Promise<void> {
  testBff = await startTestBff(options)
  browser = testBff.browser()
  await browser.signIn(testBff.publicUrl, 'owner@acme.test')
}
afterEach(async () => {
  await testBff[Symbol.asyncDispose]()
})

const read = (url = testBff.publicUrl) => browser.fetch(`${url}/trpc/tenants.list`)
const write = (url = testBff.publicUrl) =>
  browser.post(`${url}/trpc/tenants.create`, { json: { name: 'Acme' } })

async function codeOf(response: Response): Promise<unknown> {
  const problem = (await response.json()) as { code?: unknown }
  return problem.code
}

async function currentTokens() {
  const [session] = await testBff.storedSessions()
  if (!session) throw new Error('there is no session')
  return session.tokens
}

describe('an access token that is about to expire', () => {
  it.each([
    ['a read', read],
    ['a write', write],
  ])('is replaced before %s, and the new one is used', async (_kind, call) => {
    await signedIn()
    const before = await currentTokens()
    await testBff.expireTokens(29)
    expect((await call()).status).toBe(200)
    const after = await currentTokens()
    expect(after.access).not.toBe(before.access)
    expect(after.refresh).not.toBe(before.refresh)
    expect(testBff.platform.seen.map((request) => request.headers.authorization)).toEqual([
      `Bearer ${after.access}`,
    ])
    expect((await call()).status).toBe(200)
    expect(testBff.tokenCalls()).toBe(2)
  })

  it('is left alone while it lasts longer than half a minute', async () => {
    await signedIn()
    await testBff.expireTokens(40)
    expect((await read()).status).toBe(200)
    expect(testBff.tokenCalls()).toBe(1)
  })

  it('still serves while the identity provider is away', async () => {
    await signedIn()
    await testBff.expireTokens(20)
    testBff.sandbox.fault({ system: 'identity', match: '/token/', mode: 'error' })
    expect((await read()).status).toBe(200)
  })
})

describe('many requests at once', () => {
  it('over two servers on one database refresh once, time and again', async () => {
    await signedIn({ instances: 2 })
    for (let round = 1; round <= 8; round++) {
      await testBff.expireTokens()
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 3 === 0 ? write : read)(testBff.urls[n % 2])),
      )
      expect(responses.map((answer) => answer.status)).toEqual(
        Array.from({ length: 50 }, () => 200),
      )
      expect(testBff.tokenCalls()).toBe(1 + round)
    }
    const { access } = await currentTokens()
    expect(
      testBff.platform.seen
        .slice(-50)
        .every((request) => request.headers.authorization === `Bearer ${access}`),
    ).toBe(true)
  })

  it('over two servers refresh once when the API rejects the token', async () => {
    await signedIn({ instances: 2 })
    for (let round = 1; round <= 4; round++) {
      testBff.platform.refused.add((await currentTokens()).access)
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 3 === 0 ? write : read)(testBff.urls[n % 2])),
      )
      expect(responses.map((answer) => answer.status)).toEqual(
        Array.from({ length: 50 }, () => 200),
      )
      expect(testBff.tokenCalls()).toBe(1 + round)
    }
  })

  it('wait for a slow identity provider without a second refresh, and delay no other sign-in', async () => {
    await signedIn({ instances: 2 })
    await testBff.expireTokens()
    const before = testBff.tokenCalls()
    testBff.sandbox.fault({
      system: 'identity',
      match: '/token/',
      mode: 'latency',
      delayMs: 3_000,
      times: 1,
    })
    let done = false
    const waiting = Promise.all(
      Array.from({ length: 50 }, (_, n) => read(testBff.urls[n % 2])),
    ).then((responses) => {
      done = true
      return responses
    })
    await expect
      .poll(() => testBff.logLines.filter((line) => line.includes('"refreshing"')).length)
      .toBe(2)
    expect(await testBff.browser().signIn(testBff.publicUrl, 'owner@globex.test')).toBe('/')
    expect(done).toBe(false)
    expect((await waiting).every((answer) => answer.status === 200)).toBe(true)
    expect(testBff.tokenCalls()).toBe(before + 2)
  })
})

describe('a token that the API rejects', () => {
  it.each([
    ['read', read],
    ['write', write],
  ])('is refreshed and the %s made once more, with the same body', async (_kind, call) => {
    await signedIn()
    testBff.platform.refused.add((await currentTokens()).access)
    expect((await call()).status).toBe(200)
    const [first, second, ...more] = testBff.platform.seen
    expect(more).toEqual([])
    expect(second?.body).toBe(first?.body)
    expect(second?.target).toBe(first?.target)
    expect(second?.headers.authorization).toBe(`Bearer ${(await currentTokens()).access}`)
  })

  it('also when it is fresh ends in the answer of the API, after one retry', async () => {
    await signedIn()
    testBff.platform.answer = () => Response.json({ code: 'unauthenticated' }, { status: 401 })
    expect((await read()).status).toBe(401)
    expect(testBff.platform.seen).toHaveLength(2)
    expect(testBff.tokenCalls()).toBe(2)
    expect(await testBff.storedSessions()).toHaveLength(1)
  })

  it('is retried with a newer token that another server has stored meanwhile, without a refresh', async () => {
    await signedIn({ instances: 2 })
    const { access } = await currentTokens()
    testBff.platform.answer = (request) => {
      if (request.headers.authorization !== `Bearer ${access}`) return undefined
      return Response.json({}, { status: 401 })
    }
    expect((await read(testBff.urls[0])).status).toBe(200)
    expect((await read(testBff.urls[1])).status).toBe(200)
    expect(testBff.tokenCalls()).toBe(2)
  })
})

describe('a refresh that the identity provider rejects', () => {
  it('ends the session: 401, the row is gone, the cookie is taken back', async () => {
    await signedIn()
    // Somebody else spends the refresh token, which works once.
    const { refresh = '' } = await currentTokens()
    const client = await openid.discovery(
      new URL(testBff.sandbox.issuers.portal),
      'atrium-portal',
      'portal-local-secret',
      undefined,
      {
        execute: [openid.allowInsecureRequests],
      },
    )
    await openid.refreshTokenGrant(client, refresh)
    await testBff.expireTokens()
    const response = await write()
    expect(response.status).toBe(401)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await codeOf(response)).toBe('unauthenticated')
    expect(await testBff.storedSessions()).toEqual([])
    expect(browser.names(testBff.publicUrl).filter((name) => name.startsWith('__Host-'))).toEqual(
      [],
    )
    expect(testBff.platform.seen).toEqual([])
  })

  it('because the person was deactivated ends the session for fifty requests alike', async () => {
    await signedIn({ instances: 2 })
    const person = testBff.sandbox.identity.findUser('owner@acme.test')
    const changed = await fetch(`${testBff.sandbox.identityUrl}/api/v3/core/users/${person?.pk}/`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${demoServiceCredentials.identityToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ is_active: false }),
    })
    expect(changed.status).toBe(200)
    await testBff.sandbox.identity.settled()
    await testBff.expireTokens()
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        browser.fetch(`${testBff.urls[n % 2]}/trpc/tenants.list`),
      ),
    )
    expect(responses.every((answer) => answer.status === 401)).toBe(true)
    expect(testBff.tokenCalls()).toBeLessThanOrEqual(2)
    expect(await testBff.storedSessions()).toEqual([])
  })
})

describe('an identity provider that fails', () => {
  it.each([
    ['answers 503', { mode: 'error', status: 503 }],
    ['answers 500', { mode: 'error', status: 500 }],
    ['answers 429', { mode: 'error', status: 429 }],
    ['drops the connection', { mode: 'reset' }],
    ['answers no JSON', { mode: 'garbage' }],
    ['answers other JSON', { mode: 'shape' }],
    ['does not answer', { mode: 'timeout' }],
  ] as const)('(%s) costs nobody the session', async (_what, fault) => {
    await signedIn({ bff: { idpDeadlineSeconds: 1 } })
    await testBff.expireTokens()
    testBff.sandbox.fault({ system: 'identity', match: '/token/', ...fault })
    const response = await read()
    expect(response.status).toBe(503)
    expect(await codeOf(response)).toBe('unavailable')
    expect(await testBff.storedSessions()).toHaveLength(1)
    expect(testBff.platform.seen).toEqual([])
    testBff.sandbox.clearFaults()
    expect((await read()).status).toBe(200)
  })

  it('that lost its keys in the meantime does not cost the new refresh token', async () => {
    await signedIn()
    testBff.sandbox.identity.rotateKeys({ drop: true })
    testBff.sandbox.fault({ system: 'identity', match: '/jwks/', mode: 'error' })
    await testBff.expireTokens()
    expect((await read()).status).toBe(200)
    await testBff.expireTokens()
    expect((await read()).status).toBe(200)
  })
})

it('a refresh goes on when the browser that caused it leaves', async () => {
  await signedIn()
  const before = await currentTokens()
  await testBff.expireTokens()
  testBff.sandbox.fault({
    system: 'identity',
    match: '/token/',
    mode: 'latency',
    delayMs: 300,
    times: 1,
  })
  const leaving = new AbortController()
  const request = browser.fetch(`${testBff.publicUrl}/trpc/tenants.list`, {
    signal: leaving.signal,
  })
  setTimeout(() => leaving.abort(), 100)
  await expect(request).rejects.toThrow()
  await expect.poll(async () => (await currentTokens()).refresh).not.toBe(before.refresh)
  expect((await read()).status).toBe(200)
  expect(testBff.tokenCalls()).toBe(2)
})
