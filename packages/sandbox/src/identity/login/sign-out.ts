import type { IncomingMessage, ServerResponse } from 'node:http'
import { decodeJwt } from 'jose'
import { endLogin } from '../oidc/logins.ts'
import type { LogoutNotices } from '../oidc/logout.ts'
import { cookieNames, redirectMatches } from '../oidc/provider.ts'
import type { Application } from '../oidc/providers.ts'
import type { FlowRecord, Store } from '../records.ts'
import { redirect, sendPage } from './http.ts'
import { messagePage } from './pages.ts'

/**
 * `/application/o/<slug>/end-session/`: leads into the invalidation flow, where the session ends
 * (RP-Initiated Logout 1.0). Rejects an address to return to that the provider does not list, and a
 * hint that belongs to another application.
 */
export function startSignOut(
  { records }: Store,
  { provider, application }: Application,
  url: URL,
  response: ServerResponse,
): void {
  const target = url.searchParams.get('post_logout_redirect_uri')
  const hint = url.searchParams.get('id_token_hint')
  const fault =
    hint !== null && audienceOf(hint) !== provider.client_id
      ? 'The id_token_hint belongs to another application.'
      : target !== null && !mayReturnTo(provider.redirect_uris, target)
        ? 'The post_logout_redirect_uri is not registered.'
        : undefined
  if (fault !== undefined) {
    sendPage(response, 400, messagePage('Sign-out failed', fault))
    return
  }
  const flow = new URLSearchParams({ application: application.slug })
  for (const name of ['post_logout_redirect_uri', 'state']) {
    const value = url.searchParams.get(name)
    if (value !== null) flow.set(name, value)
  }
  const slug = records.flows.find(({ pk }) => pk === provider.invalidation_flow)?.slug
  redirect(response, `/if/flow/${slug ?? endsLogin}/?${flow}`)
}

/** authentik's flow with a logout stage; that for providers has none. */
const endsLogin = 'default-invalidation-flow'

/**
 * The invalidation flow: ends the login of this browser and notifies the applications, where it is
 * the one that does, and returns to the application that asked.
 */
export async function signOut(
  store: Store,
  notices: LogoutNotices,
  { app, flow }: { app: Application; flow: FlowRecord },
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (flow.slug === endsLogin) {
    const context = app.openId.createContext(request, response)
    const session = await app.openId.Session.get(context)
    const login = store.records.logins.find((one) => one.uid === session.uid)
    if (login) endLogin(store, notices, login)
    context.cookies.set(cookieNames(store).session, null, { path: '/', signed: true })
  }

  const target = url.searchParams.get('post_logout_redirect_uri')
  if (target === null || !mayReturnTo(app.provider.redirect_uris, target)) {
    const link = app.application.meta_launch_url
      ? { href: app.application.meta_launch_url, label: `Back to ${app.application.name}` }
      : undefined
    return sendPage(
      response,
      200,
      messagePage('You are signed out', `of ${app.application.name} and of this sandbox.`, link),
    )
  }
  const back = new URL(target)
  const state = url.searchParams.get('state')
  if (state !== null) back.searchParams.set('state', state)
  redirect(response, back.href)
}

function mayReturnTo(uris: Application['provider']['redirect_uris'], target: string): boolean {
  if (!URL.canParse(target)) return false
  return uris.some(
    (uri) =>
      uri.redirect_uri_type === 'logout' && redirectMatches(uri.matching_mode, uri.url, target),
  )
}

function audienceOf(token: string): string | undefined {
  try {
    const { aud } = decodeJwt(token)
    return typeof aud === 'string' ? aud : aud?.[0]
  } catch {
    return undefined
  }
}
