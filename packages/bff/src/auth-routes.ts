import { createHash } from 'node:crypto'
import type { Database } from '@atrium/db/connect'
import type { Keyring } from '@atrium/db/encryption'
import { beginIdempotent, finishIdempotent, releaseIdempotent } from '@atrium/db/idempotency'
import { lifetimeDays, type WebApp } from '@atrium/db/web-sessions'
import { Hono } from 'hono'
import { AuthorizationResponseError } from 'openid-client'
import type { AppCookies } from './cookies.ts'
import type { Logger } from './log.ts'
import { IdentityProviderUnavailable, type OidcClient } from './oidc/client.ts'
import { InvalidLogoutToken, type VerifiedLogout } from './oidc/logout-token.ts'
import { type AppContext, type AppEnv, rawQuery } from './request.ts'
import { safeReturnTo } from './return-to.ts'
import type { Sessions, StoredTokens } from './sessions.ts'
import { openTransaction, sealTransaction, signInSeconds } from './sign-in-transaction.ts'

/** Why a sign-in came to nothing, as `/signed-out?error=` tells the page. */
export type SignInError = 'access_denied' | 'sign_in_expired' | 'sign_in_failed' | 'unavailable'

export interface AuthParts {
  app: WebApp
  publicUrl: string
  clientId: string
  database: Database
  keyring: Keyring
  cookies: AppCookies
  oidc: OidcClient
  sessions: Sessions
  verifyLogoutToken: (token: string) => Promise<VerifiedLogout>
  log: Logger
  now: () => Date
}

const sessionSeconds = lifetimeDays * 86_400
const logoutTokenLimit = 16 * 1024

/** `/auth/*`: signing in and out of an app, and the identity provider's notice that somebody was signed out elsewhere. */
export function authRoutes(parts: AuthParts): Hono<AppEnv> {
  const { app, publicUrl, keyring, cookies, oidc, sessions, log, now } = parts
  const routes = new Hono<AppEnv>()
  routes.use(async (c, next) => {
    await next()
    c.res.headers.set('cache-control', 'no-store')
  })

  routes.get('/login', async (c) => {
    const returnTo = safeReturnTo(c.req.query('returnTo'), publicUrl)
    try {
      const { url, secrets } = await oidc.startSignIn()
      cookies.pruneSignIns(c)
      const value = sealTransaction(keyring, app, { ...secrets, returnTo, startedAt: now().getTime() })
      cookies.writeSignIn(c, secrets.state, value, signInSeconds)
      return c.redirect(url, 302)
    } catch (err) {
      return signInFailed(c, err)
    }
  })

  routes.get('/callback', async (c) => {
    const state = c.req.query('state') ?? ''
    const cookie = state === '' ? undefined : cookies.readSignIn(c, state)
    const transaction = openTransaction(keyring, app, { cookie, state, now: now() })
    // A sign-in counts once, also one that fails.
    if (cookie !== undefined) cookies.writeSignIn(c, state, '', 0)
    const former = cookies.readSession(c)
    if (!transaction) {
      // Somebody who went back in the history to this address is signed in already.
      return (await sessions.find(former)) ? c.redirect('/', 303) : refuse(c, 'sign_in_expired')
    }
    try {
      const { tokens, person } = await oidc.finishSignIn(rawQuery(c), transaction)
      cookies.writeSession(c, await sessions.begin(tokens, person, former), sessionSeconds)
      return c.redirect(transaction.returnTo, 303)
    } catch (err) {
      return signInFailed(c, err)
    }
  })

  // Following a link changes nothing; signing out is a form's POST, which other sites cannot send.
  routes.get('/logout', (c) => c.redirect('/', 303))

  routes.post('/logout', async (c) => {
    const tokens = await sessions.end(cookies.readSession(c))
    cookies.writeSession(c, '', 0)
    return c.redirect(tokens ? await signOutAtProvider(tokens) : '/signed-out', 303)
  })

  routes.post('/backchannel-logout', async (c) => {
    const token = await readLogoutToken(c)
    if (token === undefined) return c.json({ error: 'invalid_request', error_description: 'A logout_token is needed.' }, 400)
    try {
      const logout = await parts.verifyLogoutToken(token)
      const ended = await onceOnly(logout, () => sessions.endLogin(logout.login))
      log.info({ ended }, 'the identity provider ended a login')
      return c.body(null, 200)
    } catch (err) {
      if (!(err instanceof InvalidLogoutToken)) throw err
      log.warn({ err }, 'a logout token was refused')
      return c.json({ error: 'invalid_request', error_description: 'The logout_token is not acceptable.' }, 400)
    }
  })

  function signInFailed(c: AppContext, err: unknown): Response {
    c.get('line').err = err
    if (err instanceof IdentityProviderUnavailable) return refuse(c, 'unavailable')
    const denied = err instanceof AuthorizationResponseError && err.error === 'access_denied'
    return refuse(c, denied ? 'access_denied' : 'sign_in_failed')
  }

  /** Ends the login at the provider too: its refresh token first, because authentik keeps those when a login ends. */
  async function signOutAtProvider(tokens: StoredTokens): Promise<string> {
    try {
      if (tokens.refresh !== undefined) await oidc.revoke(tokens.refresh)
    } catch (err) {
      log.warn({ err }, 'a refresh token was not revoked')
    }
    try {
      return (await oidc.signOutUrl(tokens.id)) ?? '/signed-out'
    } catch (err) {
      log.warn({ err }, 'the identity provider was not told of a sign-out')
      return '/signed-out'
    }
  }

  /** Runs for a logout token that no process has seen before. */
  async function onceOnly(logout: VerifiedLogout, act: () => Promise<number>): Promise<number> {
    const { db } = parts.database
    const scope = `backchannel-logout:${parts.clientId}`
    const key = createHash('sha256').update(logout.tokenId).digest('hex')
    if (await beginIdempotent(db, scope, key, key)) throw new InvalidLogoutToken('It was used before.')
    try {
      const ended = await act()
      await finishIdempotent(db, scope, key, 200, '')
      return ended
    } catch (error) {
      await releaseIdempotent(db, scope, key)
      throw error
    }
  }
  return routes
}

function refuse(c: AppContext, error: SignInError): Response {
  return c.redirect(`/signed-out?error=${error}`, 303)
}

async function readLogoutToken(c: AppContext): Promise<string | undefined> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  const length = Number(c.req.header('content-length'))
  if (type !== 'application/x-www-form-urlencoded' || !(length <= logoutTokenLimit)) return undefined
  const values = new URLSearchParams(await c.req.text()).getAll('logout_token')
  return values.length === 1 ? values[0] : undefined
}
