import { AppError } from '@atrium/core/platform/errors'
import { commit } from '@atrium/core/platform/version'
import type { Database } from '@atrium/db/platform/connect'
import { pingDatabase } from '@atrium/db/platform/readiness'
import { detectLanguage } from '@atrium/messages/detect-language'
import { Hono } from 'hono'
import { apiRoutes } from './api-routes.ts'
import { adminArea, partnerArea } from './area-guards.ts'
import { authRoutes } from './auth-routes.ts'
import type { AppConfig } from './config.ts'
import { createCookies } from './cookies.ts'
import { claimPath, createInvitations, invitationPath } from './invitation.ts'
import { readJsonBody } from './json-body.ts'
import type { Logger } from './log.ts'
import { createMailProfiles, linkPath } from './mail-profile.ts'
import type { Metrics } from './metrics.ts'
import { createOidcClient } from './oidc/client.ts'
import { createLogoutTokenVerifier } from './oidc/logout-token.ts'
import { problemResponse, toRejection } from './problems.ts'
import { createApiProxy } from './proxy.ts'
import { type AppEnv, rawQuery } from './request.ts'
import { requestLog } from './request-log.ts'
import { sameOriginOnly } from './same-origin.ts'
import { securityHeaders } from './security-headers.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { nothingHere, type StaticFiles, wantsPage } from './static-files.ts'
import { createUnsubscribing, unsubscribePath } from './unsubscribe.ts'
import { createUpstream } from './upstream.ts'

export interface BffOptions {
  config: AppConfig
  database: Database
  files: StaticFiles
  log: Logger
  version: string
  metrics?: Metrics | undefined
  now?: () => Date
  /** Ends readiness; given by the server that stops. */
  draining?: AbortSignal
  /** Ends open streams; given by the server that stops. */
  stopping?: AbortSignal
  /** How often a stream makes sure that its session still exists, in milliseconds. */
  streamCheckMs?: number
  /** How long the identity provider may take for a call, in seconds. */
  idpDeadlineSeconds?: number
}

export interface Bff {
  app: Hono<AppEnv>
  sessions: Sessions
  /** Waits for refreshes under way and lets go of the connections to the API. */
  close(): Promise<void>
}

// Names of procedures, a batch joined by commas; nothing with which a path could climb out of
// /trpc.
const trpcTarget = /^\/trpc\/\w+(\.\w+)*((,|%2c)\w+(\.\w+)*)*$/i

/**
 * The server side of the portal or operator app: signs people in, keeps their tokens, carries their
 * calls to the API and serves the pages (backend for frontend, RFC 10017). The browser holds a
 * session cookie and nothing else.
 */
export function createBff(options: BffOptions): Bff {
  const { config, database, files, log, version, now = () => new Date() } = options
  const { app: name, publicUrl, keyring, oidc: idp } = config
  const oidc = createOidcClient({
    ...idp,
    publicUrl,
    ...(options.idpDeadlineSeconds !== undefined && {
      deadlineSeconds: options.idpDeadlineSeconds,
    }),
  })
  const sessions = createSessions({ app: name, database, keyring, oidc, log })
  const cookies = createCookies(name, publicUrl)
  const upstream = createUpstream(config.apiUrl)
  const proxy = createApiProxy({
    app: name,
    sessions,
    upstream,
    cookies,
    trustedProxyHops: config.trustedProxyHops,
    countryHeader: config.countryHeader,
    appSecret: config.appSecret,
    log,
    stopping: options.stopping ?? new AbortController().signal,
    ...(options.streamCheckMs !== undefined && { streamCheckMs: options.streamCheckMs }),
  })
  const verifyLogoutToken = createLogoutTokenVerifier({
    issuer: idp.issuer,
    clientId: idp.clientId,
    keysUrl: oidc.keysUrl,
    now,
  })
  const startedAt = performance.now()

  const app = new Hono<AppEnv>()
  if (options.metrics) app.use(options.metrics.observe)
  app.use(
    requestLog(log),
    securityHeaders({ publicUrl, issuer: idp.issuer, stripeForm: config.stripeForm }),
  )
  app.use(detectLanguage())
  const sameOrigin = sameOriginOnly(publicUrl)
  // What other servers and mail programs send; the token is their proof.
  app.use((c, next) =>
    c.req.path === '/auth/backchannel-logout' || c.req.path.startsWith(unsubscribePath)
      ? next()
      : sameOrigin(c, next),
  )

  app.get('/health', (c) =>
    c.json(
      {
        service: `atrium-${name}`,
        status: 'ok',
        version,
        commit,
        uptimeSeconds: Math.floor((performance.now() - startedAt) / 1000),
      },
      200,
      {
        'cache-control': 'no-store',
      },
    ),
  )
  app.get('/health/ready', async (c) => {
    const ready = options.draining?.aborted !== true && (await responds(database))
    return c.json({ ready }, ready ? 200 : 503, { 'cache-control': 'no-store' })
  })
  app.route(
    '/auth',
    authRoutes({
      app: name,
      publicUrl,
      issuer: idp.issuer,
      clientId: idp.clientId,
      accountFlows: config.accountFlows,
      recoveryFlow: config.recoveryFlow,
      database,
      keyring,
      cookies,
      oidc,
      sessions,
      verifyLogoutToken,
      trustedProxyHops: config.trustedProxyHops,
      countryHeader: config.countryHeader,
      log,
      now,
    }),
  )
  const mailProfiles =
    name === 'portal'
      ? createMailProfiles({
          publicUrl,
          database,
          proxy,
          log,
          now,
          mailHost: config.mailHost,
          signing: config.profileSigning,
        })
      : undefined
  app.route(
    '/api',
    apiRoutes({
      app: name,
      cookies,
      sessions,
      proxy,
      staffGroups: config.staffGroups,
      tenantGroupPrefix: config.tenantGroupPrefix,
      mailProfiles,
      apiPublicUrl: config.apiPublicUrl,
    }),
  )
  if (mailProfiles)
    app.get(`${linkPath}:token`, (c) => mailProfiles.redeem(c, c.req.param('token')))
  if (name === 'portal') {
    const { trustedProxyHops, countryHeader, appSecret } = config
    const linkParts = { upstream, trustedProxyHops, countryHeader, appSecret }
    const invitations = createInvitations(linkParts)
    const unsubscribing = createUnsubscribing(linkParts)
    app.get(`${invitationPath}:token`, (c) => invitations.show(c, c.req.param('token')))
    app.post(`${invitationPath}:token`, (c) => invitations.act(c, c.req.param('token')))
    app.get(`${claimPath}:token`, (c) => invitations.showMove(c))
    app.post(`${claimPath}:token`, (c) => invitations.move(c, c.req.param('token')))
    app.get(`${unsubscribePath}:token`, (c) => unsubscribing.show(c, c.req.param('token')))
    app.post(`${unsubscribePath}:token`, (c) => unsubscribing.act(c, c.req.param('token')))
  }

  app.all('/trpc/*', async (c) => {
    const { method } = c.req
    if (method !== 'GET' && method !== 'POST') throw new AppError('method_not_allowed')
    const path = (c.env.incoming.url ?? '').split('?', 1)[0] ?? ''
    if (!trpcTarget.test(path)) throw nothingHere()
    const session = await proxy.requireSession(c)
    const body = method === 'POST' ? await readJsonBody(c) : undefined
    return proxy.forward(c, session, { method, target: path + rawQuery(c), body })
  })

  const parts = { cookies, sessions, proxy }
  const [admin, partner] = [adminArea(parts), partnerArea(parts)]
  app.get('*', async (c, next) => (await files.file(c)) ?? next())
  for (const path of ['/admin', '/admin/*']) app.get(path, admin)
  for (const path of ['/partner', '/partner/*']) app.get(path, partner)
  app.get('*', async (c, next) => (wantsPage(c) ? files.page(c) : next()))

  app.notFound((c) => problemResponse(c, nothingHere()))
  app.onError((error, c) => {
    const rejection = toRejection(error)
    if (rejection.status >= 500) c.get('line').err = error
    const response = problemResponse(c, rejection)
    // A cookie that was taken back before the rejection goes out with it.
    for (const cookie of c.res.headers.getSetCookie()) response.headers.append('set-cookie', cookie)
    return response
  })
  return {
    app,
    sessions,
    async close() {
      await sessions.settled()
      upstream.close()
    },
  }
}

/** Whether the database with the sessions responds within two seconds. */
function responds({ db }: Database): Promise<boolean> {
  const timeout = new Promise<false>((done) => setTimeout(() => done(false), 2_000).unref())
  const ping = pingDatabase(db).then(
    () => true,
    () => false,
  )
  return Promise.race([ping, timeout])
}
