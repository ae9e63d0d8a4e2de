import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { type Answer, type AuthentikApi, authentikApi, type Row } from './authentik-api.ts'
import { openBrowser } from './browser.ts'

let sandbox: Sandbox
let api: AuthentikApi
beforeAll(async () => {
  sandbox = await startSandbox()
  api = authentikApi(sandbox)
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const callback = 'https://wiki.acme.test/callback'

/** A provider as the platform makes it. */
async function providerBody(changes: Row = {}): Promise<Row> {
  const flow = (slug: string) => api.pk(`flows/instances/?slug=${slug}`)
  const managed = ['openid', 'email', 'profile', 'offline_access'].map(
    (scope) => `managed=goauthentik.io/providers/oauth2/scope-${scope}`,
  )
  const mappings = await api.get(`propertymappings/provider/scope/?${managed.join('&')}`)
  expect(mappings.results).toHaveLength(4)
  return {
    name: 'acme-wiki',
    authorization_flow: await flow('default-provider-authorization-implicit-consent'),
    invalidation_flow: await flow('default-provider-invalidation-flow'),
    redirect_uris: [{ matching_mode: 'strict', url: callback }],
    grant_types: ['authorization_code', 'refresh_token'],
    client_id: 'wiki',
    client_secret: 'wiki-secret',
    signing_key: await api.pk(
      'crypto/certificatekeypairs/?has_key=true&name=authentik Self-signed Certificate',
    ),
    property_mappings: mappings.results.map((mapping) => mapping.pk),
    access_token_validity: 'minutes=10',
    ...changes,
  }
}

async function createApp(
  changes: { app?: Row; provider?: Row; bindings?: Row[] } = {},
): Promise<Answer> {
  return api.put('core/transactional/applications/', {
    app: { name: 'Wiki', slug: 'acme-wiki', ...changes.app },
    provider_model: 'authentik_providers_oauth2.oauth2provider',
    provider: await providerBody(changes.provider),
    policy_bindings: changes.bindings ?? [
      { group: await api.pk('core/groups/?name=acme'), order: 0 },
    ],
  })
}

/** Signs a demo person in to the new application; the page at which it ends. */
async function signIn(person: string, scope = 'openid email profile offline_access') {
  const issuer = new URL(`${sandbox.identityUrl}/application/o/acme-wiki/`)
  const config = await oidc.discovery(
    issuer,
    'wiki',
    undefined,
    oidc.ClientSecretPost('wiki-secret'),
    {
      execute: [oidc.allowInsecureRequests],
    },
  )
  const verifier = oidc.randomPKCECodeVerifier()
  const browser = openBrowser([callback])
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const first = await browser.get(url.href)
  const page = first.text.includes('name="person"')
    ? await browser.post(first.url, { person })
    : first
  return {
    config,
    page,
    finish: () =>
      oidc.authorizationCodeGrant(config, new URL(page.url), { pkceCodeVerifier: verifier }),
  }
}

describe('the transactional call', () => {
  it('makes provider, application and binding, names no key, and works at once', async () => {
    expect(await createApp()).toMatchObject({ status: 200, body: { applied: true, logs: [] } })
    const application = await api.get('core/applications/acme-wiki/')
    const provider = await api.get(`providers/oauth2/${application.body.provider}/`)
    expect(provider.body).toMatchObject({
      client_id: 'wiki',
      client_secret: 'wiki-secret',
      assigned_application_slug: 'acme-wiki',
    })
    expect(provider.body.redirect_uris).toEqual([
      { matching_mode: 'strict', url: callback, redirect_uri_type: 'authorization' },
    ])
    expect((await api.get(`policies/bindings/?target=${application.body.pk}`)).results).toEqual([
      expect.objectContaining({
        group_obj: expect.objectContaining({ name: 'acme' }),
        policy: null,
        user: null,
        expires: null,
        expiring: false,
      }),
    ])

    const tokens = await (await signIn('owner@acme.test')).finish()
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: `${sandbox.identityUrl}/application/o/acme-wiki/`,
      aud: 'wiki',
      groups: ['acme'],
    })
    expect(tokens.refresh_token).toBeDefined()
  })

  it('leaves nothing behind when a part is rejected, and tells every part at once', async () => {
    const rejected = await createApp({
      app: { slug: 'atrium-portal' },
      provider: { name: 'atrium-portal', authorization_flow: 'default-flow' },
      bindings: [{ group: await api.pk('core/groups/?name=acme'), order: 0 }, { order: 1 }],
    })
    expect(rejected.status).toBe(400)
    expect(rejected.body).toMatchObject({
      app: { slug: ['Application with this slug already exists.'] },
      provider: { authorization_flow: ['“default-flow” is not a valid UUID.'] },
      policy_bindings: [{}, { non_field_errors: [expect.any(String)] }],
    })
    expect((await api.get('providers/oauth2/?name=acme-wiki')).results).toEqual([])
    expect((await api.get('policies/bindings/')).results).toEqual([])
  })

  it('is not idempotent', async () => {
    await createApp()
    expect(await createApp({ provider: { name: 'other', client_id: 'other' } })).toMatchObject({
      status: 400,
      body: { app: { slug: ['Application with this slug already exists.'] } },
    })
    expect((await api.get('providers/oauth2/?name=other')).results).toEqual([])
  })

  it('binds to the group: another person meets a page, not a code', async () => {
    await createApp()
    const { page } = await signIn('owner@globex.test')
    expect(page.status).toBe(403)
    expect(page.text).toContain('Permission denied')
    const application = await api.get('core/applications/acme-wiki/')
    expect(application.status).toBe(200)
    const other = await api.pk('core/users/?username=owner@globex.test')
    expect(
      (await api.get(`core/applications/acme-wiki/check_access/?for_user=${other}`)).body,
    ).toMatchObject({ passing: false })
    expect(
      (await api.get('core/applications/acme-wiki/check_access/?for_user=999999')).body,
    ).toEqual({ for_user: 'User not found' })
  })

  it('counts a child group as member of the bound parent', async () => {
    await createApp()
    const acme = await api.pk('core/groups/?name=acme')
    const globex = await api.pk('core/groups/?name=globex')
    await api.patch(`core/groups/${globex}/`, { parents: [acme] })
    const tokens = await (await signIn('owner@globex.test')).finish()
    expect(decodeJwt(tokens.access_token).groups).toEqual(['globex'])
  })

  it('rejects a refresh once the person has left the group', async () => {
    await createApp()
    const { config, finish } = await signIn('owner@acme.test')
    const { refresh_token } = await finish()
    const owner = await api.pk('core/users/?username=owner@acme.test')
    await api.post(`core/groups/${await api.pk('core/groups/?name=acme')}/remove_user/`, {
      pk: owner,
    })
    await expect(oidc.refreshTokenGrant(config, String(refresh_token))).rejects.toMatchObject({
      status: 400,
      error: 'invalid_grant',
    })
  })
})

describe('providers', () => {
  it('are rejected with the required fields named', async () => {
    expect(await api.post('providers/oauth2/', { name: 'x' })).toMatchObject({
      status: 400,
      body: {
        authorization_flow: ['This field is required.'],
        invalidation_flow: ['This field is required.'],
        redirect_uris: ['This field is required.'],
      },
    })
    const body = await providerBody({
      redirect_uris: [{ matching_mode: 'regex', url: '(' }, { matching_mode: 'exact' }],
      grant_types: ['magic'],
      access_token_validity: 'ten minutes',
      property_mappings: ['5f8f4a3e-0000-4000-8000-000000000000'],
    })
    expect((await api.post('providers/oauth2/', body)).body).toEqual({
      redirect_uris: {
        0: { url: ['Invalid Regex Pattern: ('] },
        1: { matching_mode: ['"exact" is not a valid choice.'], url: ['This field is required.'] },
      },
      grant_types: { 0: ['"magic" is not a valid choice.'] },
      property_mappings: [
        'Invalid pk "5f8f4a3e-0000-4000-8000-000000000000" - object does not exist.',
      ],
    })
  })

  it('are unique by name and client id, and get generated credentials and the defaults', async () => {
    const {
      client_id: _id,
      client_secret: _secret,
      grant_types: _grants,
      signing_key: _key,
      ...body
    } = await providerBody()
    const made = await api.post('providers/oauth2/', body)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      pk: expect.any(Number),
      client_id: expect.stringMatching(/^\w{40}$/),
      client_secret: expect.stringMatching(/^\w{128}$/),
      grant_types: [],
      signing_key: null,
      client_type: 'confidential',
      include_claims_in_id_token: true,
      issuer_mode: 'per_provider',
      sub_mode: 'hashed_user_id',
    })
    expect(await api.post('providers/oauth2/', body)).toMatchObject({
      status: 400,
      body: { name: ['provider with this name already exists.'] },
    })
    const patched = await api.patch(`providers/oauth2/${made.body.pk}/`, {
      client_secret: 'rotated',
    })
    expect(patched.body).toMatchObject({ client_secret: 'rotated', name: 'acme-wiki' })
    expect((await api.delete(`providers/oauth2/${made.body.pk}/`)).status).toBe(204)
    expect((await api.delete(`providers/oauth2/${made.body.pk}/`)).status).toBe(404)
  })

  it('without grant types reject every authorize and token request', async () => {
    await createApp({ provider: { grant_types: undefined } })
    const issuer = `${sandbox.identityUrl}/application/o/acme-wiki/`
    const page = await fetch(
      `${issuer}authorize/?client_id=wiki&response_type=code&redirect_uri=${callback}&scope=openid`,
    )
    expect(page.status).toBe(400)
    expect(await page.text()).toContain('invalid_request')
    const token = await fetch(`${issuer}token/`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token' }),
    })
    expect(token.status).toBe(400)
    expect(await token.json()).toMatchObject({
      error: 'invalid_grant',
      request_id: expect.any(String),
    })
  })

  it('without a signing key publish `{}` and sign with the client secret', async () => {
    await createApp({ provider: { signing_key: null } })
    const { page, config } = await signIn('owner@acme.test')
    expect(
      await (await fetch(`${sandbox.identityUrl}/application/o/acme-wiki/jwks/`)).json(),
    ).toEqual({})
    const code = new URL(page.url).searchParams.get('code')
    expect(code).not.toBeNull()
    expect(config.serverMetadata().id_token_signing_alg_values_supported).toEqual(['HS256'])
    const secondFlow = await signInWithoutPkce()
    expect(decodeProtectedHeader(secondFlow)).toEqual({ alg: 'HS256', typ: 'JWT' })
  })

  it('without the offline_access mapping give no refresh token', async () => {
    const body = await providerBody()
    const offline = await api.pk('propertymappings/provider/scope/?scope_name=offline_access')
    await createApp({
      provider: {
        property_mappings: (body.property_mappings as unknown[]).filter((pk) => pk !== offline),
      },
    })
    expect((await (await signIn('owner@acme.test')).finish()).refresh_token).toBeUndefined()
  })

  it('with a pattern take every address that it matches as a whole', async () => {
    await createApp({
      provider: {
        redirect_uris: [
          { matching_mode: 'regex', url: 'https://wiki\\.acme\\.test/(callback|other)' },
        ],
      },
    })
    expect((await signIn('owner@acme.test')).page.url).toContain(`${callback}?code=`)
    const issuer = `${sandbox.identityUrl}/application/o/acme-wiki/`
    const longer = encodeURIComponent(`${callback}/more`)
    const page = await fetch(
      `${issuer}authorize/?client_id=wiki&response_type=code&redirect_uri=${longer}&scope=openid`,
    )
    expect(page.status).toBe(400)
  })
})

/** The whole flow by hand, without PKCE; the access token. */
async function signInWithoutPkce(): Promise<string> {
  const issuer = `${sandbox.identityUrl}/application/o/acme-wiki/`
  const browser = openBrowser([callback])
  const first = await browser.get(
    `${issuer}authorize/?client_id=wiki&response_type=code&redirect_uri=${callback}&scope=openid+email`,
  )
  const returned = await browser.post(first.url, { person: 'owner@acme.test' })
  const code = new URL(returned.url).searchParams.get('code') ?? ''
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    client_id: 'wiki',
    client_secret: 'wiki-secret',
  }
  const response = (await (
    await fetch(`${issuer}token/`, { method: 'POST', body: new URLSearchParams(fields) })
  ).json()) as {
    access_token: string
  }
  return response.access_token
}

describe('applications', () => {
  it('are unique by slug and by provider, and some slugs are reserved', async () => {
    const portal = await api.get('core/applications/atrium-portal/')
    expect(
      await api.post('core/applications/', {
        name: 'x',
        slug: 'atrium-portal',
        provider: portal.body.provider,
      }),
    ).toMatchObject({
      status: 400,
      body: {
        slug: ['Application with this slug already exists.'],
        provider: ['Application with this provider already exists.'],
      },
    })
    expect((await api.post('core/applications/', { name: 'x', slug: 'token' })).status).toBe(400)
    expect((await api.post('core/applications/', { name: 'x', slug: 'not a slug' })).status).toBe(
      400,
    )
    expect(
      (await api.post('core/applications/', { name: 'Atrium', slug: 'same-name', group: 'Tools' }))
        .body,
    ).toMatchObject({
      name: 'Atrium',
      provider: null,
      group: 'Tools',
    })
  })

  it('are listed from a cache that ignores the filters, unless the full list is asked for', async () => {
    const slugs = async (query: string) =>
      (await api.get(`core/applications/?${query}`)).results.map((one) => one.slug)
    expect(await slugs('slug=atrium-portal')).toEqual(['atrium-portal'])
    expect(await slugs('slug=atrium-operator')).toEqual(['atrium-portal'])
    expect(await slugs('slug=atrium-operator&superuser_full_list=true')).toEqual([
      'atrium-operator',
    ])
    await api.post('core/applications/', { name: 'x', slug: 'x' })
    expect(await slugs('slug=atrium-operator')).toEqual(['atrium-operator'])
  })

  it('take their bindings with them, and leave the provider', async () => {
    await createApp()
    const { provider } = (await api.get('core/applications/acme-wiki/')).body
    expect((await api.delete('core/applications/acme-wiki/')).status).toBe(204)
    expect((await api.get('core/applications/acme-wiki/')).body).toEqual({
      detail: 'No Application matches the given query.',
    })
    expect((await api.get('policies/bindings/')).results).toEqual([])
    expect((await api.get(`providers/oauth2/${provider}/`)).body).toMatchObject({
      assigned_application_slug: null,
    })
    expect(
      (
        await fetch(
          `${sandbox.identityUrl}/application/o/acme-wiki/.well-known/openid-configuration`,
        )
      ).status,
    ).toBe(404)
  })

  it('lose their provider when that is deleted', async () => {
    await createApp()
    const { provider } = (await api.get('core/applications/acme-wiki/')).body
    await api.delete(`providers/oauth2/${provider}/`)
    expect((await api.get('core/applications/acme-wiki/')).body).toMatchObject({
      provider: null,
      provider_obj: null,
    })
  })
})

describe('bindings', () => {
  it('name exactly one of group, policy and user, and a known target', async () => {
    const target = (await api.get('core/applications/atrium-portal/')).body.pk
    const group = await api.pk('core/groups/?name=acme')
    const user = await api.pk('core/users/?username=owner@acme.test')
    expect(await api.post('policies/bindings/', { target, order: 0 })).toMatchObject({
      status: 400,
      body: { non_field_errors: ["One of 'group', 'policy', 'user' must be set."] },
    })
    expect((await api.post('policies/bindings/', { target, order: 0, group, user })).status).toBe(
      400,
    )
    expect(
      (
        await api.post('policies/bindings/', {
          target: '5f8f4a3e-0000-4000-8000-000000000000',
          order: 0,
          group,
        })
      ).body,
    ).toEqual({
      target: ['Invalid pk "5f8f4a3e-0000-4000-8000-000000000000" - object does not exist.'],
    })
    expect((await api.post('policies/bindings/', { target, group })).body).toEqual({
      order: ['This field is required.'],
    })
    for (let round = 0; round < 2; round += 1) {
      expect(await api.post('policies/bindings/', { target, group, order: 0 })).toMatchObject({
        status: 201,
        body: { negate: false, enabled: true, timeout: 30, failure_result: false },
      })
    }
    expect((await api.get(`policies/bindings/?group=${user}`)).results).toHaveLength(2)
  })
})

describe('scope mappings', () => {
  it('are made once by name, trimmed, and rejected with a syntax error', async () => {
    const made = await api.post('propertymappings/provider/scope/', {
      name: 'mine',
      scope_name: 'mine',
      expression: 'return {"a": (1, [2])}\n',
    })
    expect(made).toMatchObject({
      status: 201,
      body: { expression: 'return {"a": (1, [2])}', managed: null },
    })
    expect(
      (
        await api.post('propertymappings/provider/scope/', {
          name: 'mine',
          scope_name: 'b',
          expression: 'return {}',
        })
      ).status,
    ).toBe(400)
    const broken = await api.post('propertymappings/provider/scope/', {
      name: 'b',
      scope_name: 'b',
      expression: 'return {',
    })
    expect(broken).toMatchObject({
      status: 400,
      body: { expression: [expect.stringContaining('Expression Syntax Error')] },
    })
  })
})
