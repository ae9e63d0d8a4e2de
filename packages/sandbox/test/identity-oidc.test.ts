import { demoClients, demoPassword, demoPeople, demoServiceCredentials } from '@atrium/core/demo'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { openBrowser } from './browser.ts'
import { openPortal } from './portal.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const owner = 'owner@acme.test'
const subjectOf = (email: string) => demoPeople.find((person) => person.email === email)?.subject

async function api(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${sandbox.identityUrl}/api/v3/${path}`, {
    method,
    headers: { authorization: `Bearer ${demoServiceCredentials.identityToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

const pkOf = (email: string) => sandbox.identity.findUser(email)?.pk

describe('discovery', () => {
  it('is per application, with every address below the issuer, which ends in a slash', async () => {
    const metadata = (await openPortal(sandbox)).config.serverMetadata()
    const { issuer } = metadata
    expect(issuer).toBe(`${sandbox.identityUrl}/application/o/atrium-portal/`)
    expect(metadata).toMatchObject({
      authorization_endpoint: `${issuer}authorize/`,
      token_endpoint: `${issuer}token/`,
      revocation_endpoint: `${issuer}revoke/`,
      end_session_endpoint: `${issuer}end-session/`,
      jwks_uri: `${issuer}jwks/`,
      userinfo_endpoint: `${sandbox.identityUrl}/application/o/userinfo/`,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      backchannel_logout_supported: true,
    })
    expect(metadata.token_endpoint_auth_methods_supported).toEqual(expect.arrayContaining(['client_secret_basic', 'client_secret_post']))
    expect(metadata.scopes_supported).toEqual(expect.arrayContaining(['openid', 'email', 'profile', 'groups', 'offline_access']))
  })

  it('is 404 for an unknown application, and the issuer itself leads to it', async () => {
    expect((await fetch(`${sandbox.identityUrl}/application/o/none/.well-known/openid-configuration`)).status).toBe(404)
    const response = await fetch(sandbox.issuers.portal)
    expect(response.url).toBe(`${sandbox.issuers.portal}.well-known/openid-configuration`)
  })
})

describe('sign-in', () => {
  it('ends the code flow of a one-click person in verified tokens', async () => {
    const portal = await openPortal(sandbox)
    const page = await portal.start()
    expect(page.status).toBe(200)
    expect(page.text).toContain('Local sign-in')
    for (const person of demoPeople) expect(page.text).toContain(person.email)

    const tokens = await portal.finish(await portal.browser.post(page.url, { person: owner }))

    const keys = createRemoteJWKSet(new URL(`${sandbox.issuers.portal}jwks/`))
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, {
      issuer: sandbox.issuers.portal,
      audience: 'atrium-portal',
      algorithms: ['RS256'],
    })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: sandbox.issuers.portal,
      sub: subjectOf(owner),
      aud: 'atrium-portal',
      exp: (payload.iat ?? 0) + 600,
      iat: expect.any(Number),
      auth_time: expect.any(Number),
      acr: 'goauthentik.io/providers/oauth2/default',
      amr: ['pwd'],
      sid: expect.stringMatching(/^[0-9a-f]{64}$/),
      jti: expect.any(String),
      nonce: expect.any(String),
      email: owner,
      email_verified: false,
      name: 'Anna Owner',
      given_name: 'Anna Owner',
      preferred_username: owner,
      nickname: owner,
      groups: ['acme', 'acme'],
      azp: 'atrium-portal',
      uid: payload.jti,
      scope: 'openid email profile offline_access groups',
    })
    expect(tokens.expires_in).toBe(600)
    expect(tokens.refresh_token).toHaveLength(128)
  })

  it('puts the scope claims into the ID token, and leaves azp, uid and scope out of it', async () => {
    const tokens = await (await openPortal(sandbox)).signIn({ person: owner })
    const claims = tokens.claims()
    expect(claims).toMatchObject({
      sub: subjectOf(owner),
      email: owner,
      groups: ['acme', 'acme'],
      amr: ['pwd'],
      auth_time: expect.any(Number),
    })
    expect(claims).toMatchObject({ acr: 'goauthentik.io/providers/oauth2/default', sid: decodeJwt(tokens.access_token).sid })
    expect(claims).not.toHaveProperty('scope')
    expect(claims).not.toHaveProperty('azp')
    expect(claims).not.toHaveProperty('uid')
  })

  it('names each group once when only one of the two mappings is asked for', async () => {
    const tokens = await (await openPortal(sandbox)).signIn({ person: owner }, { scope: 'openid groups' })
    expect(decodeJwt(tokens.access_token)).toMatchObject({ groups: ['acme'], scope: 'openid groups' })
  })

  it('drops a scope without a mapping silently', async () => {
    const tokens = await (await openPortal(sandbox)).signIn({ person: owner }, { scope: 'openid email entitlements unheard' })
    expect(decodeJwt(tokens.access_token).scope).toBe('openid email')
  })

  it('takes e-mail and password, and says so when the password is wrong', async () => {
    const portal = await openPortal(sandbox, { app: 'operator' })
    const page = await portal.start()
    const refused = await portal.browser.post(page.url, { identifier: owner, password: 'wrong' })
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('The name or the password is wrong.')
    expect(refused.text).toContain(`value="${owner}"`)
    const returned = await portal.browser.post(page.url, { identifier: ' Owner@Acme.test', password: demoPassword })
    const tokens = await portal.finish(returned)
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: 'atrium-operator', iss: sandbox.issuers.operator, sub: subjectOf(owner) })
  })

  it('lets a user in who was made by REST, as soon as there is a password', async () => {
    const made = await api('POST', 'core/users/', { username: 'new@acme.test', name: 'New', email: 'new@acme.test', type: 'internal' })
    const portal = await openPortal(sandbox)
    const page = await portal.start()
    expect((await portal.browser.post(page.url, { identifier: 'new@acme.test', password: '' })).status).toBe(401)
    expect((await api('POST', `core/users/${made.body.pk}/set_password/`, { password: 'a' })).status).toBe(204)
    const tokens = await portal.finish(await portal.browser.post(page.url, { identifier: 'new@acme.test', password: 'a' }))
    expect(decodeJwt(tokens.access_token).sub).toBe(made.body.uid)
  })

  it('refuses a deactivated person with a message', async () => {
    await api('PATCH', `core/users/${pkOf(owner)}/`, { is_active: false })
    const portal = await openPortal(sandbox)
    const page = await portal.start()
    const refused = await portal.browser.post(page.url, { person: owner })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('This account is deactivated.')
  })

  it('does not ask again while the browser is signed in, also at the other application', async () => {
    const browser = openBrowser(['http://localhost:4100/auth/callback', 'http://localhost:4200/auth/callback'])
    const portal = await openPortal(sandbox, { browser })
    await portal.signIn({ person: 'operator@atrium.test' })
    const again = await portal.start()
    expect(again.url).toContain('http://localhost:4100/auth/callback?code=')
    const operator = await openPortal(sandbox, { app: 'operator', browser })
    const tokens = await operator.finish(await operator.start())
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: 'atrium-operator', sub: subjectOf('operator@atrium.test') })
    expect(decodeJwt(tokens.access_token).sid).toBe(decodeJwt((await portal.finish(again)).access_token).sid)
  })

  it('answers prompt=none with login_required, and with a code once the browser is signed in', async () => {
    const portal = await openPortal(sandbox)
    expect((await portal.start({ prompt: 'none' })).url).toContain('error=login_required')
    await portal.signIn({ person: owner })
    expect((await portal.finish(await portal.start({ prompt: 'none' }))).refresh_token).toBeDefined()
  })

  it('keeps two houses on one host apart', async () => {
    const neighbour = await startSandbox()
    try {
      const browser = openBrowser(['http://localhost:4100/auth/callback'])
      const here = await openPortal(sandbox, { browser })
      const there = await openPortal(neighbour, { browser })
      await here.signIn({ person: owner })
      await there.signIn({ person: 'member@acme.test' })
      const again = [await here.finish(await here.start()), await there.finish(await there.start())]
      expect(again.map((tokens) => tokens.claims()?.email)).toEqual([owner, 'member@acme.test'])
    } finally {
      await neighbour.close()
    }
  })

  it('lets somebody else sign in with prompt=login and ends the first session', async () => {
    const portal = await openPortal(sandbox)
    await portal.signIn({ person: owner })
    const tokens = await portal.signIn({ person: 'member@acme.test' }, { prompt: 'login' })
    expect(decodeJwt(tokens.access_token).sub).toBe(subjectOf('member@acme.test'))
    const sessions = await api('GET', 'core/authenticated_sessions/')
    expect(sessions.body.results).toEqual([expect.objectContaining({ user: pkOf('member@acme.test') })])
  })

  it('puts the port into every cookie name, so that two houses on one host do not meet', async () => {
    const portal = await openPortal(sandbox)
    await portal.signIn({ person: owner })
    const { port } = new URL(sandbox.identityUrl)
    expect(portal.browser.cookies().length).toBeGreaterThan(0)
    for (const name of portal.browser.cookies()) expect(name.replace(/\.sig$/, '')).toMatch(new RegExp(`_${port}$`))
  })

  it('serves its page under a policy without scripts, which lets the form lead back to the application', async () => {
    const page = await (await openPortal(sandbox)).start()
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('script-src')
    expect(policy).not.toContain('unsafe-inline')
    expect(policy).toContain("form-action 'self' http://localhost:4100")
    expect(page.text).not.toContain('<script')
  })

  it('refuses a redirect address that is not registered, without going there', async () => {
    const page = await (await openPortal(sandbox)).start({ redirect_uri: 'http://localhost:4100/elsewhere' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('redirect_uri')
  })

  it('answers a stale sign-in page with a way back', async () => {
    const portal = await openPortal(sandbox)
    const page = await portal.browser.get(`${sandbox.identityUrl}/if/signin/atrium-portal/unknown/`)
    expect(page.status).toBe(400)
    expect(page.text).toContain('Back to Atrium')
  })
})

describe('refresh', () => {
  it('rotates: the old token is invalid_grant, the new one works, the access token is for the same person', async () => {
    const portal = await openPortal(sandbox)
    const first = await portal.signIn({ person: owner })
    const second = await oidc.refreshTokenGrant(portal.config, String(first.refresh_token))
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const claims = decodeJwt(second.access_token)
    expect(claims).toMatchObject({ sub: subjectOf(owner), sid: decodeJwt(first.access_token).sid, groups: ['acme', 'acme'] })
    await expect(oidc.refreshTokenGrant(portal.config, String(first.refresh_token))).rejects.toMatchObject({
      status: 400,
      error: 'invalid_grant',
    })
    await expect(oidc.refreshTokenGrant(portal.config, String(second.refresh_token))).resolves.toHaveProperty('refresh_token')
  })

  it('gives no refresh token without offline_access', async () => {
    const tokens = await (await openPortal(sandbox)).signIn({ person: owner }, { scope: 'openid email profile groups' })
    expect(tokens.refresh_token).toBeUndefined()
  })

  it('refuses a refresh that names a smaller scope, and leaves the token usable', async () => {
    const portal = await openPortal(sandbox)
    const { refresh_token } = await portal.signIn({ person: owner })
    const smaller = oidc.refreshTokenGrant(portal.config, String(refresh_token), { scope: 'openid' })
    await expect(smaller).rejects.toMatchObject({ status: 400, error: 'invalid_scope' })
    await expect(oidc.refreshTokenGrant(portal.config, String(refresh_token))).resolves.toHaveProperty('access_token')
  })

  it('takes the secret in the body, refuses a wrong one with 400 invalid_client, and a code twice with invalid_grant', async () => {
    const portal = await openPortal(sandbox)
    const { refresh_token } = await portal.signIn({ person: owner })
    const post = (fields: Record<string, string>) =>
      fetch(`${sandbox.issuers.portal}token/`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: demoClients.portal.clientId, ...fields }),
      })
    const refused = await post({ grant_type: 'refresh_token', refresh_token: String(refresh_token), client_secret: 'wrong' })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toEqual({
      error: 'invalid_client',
      error_description: expect.any(String),
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const secret = demoClients.portal.clientSecret
    const taken = await post({ grant_type: 'refresh_token', refresh_token: String(refresh_token), client_secret: secret })
    expect(taken.status).toBe(200)

    const returned = await portal.start()
    await portal.finish(returned)
    await expect(portal.finish(returned)).rejects.toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('sees the groups as they are at the time of the refresh', async () => {
    const portal = await openPortal(sandbox)
    const { refresh_token } = await portal.signIn({ person: 'newcomer@example.test' })
    const groups = await api('GET', 'core/groups/?name=acme')
    const [acme] = groups.body.results as { pk: string }[]
    await api('POST', `core/groups/${acme?.pk}/add_user/`, { pk: pkOf('newcomer@example.test') })
    const refreshed = await oidc.refreshTokenGrant(portal.config, String(refresh_token))
    expect(decodeJwt(refreshed.access_token).groups).toEqual(['acme', 'acme'])
  })
})

describe('the token of the control API', () => {
  it('has the claims, key and lifetime of the code flow', async () => {
    const flow = await (await openPortal(sandbox)).signIn({ person: owner })
    const token = await sandbox.token(owner, 'portal')
    const [made, issued] = [decodeJwt(token), decodeJwt(flow.access_token)]
    const { nonce: _nonce, ...comparable } = issued
    expect(Object.keys(made)).toEqual(Object.keys(comparable))
    const personal = ['exp', 'iat', 'auth_time', 'sid', 'jti', 'uid']
    for (const name of Object.keys(made)) if (!personal.includes(name)) expect(made[name], name).toEqual(issued[name])
    expect(Number(made.exp) - Number(made.iat)).toBe(Number(issued.exp) - Number(issued.iat))
    expect(decodeProtectedHeader(token)).toEqual(decodeProtectedHeader(flow.access_token))
  })

  it('opens userinfo, until its session is deleted', async () => {
    const token = await sandbox.token(owner, 'portal')
    const userinfo = () => fetch(`${sandbox.identityUrl}/application/o/userinfo/`, { headers: { authorization: `Bearer ${token}` } })
    expect(await (await userinfo()).json()).toMatchObject({ sub: subjectOf(owner), email: owner, groups: ['acme', 'acme'] })
    const { body } = await api('GET', `core/authenticated_sessions/?user__username=${owner}`)
    const [session] = body.results as { uuid: string }[]
    expect((await api('DELETE', `core/authenticated_sessions/${session?.uuid}/`)).status).toBe(204)
    const refused = await userinfo()
    expect(refused.status).toBe(401)
    expect(await refused.text()).toBe('')
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('is one session for any number of tokens of a person', async () => {
    for (let count = 0; count < 3; count += 1) await sandbox.token(owner, 'portal')
    await sandbox.token('member@acme.test', 'operator')
    const { body } = await api('GET', 'core/authenticated_sessions/')
    expect(body.results).toHaveLength(2)
  })
})

describe('ending sessions', () => {
  it('deleting a session signs the browser out and keeps the refresh token', async () => {
    const portal = await openPortal(sandbox)
    const { refresh_token } = await portal.signIn({ person: owner })
    const { body } = await api('GET', `core/authenticated_sessions/?user__username=${owner}`)
    const [session] = body.results as { uuid: string }[]
    await api('DELETE', `core/authenticated_sessions/${session?.uuid}/`)
    expect((await portal.start()).text).toContain('Local sign-in')
    await expect(oidc.refreshTokenGrant(portal.config, String(refresh_token))).resolves.toHaveProperty('access_token')
  })

  it('deactivating a person takes sessions, refresh tokens and userinfo away', async () => {
    const portal = await openPortal(sandbox)
    const tokens = await portal.signIn({ person: owner })
    await api('PATCH', `core/users/${pkOf(owner)}/`, { is_active: false })
    await expect(oidc.refreshTokenGrant(portal.config, String(tokens.refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' })
    const authorization = `Bearer ${tokens.access_token}`
    expect((await fetch(`${sandbox.identityUrl}/application/o/userinfo/`, { headers: { authorization } })).status).toBe(401)
    expect((await api('GET', 'core/authenticated_sessions/')).body.results).toEqual([])
    expect((await api('GET', `oauth2/refresh_tokens/?user=${pkOf(owner)}`)).body.results).toEqual([])
    await api('PATCH', `core/users/${pkOf(owner)}/`, { is_active: true })
    expect((await portal.start()).text).toContain('Local sign-in')
  })

  it('deleting a refresh token by its key makes it invalid_grant', async () => {
    const portal = await openPortal(sandbox)
    const { refresh_token } = await portal.signIn({ person: owner })
    const { body } = await api('GET', `oauth2/refresh_tokens/?user=${pkOf(owner)}`)
    const [row] = body.results as { pk: number; user: { pk: number }; scope: string[] }[]
    expect(row).toMatchObject({
      user: { pk: pkOf(owner) },
      scope: expect.arrayContaining(['offline_access']),
      revoked: false,
      is_expired: false,
    })
    expect(JSON.stringify(row)).not.toContain(String(refresh_token))
    expect((await api('DELETE', `oauth2/refresh_tokens/${row?.pk}/`)).status).toBe(204)
    expect((await api('DELETE', `oauth2/refresh_tokens/${row?.pk}/`)).status).toBe(404)
    await expect(oidc.refreshTokenGrant(portal.config, String(refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('revoking a refresh token makes it invalid_grant', async () => {
    const portal = await openPortal(sandbox)
    const { refresh_token } = await portal.signIn({ person: owner })
    await oidc.tokenRevocation(portal.config, String(refresh_token))
    await expect(oidc.refreshTokenGrant(portal.config, String(refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('deleting a person takes the refresh token away', async () => {
    const portal = await openPortal(sandbox)
    const { refresh_token } = await portal.signIn({ person: owner })
    await api('DELETE', `core/users/${pkOf(owner)}/`)
    await expect(oidc.refreshTokenGrant(portal.config, String(refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('signs out through the end-session endpoint and returns with the state', async () => {
    const portal = await openPortal(sandbox)
    const tokens = await portal.signIn({ person: owner })
    const url = oidc.buildEndSessionUrl(portal.config, {
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: 'http://localhost:4100/auth/callback?signed-out',
      state: 'abc',
    })
    const returned = await portal.browser.get(url.href)
    expect(returned.url).toBe('http://localhost:4100/auth/callback?signed-out=&state=abc')
    expect((await portal.start()).text).toContain('Local sign-in')
    expect((await api('GET', 'core/authenticated_sessions/')).body.results).toEqual([])
  })

  it('does not return to an address that the provider does not list', async () => {
    const portal = await openPortal(sandbox)
    await portal.signIn({ person: owner })
    for (const target of ['http://evil.test/', 'http://localhost:4100.evil.test/', 'javascript:alert(1)']) {
      const page = await portal.browser.get(`${sandbox.issuers.portal}end-session/?post_logout_redirect_uri=${encodeURIComponent(target)}`)
      expect(page.status).toBe(400)
      const flow = `${sandbox.identityUrl}/if/flow/default-provider-invalidation-flow/?application=atrium-portal`
      const direct = await portal.browser.get(`${flow}&post_logout_redirect_uri=${encodeURIComponent(target)}`)
      expect(direct.text).toContain('You are signed out')
    }
  })
})

describe('signing keys', () => {
  it('rotate: the new key signs, the old one stays published until it is dropped', async () => {
    const jwks = async () => (await (await fetch(`${sandbox.issuers.portal}jwks/`)).json()) as { keys: { kid: string }[] }
    const old = await sandbox.token(owner, 'portal')
    const rotated = await fetch(`${sandbox.controlUrl}/identity/rotate-keys`, { method: 'POST' })
    const { keys } = (await rotated.json()) as { keys: string[] }
    expect((await jwks()).keys.map((key) => key.kid)).toEqual(keys)
    expect(keys).toContain(decodeProtectedHeader(old).kid)
    const fresh = await (await openPortal(sandbox)).signIn({ person: owner })
    expect(decodeProtectedHeader(fresh.access_token).kid).toBe(keys[0])
    expect(decodeProtectedHeader(String(fresh.id_token)).kid).toBe(keys[0])
    expect(decodeProtectedHeader(await sandbox.token(owner, 'portal')).kid).toBe(keys[0])

    await fetch(`${sandbox.controlUrl}/identity/rotate-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"drop":true}',
    })
    expect((await jwks()).keys).toHaveLength(1)
    expect((await jwks()).keys[0]?.kid).not.toBe(keys[0])
  })

  it('publish public halves only, to any origin', async () => {
    const response = await fetch(`${sandbox.issuers.portal}jwks/`)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] }
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })
})
