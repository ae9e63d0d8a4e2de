import type { IncomingMessage, ServerResponse } from 'node:http'
import { notFound, redirect, sendJson, sendPage } from '../login/http.ts'
import { messagePage } from '../login/pages.ts'
import { recover } from '../login/recovery.ts'
import { changeSettings } from '../login/settings.ts'
import { signIn } from '../login/sign-in.ts'
import { signOut, startSignOut } from '../login/sign-out.ts'
import { newUuid, type Store } from '../records.ts'
import type { Countries } from '../sign-in-rules.ts'
import { readAccessToken } from './access-tokens.ts'
import { scopeClaims } from './claims.ts'
import { startDevice } from './device.ts'
import { publicJwk, signingKeys } from './keys.ts'
import type { LogoutNotices } from './logout.ts'
import type { Application } from './providers.ts'

export interface FrontParts {
  readonly store: Store
  readonly notices: LogoutNotices
  readonly applications: (slug: string) => Application | undefined
  readonly countries: Countries | undefined
}

/** Everything under `/application/o/`. Paths end in a slash, discovery excepted. */
export async function serveOpenId(
  parts: FrontParts,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { store, applications } = parts
  const [slug = '', ...rest] = url.pathname.slice('/application/o/'.length).split('/')
  const tail = rest.join('/')
  if (slug === 'userinfo' && tail === '') return userinfo(store, request, response)
  if (slug === 'device' && tail === '') return startDevice(parts, request, response)
  const app = applications(slug)
  if (!app) return notFound(response)

  if (tail === '')
    return redirect(response, `/application/o/${slug}/.well-known/openid-configuration`)
  if (tail === 'jwks/') return keySet(store, app, response)
  if (tail === 'end-session/') return startSignOut(store, app, url, response)
  const rejection = rejectedGrant(app, tail)
  if (rejection) return rejection(response)
  if (
    !/^(\.well-known\/openid-configuration|authorize\/([^/]+)?|token\/|revoke\/|device(\/[^/]+)?)$/.test(
      tail,
    )
  )
    return notFound(response)

  // authentik takes 0 for none; oidc-provider would make prompt=login of it.
  if (url.searchParams.get('max_age') === '0') url.searchParams.delete('max_age')
  // oidc-provider takes the part of originalUrl before url as the path that it is mounted on.
  Object.assign(request, { originalUrl: request.url, url: `/${tail}${url.search}` })
  await app.openId.callback()(request, response)
}

/** Everything under `/if/`: the pages that a person sees. */
export async function serveFlows(
  parts: FrontParts,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { store, notices, applications, countries } = parts
  const [, , area, name] = url.pathname.split('/')
  if (area === 'signin') {
    const app = applications(name ?? '')
    return app ? signIn({ store, notices, app, countries }, request, response) : notFound(response)
  }
  if (area !== 'flow') return notFound(response)
  const flow = store.records.flows.find((one) => one.slug === name)
  if (flow?.designation === 'invalidation') {
    const app = applications(url.searchParams.get('application') ?? '')
    return app ? signOut(store, notices, { app, flow }, url, request, response) : notFound(response)
  }
  if (flow?.designation === 'stage_configuration') {
    const app = applications(store.records.applications[0]?.slug ?? '')
    return app ? changeSettings(store, { app, flow, url }, request, response) : notFound(response)
  }
  if (flow && url.searchParams.has('flow_token'))
    return recover({ store, countries }, url, request, response)
  notFound(response)
}

/** authentik: a provider whose grant types are empty rejects every authorize and token request. */
function rejectedGrant(
  { provider }: Application,
  tail: string,
): ((response: ServerResponse) => void) | undefined {
  if (tail.startsWith('authorize/') && !provider.grant_types.includes('authorization_code')) {
    const text = 'invalid_request: the provider does not have the authorization_code grant type.'
    return (response) => sendPage(response, 400, messagePage('Sign-in failed', text))
  }
  if (tail === 'token/' && provider.grant_types.length === 0) {
    const body = {
      error: 'invalid_grant',
      error_description:
        'The provided authorization grant or refresh token is invalid, expired, or revoked.',
      request_id: newUuid().replaceAll('-', ''),
    }
    return (response) => sendJson(response, 400, body)
  }
  return undefined
}

/** Without a signing key the set has no `keys` at all, as in authentik. */
function keySet(store: Store, { provider }: Application, response: ServerResponse): void {
  const body = provider.signing_key ? { keys: signingKeys(store).map(publicJwk) } : {}
  sendJson(response, 200, body, { 'access-control-allow-origin': '*' })
}

async function userinfo(
  store: Store,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const found = token === undefined ? undefined : await readAccessToken(store, token)
  if (!found) {
    const text =
      'error="invalid_token", error_description="The access token provided is expired, revoked, malformed, or invalid for other reasons"'
    response.writeHead(401, { 'www-authenticate': text }).end()
    return
  }
  sendJson(response, 200, { sub: found.user.uid, ...scopeClaims(store, found.user, found.scopes) })
}
