import { createHash } from 'node:crypto'
import type { Database } from '@atrium/db/platform/connect'
import type { Keyring } from '@atrium/db/platform/encryption'
import {
  beginIdempotent,
  finishIdempotent,
  releaseIdempotent,
} from '@atrium/db/platform/idempotency'
import { recordSignIn } from '@atrium/db/security-policy/sign-ins'
import { languageOfSubject } from '@atrium/db/users/languages'
import { expediteTemporaryPassword } from '@atrium/db/users/temporary-passwords'
import { findOldestSignIn, lifetimeDays, type WebApp } from '@atrium/db/users/web-sessions'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { Hono } from 'hono'
import { AuthorizationResponseError } from 'openid-client'
import { accountPath, flowAddress, isAccountPage } from './account-pages.ts'
import type { AccountFlows } from './config.ts'
import type { AppCookies } from './cookies.ts'
import { deviceOf } from './forwarding.ts'
import type { Logger } from './log.ts'
import { messagePage, windowPage } from './message-page.ts'
import { IdentityProviderUnavailable, type OidcClient, type SignedInPerson } from './oidc/client.ts'
import { InvalidLogoutToken, type VerifiedLogout } from './oidc/logout-token.ts'
import { type AppContext, type AppEnv, rawQuery } from './request.ts'
import { safeReturnTo } from './return-to.ts'
import type { Sessions, StoredTokens } from './sessions.ts'
import {
  openTransaction,
  sealTransaction,
  signInSeconds,
  type Transaction,
} from './sign-in-transaction.ts'

/** Why a sign-in failed, passed to the page as `/signed-out?error=`. */
export type SignInError =
  | 'access_denied'
  | 'sign_in_expired'
  | 'sign_in_failed'
  | 'sign_in_too_old'
  | 'unavailable'

export interface AuthParts {
  app: WebApp
  publicUrl: string
  issuer: string
  clientId: string
  accountFlows: AccountFlows
  recoveryFlow: string | undefined
  database: Database
  keyring: Keyring
  cookies: AppCookies
  oidc: OidcClient
  sessions: Sessions
  verifyLogoutToken: (token: string) => Promise<VerifiedLogout>
  trustedProxyHops: number
  countryHeader: string | undefined
  log: Logger
  now: () => Date
}

type Purpose = Pick<Transaction, 'returnTo' | 'recent' | 'again'> & {
  loginHint?: string | undefined
}

const sessionSeconds = lifetimeDays * 86_400
const logoutTokenLimit = 16 * 1024

/**
 * What a second sign-in asks for as `max_age`. Not 0, which authentik takes for none, and not
 * `prompt=login`, which it heeds once per session of its own.
 */
const recentSeconds = 30
const clockSeconds = 30
const confirmedPath = '/auth/confirmed'
const confirmedScript = '/auth/confirmed.js'
/** The page that waits looks at the session by itself; this only saves it the time until then. */
const tellAndClose = `const channel = new BroadcastChannel('atrium-sign-in')
channel.postMessage('signed-in')
setTimeout(() => window.close(), 200)
`
/** `/auth/*`: sign-in and sign-out of an app, and the identity provider's back-channel logout. */
export function authRoutes(parts: AuthParts): Hono<AppEnv> {
  const { app, publicUrl, keyring, cookies, oidc, sessions, log, now } = parts
  const routes = new Hono<AppEnv>()
  routes.use(async (c, next) => {
    await next()
    c.res.headers.set('cache-control', 'no-store')
  })

  routes.get('/login', async (c) => {
    const recent = c.req.query('recent') === '1'
    const requested = c.req.query('returnTo')
    const returnTo =
      recent && requested === undefined ? confirmedPath : safeReturnTo(requested, publicUrl)
    try {
      const session = recent ? await sessions.find(cookies.readSession(c)) : undefined
      return await sendToProvider(
        c,
        recent ? { returnTo, recent, loginHint: session?.email ?? undefined } : { returnTo },
      )
    } catch (err) {
      return signInFailed(c, err, recent)
    }
  })

  // The provider's own page for second factors, which only it knows the address of.
  routes.get('/second-factor', (c) => c.redirect(secondFactorPage(parts.issuer), 302))

  // In which a person changes what they sign in with, at the provider. First a sign-in, which asks
  // for nothing while the provider knows the browser: its flow rejects everyone else.
  routes.get('/account/:page', async (c) => {
    const page = c.req.param('page')
    const slug = isAccountPage(parts.accountFlows, page) ? parts.accountFlows[page] : undefined
    if (slug === undefined) return reject(c, 'sign_in_failed')
    try {
      if (c.req.query('open') === undefined)
        return c.redirect(await startSignIn(c, { returnTo: `/auth/account/${page}?open` }), 302)
      if (!(await sessions.find(cookies.readSession(c)))) return reject(c, 'sign_in_expired')
      const back = await startSignIn(c, { returnTo: accountPath[app] })
      return c.redirect(flowAddress(parts.issuer, slug, back), 302)
    } catch (err) {
      return signInFailed(c, err)
    }
  })

  // The same page for everybody: nobody learns who has an account.
  routes.get('/recovery', async (c) => {
    const text = serverPageTexts(c.get('language'))
    if (parts.recoveryFlow === undefined)
      return messagePage(c, 404, text('recovery.none.title'), text('recovery.none.hint'))
    try {
      const back = await startSignIn(c, { returnTo: '/' })
      return c.redirect(flowAddress(parts.issuer, parts.recoveryFlow, back), 302)
    } catch (err) {
      return signInFailed(c, err)
    }
  })

  // The final page of a second sign-in's window: notifies the waiting page and closes.
  routes.get('/confirmed', (c) =>
    windowPage(
      c,
      200,
      serverPageTexts(c.get('language'))('recentSignIn.done.title'),
      serverPageTexts(c.get('language'))('recentSignIn.done.hint'),
      confirmedScript,
    ),
  )
  routes.get('/confirmed.js', (c) =>
    c.body(tellAndClose, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  )

  routes.get('/callback', async (c) => {
    const state = c.req.query('state') ?? ''
    const cookie = state === '' ? undefined : cookies.readSignIn(c, state)
    const transaction = openTransaction(keyring, app, { cookie, state, now: now() })
    // A sign-in counts once, also one that fails.
    if (cookie !== undefined) cookies.writeSignIn(c, state, '', 0)
    const former = cookies.readSession(c)
    if (!transaction) {
      // The person went back in the history to this address and is signed in already.
      return (await sessions.find(former)) ? c.redirect('/', 303) : reject(c, 'sign_in_expired')
    }
    try {
      const { tokens, person } = await oidc.finishSignIn(rawQuery(c), transaction)
      if (transaction.recent && !isRecent(person, transaction)) {
        log.warn(
          { subject: person.subject, authTime: person.authTime ?? null },
          'identity provider did not require a new sign-in',
        )
        const text = serverPageTexts(c.get('language'))
        return windowPage(
          c,
          403,
          text('recentSignIn.notAsked.title'),
          text('recentSignIn.notAsked.hint'),
        )
      }
      if (await isTooOldForWorkplace(person)) {
        if (transaction.again) return reject(c, 'sign_in_too_old')
        return await sendToProvider(c, {
          returnTo: transaction.returnTo,
          again: true,
          loginHint: person.email,
        })
      }
      const device = deviceOf(c, parts)
      const session = await sessions.begin(tokens, person, device)
      await recordSignIn(parts.database.db, {
        app,
        subject: person.subject,
        secondFactor: person.secondFactor,
        address: device.address,
        country: device.country,
      })
        .then(() => expediteTemporaryPassword(parts.database.db, person.subject))
        .catch((err: unknown) => log.error({ err }, 'failed to record sign-in'))
      const language = await languageOfSubject(parts.database.db, person.subject)
      // The previous session ends, because others may know its cookie. Last, because other pages
      // send that cookie until this response is there.
      await sessions.end(former)
      cookies.writeSession(c, session, sessionSeconds)
      cookies.writeLanguage(c, language)
      return c.redirect(transaction.returnTo, 303)
    } catch (err) {
      return signInFailed(c, err, transaction.recent)
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
    if (token === undefined)
      return c.json(
        { error: 'invalid_request', error_description: 'A logout_token is needed.' },
        400,
      )
    try {
      const logout = await parts.verifyLogoutToken(token)
      const ended = await onceOnly(logout, () => sessions.endLogin(logout.login))
      log.info({ ended }, 'identity provider ended a login')
      return c.body(null, 200)
    } catch (err) {
      if (!(err instanceof InvalidLogoutToken)) throw err
      log.warn({ err }, 'logout token rejected')
      return c.json(
        { error: 'invalid_request', error_description: 'The logout_token is not acceptable.' },
        400,
      )
    }
  })

  /**
   * Sends the browser to the identity provider. `recent` and `again` ask for a sign-in of this
   * moment, although the person may be signed in there.
   */
  async function sendToProvider(c: AppContext, purpose: Purpose): Promise<Response> {
    return c.redirect(await startSignIn(c, purpose), 302)
  }

  /** The provider's address of a sign-in, which a cookie binds to this browser. */
  async function startSignIn(c: AppContext, { loginHint, ...purpose }: Purpose): Promise<string> {
    const maxAge = purpose.recent || purpose.again ? recentSeconds : undefined
    const { url, secrets } = await oidc.startSignIn({ maxAge, loginHint })
    cookies.pruneSignIns(c)
    const startedAt = now().getTime()
    const value = sealTransaction(keyring, app, { ...secrets, ...purpose, startedAt })
    cookies.writeSignIn(c, secrets.state, value, signInSeconds)
    return url
  }

  /**
   * Whether a workplace of the person limits sessions and this sign-in is older: signing in there
   * without a password would get round the limit.
   */
  async function isTooOldForWorkplace({ subject, authTime }: SignedInPerson): Promise<boolean> {
    if (app !== 'portal' || authTime === undefined) return false
    const minutes = await findOldestSignIn(parts.database, subject)
    return minutes !== null && now().getTime() / 1000 - authTime > minutes * 60 + clockSeconds
  }

  function signInFailed(c: AppContext, err: unknown, recent = false): Response | Promise<Response> {
    c.get('line').err = err
    const unavailable = err instanceof IdentityProviderUnavailable
    // The session that was there before is still good; only its window has nothing more to do.
    if (recent) {
      const text = serverPageTexts(c.get('language'))
      return windowPage(
        c,
        unavailable ? 503 : 403,
        text('recentSignIn.failed.title'),
        text('recentSignIn.failed.hint'),
      )
    }
    if (unavailable) return reject(c, 'unavailable')
    const denied = err instanceof AuthorizationResponseError && err.error === 'access_denied'
    return reject(c, denied ? 'access_denied' : 'sign_in_failed')
  }

  /**
   * Ends the login at the provider too: its refresh token first, because authentik keeps those when
   * a login ends.
   */
  async function signOutAtProvider(tokens: StoredTokens): Promise<string> {
    try {
      if (tokens.refresh !== undefined) await oidc.revoke(tokens.refresh)
    } catch (err) {
      log.warn({ err }, 'failed to revoke refresh token')
    }
    try {
      return (await oidc.signOutUrl(tokens.id)) ?? '/signed-out'
    } catch (err) {
      log.warn({ err }, 'failed to sign out at the identity provider')
      return '/signed-out'
    }
  }

  /** Runs for a logout token that no process has seen before. */
  async function onceOnly(logout: VerifiedLogout, act: () => Promise<number>): Promise<number> {
    const { db } = parts.database
    const scope = `backchannel-logout:${parts.clientId}`
    const key = createHash('sha256').update(logout.tokenId).digest('hex')
    const run = await beginIdempotent(db, { scope, key, requestHash: key })
    if (!run) throw new InvalidLogoutToken('It was used before.')
    try {
      const ended = await act()
      await finishIdempotent(db, run, { status: 200, sealed: null })
      return ended
    } catch (error) {
      await releaseIdempotent(db, run)
      throw error
    }
  }
  return routes
}

/** authentik's page of a person's second factors; its issuers end in `/application/o/<slug>/`. */
function secondFactorPage(issuer: string): string {
  const page = encodeURIComponent(JSON.stringify({ page: 'page-mfa' }))
  return `${issuer.split('/application/o/', 1)[0]}/if/user/#/settings;${page}`
}

/**
 * Whether a second sign-in was one: not older, when the browser was sent away, than was asked for
 * (OpenID Connect Core 1.0 section 3.1.3.7, number 13), give or take the difference of two clocks.
 */
function isRecent({ authTime }: SignedInPerson, { startedAt }: Transaction): boolean {
  return (
    authTime !== undefined &&
    authTime >= Math.floor(startedAt / 1000) - recentSeconds - clockSeconds
  )
}

function reject(c: AppContext, error: SignInError): Response {
  return c.redirect(`/signed-out?error=${error}`, 303)
}

async function readLogoutToken(c: AppContext): Promise<string | undefined> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  const length = Number(c.req.header('content-length'))
  if (type !== 'application/x-www-form-urlencoded' || !(length <= logoutTokenLimit))
    return undefined
  const values = new URLSearchParams(await c.req.text()).getAll('logout_token')
  return values.length === 1 ? values[0] : undefined
}
