import { createSecretKey, randomBytes } from 'node:crypto'
import { createKey, type Issuer, startIssuer } from '@atrium/testing/issuer'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let moment = Date.parse('2026-03-01T12:00:00Z')
const clock = { now: () => new Date(moment) }
const pass = (ms: number) => {
  moment += ms
}

let issuer: Issuer
let testApp: TestApp

beforeAll(async () => {
  issuer = await startIssuer(clock.now)
  testApp = await startTestApp({ clock, provisioned: false, env: { IDP_ISSUER: issuer.url } })
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})
beforeEach(async () => {
  issuer.down = false
  issuer.discovery = {}
  issuer.furtherKeys = []
  pass(3_600_000)
})

const present = (token: string) => testApp.request('GET', '/tenants?limit=1', { token })
const withHeader = (authorization: string) =>
  testApp.request('GET', '/tenants?limit=1', { headers: { authorization } })

describe('the Authorization header', () => {
  it('asks for a token without naming an error when there is none (RFC 6750 section 3)', async () => {
    const answer = await testApp.request('GET', '/tenants')
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="atrium"')
  })

  it('tells an expired token from a bad one', async () => {
    const expired = await present(await issuer.sign({ iat: 1, exp: 2 }))
    expect(expired.headers.get('www-authenticate')).toContain(
      'error="invalid_token", error_description="The access token has expired."',
    )
  })

  it('takes the scheme in any case', async () => {
    const token = await issuer.sign()
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await withHeader(`${scheme} ${token}`)).status, scheme).toBe(200)
  })

  it.each(['Basic', 'Token', 'DPoP', 'Negotiate', 'bearertoken'])(
    'refuses the scheme %s',
    async (scheme) => {
      expect(await withHeader(`${scheme} ${await issuer.sign()}`)).toMatchObject({ status: 401 })
    },
  )

  it('rejects a bare token, two tokens and what follows a token', async () => {
    const token = await issuer.sign()
    for (const header of [
      token,
      `Bearer ${token} ${token}`,
      `Bearer ${token},Bearer ${token}`,
      `Bearer ${token}; x=1`,
      'Bearer',
      'Bearer ',
      `Bearer  ${token}`,
    ]) {
      expect((await withHeader(header)).status, header.slice(0, 20)).toBe(401)
    }
  })

  it('rejects two headers, which arrive joined by a comma', async () => {
    const token = await issuer.sign()
    const headers = new Headers({ authorization: `Bearer ${token}` })
    headers.append('authorization', `Bearer ${token}`)
    const response = await testApp.app.fetch(
      new Request('http://api.test/tenants', { headers }),
      {},
    )
    expect(response.status).toBe(401)
  })

  it('takes no token from the query or a cookie', async () => {
    const token = await issuer.sign()
    expect(await testApp.request('GET', `/users/me?access_token=${token}`)).toMatchObject({
      status: 401,
    })
    expect(
      await testApp.request('GET', '/users/me', { headers: { cookie: `access_token=${token}` } }),
    ).toMatchObject({ status: 401 })
  })

  it('names the challenge over tRPC too', async () => {
    const answer = await testApp.request('GET', '/trpc/tenants.list')
    expect(answer).toMatchObject({ status: 401 })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="atrium"')
  })
})

describe('the keys of the issuer', () => {
  it('are fetched once for many tokens at a time', async () => {
    await using fresh = await startIssuer(clock.now)
    await using other = await startTestApp({
      clock,
      provisioned: false,
      env: { IDP_ISSUER: fresh.url },
    })
    const tokens = await Promise.all(Array.from({ length: 30 }, () => fresh.sign()))
    const responses = await Promise.all(
      tokens.map((token) => other.request('GET', '/tenants', { token })),
    )
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(fresh.keyFetches).toBe(1)
  })

  it('are read again at once when a token names a new one', async () => {
    await present(await issuer.sign())
    pass(30_000)
    const before = issuer.keyFetches
    issuer.rotate({ drop: false })
    expect(await present(await issuer.sign())).toMatchObject({ status: 200 })
    expect(issuer.keyFetches).toBe(before + 1)
  })

  it('keep the old one while it is published', async () => {
    const old = issuer.key
    await present(await issuer.sign())
    issuer.rotate({ drop: false })
    pass(61_000)
    expect(await present(await issuer.sign())).toMatchObject({ status: 200 })
    expect(await present(await issuer.sign({}, {}, old))).toMatchObject({ status: 200 })
  })

  it('lose a withdrawn one within a minute, also for tokens that were verified before', async () => {
    const token = await issuer.sign()
    expect(await present(token)).toMatchObject({ status: 200 })
    const old = issuer.key
    issuer.rotate({ drop: true })
    pass(61_000)
    expect(await present(token)).toMatchObject({ status: 401 })
    expect(await present(await issuer.sign({}, {}, old))).toMatchObject({ status: 401 })
    expect(await present(await issuer.sign())).toMatchObject({ status: 200 })
  })

  it('lose a withdrawn one at once when a token brings the new one, also for tokens that were verified before', async () => {
    const token = await issuer.sign()
    expect(await present(token)).toMatchObject({ status: 200 })
    issuer.rotate({ drop: true })
    pass(31_000)
    expect(await present(await issuer.sign())).toMatchObject({ status: 200 })
    expect(await present(token)).toMatchObject({ status: 401 })
  })

  it('are asymmetric, whatever the issuer publishes', async () => {
    const secret = createSecretKey(randomBytes(32))
    issuer.furtherKeys = [
      { ...secret.export({ format: 'jwk' }), kid: 'shared', alg: 'HS256', use: 'sig' },
    ]
    await present(await issuer.sign())
    const token = await new SignJWT(issuer.claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(secret)
    expect(await present(token)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  })

  it('are renewed in the background before they are a minute old', async () => {
    await present(await issuer.sign())
    const before = issuer.keyFetches
    pass(45_000)
    await present(await issuer.sign())
    await expect.poll(() => issuer.keyFetches).toBe(before + 1)
  })

  it('are fetched at most once in half a minute for tokens with unknown keys', async () => {
    await present(await issuer.sign())
    pass(30_000)
    const before = issuer.keyFetches
    for (let attempt = 0; attempt < 20; attempt++) {
      expect((await present(await issuer.sign({}, {}, createKey('ES256')))).status).toBe(401)
      pass(1_000)
    }
    expect(issuer.keyFetches).toBe(before + 1)
    pass(30_000)
    await present(await issuer.sign({}, {}, createKey('ES256')))
    expect(issuer.keyFetches).toBeLessThanOrEqual(before + 3)
  })

  it('stay in use while the issuer is down', async () => {
    await present(await issuer.sign())
    issuer.down = true
    pass(10 * 60_000)
    expect(await present(await issuer.sign())).toMatchObject({ status: 200 })
    expect(await present(await issuer.sign({}, {}, createKey('ES256')))).toMatchObject({
      status: 401,
    })
  })

  it('are not waited for while the issuer does not respond', async () => {
    await using slow = await startIssuer(clock.now)
    await using other = await startTestApp({
      clock,
      provisioned: false,
      env: { IDP_ISSUER: slow.url },
    })
    const ask = async () => other.request('GET', '/tenants', { token: await slow.sign() })
    expect(await ask()).toMatchObject({ status: 200 })
    slow.hangs = true
    pass(61_000)
    expect(await ask()).toMatchObject({ status: 200 })
    // The request for keys has neither been answered nor given up.
    expect(slow.waiting).toBe(1)
    expect(await ask()).toMatchObject({ status: 200 })
    expect(slow.waiting).toBe(1)
  })

  it('answer 503 while none could be had, and work as soon as the issuer is back', async () => {
    await using fresh = await startIssuer(clock.now)
    fresh.down = true
    await using other = await startTestApp({
      clock,
      provisioned: false,
      env: { IDP_ISSUER: fresh.url },
    })
    const token = await fresh.sign()
    expect(await other.request('GET', '/tenants', { token })).toMatchObject({
      status: 503,
      body: { code: 'unavailable' },
    })
    fresh.down = false
    expect(await other.request('GET', '/tenants', { token })).toMatchObject({ status: 200 })
  })

  it('are not taken from a discovery document that names another issuer', async () => {
    await using fresh = await startIssuer(clock.now)
    fresh.discovery = { issuer: 'https://elsewhere.example/' }
    await using other = await startTestApp({
      clock,
      provisioned: false,
      env: { IDP_ISSUER: fresh.url },
    })
    expect(await other.request('GET', '/tenants', { token: await fresh.sign() })).toMatchObject({
      status: 503,
    })
    expect(fresh.keyFetches).toBe(0)
  })

  it('rotate at the real identity provider without anybody being signed out', async () => {
    await using whole = await startTestApp({ provisioned: false })
    const before = await whole.token('owner@acme.test')
    expect(await whole.request('GET', '/users/me', { token: before })).toMatchObject({
      status: 200,
    })
    whole.sandbox.identity.rotateKeys({ drop: false })
    expect(await whole.request('GET', '/users/me', { token: before })).toMatchObject({
      status: 200,
    })
  })
})

describe('a verified token', () => {
  it('is rejected once it has expired, however recently it was verified', async () => {
    const token = await issuer.sign({ exp: Math.floor(moment / 1000) + 20 })
    expect(await present(token)).toMatchObject({ status: 200 })
    pass(51_000)
    expect(await present(token)).toMatchObject({ status: 401, body: { code: 'token_expired' } })
  })
})
