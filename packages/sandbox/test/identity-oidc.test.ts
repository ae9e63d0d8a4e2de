import { demoClients, demoServiceCredentials } from '@atrium/core/demo/demo'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oidc from 'openid-client'
import { describe, expect, it } from 'vitest'
import { identityTestServer, owner, subjectOf } from './identity-test-server.ts'
import { openPortal } from './portal.ts'

const { sandbox, api, pkOf } = identityTestServer()
const asAdmin = (method: string, path: string) =>
  api(method, path, undefined, demoServiceCredentials.identityAdminToken)

describe('refresh', () => {
  it('rotates: the old token is invalid_grant, the new one works, the access token is for the same person', async () => {
    const portal = await openPortal(sandbox())
    const first = await portal.signIn({ person: owner })
    const second = await oidc.refreshTokenGrant(portal.config, String(first.refresh_token))
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const claims = decodeJwt(second.access_token)
    expect(claims).toMatchObject({
      sub: subjectOf(owner),
      sid: decodeJwt(first.access_token).sid,
      groups: ['acme', 'acme'],
    })
    await expect(
      oidc.refreshTokenGrant(portal.config, String(first.refresh_token)),
    ).rejects.toMatchObject({
      status: 400,
      error: 'invalid_grant',
    })
    await expect(
      oidc.refreshTokenGrant(portal.config, String(second.refresh_token)),
    ).resolves.toHaveProperty('refresh_token')
  })

  it('gives no refresh token without offline_access', async () => {
    const tokens = await (await openPortal(sandbox())).signIn(
      { person: owner },
      { scope: 'openid email profile groups' },
    )
    expect(tokens.refresh_token).toBeUndefined()
  })

  it('rejects a refresh that names a smaller scope, and leaves the token usable', async () => {
    const portal = await openPortal(sandbox())
    const { refresh_token } = await portal.signIn({ person: owner })
    const smaller = oidc.refreshTokenGrant(portal.config, String(refresh_token), {
      scope: 'openid',
    })
    await expect(smaller).rejects.toMatchObject({ status: 400, error: 'invalid_scope' })
    await expect(
      oidc.refreshTokenGrant(portal.config, String(refresh_token)),
    ).resolves.toHaveProperty('access_token')
  })

  it('takes the secret in the body, rejects a wrong one with 400 invalid_client, and a code twice with invalid_grant', async () => {
    const portal = await openPortal(sandbox())
    const { refresh_token } = await portal.signIn({ person: owner })
    const post = (fields: Record<string, string>) =>
      fetch(`${sandbox().issuers.portal}token/`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: demoClients.portal.clientId, ...fields }),
      })
    const rejected = await post({
      grant_type: 'refresh_token',
      refresh_token: String(refresh_token),
      client_secret: 'wrong',
    })
    expect(rejected.status).toBe(400)
    expect(await rejected.json()).toEqual({
      error: 'invalid_client',
      error_description: expect.any(String),
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const secret = demoClients.portal.clientSecret
    const taken = await post({
      grant_type: 'refresh_token',
      refresh_token: String(refresh_token),
      client_secret: secret,
    })
    expect(taken.status).toBe(200)

    const returned = await portal.start()
    await portal.finish(returned)
    await expect(portal.finish(returned)).rejects.toMatchObject({
      status: 400,
      error: 'invalid_grant',
    })
  })

  it('sees the groups as they are at the time of the refresh', async () => {
    const portal = await openPortal(sandbox())
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
    const flow = await (await openPortal(sandbox())).signIn({ person: owner })
    const token = await sandbox().token(owner, 'portal')
    const [made, issued] = [decodeJwt(token), decodeJwt(flow.access_token)]
    const { nonce: _nonce, ...comparable } = issued
    expect(Object.keys(made)).toEqual(Object.keys(comparable))
    const personal = ['exp', 'iat', 'auth_time', 'sid', 'jti', 'uid']
    for (const name of Object.keys(made))
      if (!personal.includes(name)) expect(made[name], name).toEqual(issued[name])
    expect(Number(made.exp) - Number(made.iat)).toBe(Number(issued.exp) - Number(issued.iat))
    expect(decodeProtectedHeader(token)).toEqual(decodeProtectedHeader(flow.access_token))
  })

  it('opens userinfo, until its session is deleted', async () => {
    const token = await sandbox().token(owner, 'portal')
    const userinfo = () =>
      fetch(`${sandbox().identityUrl}/application/o/userinfo/`, {
        headers: { authorization: `Bearer ${token}` },
      })
    expect(await (await userinfo()).json()).toMatchObject({
      sub: subjectOf(owner),
      email: owner,
      groups: ['acme', 'acme'],
    })
    const { body } = await api('GET', `core/authenticated_sessions/?user__username=${owner}`)
    const [session] = body.results as { uuid: string }[]
    expect((await api('DELETE', `core/authenticated_sessions/${session?.uuid}/`)).status).toBe(204)
    const rejected = await userinfo()
    expect(rejected.status).toBe(401)
    expect(await rejected.text()).toBe('')
    expect(rejected.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('is one session for any number of tokens of a person', async () => {
    for (let count = 0; count < 3; count += 1) await sandbox().token(owner, 'portal')
    await sandbox().token('member@acme.test', 'operator')
    const { body } = await api('GET', 'core/authenticated_sessions/')
    expect(body.results).toHaveLength(2)
  })
})

describe('ending sessions', () => {
  it('deleting a session signs the browser out and keeps the refresh token', async () => {
    const portal = await openPortal(sandbox())
    const { refresh_token } = await portal.signIn({ person: owner })
    const { body } = await api('GET', `core/authenticated_sessions/?user__username=${owner}`)
    const [session] = body.results as { uuid: string }[]
    await api('DELETE', `core/authenticated_sessions/${session?.uuid}/`)
    expect((await portal.start()).text).toContain('Local sign-in')
    await expect(
      oidc.refreshTokenGrant(portal.config, String(refresh_token)),
    ).resolves.toHaveProperty('access_token')
  })

  it('deactivating a person takes sessions, refresh tokens and userinfo away', async () => {
    const portal = await openPortal(sandbox())
    const tokens = await portal.signIn({ person: owner })
    await api('PATCH', `core/users/${pkOf(owner)}/`, { is_active: false })
    await expect(
      oidc.refreshTokenGrant(portal.config, String(tokens.refresh_token)),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
    const authorization = `Bearer ${tokens.access_token}`
    expect(
      (
        await fetch(`${sandbox().identityUrl}/application/o/userinfo/`, {
          headers: { authorization },
        })
      ).status,
    ).toBe(401)
    expect((await api('GET', 'core/authenticated_sessions/')).body.results).toEqual([])
    expect(
      (await asAdmin('GET', `oauth2/refresh_tokens/?user=${pkOf(owner)}`)).body.results,
    ).toEqual([])
    await api('PATCH', `core/users/${pkOf(owner)}/`, { is_active: true })
    expect((await portal.start()).text).toContain('Local sign-in')
  })

  it('deleting a refresh token by its key makes it invalid_grant', async () => {
    const portal = await openPortal(sandbox())
    const { refresh_token } = await portal.signIn({ person: owner })
    const { body } = await asAdmin('GET', `oauth2/refresh_tokens/?user=${pkOf(owner)}`)
    const [row] = body.results as { pk: number; user: { pk: number }; scope: string[] }[]
    expect(row).toMatchObject({
      user: { pk: pkOf(owner) },
      scope: expect.arrayContaining(['offline_access']),
      revoked: false,
      is_expired: false,
    })
    expect(JSON.stringify(row)).not.toContain(String(refresh_token))
    expect((await asAdmin('DELETE', `oauth2/refresh_tokens/${row?.pk}/`)).status).toBe(204)
    expect((await asAdmin('DELETE', `oauth2/refresh_tokens/${row?.pk}/`)).status).toBe(404)
    await expect(
      oidc.refreshTokenGrant(portal.config, String(refresh_token)),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('tokens of others are shown to superusers alone, and to nobody else is that an error', async () => {
    const portal = await openPortal(sandbox())
    const { refresh_token } = await portal.signIn({ person: owner })
    const [row] = (await asAdmin('GET', 'oauth2/refresh_tokens/')).body.results as { pk: number }[]
    for (const kind of ['refresh_tokens', 'access_tokens'])
      expect(await api('GET', `oauth2/${kind}/?user=${pkOf(owner)}`)).toMatchObject({
        status: 200,
        body: { results: [] },
      })
    expect(await api('DELETE', `oauth2/refresh_tokens/${row?.pk}/`)).toMatchObject({ status: 404 })
    await expect(
      oidc.refreshTokenGrant(portal.config, String(refresh_token)),
    ).resolves.toHaveProperty('access_token')
  })

  it('revoking a refresh token makes it invalid_grant', async () => {
    const portal = await openPortal(sandbox())
    const { refresh_token } = await portal.signIn({ person: owner })
    await oidc.tokenRevocation(portal.config, String(refresh_token))
    await expect(
      oidc.refreshTokenGrant(portal.config, String(refresh_token)),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('deleting a person takes the refresh token away', async () => {
    const portal = await openPortal(sandbox())
    const { refresh_token } = await portal.signIn({ person: owner })
    await api('DELETE', `core/users/${pkOf(owner)}/`)
    await expect(
      oidc.refreshTokenGrant(portal.config, String(refresh_token)),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('signs out through the end-session endpoint and returns with the state', async () => {
    const portal = await openPortal(sandbox())
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

  it("leaves the browser signed in with authentik's flow for providers, which ends no session", async () => {
    const list = async (path: string) => (await api('GET', path)).body.results as { pk: string }[]
    const [flow] = await list('flows/instances/?slug=default-provider-invalidation-flow')
    const [provider] = await list('providers/oauth2/?name=atrium-portal')
    await api('PATCH', `providers/oauth2/${provider?.pk}/`, { invalidation_flow: flow?.pk })
    const portal = await openPortal(sandbox())
    const tokens = await portal.signIn({ person: owner })
    const url = oidc.buildEndSessionUrl(portal.config, {
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: 'http://localhost:4100/auth/callback?signed-out',
    })
    await portal.browser.get(url.href)
    expect((await portal.start()).url).toContain('http://localhost:4100/auth/callback?code=')
  })

  it('does not return to an address that the provider does not list', async () => {
    const portal = await openPortal(sandbox())
    await portal.signIn({ person: owner })
    for (const target of [
      'http://evil.test/',
      'http://localhost:4100.evil.test/',
      'javascript:alert(1)',
    ]) {
      const page = await portal.browser.get(
        `${sandbox().issuers.portal}end-session/?post_logout_redirect_uri=${encodeURIComponent(target)}`,
      )
      expect(page.status).toBe(400)
      const flow = `${sandbox().identityUrl}/if/flow/default-invalidation-flow/?application=atrium-portal`
      const direct = await portal.browser.get(
        `${flow}&post_logout_redirect_uri=${encodeURIComponent(target)}`,
      )
      expect(direct.text).toContain('You are signed out')
    }
  })
})

describe('signing keys', () => {
  it('rotate: the new key signs, the old one stays published until it is dropped', async () => {
    const jwks = async () =>
      (await (await fetch(`${sandbox().issuers.portal}jwks/`)).json()) as {
        keys: { kid: string }[]
      }
    const old = await sandbox().token(owner, 'portal')
    const rotated = await fetch(`${sandbox().controlUrl}/identity/rotate-keys`, { method: 'POST' })
    const { keys } = (await rotated.json()) as { keys: string[] }
    expect((await jwks()).keys.map((key) => key.kid)).toEqual(keys)
    expect(keys).toContain(decodeProtectedHeader(old).kid)
    const fresh = await (await openPortal(sandbox())).signIn({ person: owner })
    expect(decodeProtectedHeader(fresh.access_token).kid).toBe(keys[0])
    expect(decodeProtectedHeader(String(fresh.id_token)).kid).toBe(keys[0])
    expect(decodeProtectedHeader(await sandbox().token(owner, 'portal')).kid).toBe(keys[0])

    await fetch(`${sandbox().controlUrl}/identity/rotate-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"drop":true}',
    })
    expect((await jwks()).keys).toHaveLength(1)
    expect((await jwks()).keys[0]?.kid).not.toBe(keys[0])
  })

  it('publish public halves only, to any origin', async () => {
    const response = await fetch(`${sandbox().issuers.portal}jwks/`)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] }
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })
})
