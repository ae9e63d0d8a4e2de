import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff, type TestBff } from '@atrium/testing/bff/test-bff'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLogoutTokenVerifier, InvalidLogoutToken } from '../src/oidc/logout-token.ts'

let testBff: TestBff
beforeAll(async () => {
  testBff = await startTestBff()
})
afterAll(async () => {
  await testBff[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await testBff.database.db.deleteFrom('web_sessions').execute()
})

async function signedIn(email = 'owner@acme.test'): Promise<Browser> {
  const browser = testBff.browser()
  await browser.signIn(testBff.publicUrl, email)
  return browser
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  const view = (await (await browser.fetch(`${testBff.publicUrl}/api/session`)).json()) as {
    signedIn: boolean
  }
  return view.signedIn
}

describe('signing out', () => {
  it('ends the session here and at the identity provider, and comes back to this site', async () => {
    const browser = await signedIn()
    const [stored] = await testBff.storedSessions()
    const response = await browser.post(`${testBff.publicUrl}/auth/logout`)
    expect(response.status).toBe(303)
    const target = new URL(response.headers.get('location') ?? '')
    expect(target.pathname).toBe('/application/o/atrium-portal/end-session/')
    expect(target.searchParams.get('post_logout_redirect_uri')).toBe(
      `${testBff.publicUrl}/signed-out`,
    )
    expect(target.searchParams.get('id_token_hint')).toBe(stored?.tokens.id)
    expect(await testBff.storedSessions()).toEqual([])
    expect(browser.names(testBff.publicUrl).filter((name) => name.startsWith('__Host-'))).toEqual(
      [],
    )
    expect(
      (await browser.follow(target.href, (url) => url.startsWith(testBff.publicUrl))).url,
    ).toBe(`${testBff.publicUrl}/signed-out`)
    // The next sign-in asks for the password again: the login there is over as well.
    const again = await browser.follow(`${testBff.publicUrl}/auth/login`)
    expect(await again.response.text()).toContain('Local sign-in')
    await testBff.sandbox.identity.settled()
  })

  it('takes the refresh token back, which outlives the login at the identity provider', async () => {
    const browser = await signedIn()
    await browser.post(`${testBff.publicUrl}/auth/logout`)
    const calls = testBff.sandbox
      .state()
      .identity.calls.filter((call) => call.path.endsWith('/revoke/'))
    expect(calls.at(-1)).toMatchObject({ method: 'POST', status: 200 })
  })

  it('works while the identity provider is away', async () => {
    await using fresh = await startTestBff()
    const browser = fresh.browser()
    await browser.signIn(fresh.publicUrl, 'owner@acme.test')
    fresh.sandbox.fault({ system: 'identity', mode: 'reset' })
    expect((await browser.post(`${fresh.publicUrl}/auth/logout`)).status).toBe(303)
    expect(await fresh.storedSessions()).toEqual([])
  })

  it('is not done by a link, nor by another site', async () => {
    const browser = await signedIn()
    const link = await browser.fetch(`${testBff.publicUrl}/auth/logout`)
    expect([link.status, link.headers.get('location')]).toEqual([303, '/'])
    expect(
      (
        await browser.post(`${testBff.publicUrl}/auth/logout`, undefined, {
          'sec-fetch-site': 'cross-site',
        })
      ).status,
    ).toBe(403)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('without a session leads to the page for it', async () => {
    const response = await testBff.browser().post(`${testBff.publicUrl}/auth/logout`)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/signed-out'])
  })

  it('ends this session only, not those of other browsers', async () => {
    const [one, two] = [await signedIn(), await signedIn()]
    await one.post(`${testBff.publicUrl}/auth/logout`)
    expect(await isSignedIn(two)).toBe(true)
  })
})

describe('a logout notice of the real identity provider', () => {
  it('ends the sessions of that login, and no others', async () => {
    const browser = await signedIn()
    const elsewhere = await signedIn()
    const somebody = await signedIn('owner@globex.test')
    const [stored] = await testBff.storedSessions()
    const url = `${testBff.sandbox.issuers.portal}end-session/?${new URLSearchParams({ id_token_hint: stored?.tokens.id ?? '' })}`
    await browser.follow(url)
    await testBff.sandbox.identity.settled()
    expect(await Promise.all([browser, elsewhere, somebody].map(isSignedIn))).toEqual([
      false,
      true,
      true,
    ])
  })
})

const issuer = 'https://idp.test/application/o/atrium-portal/'
const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const now = () => Math.floor(Date.now() / 1000)
type Claims = Record<string, unknown>
const good = (): Claims => ({
  iss: issuer,
  aud: 'atrium-portal',
  iat: now(),
  exp: now() + 120,
  jti: randomUUID(),
  sid: 'login-1',
  sub: 'person-1',
  events: event,
})

describe('a logout token', () => {
  let keyServer: Server
  let key: CryptoKey
  let verify: ReturnType<typeof createLogoutTokenVerifier>
  let keysUrl: URL
  const secret = new TextEncoder().encode('x'.repeat(64))

  beforeAll(async () => {
    const pair = await generateKeyPair('RS256', { extractable: true })
    key = pair.privateKey
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', use: 'sig' }
    keyServer = createServer((_request, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] })),
    )
    await new Promise<void>((done) => keyServer.listen(0, '127.0.0.1', () => done()))
    keysUrl = new URL(`http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/`)
    verify = createLogoutTokenVerifier({
      issuer,
      clientId: 'atrium-portal',
      keysUrl: async () => keysUrl,
      now: () => new Date(),
    })
  })
  afterAll(async () => {
    keyServer.closeAllConnections()
    await new Promise((done) => keyServer.close(done))
  })

  const sign = (payload: Claims, header: Claims = {}, by: CryptoKey | Uint8Array = key) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid: 'k1', ...header })
      .sign(by)
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each<[string, Claims, Claims, unknown]>([
    ['of a session and a subject', {}, {}, { idpSessionId: 'login-1', subject: 'person-1' }],
    ['of a session', { sub: undefined }, {}, { idpSessionId: 'login-1' }],
    ['of a subject', { sid: undefined }, {}, { subject: 'person-1' }],
    [
      'for several audiences, this one among them',
      { aud: ['other', 'atrium-portal'] },
      {},
      { idpSessionId: 'login-1', subject: 'person-1' },
    ],
    [
      'without exp, as authentik sends it',
      { exp: undefined },
      {},
      { idpSessionId: 'login-1', subject: 'person-1' },
    ],
    ['without a type', {}, { typ: undefined }, { idpSessionId: 'login-1', subject: 'person-1' }],
  ])('%s is accepted', async (_what, claims, header, login) => {
    expect((await verify(await sign({ ...good(), ...claims }, header))).login).toEqual(login)
  })

  it.each<[string, () => Promise<string> | string]>([
    [
      'that is not signed (alg none)',
      () => `${part({ alg: 'none', typ: 'logout+jwt' })}.${part(good())}.`,
    ],
    ['signed with HMAC', () => sign(good(), { alg: 'HS256' }, secret)],
    [
      'signed with a key that is not published',
      async () => sign(good(), {}, (await generateKeyPair('RS256')).privateKey),
    ],
    ['with an unknown key id', () => sign(good(), { kid: 'k2' })],
    [
      'with its own key in the header',
      async () => {
        const pair = await generateKeyPair('RS256', { extractable: true })
        return sign(
          good(),
          { jwk: await exportJWK(pair.publicKey), kid: undefined },
          pair.privateKey,
        )
      },
    ],
    [
      'that was altered',
      async () => {
        const [header, , signature] = (await sign(good())).split('.')
        return `${header}.${part({ ...good(), sub: 'somebody else' })}.${signature}`
      },
    ],
    [
      'of another issuer',
      () => sign({ ...good(), iss: 'https://idp.test/application/o/atrium-operator/' }),
    ],
    ['without issuer', () => sign({ ...good(), iss: undefined })],
    ['for another audience', () => sign({ ...good(), aud: 'atrium-operator' })],
    ['without audience', () => sign({ ...good(), aud: undefined })],
    ['with a nonce', () => sign({ ...good(), nonce: 'n' })],
    ['without events', () => sign({ ...good(), events: undefined })],
    ['with another event', () => sign({ ...good(), events: { 'https://example.test/event': {} } })],
    [
      'with an event that is no object',
      () => sign({ ...good(), events: { [Object.keys(event)[0] ?? '']: 'yes' } }),
    ],
    ['without session and subject', () => sign({ ...good(), sid: undefined, sub: undefined })],
    ['with an empty subject', () => sign({ ...good(), sid: undefined, sub: '' })],
    ['with a session that is a list', () => sign({ ...good(), sid: ['a'] })],
    ['without jti', () => sign({ ...good(), jti: undefined })],
    ['without iat', () => sign({ ...good(), iat: undefined })],
    ['issued ten minutes ago', () => sign({ ...good(), iat: now() - 600 })],
    ['issued in the future', () => sign({ ...good(), iat: now() + 600, exp: now() + 900 })],
    ['that has expired', () => sign({ ...good(), exp: now() - 60 })],
    ['that is an access token by its type', () => sign(good(), { typ: 'at+jwt' })],
    ['that is no JWT', () => 'nonsense'],
    ['that is empty', () => ''],
  ])('%s is refused', async (_what, make) => {
    await expect(verify(await make())).rejects.toBeInstanceOf(InvalidLogoutToken)
  })

  it('is neither good nor bad while the keys cannot be read', async () => {
    const away = createLogoutTokenVerifier({
      issuer,
      clientId: 'atrium-portal',
      keysUrl: async () => new URL('http://127.0.0.1:1/'),
      now: () => new Date(),
    })
    await expect(away(await sign(good()))).rejects.toMatchObject({
      name: 'IdentityProviderUnavailable',
    })
  })
})

describe('POST /auth/backchannel-logout', () => {
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(`${testBff.publicUrl}/auth/backchannel-logout`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })

  it.each([
    ['no token', ''],
    ['two tokens', 'logout_token=a&logout_token=b'],
    ['something that is no token', 'logout_token=a.b.c'],
    [
      'an unsigned token',
      `logout_token=${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ ...good(), iss: 'x' })).toString('base64url')}.`,
    ],
  ])('answers 400 to %s', async (_what, body) => {
    const browser = await signedIn()
    const response = await post(body)
    expect(response.status).toBe(400)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('returns 400 for a JSON body', async () => {
    expect((await post('{"logout_token":"a"}', 'application/json')).status).toBe(400)
  })

  it('returns 400 for an ID token of the same person', async () => {
    const browser = await signedIn()
    const [stored] = await testBff.storedSessions()
    expect((await post(`logout_token=${stored?.tokens.id}`)).status).toBe(400)
    expect((await post(`logout_token=${stored?.tokens.access}`)).status).toBe(400)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('reads a body of 16 KiB and none that is larger', async () => {
    await using fresh = await startTestBff()
    const text = `logout_token=${await caughtLogoutToken(fresh)}&`
    const send = async (bytes: number) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await fetch(`${fresh.publicUrl}/auth/backchannel-logout`, {
        method: 'POST',
        headers,
        body: text.padEnd(bytes, 'x'),
      })
      return response.status
    }
    expect([await send(16 * 1024 + 1), await send(16 * 1024)]).toEqual([400, 200])
  })

  it('acts on a token once, also when two servers get it at the same moment', async () => {
    await using fresh = await startTestBff({ instances: 2 })
    const logoutToken = await caughtLogoutToken(fresh)
    const send = (n: number) =>
      fetch(`${fresh.urls[n % 2]}/auth/backchannel-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: logoutToken }),
      })
    const statuses = (await Promise.all(Array.from({ length: 8 }, (_, n) => send(n)))).map(
      (response) => response.status,
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(7)
    expect((await send(0)).status).toBe(400)
  })
})

/**
 * Lets the sandbox send its notice to a listener of the test instead of the app, and returns the
 * token.
 */
async function caughtLogoutToken(at: TestBff): Promise<string> {
  const browser = at.browser()
  await browser.signIn(at.publicUrl, 'owner@acme.test')
  const caught = Promise.withResolvers<string>()
  const catcher = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      caught.resolve(new URLSearchParams(text).get('logout_token') ?? '')
      response.end()
    })
  })
  await new Promise<void>((done) => catcher.listen(0, '127.0.0.1', () => done()))
  const { port } = catcher.address() as AddressInfo
  const api = `${at.sandbox.identityUrl}/api/v3/providers/oauth2/`
  const headers = {
    authorization: `Bearer ${demoServiceCredentials.identityToken}`,
    'content-type': 'application/json',
  }
  const list = (await (await fetch(api, { headers })).json()) as {
    results: { pk: number; client_id: string }[]
  }
  const pk = list.results.find((provider) => provider.client_id === 'atrium-portal')?.pk
  const changed = await fetch(`${api}${pk}/`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ logout_uri: `http://127.0.0.1:${port}/`, logout_method: 'backchannel' }),
  })
  expect(changed.status).toBe(200)
  const [stored] = await at.storedSessions()
  await browser.follow(
    `${at.sandbox.issuers.portal}end-session/?${new URLSearchParams({ id_token_hint: stored?.tokens.id ?? '' })}`,
  )
  const token = await caught.promise
  catcher.closeAllConnections()
  await new Promise((done) => catcher.close(done))
  return token
}
