import type { DemoHistory } from '@atrium/core/demo/demo-history'
import { html, page } from '../page.ts'
import { honoListener, type SandboxSystem, type SystemContext } from '../system.ts'
import { applicationResources, createApplicationListCache } from './api/applications.ts'
import { bindingResources } from './api/bindings.ts'
import { blueprintResources } from './api/blueprints.ts'
import { deviceResources } from './api/devices.ts'
import { directoryResources } from './api/directory.ts'
import { groupResources } from './api/groups.ts'
import { providerResources } from './api/providers.ts'
import { createApi } from './api/router.ts'
import { sessionResources } from './api/sessions.ts'
import { transactionalResources } from './api/transactional.ts'
import { userActionResources } from './api/user-actions.ts'
import { userResources } from './api/users.ts'
import { addDevice } from './devices.ts'
import { issueAccessToken, type TokenRejection } from './oidc/access-tokens.ts'
import { enterDeviceCode } from './oidc/device.ts'
import { serveFlows, serveOpenId } from './oidc/front.ts'
import { publicJwk, rotateKeys, signingKeys } from './oidc/keys.ts'
import { moveSignIns } from './oidc/logins.ts'
import { createLogoutNotices } from './oidc/logout.ts'
import { createOpenIdProviders } from './oidc/providers.ts'
import { userByEmail } from './people.ts'
import {
  type DeviceKind,
  emptyRecords,
  type IdentityRecords,
  type Store,
  type UserRecord,
} from './records.ts'
import { seedRecords } from './seed.ts'
import type { Countries } from './sign-in-rules.ts'
import { maskedState } from './state.ts'

export interface IdentityOptions {
  /** Origins of the two portals, for their redirect addresses. */
  readonly apps: { readonly portal: string; readonly operator: string }
  /** Lifetime of an access token, in seconds; 600 when absent. */
  readonly accessTokenSeconds?: number
  /** True: the default brand has a recovery flow from the start. */
  readonly recoveryFlow?: boolean
  /**
   * Milliseconds after the start during which flows, mappings, keys and brand do not exist yet, as
   * in a fresh authentik.
   */
  readonly coldStartMs?: number
  /** Like authentik's GeoIP database. Without it, no rule about countries is applied. */
  readonly countries?: Countries
  /** Its people have accounts from the start. */
  readonly history?: DemoHistory
}

export interface IdentitySystem extends SandboxSystem {
  /** The user with this e-mail address; undefined when there is none. */
  findUser(email: string): UserRecord | undefined
  /**
   * An access token as the sign-in of this person at this application (by slug) would end in, now
   * or at that moment.
   */
  issueToken(
    email: string,
    application: string,
    signedInAt?: Date,
  ): Promise<{ accessToken: string } | TokenRejection>
  /**
   * A new signing key; the old ones stay published unless they are dropped. Returns the published
   * key ids, newest first.
   */
  rotateKeys(options: { drop: boolean }): readonly string[]
  /**
   * Moves every sign-in of a person's browsers to that moment, and returns how many there are;
   * tokens name it after a refresh.
   */
  moveSignIns(user: UserRecord, signedInAt: Date): number
  /** Enrols an authenticator, which a real authentik allows in its own sign-in pages only. */
  addDevice(
    user: UserRecord,
    device: { kind: DeviceKind; name: string; confirmed: boolean },
  ): { pk: string }
  /** Resolves when no back-channel logout is under way. */
  settled(): Promise<void>
}

/**
 * The stand-in for authentik 2026.8: its REST API, its OpenID Connect endpoints and its sign-in
 * pages.
 */
export function createIdentity(context: SystemContext, options: IdentityOptions): IdentitySystem {
  const seed = (signingKeys: IdentityRecords['signingKeys']) =>
    seedRecords({
      seed: context.seed,
      apps: options.apps,
      accessTokenSeconds: options.accessTokenSeconds ?? 600,
      recoveryFlow: options.recoveryFlow ?? false,
      now: context.now(),
      signingKeys,
      history: options.history,
    })
  const store: Store = {
    records: seed([]),
    now: context.now,
    changed: context.changed,
    origin: context.origin,
  }
  const warmAt = context.now() + (options.coldStartMs ?? 0)
  const notices = createLogoutNotices(store)
  const cache = createApplicationListCache()
  const api = createApi(store, [
    ...groupResources,
    ...userResources(notices),
    ...userActionResources,
    ...sessionResources(notices),
    ...deviceResources,
    ...applicationResources(cache),
    ...providerResources,
    ...bindingResources,
    ...transactionalResources(cache),
    ...blueprintResources,
    ...directoryResources(() => context.now() >= warmAt, {
      geoip: options.countries !== undefined,
    }),
  ])
  const rest = honoListener({ fetch: (request) => serveRest(api, store, request) })
  const front = {
    store,
    notices,
    applications: createOpenIdProviders(store),
    countries: options.countries,
  }

  return {
    name: 'identity',
    listener(request, response) {
      const url = URL.parse(request.url ?? '/', context.origin())
      if (!url) {
        response.writeHead(400).end()
        return
      }
      if (url.pathname === '/device') return enterDeviceCode(front, url, response)
      const serve = url.pathname.startsWith('/application/o/')
        ? serveOpenId
        : url.pathname.startsWith('/if/')
          ? serveFlows
          : undefined
      if (!serve) return rest(request, response)
      serve(front, url, request, response).catch(() => {
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    },
    state: () => ({ ...maskedState(store.records), logoutNotices: notices.list() }),
    save: () => store.records,
    load(saved) {
      store.records = { ...emptyRecords(), ...(structuredClone(saved) as IdentityRecords) }
      cache.clear()
    },
    reset() {
      store.records = seed(store.records.signingKeys)
      cache.clear()
      notices.clear()
      store.changed()
    },
    // authentik sends its 5xx without a body.
    errorResponse: () => ({ headers: {}, body: '' }),
    findUser: (email) => userByEmail(store, email),
    issueToken: (email, application, signedInAt) =>
      issueAccessToken(store, email, application, signedInAt),
    moveSignIns: (user, signedInAt) => moveSignIns(store, user, signedInAt),
    rotateKeys(rotation) {
      rotateKeys(store, rotation)
      return signingKeys(store).map((key) => publicJwk(key).kid ?? '')
    },
    addDevice: (user, device) => addDevice(store, user, device),
    settled: () => notices.settled(),
  }
}

async function serveRest(
  api: (request: Request) => Promise<Response>,
  store: Store,
  request: Request,
): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/api/v3/')) return api(request)
  if (pathname === '/-/health/live/' || pathname === '/-/health/ready/')
    return new Response(null, { status: 200 })
  if (pathname !== '/')
    return new Response('<h1>Not Found</h1>', {
      status: 404,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
  const applications = store.records.applications.filter((one) => one.meta_launch_url !== '')
  const { body, headers } = page({
    title: 'Identity sandbox',
    body: html`<section class="card"><h1>Identity sandbox</h1><p>It stands in for authentik: REST under <code>/api/v3/</code>, OpenID Connect under <code>/application/o/</code>.</p>
<ul>${applications.map((one) => html`<li><a href="${one.meta_launch_url}">${one.name}</a></li>`)}</ul></section>`,
  })
  return new Response(body, { headers })
}
