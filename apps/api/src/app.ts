import type { RequestListener } from 'node:http'
import { AppError } from '@atrium/core/errors'
import type { Database } from '@atrium/db/connect'
import type { Integrations } from '@atrium/integrations/connect'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createAuditRecorder } from './audit/recorder.ts'
import { createBackgroundWork } from './background.ts'
import { runDunning } from './billing/dunning.ts'
import { reconcileBilling } from './billing/reconcile.ts'
import { cleanUp } from './clean-up.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { onDatabaseTime } from './database-time.ts'
import { checkDueDomains } from './domains/jobs.ts'
import { followDueEntitlements } from './entitlements/follow.ts'
import { createFlags } from './flags/evaluator.ts'
import { rollBackBrokenFlags } from './flags/roll-back.ts'
import { checkReadiness, type Readiness } from './health.ts'
import { refreshAllHealth } from './health-scores/compute.ts'
import type { House } from './house.ts'
import { createIntegrationChecks } from './integration-checks.ts'
import { createJobs } from './jobs.ts'
import { createLimits } from './limits.ts'
import { sweepLists } from './lists/sweep.ts'
import { createLiveness } from './liveness.ts'
import type { Logger } from './log.ts'
import { runImport } from './members/import-run.ts'
import { settleMember, sweepMembers } from './members/jobs.ts'
import { createMemberLeases } from './members/leases.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { drainOutbox } from './outbox/drain.ts'
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
import { sweepSsoApps } from './sso/sweep.ts'
import { settleSubscriptions } from './subscriptions/due.ts'
import { observeSystem } from './system/observe.ts'
import { createUpstreamCalls, type UpstreamCalls } from './system/upstream-calls.ts'
import { createTenantChanges } from './tenants/changes.ts'
import { createTokenVerifier } from './token.ts'
import type { Tracing } from './tracing.ts'
import { createDirectReads } from './transport/direct-reads.ts'
import { docsPages } from './transport/docs.ts'
import { type AppEnv, chooseRequestId } from './transport/facts.ts'
import { createHonoListener } from './transport/hono-listener.ts'
import { createOpenStreams } from './transport/open-streams.ts'
import { problemResponse } from './transport/problems.ts'
import { createRequestRecord, everyAnswer, withEveryHeader } from './transport/request-record.ts'
import { registerRest } from './transport/rest.ts'
import { traceRequests } from './transport/traces.ts'
import { answerTrpc } from './transport/trpc.ts'
import { dropUnreadBody } from './transport/unread-body.ts'
import { createTurns } from './turns.ts'
import { followIdentities } from './users/follow-identity.ts'
import { version } from './version.ts'
import { takeWebhook } from './webhooks/intake.ts'
import { drainWebhooks } from './webhooks/process.ts'

export interface AppParts {
  config: Config
  database: Database
  integrations: Integrations
  /** Counts what `integrations` call. Without it nothing is counted. */
  upstreamCalls?: UpstreamCalls
  log: Logger
  clock?: Clock
  metrics?: Metrics
  /** None: nothing is traced. */
  tracing?: Tracing | undefined
}

export interface App {
  /** Answers a request; what tests call. */
  fetch: Hono<AppEnv>['fetch']
  /** The same for Node's HTTP server. */
  listener: RequestListener
  house: House
  /** Connects what listens and starts the job engine. The app answers before, but jobs wait and streams see no changes. */
  start(): Promise<void>
  /** What is ready and what is not, in detail; for the metrics port. */
  readiness(): Promise<Readiness>
  /** A stop is near: `/health/ready` says so, and each answer asks its client to take another connection next time. */
  drain(): void
  /** Lets work under way end, then closes everything this app opened. The database is the caller's to close. */
  stop(): Promise<void>
}

const watchUpstreamsEveryMs = 60_000

export const bodyLimitBytes = 1024 * 1024

/**
 * How large the headers of a request may be. A token names every group of its person: 10,000 tenants make one of about 350 kB, and Node's
 * default of 16 kB would lock people of more than some hundred tenants out.
 */
export const headerLimitBytes = 512 * 1024

/** The whole service without its listening socket. Dependencies come in by hand; nothing here reads the environment. */
export function createApp(parts: AppParts): App {
  const { config, database, integrations, log, tracing } = parts
  const clock = parts.clock ?? systemClock
  const metrics = parts.metrics ?? createMetrics()
  observeCalendarLag(metrics, database.db)
  const jobs = createJobs({ databaseUrl: config.databaseUrl, database, log, metrics, tracing })
  const checks = createIntegrationChecks(integrations, clock, log)
  const upstreamCalls = parts.upstreamCalls ?? createUpstreamCalls()
  const house: House = {
    config,
    database,
    systems: integrations,
    upstreamCalls,
    systemChecks: checks,
    clock,
    log,
    metrics,
    tokens: createTokenVerifier({ ...config.tokens, clock, log }),
    audit: createAuditRecorder({ database, clock, log, metrics, chained: config.auditHashChain }),
    jobs,
    outbox: createOutbox({ config, clock, jobs }),
    changes: createTenantChanges(database, log),
    flags: createFlags({ database, clock, log }),
    ofrepLimit: createRateLimit({ limit: 'flag_evaluations_minute', most: config.limits.flag_evaluations_minute, clock }),
    limits: createLimits({ config, database, clock, log }),
    requestCounts: createRequestCounts({ database, clock, log }),
    background: createBackgroundWork(log),
    memberLeases: createMemberLeases({ database, log }),
    streams: createOpenStreams(),
    turns: createTurns(),
    busyTimes: createBusyTimes(
      (host, span) => askCalendar(house, host, span),
      () => clock.now().getTime(),
    ),
  }
  observeSystem(house)
  const app = new Hono<AppEnv>()
  const liveness = createLiveness({ clock, metrics })

  if (tracing) app.use(traceRequests(tracing))
  const record = createRequestRecord({ log, metrics })
  app.use(async (c, next) => {
    const begun = record.begin(chooseRequestId(c.req.header('x-request-id')))
    const { requestId } = begun
    c.set('requestId', requestId)
    c.set('line', begun.line)
    // On the socket's answer where there is one: a header on `c.res` turns every light response into a full one.
    const { incoming, outgoing } = c.env
    outgoing?.setHeader('x-request-id', requestId)
    for (const [name, value] of everyAnswer) outgoing?.setHeader(name, value)
    await next()
    // Of a refusal alone: what is answered as a stream may read its body while it answers.
    if (incoming && c.res.status >= 400 && !(await dropUnreadBody(incoming))) outgoing?.setHeader('connection', 'close')
    if (!outgoing) withEveryHeader(c.res, requestId)
    record.end(begun, { method: c.req.method, path: c.req.path, route: c.get('route') ?? 'other', status: c.res.status })
  })
  app.onError((error, c) => {
    const response = problemResponse(error, c.get('requestId'))
    if (response.status >= 500) log.error({ err: error, requestId: c.get('requestId') }, 'a request failed')
    return response
  })
  app.notFound((c) => problemResponse(new AppError('not_found', 'There is nothing at this address.'), c.get('requestId')))

  /** Whether or not anybody looks at the system page, failures are noticed and kept. */
  async function watchUpstreams(): Promise<void> {
    await checks.refresh()
    await upstreamCalls.save(database.db)
  }
  const watchOrWarn = () => watchUpstreams().catch((err: unknown) => log.warn({ err }, 'upstream systems could not be checked'))
  let watching: NodeJS.Timeout | undefined
  let draining = false
  let toldFaults = ''
  async function readiness(): Promise<Readiness> {
    const found = await checkReadiness(house, checks)
    const faults = found.ready ? '' : JSON.stringify(found.checks)
    if (faults !== '' && faults !== toldFaults) log.warn({ checks: found.checks }, 'the service is not ready')
    toldFaults = faults
    return draining ? { ...found, ready: false } : found
  }
  app.get('/health/ready', async (c) => {
    c.set('route', '/health/ready')
    if (draining) throw new AppError('unavailable', 'This process is stopping.')
    // Anybody may ask: which part is not ready is told at the metrics port and in the log.
    const { ready } = await readiness()
    return c.json({ ready }, ready ? 200 : 503)
  })
  let document: Uint8Array<ArrayBuffer> | undefined
  app.get('/openapi.json', async (c) => {
    // Loaded when somebody asks: it takes a tenth of the start and few processes are ever asked. Kept as it is sent, nearly a megabyte.
    const { openApiDocument } = await import('./transport/openapi.ts')
    document ??= new TextEncoder().encode(JSON.stringify(openApiDocument(version, '/')))
    return c.body(document, 200, { 'content-type': 'application/json' })
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

  const throughHono = createHonoListener(app.fetch, log)
  // A span is opened by Hono's middleware: where requests are traced, all of them go there.
  const reads = tracing ? undefined : createDirectReads(house, record)
  return {
    fetch: (request, env, executionContext) =>
      liveness.fetch(request) ?? reads?.fetch(request, env) ?? app.fetch(request, env, executionContext),
    listener(incoming, outgoing) {
      if (liveness.handle(incoming, outgoing, draining) || reads?.handle(incoming, outgoing, draining)) return
      if (draining) outgoing.setHeader('connection', 'close')
      throughHono(incoming, outgoing)
    },
    house,
    readiness,
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
        checkDomains: async () => checkDueDomains(await onDatabaseTime(house)),
        settleMember: (tenantId, userId) => settleMember(house, tenantId, userId),
        runImport: (importId) => runImport(house, importId),
        // Neither waits for the other to succeed.
        sweepMembers: () => sweepMembers(house).finally(() => followIdentities(house)),
        sendMails: async () => drainOutbox(await onDatabaseTime(house)),
        rollBackBrokenFlags: () => rollBackBrokenFlags(house),
        settleSubscriptions: async () => {
          const timed = await onDatabaseTime(house)
          await settleSubscriptions(timed)
          await followDueEntitlements(timed)
        },
        createPayouts: async () => void (await createMonthlyPayouts(await onDatabaseTime(house))),
        refreshHealth: async () => void (await refreshAllHealth(house)),
        drainWebhooks: () => drainWebhooks(house),
        runDunning: async () => runDunning(await onDatabaseTime(house)),
        reconcileBilling: () => reconcileBilling(house),
        keepReports: () => keepReports(house),
        checkReports: async () => void (await checkReports(house)),
        sweepCredentials: () => sweepCredentials(house),
        expireBookings: async () => expireBookings(await onDatabaseTime(house)),
        writeCalendars: () => drainCalendars(house),
        checkCalendars: () => checkCalendars(house),
        sendReminders: async () => sendReminders(await onDatabaseTime(house)),
        cleanUp: async () => cleanUp(await onDatabaseTime(house)),
      })
      await watchOrWarn()
      watching = setInterval(() => void watchOrWarn(), watchUpstreamsEveryMs).unref()
    },
    drain() {
      draining = true
    },
    async stop() {
      clearInterval(watching)
      await house.background.settled()
      await house.jobs.stop()
      await house.changes.stop()
      await house.flags.stop()
      await house.requestCounts.stop()
      house.memberLeases.stop()
    },
  }
}
