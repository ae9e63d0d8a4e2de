import type { RequestListener } from 'node:http'
import { manageLinkLifeMs } from '@atrium/core/booking-life'
import { AppError } from '@atrium/core/errors'
import { longestGuardWindowMinutes } from '@atrium/core/flag-guards'
import { ensureAuditPartitions } from '@atrium/db/audit'
import { eraseManageTokens } from '@atrium/db/bookings'
import type { Database } from '@atrium/db/connect'
import { deleteExpiredIdempotencyKeys } from '@atrium/db/idempotency'
import { deleteExpiredMailProfileLinks } from '@atrium/db/mail-profile-links'
import { deleteOldImports } from '@atrium/db/member-imports'
import { deleteRemovedPeople } from '@atrium/db/member-work'
import { deleteExpiredRateLimits } from '@atrium/db/rate-limits'
import { deleteRequestCounts } from '@atrium/db/request-counts'
import { deleteExpiredSlotLocks } from '@atrium/db/slot-locks'
import { deleteExpiredWebSessions } from '@atrium/db/web-sessions'
import { emptyOldPayloads } from '@atrium/db/webhook-inbox'
import type { Integrations } from '@atrium/integrations/connect'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createAuditRecorder } from './audit/recorder.ts'
import { createBackgroundWork } from './background.ts'
import { runDunning } from './billing/dunning.ts'
import { reconcileBilling } from './billing/reconcile.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import type { RequestFacts } from './context.ts'
import { checkDueDomains } from './domains/jobs.ts'
import { ofrepCallsPerMinute } from './flags/evaluate.ts'
import { createFlags } from './flags/evaluator.ts'
import { rollBackBrokenFlags } from './flags/roll-back.ts'
import { checkReadiness } from './health.ts'
import { refreshAllHealth } from './health-scores/compute.ts'
import type { House } from './house.ts'
import { createIntegrationChecks } from './integration-checks.ts'
import { createJobs } from './jobs.ts'
import { sweepLists } from './lists/sweep.ts'
import { createLiveness } from './liveness.ts'
import type { Logger } from './log.ts'
import { runImport } from './members/import-run.ts'
import { settleMember, sweepMembers } from './members/jobs.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { drainOutbox, eraseMails } from './outbox/drain.ts'
import { createOutbox } from './outbox/outbox.ts'
import { createMonthlyPayouts } from './payouts/create.ts'
import { provisionTenant, sweepProvisioning } from './provisioning/jobs.ts'
import { createRateLimit } from './rate-limit.ts'
import { refreshGroupReadings } from './readings/readers.ts'
import { checkReports, keepReports } from './reports/jobs.ts'
import { createRequestCounts } from './request-counts.ts'
import { askCalendar, createBusyTimes } from './scheduling/busy-times.ts'
import { checkCalendars } from './scheduling/calendar-drift.ts'
import { observeCalendarLag } from './scheduling/calendar-lag.ts'
import { drainCalendars } from './scheduling/calendar-sync.ts'
import { allowVisitors } from './scheduling/cors.ts'
import { sweepCredentials } from './scheduling/credential-jobs.ts'
import { expireBookings } from './scheduling/expire-bookings.ts'
import { sendReminders } from './scheduling/remind.ts'
import { rotateKeys } from './scheduling/rotate-keys.ts'
import { sweepSsoApps } from './sso/sweep.ts'
import { settleSubscriptions } from './subscriptions/due.ts'
import { createTenantChanges } from './tenants/changes.ts'
import { createTokenVerifier } from './token.ts'
import { docsPages } from './transport/docs.ts'
import { type AppEnv, chooseRequestId } from './transport/facts.ts'
import { problemResponse } from './transport/problems.ts'
import { registerRest } from './transport/rest.ts'
import { answerTrpc } from './transport/trpc.ts'
import { createTurns } from './turns.ts'
import { version } from './version.ts'
import { takeWebhook } from './webhooks/intake.ts'
import { drainWebhooks } from './webhooks/process.ts'

export interface AppParts {
  config: Config
  database: Database
  integrations: Integrations
  log: Logger
  clock?: Clock
  metrics?: Metrics
}

export interface App {
  /** Answers a request; what tests call. */
  fetch: Hono<AppEnv>['fetch']
  /** The same for Node's HTTP server. */
  listener: RequestListener
  house: House
  /** Connects what listens and starts the job engine. The app answers before, but jobs wait and streams see no changes. */
  start(): Promise<void>
  /** Lets work under way end, then closes everything this app opened. The database is the caller's to close. */
  stop(): Promise<void>
}

export const bodyLimitBytes = 1024 * 1024
/** How long the payload of a payment event is kept; then its hash stands in its place. */
const payloadDays = 90

/** The whole service without its listening socket. Dependencies come in by hand; nothing here reads the environment. */
export function createApp(parts: AppParts): App {
  const { config, database, integrations, log } = parts
  const clock = parts.clock ?? systemClock
  const metrics = parts.metrics ?? createMetrics()
  observeCalendarLag(metrics, database.db)
  const jobs = createJobs({ databaseUrl: config.databaseUrl, db: database.db, log, metrics })
  const house: House = {
    config,
    database,
    systems: integrations,
    clock,
    log,
    metrics,
    tokens: createTokenVerifier({ ...config.tokens, clock, log }),
    audit: createAuditRecorder({ database, clock, log, metrics, chained: config.auditHashChain }),
    jobs,
    outbox: createOutbox({ config, clock, jobs }),
    changes: createTenantChanges(database, log),
    flags: createFlags({ database, clock, log }),
    ofrepLimit: createRateLimit({ perMinute: ofrepCallsPerMinute, clock }),
    requestCounts: createRequestCounts({ database, clock, log }),
    background: createBackgroundWork(log),
    turns: createTurns(),
    busyTimes: createBusyTimes(
      (host, span) => askCalendar(house, host, span),
      () => clock.now().getTime(),
    ),
  }
  const checks = createIntegrationChecks(integrations, clock, log)
  const app = new Hono<AppEnv>()
  const liveness = createLiveness({ clock, metrics })

  // What stands in the line of a request is of our own making and no secret: searching it for one costs more than the line.
  const requestLog = log.child({}, { redact: [] })
  app.use(async (c, next) => {
    const started = performance.now()
    const requestId = chooseRequestId(c.req.header('x-request-id'))
    c.set('requestId', requestId)
    const line: RequestFacts['line'] = {}
    c.set('line', line)
    // On the socket's answer where there is one: a header on `c.res` turns every light response into a full one.
    const { outgoing } = c.env
    outgoing?.setHeader('x-request-id', requestId)
    await next()
    if (!outgoing) c.res.headers.set('x-request-id', requestId)
    const seconds = (performance.now() - started) / 1000
    const route = c.get('route') ?? 'other'
    metrics.observeRequest(c.req.method, route, c.res.status, seconds)
    requestLog.info(
      { requestId, method: c.req.method, path: c.req.path, route, ...line, status: c.res.status, ms: Math.round(seconds * 1000) },
      'request',
    )
  })
  app.onError((error, c) => {
    const response = problemResponse(error, c.get('requestId'))
    if (response.status >= 500) log.error({ err: error, requestId: c.get('requestId') }, 'a request failed')
    return response
  })
  app.notFound((c) => problemResponse(new AppError('not_found', 'There is nothing at this address.'), c.get('requestId')))

  app.get('/health/ready', async (c) => {
    c.set('route', '/health/ready')
    const readiness = await checkReadiness(house, checks)
    return c.json(readiness, readiness.ready ? 200 : 503)
  })
  let document: object | undefined
  app.get('/openapi.json', async (c) => {
    // Loaded when somebody asks: it takes a tenth of the start and few processes are ever asked.
    const { openApiDocument } = await import('./transport/openapi.ts')
    document ??= openApiDocument(version, '/')
    return c.json(document)
  })
  app.route('/docs', docsPages())

  const tooLarge = () => {
    throw new AppError('too_large')
  }
  // Nothing reads the body of a GET, and to look for one builds a whole Request.
  app.on(['POST', 'PUT', 'PATCH', 'DELETE'], '*', bodyLimit({ maxSize: bodyLimitBytes, onError: tooLarge }))
  app.all('/trpc/*', (c) => answerTrpc(c, house))
  app.all('/webhooks/stripe', (c) => takeWebhook(c, house))
  allowVisitors(app)
  registerRest(app, house)

  const listener = getRequestListener(app.fetch)
  return {
    fetch: (request, env, executionContext) => liveness.fetch(request) ?? app.fetch(request, env, executionContext),
    listener(incoming, outgoing) {
      if (!liveness.handle(incoming, outgoing)) void listener(incoming, outgoing)
    },
    house,
    async start() {
      await house.changes.start()
      await house.flags.start()
      house.requestCounts.start()
      await house.jobs.start({
        provisionTenant: (tenantId) => provisionTenant(house, tenantId),
        sweepProvisioning: () => sweepProvisioning(house),
        sweepSsoApps: async () => void (await sweepSsoApps(house)),
        sweepLists: () => sweepLists(house),
        refreshReadings: (group, kind) => refreshGroupReadings(house, group, kind),
        checkDomains: () => checkDueDomains(house),
        settleMember: (tenantId, userId) => settleMember(house, tenantId, userId),
        runImport: (importId) => runImport(house, importId),
        sweepMembers: () => sweepMembers(house),
        sendMails: () => drainOutbox(house),
        rollBackBrokenFlags: () => rollBackBrokenFlags(house),
        settleSubscriptions: () => settleSubscriptions(house),
        createPayouts: async () => void (await createMonthlyPayouts(house)),
        refreshHealth: async () => void (await refreshAllHealth(house)),
        drainWebhooks: () => drainWebhooks(house),
        runDunning: () => runDunning(house),
        reconcileBilling: () => reconcileBilling(house),
        keepReports: () => keepReports(house),
        checkReports: async () => void (await checkReports(house)),
        sweepCredentials: () => sweepCredentials(house),
        expireBookings: () => expireBookings(house),
        writeCalendars: () => drainCalendars(house),
        checkCalendars: () => checkCalendars(house),
        sendReminders: () => sendReminders(house),
        async cleanUp() {
          await rotateKeys(house)
          await emptyOldPayloads(database.db, payloadDays)
          await deleteRequestCounts(database.db, new Date(clock.now().getTime() - (longestGuardWindowMinutes + 60) * 60_000))
          await eraseMails(house)
          await deleteRemovedPeople(database.db)
          await deleteOldImports(database.db)
          await deleteExpiredIdempotencyKeys(database.db)
          await eraseManageTokens(database.db, new Date(clock.now().getTime() - manageLinkLifeMs))
          await deleteExpiredRateLimits(database.db, clock.now())
          await deleteExpiredSlotLocks(database.db, clock.now())
          await deleteExpiredWebSessions(database.db)
          await deleteExpiredMailProfileLinks(database.db)
          await ensureAuditPartitions(database.db, 3)
        },
      })
      await checks.refresh()
    },
    async stop() {
      await house.background.settled()
      await house.jobs.stop()
      await house.changes.stop()
      await house.flags.stop()
      await house.requestCounts.stop()
    },
  }
}
