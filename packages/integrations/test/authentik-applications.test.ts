import { describe, expect, it } from 'vitest'
import { authentik } from '../src/identity/authentik.ts'
import { json, type Received, type Script, scriptedServer } from './scripted-server.ts'

const quick = { token: 'an-api-token', backoffMs: { initial: 1, max: 2 } }
const page = (results: unknown[], next = 0) => ({ pagination: { next }, results, autocomplete: {} })
const wiki = {
  slug: 'acme-wiki',
  name: 'Wiki',
  redirectUris: ['https://wiki.test/callback'],
  groupId: 'group-uuid',
  clientId: 'our-client',
  clientSecret: 'our-secret',
}

const managed = (name: string) => `goauthentik.io/providers/oauth2/scope-${name}`
const mappings = ['offline_access', 'openid', 'entitlements', 'profile', 'email'].map((name) => ({
  pk: `m-${name}`,
  managed: managed(name),
}))
const lookUps: Record<string, unknown> = {
  '/api/v3/flows/instances/': page([
    { pk: 'f-authorization', slug: 'default-provider-authorization-implicit-consent' },
    { pk: 'f-invalidation', slug: 'default-provider-invalidation-flow' },
  ]),
  '/api/v3/crypto/certificatekeypairs/': page([
    { pk: 'k-other', name: 'other', private_key_available: true },
    { pk: 'k-default', name: 'authentik Self-signed Certificate', private_key_available: true },
  ]),
  '/api/v3/propertymappings/provider/scope/': page(mappings),
}
const provider = (change: object = {}) => ({
  pk: 5,
  name: 'acme-wiki',
  client_id: 'our-client',
  redirect_uris: [
    {
      matching_mode: 'strict',
      url: 'https://wiki.test/callback',
      redirect_uri_type: 'authorization',
    },
    { matching_mode: 'strict', url: 'https://wiki.test/bye', redirect_uri_type: 'logout' },
  ],
  ...change,
})
const application = (change: object = {}) => ({
  pk: 'app-uuid',
  name: 'Wiki',
  slug: 'acme-wiki',
  provider: 5,
  meta_launch_url: '',
  ...change,
})
const binding = (change: object = {}) => ({
  pk: 'b',
  target: 'app-uuid',
  group: 'group-uuid',
  enabled: true,
  negate: false,
  ...change,
})

/** authentik with what a default installation has; the rest as the test says, by `METHOD path`. */
function installation(responses: Record<string, { status?: number; body?: unknown }> = {}): Script {
  const usual: typeof responses = {
    'PUT /api/v3/core/transactional/applications/': { body: { applied: true, logs: [] } },
    'GET /api/v3/core/applications/acme-wiki/': { body: application() },
    'GET /api/v3/providers/oauth2/5/': { body: provider() },
    'GET /api/v3/providers/oauth2/': { body: page([provider()]) },
    'GET /api/v3/policies/bindings/': { body: page([binding()]) },
    'DELETE /api/v3/core/applications/acme-wiki/': { status: 204 },
    'DELETE /api/v3/providers/oauth2/5/': { status: 204 },
  }
  const all = { ...usual, ...responses }
  return ({ method, target }: Received, response) => {
    const { pathname } = new URL(target, 'http://x')
    const known =
      lookUps[pathname] === undefined ? all[`${method} ${pathname}`] : { body: lookUps[pathname] }
    const { status = 200, body } = known ?? { status: 500, body: {} }
    return status === 204 ? response.writeHead(204).end() : json(response, status, body)
  }
}
const deleted = (asked: string[]) =>
  asked.filter((one) => one.startsWith('DELETE')).map((one) => one.slice('DELETE /api/v3'.length))
const bothDeleted = ['/core/applications/acme-wiki/', '/providers/oauth2/5/']

describe('createSsoApplication', () => {
  it('sends everything that a provider needs to work, in one request', async () => {
    await using server = await scriptedServer(installation())
    const made = await authentik({ ...quick, baseUrl: `${server.url}/` }).createSsoApplication(wiki)
    expect(made).toEqual({
      slug: 'acme-wiki',
      name: 'Wiki',
      clientId: 'our-client',
      redirectUris: ['https://wiki.test/callback'],
      launchUrl: null,
      providerId: '5',
      issuer: `${server.url}/application/o/acme-wiki/`,
    })
    expect(server.received.find(({ method }) => method === 'PUT')?.body).toEqual({
      app: { name: 'Wiki', slug: 'acme-wiki', policy_engine_mode: 'any' },
      provider_model: 'authentik_providers_oauth2.oauth2provider',
      provider: {
        name: 'acme-wiki',
        authorization_flow: 'f-authorization',
        invalidation_flow: 'f-invalidation',
        client_type: 'confidential',
        client_id: 'our-client',
        client_secret: 'our-secret',
        grant_types: ['authorization_code', 'refresh_token'],
        signing_key: 'k-default',
        property_mappings: ['m-offline_access', 'm-openid', 'm-profile', 'm-email'],
        redirect_uris: [
          {
            matching_mode: 'strict',
            url: 'https://wiki.test/callback',
            redirect_uri_type: 'authorization',
          },
        ],
        include_claims_in_id_token: true,
        issuer_mode: 'per_provider',
        sub_mode: 'hashed_user_id',
        access_code_validity: 'minutes=1',
        access_token_validity: 'minutes=10',
        refresh_token_validity: 'days=30',
      },
      policy_bindings: [
        {
          group: 'group-uuid',
          order: 0,
          enabled: true,
          negate: false,
          failure_result: false,
          timeout: 30,
        },
      ],
    })
    const mappingsAsked = server.asked().find((one) => one.includes('propertymappings')) ?? ''
    // A real one answers 400 to `managed` while one of the names is missing.
    expect(mappingsAsked).toContain('managed__isnull=false')
    expect(deleted(server.asked())).toEqual([])
  })

  it('is no success when the answer is 200 and says that nothing was applied', async () => {
    await using server = await scriptedServer(
      installation({
        'PUT /api/v3/core/transactional/applications/': { body: { applied: false, logs: ['x'] } },
      }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createSsoApplication(wiki),
    ).rejects.toMatchObject({
      kind: 'refused',
      status: 200,
      part: 'application',
    })
    expect(deleted(server.asked())).toEqual(bothDeleted)
  })

  it.each([
    ['is absent', []],
    ['is of another group', [binding({ group: 'other' })]],
    ['is of another application', [binding({ target: 'other' })]],
    ['is switched off', [binding({ enabled: false })]],
    ['is turned around', [binding({ negate: true })]],
  ])('leaves no application that is open to everybody when the binding %s', async (_, bindings) => {
    await using server = await scriptedServer(
      installation({ 'GET /api/v3/policies/bindings/': { body: page(bindings) } }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createSsoApplication(wiki),
    ).rejects.toMatchObject({
      kind: 'invalid_answer',
      part: 'group binding',
    })
    expect(deleted(server.asked())).toEqual(bothDeleted)
  })

  it('leaves an application of the same slug alone that belongs to another client id', async () => {
    await using server = await scriptedServer(
      installation({
        'PUT /api/v3/core/transactional/applications/': { status: 503, body: {} },
        'GET /api/v3/core/applications/acme-wiki/': { body: application({ provider: 9 }) },
      }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createSsoApplication(wiki),
    ).rejects.toMatchObject({ kind: 'server' })
    expect(deleted(server.asked())).toEqual(['/providers/oauth2/5/'])
  })

  it('takes nothing away by a list that ignores its filter', async () => {
    await using server = await scriptedServer(
      installation({
        'PUT /api/v3/core/transactional/applications/': { status: 503, body: {} },
        'GET /api/v3/providers/oauth2/': {
          body: page([provider({ pk: 9, client_id: 'theirs' })], 2),
        },
      }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createSsoApplication(wiki),
    ).rejects.toMatchObject({
      leftBehind: ['application', 'group binding', 'provider'],
    })
    expect(deleted(server.asked())).toEqual([])
  })

  it.each([
    [{ app: { slug: ['?'] } }, 'conflict', 'application'],
    [{ provider: { name: ['?'] } }, 'conflict', 'provider'],
    [{ provider: { non_field_errors: ['?'] } }, 'conflict', 'provider'],
    [{ policy_bindings: [{ group: ['?'] }] }, 'refused', 'group binding'],
    [{ null: ['?'] }, 'refused', 'group binding'],
    [{ non_field_errors: ['?'] }, 'refused', 'application'],
    [['?'], 'refused', 'application'],
    ['?', 'refused', 'application'],
  ] as const)('tells by keys and a second look what a 400 means (%j)', async (body, kind, part) => {
    await using server = await scriptedServer(
      installation({ 'PUT /api/v3/core/transactional/applications/': { status: 400, body } }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createSsoApplication(wiki),
    ).rejects.toMatchObject({ kind, status: 400, part })
  })

  it('tells a missing right from a name that is taken', async () => {
    await using server = await scriptedServer(
      installation({
        'PUT /api/v3/core/transactional/applications/': {
          status: 400,
          body: { provider: 'User lacks permission to create ...' },
        },
        'GET /api/v3/providers/oauth2/': { body: page([]) },
      }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createSsoApplication(wiki),
    ).rejects.toMatchObject({
      kind: 'refused',
      part: 'provider',
      message: expect.not.stringContaining('lacks permission'),
    })
  })

  it('never sends the request twice', async () => {
    await using server = await scriptedServer(
      installation({ 'PUT /api/v3/core/transactional/applications/': { status: 502, body: {} } }),
    )
    await expect(
      authentik({ ...quick, baseUrl: server.url }).createSsoApplication(wiki),
    ).rejects.toMatchObject({ status: 502 })
    expect(server.received.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })
})

describe('applications', () => {
  it('whose slug or provider id has a foreign form never become part of a path', async () => {
    await using server = await scriptedServer((_, response) => response.writeHead(204).end())
    const identity = authentik({ ...quick, baseUrl: server.url })
    for (const slug of ['../users', '', 'a/b', 'a?b']) {
      await expect(identity.readSsoApplication(slug)).rejects.toMatchObject({ kind: 'not_found' })
      await expect(identity.removeSsoApplication({ slug, providerId: '5' })).rejects.toMatchObject({
        kind: 'not_found',
      })
    }
    expect(server.received).toEqual([])
    await expect(
      identity.removeSsoApplication({ slug: 'a', providerId: '../5' }),
    ).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('are read one by one, never from the list that is cached without its filters', async () => {
    await using server = await scriptedServer(installation())
    await authentik({ ...quick, baseUrl: server.url }).readSsoApplication('acme-wiki')
    expect(server.asked()).toEqual([
      'GET /api/v3/core/applications/acme-wiki/',
      'GET /api/v3/providers/oauth2/5/',
    ])
  })

  it('without a provider count as gone', async () => {
    await using server = await scriptedServer(
      installation({
        'GET /api/v3/core/applications/acme-wiki/': { body: application({ provider: null }) },
      }),
    )
    expect(
      await authentik({ ...quick, baseUrl: server.url }).readSsoApplication('acme-wiki'),
    ).toBeUndefined()
  })
})

describe('secondFactors', () => {
  const device = (type: string, confirmed = true) => ({
    pk: '1',
    type,
    confirmed,
    name: 'x',
    created: '2026-01-02T03:04:05Z',
  })
  const totp = 'authentik_stages_authenticator_totp.TOTPDevice'

  it('counts what is confirmed, by the names of kinds', async () => {
    const devices = [
      device(totp),
      device(totp),
      device(totp, false),
      device('authentik_stages_authenticator_webauthn.WebAuthnDevice'),
      device('authentik_stages_authenticator_static.StaticDevice'),
      device('authentik_stages_authenticator_endpoint_gdtc.EndpointDevice'),
      device('Some Thing'),
    ]
    await using server = await scriptedServer((_, response) => json(response, 200, devices))
    expect(await authentik({ ...quick, baseUrl: server.url }).secondFactors('7')).toEqual({
      totp: 2,
      webauthn: 1,
      static: 1,
      endpoint_gdtc: 1,
      other: 1,
    })
    expect(server.asked()).toEqual(['GET /api/v3/authenticators/admin/all/?user=7'])
  })

  it('never asks without a user', async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, []))
    const identity = authentik({ ...quick, baseUrl: server.url })
    for (const id of ['', ' ', '7&user=', 'all'])
      await expect(identity.secondFactors(id)).rejects.toMatchObject({ kind: 'not_found' })
    expect(server.received).toEqual([])
  })

  it('is a failure, not none, when the answer is a page of another shape', async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, page([])))
    await expect(
      authentik({ ...quick, baseUrl: server.url }).secondFactors('7'),
    ).rejects.toMatchObject({ kind: 'invalid_answer' })
  })
})

describe('updateUser', () => {
  const anna = {
    pk: 7,
    uid: 'a'.repeat(64),
    username: 'anna@acme.test',
    email: 'anna@acme.test',
    name: 'Anna',
    is_active: true,
  }
  const attributes = { settings: { locale: 'de' }, phone: '1' }
  const serve = ({ method }: Received, response: Parameters<typeof json>[0]) =>
    json(response, 200, method === 'PATCH' ? anna : { ...anna, attributes })

  it('sends what changes, with the attributes of others as they were', async () => {
    await using server = await scriptedServer(serve)
    const identity = authentik({ ...quick, baseUrl: server.url })
    await identity.updateUser({ userId: '7', profile: { firstName: 'Anna', phone: null } })
    await identity.updateUser({
      userId: '7',
      profile: { name: 'Anna A.', email: 'Anna@acme.test' },
    })
    expect(
      server.received.filter(({ method }) => method === 'PATCH').map(({ body }) => body),
    ).toEqual([
      { attributes: { settings: { locale: 'de' }, firstName: 'Anna' } },
      { name: 'Anna A.' },
    ])
  })

  it('rejects an address beyond 150 characters before anything is sent', async () => {
    await using server = await scriptedServer(serve)
    const email = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(40)}.test`
    await expect(
      authentik({ ...quick, baseUrl: server.url }).updateUser({ userId: '7', profile: { email } }),
    ).rejects.toMatchObject({
      kind: 'refused',
    })
    expect(server.received).toEqual([])
  })
})
