import { readFile } from 'node:fs/promises'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authentik } from '../src/identity/authentik.ts'
import { applyBlueprint, readCredentials } from '../src/identity/authentik-setup.ts'
import { checkSetup } from '../src/identity/authentik-setup-check.ts'
import type { SetupFinding } from '../src/identity/authentik-setup-findings.ts'
import { neededPermissions } from '../src/identity/authentik-setup-permissions.ts'
import { scriptedServer } from './scripted-server.ts'

const content = await readFile(
  new URL('../../../deploy/authentik/atrium.yaml', import.meta.url),
  'utf8',
)
const context = { portal_url: 'https://portal.test', operator_url: 'https://operator.test' }
const patience = { timeoutMs: 200, intervalMs: 5 }

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 'empty', identity: { countries: {} } })
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.reset())

const access = (token: string = demoServiceCredentials.identityAdminToken) => ({
  baseUrl: sandbox.identityUrl,
  token,
})
const apply = (changed: { content?: string; token?: string } = {}) =>
  applyBlueprint({
    ...access(changed.token),
    content: changed.content ?? content,
    context,
    patience,
  })
const check = (apiToken?: string) =>
  checkSetup({
    ...access(),
    content,
    portalUrl: context.portal_url,
    operatorUrl: context.operator_url,
    platformAdminGroup: 'platform-admins',
    partnerStaffGroup: 'partner-staff',
    apiToken,
  })
const unmet = (findings: readonly SetupFinding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, need }) => `${level} ${need}`)

async function api(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${sandbox.identityUrl}/api/v3/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${demoServiceCredentials.identityAdminToken}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.ok, `${method} ${path}`).toBe(true)
  return response.status === 204 ? undefined : response.json()
}
/** The first row of a list. */
async function first(path: string): Promise<Record<string, unknown>> {
  const { results } = (await api('GET', path)) as { results: Record<string, unknown>[] }
  return results[0] ?? expect.fail(`nothing at ${path}`)
}

describe('a fresh authentik', () => {
  it('misses everything, and the check says what to do about each need', async () => {
    const findings = await check()
    expect(unmet(findings)).toEqual(
      expect.arrayContaining([
        'error blueprint',
        'error application atrium-portal',
        'error application atrium-operator',
        'error access to atrium-operator',
        'warning sign-in of the command line',
        'error group platform-admins',
        'error group partner-staff',
        'error flow default-authentication-flow: atrium-choose-password',
        'error flow atrium-recovery',
        'warning password recovery on the sign-in page',
        'warning passkeys on the sign-in page',
        'error recovery flow of the default brand',
        'error service account atrium-service',
        'warning IDP_API_TOKEN',
      ]),
    )
    for (const { level, text } of findings) if (level !== 'ok') expect(text).toMatch(/\.$/)
  })

  it('has everything once the blueprint is applied, any number of times', async () => {
    expect(await apply()).toEqual({ applied: true })
    expect(await apply()).toEqual({ applied: true })
    const { apiToken, portal, operator } = await readCredentials(access())
    expect(unmet(await check(apiToken))).toEqual([])
    expect(portal.clientId).toBe('atrium-portal')
    expect(new Set([portal.clientSecret, operator.clientSecret, apiToken]).size).toBe(3)
    expect(await authentik(access(apiToken)).check()).toHaveProperty('version')
  })

  it('is told that rules about countries need a database', async () => {
    const without = await startSandbox({ seed: 'empty' })
    try {
      const setup = { portalUrl: 'https://portal.test', operatorUrl: 'https://operator.test' }
      const groups = { platformAdminGroup: 'platform-admins', partnerStaffGroup: 'partner-staff' }
      const findings = await checkSetup({
        ...access(),
        ...setup,
        ...groups,
        baseUrl: without.identityUrl,
        content,
      })
      expect(findings).toContainEqual({
        level: 'warning',
        need: 'countries',
        text: expect.stringContaining('GeoIP'),
      })
    } finally {
      await without.close()
    }
  })

  it('is waited for until its own flows exist', async () => {
    let now = Date.now()
    const cold = await startSandbox({
      seed: 'empty',
      now: () => now,
      identity: { coldStartMs: 60_000 },
    })
    try {
      const request = { ...access(), baseUrl: cold.identityUrl, content, context }
      expect(await applyBlueprint({ ...request, patience })).toEqual({
        applied: false,
        faults: [expect.stringContaining('worker')],
      })
      const waiting = applyBlueprint({
        ...request,
        patience: { timeoutMs: 60_000, intervalMs: 5 },
      })
      now += 60_000
      expect(await waiting).toEqual({ applied: true })
    } finally {
      await cold.close()
    }
  })

  it('is waited for while its flows exist and its scopes do not', async () => {
    const managed = 'goauthentik.io/providers/oauth2/scope-offline_access'
    let looks = 0
    await using server = await scriptedServer(({ target }, response) => {
      const asked = new URL(target, 'http://localhost')
      const reply = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (asked.pathname.endsWith('/flows/instances/'))
        return reply(200, { results: [{ slug: asked.searchParams.get('slug') }] })
      if (!asked.pathname.endsWith('/scope/')) return reply(403, { detail: 'Far enough.' })
      // A real one does not know the name until its worker has made the scope.
      if (asked.searchParams.has('managed'))
        return reply(400, { managed: ['Select a valid choice.'] })
      looks += 1
      return reply(200, { results: looks < 3 ? [{ managed: null }] : [{ managed }] })
    })
    const request = { ...access(), baseUrl: server.url, content, context }
    const applying = applyBlueprint({ ...request, patience: { timeoutMs: 60_000, intervalMs: 5 } })
    await expect(applying).rejects.toThrow()
    expect(looks).toBe(3)
    expect(server.asked().at(-1)).toContain('managed/blueprints/')
  })
})

describe('applying', () => {
  it('reports what authentik rejects, and changes nothing', async () => {
    expect(await apply({ content: 'version: 1\nentries: 5' })).toEqual({
      applied: false,
      faults: ['Failed to validate blueprint', expect.stringContaining('entries')],
    })
    const broken = content.replace('!KeyOf flow-recovery', '!KeyOf nothing')
    expect(await apply({ content: broken })).toMatchObject({ applied: false })
    expect(unmet(await check())).toContain('error group partner-staff')
  })

  it('reports what the worker complains about', async () => {
    // It is taken with the defaults of its values, and fails with the given ones.
    const flow = '!Find [authentik_flows.flow, [slug, !Context [slug, default-invalidation-flow]]]'
    const brand = `- model: authentik_brands.brand
    identifiers: { default: true }
    attrs: { flow_invalidation: ${flow} }`
    const request = { ...access(), patience, content: `version: 1\nentries:\n  ${brand}` }
    expect(await applyBlueprint({ ...request, context: {} })).toEqual({ applied: true })
    await sandbox.reset()
    expect(await applyBlueprint({ ...request, context: { slug: 'gone' } })).toEqual({
      applied: false,
      faults: [expect.stringContaining('flow_invalidation')],
    })
    expect(unmet(await check())).toContain('error blueprint')
  })

  it('needs a superuser, and says so', async () => {
    await expect(apply({ token: demoServiceCredentials.identityToken })).rejects.toMatchObject({
      kind: 'unauthorized',
      status: 403,
    })
  })

  it('fails when authentik breaks midway, and can be repeated', async () => {
    sandbox.fault({
      system: 'identity',
      match: 'POST /api/v3/managed/blueprints/',
      mode: 'error',
      status: 500,
      times: 1,
    })
    await expect(apply()).rejects.toMatchObject({ kind: 'server' })
    expect(await apply()).toEqual({ applied: true })
  })
})

describe('the check', () => {
  beforeEach(async () => {
    await apply()
  })

  it.each<[string, string, () => Promise<unknown>]>([
    [
      'a recovery flow that was taken away',
      'error recovery flow of the default brand',
      async () => {
        const { brand_uuid } = await first('core/brands/?default=true')
        await api('PATCH', `core/brands/${brand_uuid}/`, { flow_recovery: null })
      },
    ],
    [
      'a scope that was detached',
      'error application atrium-portal',
      async () => {
        const { pk } = await first('providers/oauth2/?name=atrium-portal')
        await api('PATCH', `providers/oauth2/${pk}/`, { property_mappings: [] })
      },
    ],
    [
      'a service account that became a superuser',
      'error service account atrium-service',
      async () => {
        const { pk } = await first('core/users/?username=atrium-service')
        const { pk: group } = await first('core/groups/?name=authentik%20Admins')
        await api('POST', `core/groups/${group}/add_user/`, { pk })
      },
    ],
    [
      'a policy that was switched off',
      'error flow default-authentication-flow: atrium-temporary-password-expired',
      async () => {
        const { pk: flow } = await first('flows/instances/?slug=default-authentication-flow')
        const { results } = (await api('GET', `flows/bindings/?target=${flow}`)) as {
          results: { pk: string; stage_obj: { name: string } }[]
        }
        const stage = results.find(
          ({ stage_obj }) => stage_obj.name === 'atrium-temporary-password-expired',
        )
        const { pk } = await first(`policies/bindings/?target=${stage?.pk}`)
        await api('PATCH', `policies/bindings/${pk}/`, { enabled: false })
      },
    ],
    [
      'an operator application that is open to everyone',
      'error access to atrium-operator',
      async () => {
        const { pk: target } = (await api('GET', 'core/applications/atrium-operator/')) as {
          pk: string
        }
        const { pk } = await first(`policies/bindings/?target=${target}`)
        await api('DELETE', `policies/bindings/${pk}/`)
      },
    ],
    [
      'a sign-in of the command line that asks once in a while',
      'warning sign-in of the command line',
      async () => {
        const { pk: flow } = await first(
          'flows/instances/?slug=default-provider-authorization-explicit-consent',
        )
        const { pk } = await first('providers/oauth2/?name=atrium-cli')
        await api('PATCH', `providers/oauth2/${pk}/`, { authorization_flow: flow })
      },
    ],
    [
      'a sign-out that leaves people signed in',
      'error application atrium-portal',
      async () => {
        const { pk: flow } = await first('flows/instances/?slug=default-provider-invalidation-flow')
        const { pk } = await first('providers/oauth2/?name=atrium-portal')
        await api('PATCH', `providers/oauth2/${pk}/`, { invalidation_flow: flow })
      },
    ],
    [
      'passkeys that are accepted without a check of the person',
      'error passkeys on the sign-in page',
      () =>
        apply({
          content: content.replace(
            'webauthn_user_verification: required',
            'webauthn_user_verification: preferred',
          ),
        }),
    ],
    [
      'a blueprint of another version',
      'warning blueprint',
      () => apply({ content: `${content}\n# older` }),
    ],
  ])('finds %s', async (_, finding, breakIt) => {
    await breakIt()
    expect(unmet(await check())).toContain(finding)
  })

  it('tells tokens of the API apart', async () => {
    expect(unmet(await check('wrong'))).toContain('error IDP_API_TOKEN')
    expect(unmet(await check(demoServiceCredentials.identityAdminToken))).toContain(
      'error IDP_API_TOKEN',
    )
    expect(unmet(await check(demoServiceCredentials.identityToken))).toContain(
      'warning IDP_API_TOKEN',
    )
  })

  it('warns of tokens that exceed the limits of proxies', async () => {
    const groups = await Promise.all(
      Array.from({ length: 300 }, (_, at) =>
        api('POST', 'core/groups/', { name: `a-group-with-a-long-name-${at}` }),
      ),
    )
    await api('POST', 'core/users/', {
      username: 'owner@many.test',
      name: 'Owner of many',
      email: 'owner@many.test',
      groups: groups.map((group) => (group as { pk: string }).pk),
    })
    expect(unmet(await check())).toEqual(
      expect.arrayContaining([expect.stringMatching(/^warning size of tokens \(\d+ bytes/)]),
    )
  })

  it('reports a need that cannot be read as not met', async () => {
    sandbox.fault({
      system: 'identity',
      match: 'GET /api/v3/core/brands/',
      mode: 'error',
      status: 403,
    })
    const brand = (await check()).find(({ need }) => need === 'brand')
    expect(brand).toMatchObject({ level: 'error', text: expect.stringContaining('403') })
  })
})

it('grants what the check asks for', () => {
  const granted = /permissions:\n((?: +- authentik_\S+\n)+)/.exec(content)?.[1] ?? ''
  expect([...granted.matchAll(/- (\S+)/g)].map(([, one]) => one)).toEqual(neededPermissions)
})
