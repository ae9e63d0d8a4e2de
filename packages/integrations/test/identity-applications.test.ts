import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { authentik } from '../src/identity/authentik.ts'
import type { IdentityProvider, NewSsoApplication } from '../src/identity/port.ts'
import { UpstreamError } from '../src/upstream-error.ts'
import {
  againstAuthentik,
  type IdentityTestServer,
  onStandIn,
  startIdentityTestServer,
} from './identity-server.ts'

const transactional = 'PUT /api/v3/core/transactional/applications/'
const secret = 'a-secret-that-nobody-may-see'

let testServer: IdentityTestServer
let identity: IdentityProvider
let wiki: NewSsoApplication

beforeAll(async () => {
  testServer = await startIdentityTestServer()
})
afterAll(() => testServer.close(), 60_000)
beforeEach(async () => {
  await testServer.reset()
  identity = client()
  wiki = {
    slug: 'acme-wiki-1f2e',
    name: 'Wiki',
    redirectUris: ['https://wiki.acme.test/callback', 'http://127.0.0.1:8080/callback'],
    launchUrl: 'https://wiki.acme.test/',
    groupId: (await identity.findGroup('acme'))?.id ?? '',
    clientId: 'client-of-the-wiki',
    clientSecret: secret,
  }
}, 60_000)

const client: IdentityTestServer['client'] = (options) => testServer.client(options)

const Rows = z.object({ results: z.array(z.record(z.string(), z.unknown())) })
const rows = async (path: string) => Rows.parse(await testServer.api('GET', path)).results

/** What the provider holds beyond the portals' own applications. */
async function made() {
  const ours = (name: unknown) => typeof name === 'string' && !name.startsWith('atrium')
  const applications = (
    await rows('/core/applications/?superuser_full_list=true&page_size=100')
  ).map(({ slug }) => slug)
  const providers = (await rows('/providers/oauth2/?page_size=100')).map(({ name }) => name)
  return {
    applications: applications.filter(ours),
    providers: providers.filter(ours),
    bindings: (await rows('/policies/bindings/?page_size=100')).filter(
      ({ group }) => group === wiki.groupId,
    ).length,
  }
}
const nothing = { applications: [], providers: [], bindings: 0 }
const everything = { applications: ['acme-wiki-1f2e'], providers: ['acme-wiki-1f2e'], bindings: 1 }

async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof UpstreamError))
    throw new Error(`expected an UpstreamError, got ${String(error)}`)
  expect(JSON.stringify([error, error.message])).not.toContain(secret)
  return error
}

describe('SSO applications', () => {
  it('are made with provider and group binding, and people of the group can sign in', async () => {
    const application = await identity.createSsoApplication(wiki)
    expect(application).toEqual({
      slug: 'acme-wiki-1f2e',
      name: 'Wiki',
      clientId: 'client-of-the-wiki',
      redirectUris: ['https://wiki.acme.test/callback', 'http://127.0.0.1:8080/callback'],
      launchUrl: 'https://wiki.acme.test/',
      providerId: expect.stringMatching(/^\d+$/),
      issuer: `${testServer.baseUrl}/application/o/acme-wiki-1f2e/`,
    })
    expect(await made()).toEqual(everything)
    expect(await identity.readSsoApplication('acme-wiki-1f2e')).toEqual(application)
    const discovery = await fetch(`${application.issuer}.well-known/openid-configuration`)
    expect(await discovery.json()).toMatchObject({ issuer: application.issuer })
    const keys = (await (await fetch(`${application.issuer}jwks/`)).json()) as { keys: unknown[] }
    expect(keys.keys.length).toBeGreaterThan(0)
    if (againstAuthentik) return
    await expect(
      testServer.sandbox.identity.issueToken('member@acme.test', 'acme-wiki-1f2e'),
    ).resolves.toHaveProperty('accessToken')
    await expect(
      testServer.sandbox.identity.issueToken('owner@globex.test', 'acme-wiki-1f2e'),
    ).resolves.not.toHaveProperty('accessToken')
  })

  it('stand on the address that people see', async () => {
    const { issuer } = await client({ publicUrl: 'https://id.acme.test/' }).createSsoApplication(
      wiki,
    )
    expect(issuer).toBe('https://id.acme.test/application/o/acme-wiki-1f2e/')
  })

  it('go away whole, any number of times, by provider id or by client id', async () => {
    const { slug, providerId } = await identity.createSsoApplication(wiki)
    for (let time = 0; time < 2; time += 1)
      await identity.removeSsoApplication({ slug, providerId })
    expect(await made()).toEqual(nothing)
    expect(await identity.readSsoApplication(slug)).toBeUndefined()
    await identity.createSsoApplication(wiki)
    await identity.removeSsoApplication({ slug, clientId: 'of-somebody-else' })
    expect(await made()).toEqual(everything)
    for (let time = 0; time < 2; time += 1)
      await identity.removeSsoApplication({ slug, clientId: wiki.clientId })
    expect(await made()).toEqual(nothing)
  })

  it('are reported as gone when only the provider is', async () => {
    const { slug, providerId } = await identity.createSsoApplication(wiki)
    await testServer.api('DELETE', `/providers/oauth2/${providerId}/`)
    expect(await identity.readSsoApplication(slug)).toBeUndefined()
    await identity.removeSsoApplication({ slug, providerId })
    expect(await made()).toEqual(nothing)
  })

  it('are rejected while another has the slug, which stays as it was', async () => {
    const first = await identity.createSsoApplication(wiki)
    const second = { ...wiki, clientId: 'another', name: 'Second' }
    expect(await failureOf(identity.createSsoApplication(second))).toMatchObject({
      kind: 'conflict',
      status: 400,
      part: 'application',
    })
    expect(await identity.readSsoApplication(wiki.slug)).toEqual(first)
    expect(await made()).toEqual(everything)
  })

  it.each([
    ['application', { launchUrl: 'no address' }],
    ['provider', { clientSecret: 'x'.repeat(300) }],
    ['group binding', { groupId: '5f8f4a3e-0000-4000-8000-000000000000' }],
  ] as const)('are not half made when the %s is refused', async (part, change) => {
    const failure = await failureOf(identity.createSsoApplication({ ...wiki, ...change }))
    expect(failure).toMatchObject({
      kind: 'refused',
      status: 400,
      part,
      message: expect.stringContaining(part),
    })
    expect(failure.leftBehind).toBeUndefined()
    expect(await made()).toEqual(nothing)
  })

  it.each([
    ['authorization flow', '/flows/instances/', 3],
    ['invalidation flow', '/flows/instances/', 4],
    ['signing key', '/crypto/certificatekeypairs/', 3],
    ['scope mappings', '/propertymappings/provider/scope/', 3],
  ] as const)('are not begun when the %s cannot be read', async (part, path, times) => {
    let calls = 0
    // The second flow is asked for by the same path as the first.
    const fails = () => part !== 'invalidation flow' || calls % 2 === 0
    const failing = client({
      fetch: (input, init) => {
        if (!String(input).includes(path)) return fetch(input, init)
        calls += 1
        return fails() ? Promise.resolve(new Response(null, { status: 503 })) : fetch(input, init)
      },
    })
    expect(await failureOf(failing.createSsoApplication(wiki))).toMatchObject({
      kind: 'server',
      status: 503,
      part,
    })
    expect(calls).toBeGreaterThanOrEqual(times)
    expect(await made()).toEqual(nothing)
  })

  onStandIn.each(['timeout', 'reset', 'error', 'garbage', 'shape'] as const)(
    'are taken away again when the answer is lost after they were made (%s)',
    async (mode) => {
      testServer.sandbox.fault({
        system: 'identity',
        match: transactional,
        mode,
        after: true,
        times: 1,
      })
      const failure = await failureOf(client({ deadlineMs: 300 }).createSsoApplication(wiki))
      expect(failure).toMatchObject({ call: 'createSsoApplication', part: 'application' })
      expect(failure.leftBehind).toBeUndefined()
      expect(await made()).toEqual(nothing)
      expect(await identity.createSsoApplication(wiki)).toMatchObject({ slug: wiki.slug })
    },
  )

  onStandIn.each([
    ['application', 'GET /api/v3/core/applications/acme-wiki-1f2e/'],
    ['provider', 'GET /api/v3/providers/oauth2/'],
    ['group binding', 'GET /api/v3/policies/bindings/'],
  ] as const)('are taken away again when the %s cannot be confirmed', async (part, match) => {
    testServer.sandbox.fault({ system: 'identity', match, mode: 'error', status: 500, times: 3 })
    const failure = await failureOf(identity.createSsoApplication(wiki))
    expect(failure).toMatchObject({ kind: 'server', status: 500, part })
    expect(failure.leftBehind).toBeUndefined()
    expect(await made()).toEqual(nothing)
  })

  onStandIn.each([
    [
      'application',
      'DELETE /api/v3/core/applications/',
      ['application', 'group binding', 'provider'],
      everything,
    ],
    [
      'provider',
      'DELETE /api/v3/providers/',
      ['provider'],
      { ...nothing, providers: ['acme-wiki-1f2e'] },
    ],
  ] as const)(
    'are told as left behind when the %s cannot be taken away, and a later removal finds them',
    async (_, match, left, there) => {
      testServer.sandbox.fault({
        system: 'identity',
        match: transactional,
        mode: 'reset',
        after: true,
        times: 1,
      })
      testServer.sandbox.fault({ system: 'identity', match, mode: 'error' })
      const failure = await failureOf(
        client({ circuit: { failures: 50, openMs: 1 } }).createSsoApplication(wiki),
      )
      expect(failure).toMatchObject({ kind: 'connection', part: 'application', leftBehind: left })
      expect(failure.message).toContain(`it may have left behind: ${left.join(', ')}`)
      expect(await made()).toEqual(there)
      testServer.sandbox.clearFaults()
      await identity.removeSsoApplication({ slug: wiki.slug, clientId: wiki.clientId })
      expect(await made()).toEqual(nothing)
    },
  )

  onStandIn('say that everything may be there when not even a look is possible', async () => {
    testServer.sandbox.fault({
      system: 'identity',
      match: transactional,
      mode: 'reset',
      after: true,
      times: 1,
    })
    testServer.sandbox.fault({ system: 'identity', match: 'GET /api/v3/providers/', mode: 'error' })
    const failure = await failureOf(
      client({ circuit: { failures: 50, openMs: 1 } }).createSsoApplication(wiki),
    )
    expect(failure.leftBehind).toEqual(['application', 'group binding', 'provider'])
    testServer.sandbox.clearFaults()
    expect(await made()).toEqual(everything)
  })

  onStandIn('are not taken away when the request was not let in at all', async () => {
    testServer.sandbox.fault({
      system: 'identity',
      match: transactional,
      mode: 'error',
      status: 403,
      times: 1,
    })
    expect(await failureOf(identity.createSsoApplication(wiki))).toMatchObject({
      kind: 'unauthorized',
      status: 403,
      part: 'application',
    })
    expect(testServer.sandbox.state().identity.calls.map(({ method }) => method)).not.toContain(
      'DELETE',
    )
  })

  it('are seen to their end when the caller leaves after the request was sent', async () => {
    const caller = new AbortController()
    const leaving = client({
      fetch: (input, init) => {
        if (init?.method === 'PUT') caller.abort(new Error('the person went away'))
        return fetch(input, init)
      },
    })
    await expect(
      leaving.createSsoApplication(wiki, { signal: caller.signal }),
    ).resolves.toMatchObject({ slug: wiki.slug })
    await expect(
      identity.createSsoApplication({ ...wiki, slug: 'x1' }, { signal: caller.signal }),
    ).rejects.toThrow('the person went away')
    expect(await made()).toEqual(everything)
  })

  onStandIn('wait for an installation that has just been started', async () => {
    let now = Date.now()
    await using cold = await startCold(() => now)
    const options = {
      baseUrl: cold.sandbox.identityUrl,
      token: demoServiceCredentials.identityToken,
      backoffMs: { initial: 1, max: 5 },
    }
    const application = { ...wiki, groupId: (await authentik(options).findGroup('acme'))?.id ?? '' }
    const failure = await failureOf(authentik(options).createSsoApplication(application))
    expect(failure).toMatchObject({ kind: 'invalid_answer', part: 'authorization flow' })
    expect(failure.message).toContain('the authorization flow does not exist there, or not yet')
    let looks = 0
    const warming: typeof fetch = (input, init) => {
      looks += 1
      if (looks === 2) now += 60_001
      return fetch(input, init)
    }
    expect(
      await authentik({ ...options, fetch: warming }).createSsoApplication(application),
    ).toMatchObject({ slug: wiki.slug })
  })
})

async function startCold(now: () => number) {
  const started = await startSandbox({ now, identity: { coldStartMs: 60_000 } })
  return { sandbox: started, [Symbol.asyncDispose]: () => started.close() }
}
