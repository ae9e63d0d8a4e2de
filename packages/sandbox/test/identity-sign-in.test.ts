import { demoPassword, demoPeople, demoServiceCredentials } from '@atrium/core/demo/demo'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { refreshTokenGrant } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { openBrowser } from './browser.ts'
import { identityTestServer, owner, subjectOf } from './identity-test-server.ts'
import { openPortal } from './portal.ts'

const { sandbox, api, pkOf } = identityTestServer()

describe('discovery', () => {
  it('is per application, with every address below the issuer, which ends in a slash', async () => {
    const metadata = (await openPortal(sandbox())).config.serverMetadata()
    const { issuer } = metadata
    expect(issuer).toBe(`${sandbox().identityUrl}/application/o/atrium-portal/`)
    expect(metadata).toMatchObject({
      authorization_endpoint: `${issuer}authorize/`,
      token_endpoint: `${issuer}token/`,
      revocation_endpoint: `${issuer}revoke/`,
      end_session_endpoint: `${issuer}end-session/`,
      jwks_uri: `${issuer}jwks/`,
      userinfo_endpoint: `${sandbox().identityUrl}/application/o/userinfo/`,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      backchannel_logout_supported: true,
    })
    expect(metadata.token_endpoint_auth_methods_supported).toEqual(
      expect.arrayContaining(['client_secret_basic', 'client_secret_post']),
    )
    expect(metadata.scopes_supported).toEqual(
      expect.arrayContaining(['openid', 'email', 'profile', 'groups', 'offline_access']),
    )
  })

  it('is 404 for an unknown application, and the issuer itself leads to it', async () => {
    expect(
      (await fetch(`${sandbox().identityUrl}/application/o/none/.well-known/openid-configuration`))
        .status,
    ).toBe(404)
    const response = await fetch(sandbox().issuers.portal)
    expect(response.url).toBe(`${sandbox().issuers.portal}.well-known/openid-configuration`)
  })
})

describe('sign-in', () => {
  it('ends the code flow of a one-click person in verified tokens', async () => {
    const portal = await openPortal(sandbox())
    const page = await portal.start()
    expect(page.status).toBe(200)
    expect(page.text).toContain('Local sign-in')
    for (const person of demoPeople) expect(page.text).toContain(person.email)

    const tokens = await portal.finish(await portal.browser.post(page.url, { person: owner }))

    const keys = createRemoteJWKSet(new URL(`${sandbox().issuers.portal}jwks/`))
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, {
      issuer: sandbox().issuers.portal,
      audience: 'atrium-portal',
      algorithms: ['RS256'],
    })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
    expect(payload).toEqual({
      iss: sandbox().issuers.portal,
      sub: subjectOf(owner),
      aud: 'atrium-portal',
      exp: (payload.iat ?? 0) + 600,
      iat: expect.any(Number),
      auth_time: expect.any(Number),
      acr: 'goauthentik.io/providers/oauth2/default',
      amr: ['pwd', 'mfa'],
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
    const tokens = await (await openPortal(sandbox())).signIn({ person: owner })
    const claims = tokens.claims()
    expect(claims).toMatchObject({
      sub: subjectOf(owner),
      email: owner,
      groups: ['acme', 'acme'],
      amr: ['pwd', 'mfa'],
      auth_time: expect.any(Number),
    })
    expect(claims).toMatchObject({
      acr: 'goauthentik.io/providers/oauth2/default',
      sid: decodeJwt(tokens.access_token).sid,
    })
    expect(claims).not.toHaveProperty('scope')
    expect(claims).not.toHaveProperty('azp')
    expect(claims).not.toHaveProperty('uid')
  })

  it('names each group once when only one of the two mappings is asked for', async () => {
    const tokens = await (await openPortal(sandbox())).signIn(
      { person: owner },
      { scope: 'openid groups' },
    )
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      groups: ['acme'],
      scope: 'openid groups',
    })
  })

  it('drops a scope without a mapping silently', async () => {
    const tokens = await (await openPortal(sandbox())).signIn(
      { person: owner },
      { scope: 'openid email entitlements unheard' },
    )
    expect(decodeJwt(tokens.access_token).scope).toBe('openid email')
  })

  describe('of a signed-in person', () => {
    const asked = async (
      browser: ReturnType<typeof openBrowser>,
      parameters: Record<string, string>,
    ) => {
      const portal = await openPortal(sandbox(), { browser })
      const page = await portal.start(parameters)
      return { portal, page, asked: page.text.includes('Local sign-in') }
    }
    const authTime = (token: string) => Number(decodeJwt(token).auth_time)
    const browserOf = async () => {
      const browser = openBrowser(['http://localhost:4100/auth/callback'])
      const first = await (await openPortal(sandbox(), { browser })).signIn({ person: owner })
      return { browser, first }
    }
    const hourAgo = () => new Date(Date.now() - 3_700_000)
    const moved = () => Math.floor(hourAgo().getTime() / 1000)
    const move = async () => {
      const response = await fetch(`${sandbox().controlUrl}/identity/sign-ins`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: owner, signedInAt: hourAgo().toISOString() }),
      })
      return (await response.json()) as { moved: number }
    }

    it('asks again when max_age is over, and the tokens tell the new time', async () => {
      const { browser } = await browserOf()
      expect((await asked(browser, { max_age: '30' })).asked).toBe(false)
      expect(await move()).toEqual({ moved: 1 })
      const without = await asked(browser, {})
      expect(without.asked).toBe(false)
      expect(
        authTime((await without.portal.finish(without.page)).access_token),
      ).toBeLessThanOrEqual(moved())
      const again = await asked(browser, { max_age: '30' })
      expect(again.asked).toBe(true)
      const tokens = await again.portal.finish(
        await browser.post(again.page.url, { person: owner }),
      )
      expect(authTime(tokens.access_token)).toBeGreaterThan(moved() + 3_000)
      expect(tokens.claims()?.auth_time).toBe(authTime(tokens.access_token))
    })

    it('takes a max_age of 0 for none, as authentik does', async () => {
      const { browser } = await browserOf()
      await move()
      expect((await asked(browser, { max_age: '0' })).asked).toBe(false)
    })

    it('heeds prompt=login once per session, as authentik does', async () => {
      const { browser } = await browserOf()
      await move()
      const first = await asked(browser, { prompt: 'login' })
      expect(first.asked).toBe(true)
      await first.portal.finish(await browser.post(first.page.url, { person: owner }))
      expect((await asked(browser, { prompt: 'login' })).asked).toBe(false)
      await move()
      expect((await asked(browser, { prompt: 'login', max_age: '30' })).asked).toBe(true)
    })

    it('keeps the time of the sign-in through a refresh', async () => {
      const { first } = await browserOf()
      const portal = await openPortal(sandbox())
      const signedIn = authTime(first.access_token)
      const refreshed = await refreshTokenGrant(portal.config, first.refresh_token ?? '')
      expect(authTime(refreshed.access_token)).toBe(signedIn)
      await move()
      const later = await refreshTokenGrant(portal.config, refreshed.refresh_token ?? '')
      expect(authTime(later.access_token)).toBeLessThanOrEqual(moved())
    })

    it('is of the moment that the control API was given', async () => {
      const at = hourAgo()
      expect(authTime(await sandbox().token(owner, 'portal', at))).toBe(
        Math.floor(at.getTime() / 1000),
      )
      expect(authTime(await sandbox().token(owner, 'portal'))).toBeGreaterThan(moved() + 3_000)
    })
  })

  it('takes e-mail and password, and says so when the password is wrong', async () => {
    const portal = await openPortal(sandbox(), { app: 'operator' })
    const page = await portal.start()
    const rejected = await portal.browser.post(page.url, { identifier: owner, password: 'wrong' })
    expect(rejected.status).toBe(401)
    expect(rejected.text).toContain('The name or the password is wrong.')
    expect(rejected.text).toContain(`value="${owner}"`)
    const returned = await portal.browser.post(page.url, {
      identifier: ' Owner@Acme.test',
      password: demoPassword,
    })
    const tokens = await portal.finish(returned)
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      aud: 'atrium-operator',
      iss: sandbox().issuers.operator,
      sub: subjectOf(owner),
    })
  })

  it('lets a user in who was made by REST, as soon as there is a password', async () => {
    const made = await api('POST', 'core/users/', {
      username: 'new@acme.test',
      name: 'New',
      email: 'new@acme.test',
      type: 'internal',
    })
    const portal = await openPortal(sandbox())
    const page = await portal.start()
    expect(
      (await portal.browser.post(page.url, { identifier: 'new@acme.test', password: '' })).status,
    ).toBe(401)
    expect(
      (await api('POST', `core/users/${made.body.pk}/set_password/`, { password: 'a' })).status,
    ).toBe(204)
    const tokens = await portal.finish(
      await portal.browser.post(page.url, { identifier: 'new@acme.test', password: 'a' }),
    )
    expect(decodeJwt(tokens.access_token).sub).toBe(made.body.uid)
  })

  describe('with a temporary password', () => {
    const newcomer = async (expiresAt: string) => {
      const { body } = await api('POST', 'core/users/', {
        username: 'new@acme.test',
        name: 'New',
        email: 'new@acme.test',
        attributes: {
          phone: '1',
          atrium_password_change_required: true,
          atrium_password_expires_at: expiresAt,
        },
      })
      await api('POST', `core/users/${body.pk}/set_password/`, { password: 'given' })
      const portal = await openPortal(sandbox())
      const page = await portal.start()
      const post = (form: Record<string, string>) => portal.browser.post(page.url, form)
      const first = await post({ identifier: 'new@acme.test', password: 'given' })
      return { pk: body.pk, portal, post, first }
    }
    const hidden = (text: string, name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

    it('asks for an own one before anything opens, and then forgets the marks', async () => {
      const { pk, portal, post, first } = await newcomer(
        new Date(Date.now() + 60_000).toISOString(),
      )
      expect(first.text).toContain('Choose your own password')
      const step = { user: hidden(first.text, 'user'), proof: hidden(first.text, 'proof') }
      const choose = (password: string, repeat = password) =>
        post({ ...step, 'new-password': password, 'new-password-repeat': repeat })
      expect((await choose('')).text).toContain('The password may not be blank.')
      expect((await choose('own', 'other')).text).toContain('The two passwords differ.')
      expect((await choose('given')).text).toContain('Choose another password')
      const forged = { ...step, proof: '0'.repeat(64) }
      const rejected = await post({ ...forged, 'new-password': 'x', 'new-password-repeat': 'x' })
      expect(rejected.status).toBe(403)
      const tokens = await portal.finish(await choose('own'))
      expect(decodeJwt(tokens.access_token).email).toBe('new@acme.test')
      expect((await api('GET', `core/users/${pk}/`)).body.attributes).toEqual({ phone: '1' })
    })

    it('rejects one that has expired', async () => {
      const { first } = await newcomer(new Date(Date.now() - 1).toISOString())
      expect(first.status).toBe(403)
      expect(first.text).toContain('This temporary password has expired.')
    })
  })

  describe('under the rules of a group', () => {
    const rule = async (name: string, atrium_policy: unknown) => {
      const { body } = await api('GET', `core/groups/?name=${name}`)
      const [group] = body.results as { pk: string }[]
      const { status } = await api('PATCH', `core/groups/${group?.pk}/`, {
        attributes: { tenant: name, atrium_policy },
      })
      expect(status).toBe(200)
    }
    const identify = async (fields: Record<string, string>) => {
      const portal = await openPortal(sandbox())
      const page = await portal.start()
      const post = (form: Record<string, string>) => portal.browser.post(page.url, form)
      return { portal, post, reached: await post(fields) }
    }
    const admin = 'admin@acme.test'
    const withPassword = { identifier: admin, password: demoPassword }
    const message = 'Your organization does not allow sign-in from this network or country.'

    it.each([
      ['a network of others', { networks: ['203.0.113.0/24'] }],
      ['rules that cannot be read', { networks: 'all' }],
    ])('rejects %s, and admits the own one', async (_, rules) => {
      await rule('acme', rules)
      for (const fields of [{ person: admin }, withPassword]) {
        const { reached } = await identify(fields)
        expect(reached.status).toBe(403)
        expect(reached.text).toContain(message)
      }
      await rule('acme', { networks: ['203.0.113.0/24', '127.0.0.0/8', '::1'] })
      const { portal, reached } = await identify(withPassword)
      expect((await portal.finish(reached)).access_token).toBeDefined()
    })

    it('tells a wrong password nothing about networks', async () => {
      await rule('acme', { networks: ['203.0.113.0/24'] })
      const { reached } = await identify({ ...withPassword, password: 'wrong' })
      expect(reached.status).toBe(401)
      expect(reached.text).not.toContain(message)
    })

    it('asks all groups of a person, and those above them', async () => {
      const { body: parent } = await api('POST', 'core/groups/', {
        name: 'holding',
        attributes: { atrium_policy: { networks: ['203.0.113.0/24'] } },
      })
      const { body } = await api('GET', 'core/groups/?name=acme')
      const acme = (body.results as { pk: string }[])[0]?.pk
      await api('PATCH', `core/groups/${acme}/`, { parents: [parent.pk] })
      expect((await identify(withPassword)).reached.status).toBe(403)
    })

    it('does not check countries without a database of them, as authentik', async () => {
      await rule('acme', { countries: ['FR'] })
      const { portal, reached } = await identify(withPassword)
      expect((await portal.finish(reached)).access_token).toBeDefined()
    })

    it('lets a person without a second factor set one up, from when on it is required', async () => {
      const inFuture = new Date(Date.now() + 60_000).toISOString()
      await rule('acme', { mfa_required_from: inFuture })
      const before = await identify(withPassword)
      expect((await before.portal.finish(before.reached)).access_token).toBeDefined()

      await rule('acme', { mfa_required_from: new Date(Date.now() - 1).toISOString() })
      const user = sandbox().identity.findUser(admin)
      if (!user) throw new Error('no admin')
      sandbox().identity.addDevice(user, { kind: 'static', name: 'codes', confirmed: true })
      const { portal, post, reached } = await identify(withPassword)
      expect(reached.text).toContain('Set up a second factor')
      const hidden = (name: string) =>
        new RegExp(`name="${name}" value="([^"]*)"`).exec(reached.text)?.[1] ?? ''
      const step = { user: hidden('user'), proof: hidden('proof') }
      const forged = await post({ ...step, proof: '0'.repeat(64), factor: 'totp' })
      expect(forged.status).toBe(403)
      expect((await post({ ...step, factor: 'static' })).text).toContain('Set up a second factor')
      const tokens = await portal.finish(await post({ ...step, factor: 'totp' }))
      expect(decodeJwt(tokens.access_token)).toMatchObject({ email: admin, amr: ['pwd', 'mfa'] })
      expect(await (await openPortal(sandbox())).signIn({ person: admin })).toBeDefined()
    })

    it('also of a person of the list', async () => {
      await rule('acme', { mfa_required_from: new Date(Date.now() - 1).toISOString() })
      const { portal, post, reached } = await identify({ person: admin })
      expect(reached.text).toContain(`name="person" value="${admin}"`)
      const tokens = await portal.finish(await post({ person: admin, factor: 'webauthn' }))
      expect(decodeJwt(tokens.access_token).amr).toEqual(['pwd', 'mfa'])
    })

    it('rejects a recovery link too, and keeps it for a place that is allowed', async () => {
      await rule('acme', { networks: ['203.0.113.0/24'] })
      const brand = (await api('GET', 'core/brands/?default=true')).body
      const flows = (await api('GET', 'flows/instances/?designation=recovery')).body
      const { brand_uuid } = (brand.results as { brand_uuid: string }[])[0] ?? {}
      await api('PATCH', `core/brands/${brand_uuid}/`, {
        flow_recovery: (flows.results as { pk: string }[])[0]?.pk,
      })
      const { body } = await api('POST', `core/users/${pkOf(admin)}/recovery/`)
      const use = () =>
        fetch(String(body.link), {
          method: 'POST',
          body: new URLSearchParams({ password: 'a new password' }),
        })
      const rejected = await use()
      expect(rejected.status).toBe(403)
      expect(await rejected.text()).toContain(message)
      await rule('acme', {})
      expect((await use()).status).toBe(200)
    })
  })

  it('rejects by country where it has a database of them', async () => {
    const countries = { '127.0.0.0/8': 'DE', '::1': 'DE' }
    const located = await startSandbox({ identity: { countries } })
    const elsewhere = await startSandbox({ identity: { countries: { '203.0.113.0/24': 'FR' } } })
    try {
      const status = async (server: typeof located, allowed: string[]) => {
        const groups = `${server.identityUrl}/api/v3/core/groups/`
        const headers = {
          authorization: `Bearer ${demoServiceCredentials.identityToken}`,
          'content-type': 'application/json',
        }
        const found = await fetch(`${groups}?name=acme`, { headers })
        const { results } = (await found.json()) as { results: { pk: string }[] }
        const body = JSON.stringify({ attributes: { atrium_policy: { countries: allowed } } })
        await fetch(`${groups}${results[0]?.pk}/`, { method: 'PATCH', headers, body })
        const portal = await openPortal(server)
        const page = await portal.start()
        return (await portal.browser.post(page.url, { person: owner })).status
      }
      expect(await status(located, ['DE', 'FR'])).toBe(303)
      expect(await status(located, ['FR'])).toBe(403)
      // An address that the database does not know.
      expect(await status(elsewhere, ['FR'])).toBe(403)
      expect(await status(elsewhere, [])).toBe(303)
    } finally {
      await located.close()
      await elsewhere.close()
    }
  })

  it('rejects a deactivated person with a message', async () => {
    await api('PATCH', `core/users/${pkOf(owner)}/`, { is_active: false })
    const portal = await openPortal(sandbox())
    const page = await portal.start()
    const rejected = await portal.browser.post(page.url, { person: owner })
    expect(rejected.status).toBe(403)
    expect(rejected.text).toContain('This account is deactivated.')
  })

  it('does not ask again while the browser is signed in, also at the other application', async () => {
    const browser = openBrowser([
      'http://localhost:4100/auth/callback',
      'http://localhost:4200/auth/callback',
    ])
    const portal = await openPortal(sandbox(), { browser })
    await portal.signIn({ person: 'operator@atrium.test' })
    const again = await portal.start()
    expect(again.url).toContain('http://localhost:4100/auth/callback?code=')
    const operator = await openPortal(sandbox(), { app: 'operator', browser })
    const tokens = await operator.finish(await operator.start())
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      aud: 'atrium-operator',
      sub: subjectOf('operator@atrium.test'),
    })
    expect(decodeJwt(tokens.access_token).sid).toBe(
      decodeJwt((await portal.finish(again)).access_token).sid,
    )
  })

  it('returns login_required for prompt=none, and a code once the browser is signed in', async () => {
    const portal = await openPortal(sandbox())
    expect((await portal.start({ prompt: 'none' })).url).toContain('error=login_required')
    await portal.signIn({ person: owner })
    expect(
      (await portal.finish(await portal.start({ prompt: 'none' }))).refresh_token,
    ).toBeDefined()
  })

  it('keeps two test apps on one host apart', async () => {
    const neighbour = await startSandbox()
    try {
      const browser = openBrowser(['http://localhost:4100/auth/callback'])
      const here = await openPortal(sandbox(), { browser })
      const there = await openPortal(neighbour, { browser })
      await here.signIn({ person: owner })
      await there.signIn({ person: 'member@acme.test' })
      const again = [await here.finish(await here.start()), await there.finish(await there.start())]
      expect(again.map((tokens) => tokens.claims()?.email)).toEqual([owner, 'member@acme.test'])
    } finally {
      await neighbour.close()
    }
  })

  it('allows another person to sign in with prompt=login and ends the first session', async () => {
    const portal = await openPortal(sandbox())
    await portal.signIn({ person: owner })
    const tokens = await portal.signIn({ person: 'member@acme.test' }, { prompt: 'login' })
    expect(decodeJwt(tokens.access_token).sub).toBe(subjectOf('member@acme.test'))
    const sessions = await api('GET', 'core/authenticated_sessions/')
    expect(sessions.body.results).toEqual([
      expect.objectContaining({ user: pkOf('member@acme.test') }),
    ])
  })

  it('puts the port into every cookie name, so that two test apps on one host do not meet', async () => {
    const portal = await openPortal(sandbox())
    await portal.signIn({ person: owner })
    const { port } = new URL(sandbox().identityUrl)
    expect(portal.browser.cookies().length).toBeGreaterThan(0)
    for (const name of portal.browser.cookies())
      expect(name.replace(/\.sig$/, '')).toMatch(new RegExp(`_${port}$`))
  })

  it('serves its page under a policy without scripts, which lets the form lead back to the application', async () => {
    const page = await (await openPortal(sandbox())).start()
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('script-src')
    expect(policy).not.toContain('unsafe-inline')
    expect(policy).toContain("form-action 'self' http://localhost:4100")
    expect(page.text).not.toContain('<script')
  })

  it('rejects a redirect address that is not registered, without going there', async () => {
    const page = await (await openPortal(sandbox())).start({
      redirect_uri: 'http://localhost:4100/elsewhere',
    })
    expect(page.status).toBe(400)
    expect(page.text).toContain('redirect_uri')
  })

  it('offers a way back from a stale sign-in page', async () => {
    const portal = await openPortal(sandbox())
    const page = await portal.browser.get(
      `${sandbox().identityUrl}/if/signin/atrium-portal/unknown/`,
    )
    expect(page.status).toBe(400)
    expect(page.text).toContain('Back to Atrium')
  })
})
