import { demoPassword, demoPeople, demoServiceCredentials } from '@atrium/core/demo/demo'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import { it } from 'vitest'
import { z } from 'zod'
import { type AuthentikOptions, authentik } from '../src/identity/authentik.ts'
import type { IdentityProvider } from '../src/identity/port.ts'
import { signInByFlow, takeRecoveryCodes } from './authentik-flow.ts'

/**
 * An identity provider that the contract is held against: the stand-in, or the authentik that
 * `AUTHENTIK_URL` and `AUTHENTIK_TOKEN` name. There, the client has the rights of the service
 * account that our blueprint makes, and no others.
 */
export interface IdentityTestServer {
  readonly baseUrl: string
  readonly sandbox: Sandbox
  client(options?: Partial<AuthentikOptions>): IdentityProvider
  /** A call of the REST API past our client, as an administrator would make it. */
  api(method: string, path: string, body?: unknown): Promise<unknown>
  /**
   * Signs a person of the demo in with the demo password, which makes a session. Rejects when the
   * provider does not let them in.
   */
  signIn(email: string): Promise<void>
  /** Gives a person of the demo recovery codes (`static`). */
  takeRecoveryCodes(email: string): Promise<void>
  /** The demo people and their groups, and nothing that a test made. */
  reset(): Promise<void>
  close(): Promise<void>
}

const url = process.env.AUTHENTIK_URL?.replace(/\/+$/, '')
const token = process.env.AUTHENTIK_TOKEN

/** True when the contract is held against a server that is not ours to bend. */
export const againstAuthentik = url !== undefined && token !== undefined

/**
 * For what only the stand-in can be brought to do, such as breaking a connection at a given moment.
 */
export const onStandIn: typeof it = againstAuthentik ? (it.skip as typeof it) : it

export async function startIdentityTestServer(): Promise<IdentityTestServer> {
  if (url !== undefined && token !== undefined) return atAuthentik(url, token)
  const sandbox = await startSandbox()
  const { identityToken } = demoServiceCredentials
  return {
    ...through(sandbox.identityUrl, identityToken, { backoffMs: { initial: 1, max: 5 } }),
    sandbox,
    signIn: async (email) => void (await sandbox.token(email, 'portal')),
    async takeRecoveryCodes(email) {
      const user = sandbox.identity.findUser(email)
      if (!user) throw new Error(`there is no ${email}`)
      sandbox.identity.addDevice(user, { kind: 'static', name: 'Static Token', confirmed: true })
    },
    reset: async () => sandbox.reset(),
    close: () => sandbox.close(),
  }
}

function through(baseUrl: string, bearer: string, fast: Partial<AuthentikOptions>) {
  const client: IdentityTestServer['client'] = (options = {}) =>
    authentik({ baseUrl, token: bearer, ...fast, ...options })
  const api: IdentityTestServer['api'] = async (method, path, body) => {
    const response = await fetch(`${baseUrl}/api/v3${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 300)
      throw new Error(
        `${method} ${path} was answered with ${response.status} ${text.slice(0, 500)}`,
      )
    return text === '' ? undefined : JSON.parse(text)
  }
  return { baseUrl, client, api }
}

const Page = z.object({ results: z.array(z.record(z.string(), z.unknown())) })

async function atAuthentik(baseUrl: string, bearer: string): Promise<IdentityTestServer> {
  const patient = { deadlineMs: 20_000, operationDeadlineMs: 60_000 }
  const { api } = through(baseUrl, bearer, patient)
  const { key } = await api('GET', '/core/tokens/atrium-api/view_key/').then(
    (token) => z.object({ key: z.string() }).parse(token),
    (cause: unknown) => {
      throw new Error('apply deploy/authentik/atrium.yaml first: there is no token atrium-api', {
        cause,
      })
    },
  )
  const { client } = through(baseUrl, key, patient)
  const signIn = (email: string) =>
    signInByFlow(baseUrl, { username: email, password: demoPassword })
  const people = demoPeople.filter(({ email }) => /@(acme|globex)\.test$/.test(email))
  const rows = async (path: string) =>
    Page.parse(await api('GET', `${path}${path.includes('?') ? '&' : '?'}page_size=100`)).results

  const keptGroups = ['authentik Admins', 'authentik Read-only', 'acme', 'globex']

  async function reset(): Promise<void> {
    const [
      users = [],
      applications = [],
      providers = [],
      sessions = [],
      groups = [],
      flows = [],
      brands = [],
      codes = [],
    ] = await Promise.all(
      [
        '/core/users/?type=internal',
        '/core/applications/?superuser_full_list=true',
        '/providers/oauth2/',
        '/core/authenticated_sessions/',
        '/core/groups/?include_users=false',
        '/flows/instances/?designation=recovery',
        '/core/brands/?default=true',
        '/authenticators/admin/static/',
      ].map(rows),
    )
    const outsiders = users.filter(
      ({ username }) => !/^(akadmin|olga|[^@]+@[^@]+\.test)$/.test(String(username)),
    )
    if (outsiders.length > 0)
      throw new Error(
        'the tests empty the server: they run only where all people are of .test domains',
      )
    const persons = users.filter(({ username }) => username !== 'akadmin')
    const kept = new Set(people.map(({ email }) => email))
    const gone = [
      // Before their people, with whom they would go.
      ...sessions
        .filter(({ user }) => persons.some(({ pk }) => pk === user))
        .map(({ uuid }) => `/core/authenticated_sessions/${uuid}/`),
      ...codes.map(({ pk }) => `/authenticators/admin/static/${pk}/`),
      ...persons
        .filter(({ username }) => !kept.has(String(username)))
        .map(({ pk }) => `/core/users/${pk}/`),
      ...applications.map(({ slug }) => `/core/applications/${slug}/`),
      ...providers.map(({ pk }) => `/providers/oauth2/${pk}/`),
      ...groups
        .filter(({ name }) => !keptGroups.includes(String(name)))
        .map(({ pk }) => `/core/groups/${pk}/`),
    ]
    for (const path of gone) await api('DELETE', path)
    // A fresh authentik has no flow of this kind.
    const flow = {
      name: 'Recovery',
      title: 'Recovery',
      slug: 'default-recovery-flow',
      designation: 'recovery',
    }
    if (flows.length === 0) await api('POST', '/flows/instances/', flow)
    for (const { brand_uuid, flow_recovery } of brands)
      if (flow_recovery) await api('PATCH', `/core/brands/${brand_uuid}/`, { flow_recovery: null })
    await populate(persons, new Map(groups.map(({ name, pk }) => [name, pk])))
  }

  async function populate(
    there: Record<string, unknown>[],
    groups: Map<unknown, unknown>,
  ): Promise<void> {
    for (const name of ['acme', 'globex']) {
      if (groups.has(name)) continue
      const made = await api('POST', '/core/groups/', { name, attributes: { tenant: name } })
      groups.set(name, z.object({ pk: z.string() }).parse(made).pk)
    }
    for (const { email, name, groups: names } of people) {
      const shape = {
        username: email,
        email,
        name,
        is_active: true,
        groups: names.map((one) => groups.get(one)),
      }
      const found = there.find(({ username }) => username === email)
      if (found) {
        if (found.is_active !== true || found.email !== email)
          await api('PATCH', `/core/users/${found.pk}/`, shape)
        continue
      }
      const { pk } = z
        .object({ pk: z.int() })
        .parse(await api('POST', '/core/users/', { ...shape, type: 'internal', path: 'users' }))
      await api('POST', `/core/users/${pk}/set_password/`, { password: demoPassword })
    }
  }

  return {
    baseUrl,
    get sandbox(): never {
      throw new Error('this server is no stand-in')
    },
    client,
    api,
    signIn: async (email) => void (await signIn(email)),
    takeRecoveryCodes: async (email) => takeRecoveryCodes(baseUrl, await signIn(email)),
    reset,
    close: async () => undefined,
  }
}
