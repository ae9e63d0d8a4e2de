import type { RequestListener } from 'node:http'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { chooseRequestId } from '@atrium/core/platform/request-id'
import { version } from '@atrium/core/platform/version'
import type { Database } from '@atrium/db/platform/connect'
import type { Integrations } from '@atrium/integrations/connect'
import { detectLanguage } from '@atrium/messages/detect-language'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { endDueGrants } from './access-grants/end.ts'
import { addressClaimMails } from './address-claims/mails.ts'
import { settleDueAddressClaims } from './address-claims/settle.ts'
import { expireApprovals } from './billing/approvals/expire.ts'
import { readProcessorBalance } from './billing/bookkeeping/read-balance.ts'
import { issuePendingDocuments } from './billing/documents/issue-pending.ts'
import { followDueEntitlements } from './billing/entitlements/follow.ts'
import { runDunning } from './billing/invoices/dunning.ts'
import { sendBillingNotices } from './billing/invoices/notices.ts'
import { reconcileBilling } from './billing/invoices/reconcile.ts'
import { carryOutCorrections } from './billing/operator-invoices/carry-out.ts'
import { createMonthlyPayouts } from './billing/payouts/create.ts'
import { advancePriceMigrations } from './billing/price-migrations/advance.ts'
import { applyDueSubscriptions } from './billing/subscriptions/due.ts'
import { checkDueVatNumbers } from './billing/taxes/check-vat-number.ts'
import { drainWebhooks } from './billing/webhooks/process.ts'
import { createTemplates } from './branding/template-thread.ts'
import { cleanUp } from './clean-up.ts'
import { onDatabaseTime } from './database-time.ts'
import { rollBackBrokenFlags } from './flags/roll-back.ts'
import { refreshAllHealth } from './health-scores/compute.ts'
import { registerCommandLineSignIn } from './http/command-line-sign-in.ts'
import { docsPages } from './http/docs.ts'
import { registerLiveness } from './http/liveness.ts'
import type { ApiDocument } from './http/openapi-document.ts'
import { takeWebhook } from './http/payment-webhook.ts'
import { problemResponse } from './http/problems.ts'
import { checkReadiness, type Readiness } from './http/readiness.ts'
import type { AppEnv } from './http/request-info.ts'
import { createRequestRecord, logFailure, setCommonHeaders } from './http/request-record.ts'
import { registerRest } from './http/rest.ts'
import { registerScim } from './http/scim.ts'
import { traceRequests } from './http/traces.ts'
import { handleTrpc } from './http/trpc.ts'
import { dropUnreadBody } from './http/unread-body.ts'
import { allowVisitors } from './http/visitor-cors.ts'
import { checkDueDomains } from './mail/domains/jobs.ts'
import { sweepLists } from './mail/lists/sweep.ts'
import { sweepFormerFileAccounts } from './members/former-file-accounts.ts'
import { runImport } from './members/import-run.ts'
import { sweepMembers, syncMember } from './members/jobs.ts'
import { settleTemporaryPasswords } from './members/settle-passwords.ts'
import { drainOutbox } from './outbox/drain.ts'
import { createBackgroundWork } from './platform/background.ts'
import { createBusyTimes } from './platform/busy-times-cache.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { createFlags } from './platform/flag-evaluator.ts'
import { createIntegrationChecks } from './platform/integration-checks.ts'
import { createJobs } from './platform/jobs.ts'
import { createKeyedLimiter } from './platform/keyed-limiter.ts'
import type { Logger } from './platform/log.ts'
import { createMemberLeases } from './platform/member-leases.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createOpenStreams } from './platform/open-streams.ts'
import { createOutbox } from './platform/outbox.ts'
import { createRateLimit } from './platform/rate-limit.ts'
import { createRequestCounts } from './platform/request-counts.ts'
import { createTenantChanges } from './platform/tenant-changes.ts'
import { createTokenVerifier } from './platform/token.ts'
import type { Tracing } from './platform/tracing.ts'
import { createUpstreamCalls, type UpstreamCalls } from './platform/upstream-calls.ts'
import { createWebhookSender } from './platform/webhook-sender.ts'
import { provisionTenant, sweepProvisioning } from './provisioning/jobs.ts'
import { checkReports, refreshReports } from './reports/jobs.ts'
import { writeAbandonedEntries } from './rpc/abandoned-audit-entries.ts'
import { createAuditRecorder } from './rpc/audit-recorder.ts'
import type { RequestInfo } from './rpc/caller.ts'
import { createLimits } from './rpc/limits.ts'
import { withReaderLanguage } from './rpc/reader-language.ts'
import type { Services } from './rpc/services.ts'
import { expireBookings } from './scheduling/bookings/expire.ts'
import { bookingMails } from './scheduling/bookings/mail-parts.ts'
import { sendReminders } from './scheduling/bookings/remind.ts'
import { askCalendar } from './scheduling/calendars/busy-times.ts'
import { sweepCredentials } from './scheduling/calendars/credential-jobs.ts'
import { checkCalendars } from './scheduling/calendars/drift.ts'
import { observeCalendarLag } from './scheduling/calendars/lag.ts'
import { mailboxOpened } from './scheduling/calendars/mailbox-opened.ts'
import { drainCalendars } from './scheduling/calendars/sync.ts'
import { followSecurityPolicies } from './security-policy/follow-provider.ts'
import { sweepSsoApps } from './sso/sweep.ts'
import { observeSystem } from './system/observe.ts'
import { purgeTenants } from './tenants/purge.ts'
import { type Fetchers, refreshCacheGroup } from './upstream-cache/fetchers.ts'
import { factorsFetcher } from './upstream-cache/mfa/reader.ts'
import { usageFetcher } from './upstream-cache/storage/reader.ts'
import { accessLinkMails } from './users/access-mails.ts'
import { followIdentities } from './users/follow-identity.ts'
import { invitationMails } from './users/invitation-mails.ts'
import { deliverEvents } from './webhook-endpoints/deliver.ts'

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
  /** Returns a request; what tests call. */
  fetch: Hono<AppEnv>['fetch']
  /** The same for Node's HTTP server. */
  listener: RequestListener
  services: Services
  /**
   * Opens the listening connections and starts the job engine. The app serves requests before, but
   * jobs wait and streams see no changes.
   */
  start(): Promise<void>
  /**
   * The path of each route, with parameters as Hono writes them; for the test that compares them
   * with docs/reference/security.md.
   */
  paths(): readonly string[]
  /** What is ready and what is not, in detail; for the metrics port. */
  readiness(): Promise<Readiness>
  /**
   * The service is about to stop: `/health/ready` reports it, and each response asks its client to
   * open another connection next time.
   */
  drain(): void
  /**
   * Lets work under way end, then closes everything this app opened. The database is the caller's
   * to close.
   */
  stop(): Promise<void>
}

/** A job starts each minute; it is over before the next one. */
const deliverForMs = 50_000
const watchUpstreamsEveryMs = 60_000

export const bodyLimitBytes = 1024 * 1024

/**
 * How large the headers of a request may be. A token names every group of its person, and names
 * each one twice where both the `profile` and the `groups` mapping of authentik are attached:
 * 10,000 tenants make a token of about 700 kB. With Node's default of 16 kB, people of more than
 * some hundred tenants could not sign in.
 */
export const headerLimitBytes = 1024 * 1024

const fetchers: Fetchers = { second_factors: factorsFetcher, file_usage: usageFetcher }

/**
 * The whole service without its listening socket. Dependencies come in by hand; nothing here reads
 * the environment.
 */
export function createApp(parts: AppParts): App {
  const { config, database, integrations, log, tracing } = parts
  const clock = parts.clock ?? systemClock
  const metrics = parts.metrics ?? createMetrics()
  observeCalendarLag(metrics, database.db)
  const jobs = createJobs({ databaseUrl: config.databaseUrl, database, log, metrics, tracing })
  const checks = createIntegrationChecks(integrations, clock, log)
  const upstreamCalls = parts.upstreamCalls ?? createUpstreamCalls()
  const keyedLimiter = createKeyedLimiter()
  const services: Services = {
    config,
    database,
    systems: integrations,
    upstreamCalls,
    systemChecks: checks,
    clock,
    log,
    metrics,
    tokens: createTokenVerifier({ ...config.tokens, clock, log }),
    audit: createAuditRecorder({
      database,
      clock,
      log,
      metrics,
      keyedLimiter,
      chained: config.auditHashChain,
    }),
    jobs,
    outbox: createOutbox({ config, clock, jobs }),
    changes: createTenantChanges(database, log),
    flags: createFlags({ database, clock, log }),
    ofrepLimit: createRateLimit({
      limit: 'flag_evaluations_minute',
      most: config.limits.flag_evaluations_minute,
      clock,
    }),
    tokenFailures: createRateLimit({
      limit: 'token_failures_minute',
      most: config.limits.token_failures_minute,
      clock,
    }),
    limits: createLimits({ config, database, clock, log }),
    requestCounts: createRequestCounts({ database, clock, log }),
    mailKinds: [bookingMails, invitationMails, accessLinkMails, addressClaimMails],
    background: createBackgroundWork(log),
    memberLeases: createMemberLeases({ database, log }),
    streams: createOpenStreams(),
    webhookSender: createWebhookSender(config.webhookAddresses),
    keyedLimiter,
    templates: createTemplates({ log, keyedLimiter }),
    mailboxOpened: (mailAccountId) => mailboxOpened(services, mailAccountId),
    busyTimes: createBusyTimes(
      (host, span) => askCalendar(services, host, span),
      () => clock.now().getTime(),
    ),
  }
  observeSystem(services)
  const app = new Hono<AppEnv>()

  let draining = false

  if (tracing) app.use(traceRequests(tracing))
  const record = createRequestRecord({ log, metrics })
  app.use(async (c, next) => {
    const started = performance.now()
    const requestId = chooseRequestId(c.req.header('x-request-id'))
    const logFields: RequestInfo['logFields'] = {}
    c.set('requestId', requestId)
    c.set('logFields', logFields)
    await next()
    setCommonHeaders(c.res.headers, requestId)
    const { incoming } = c.env
    // Only for a rejected request: a streamed response may still read the request's body.
    const unread =
      incoming !== undefined && c.res.status >= 400 && !(await dropUnreadBody(incoming))
    if (unread || draining) c.res.headers.set('connection', 'close')
    const { method, path } = c.req
    record({
      requestId,
      logFields,
      method,
      path,
      route: c.get('route') ?? 'other',
      status: c.res.status,
      ms: performance.now() - started,
    })
  })
  app.use(detectLanguage(['header']))
  app.use((c, next) => withReaderLanguage(c.get('language'), next))
  app.onError((error, c) => {
    const response = problemResponse(c, error)
    logFailure(services, response.status, error, {
      requestId: c.get('requestId'),
      signal: c.req.raw.signal,
    })
    return response
  })
  app.notFound((c) => problemResponse(c, new AppError('not_found', errorText('nothingAtAddress'))))

  /** Failures are noticed and stored whether or not anyone opens the system page. */
  async function watchUpstreams(): Promise<void> {
    await checks.refresh()
    await upstreamCalls.save(database.db)
  }
  const watchOrWarn = () =>
    watchUpstreams().catch((err: unknown) => log.warn({ err }, 'failed to check upstream systems'))
  let watching: NodeJS.Timeout | undefined
  let reportedFaults = ''
  async function readiness(): Promise<Readiness> {
    const found = await checkReadiness(services, checks)
    const faults = found.ready ? '' : JSON.stringify(found.checks)
    if (faults !== '' && faults !== reportedFaults)
      log.warn({ checks: found.checks }, 'service is not ready')
    reportedFaults = faults
    return draining ? { ...found, ready: false } : found
  }
  registerLiveness(app, clock)
  registerCommandLineSignIn(app, config)
  app.get('/health/ready', async (c) => {
    c.set('route', '/health/ready')
    if (draining) throw new AppError('unavailable', errorText('processStopping'))
    // Public: only the metrics port and the log say which part is not ready.
    const { ready } = await readiness()
    return c.json({ ready }, ready ? 200 : 503)
  })
  let described: Promise<ApiDocument> | undefined
  // Created on first use: it takes a tenth of the start, and most processes never need it.
  const readDocument = () => {
    described ??= import('./http/openapi.ts').then(({ openApiDocument }) =>
      openApiDocument(version, '/'),
    )
    return described
  }
  const readWithScim = async () => {
    const { withScim } = await import('./http/openapi-scim.ts')
    return withScim(await readDocument())
  }
  let document: Uint8Array<ArrayBuffer> | undefined
  app.get('/openapi.json', async (c) => {
    // Kept as it is sent, more than a megabyte.
    document ??= new TextEncoder().encode(JSON.stringify(await readDocument()))
    return c.body(document, 200, { 'content-type': 'application/json' })
  })
  let scimDocument: string | undefined
  app.get('/openapi-scim.json', async (c) => {
    scimDocument ??= JSON.stringify(
      (await import('./http/openapi-scim.ts')).scimDocument(version, '/'),
    )
    return c.body(scimDocument, 200, { 'content-type': 'application/json' })
  })
  app.route('/docs', docsPages(readWithScim))

  const tooLarge = () => {
    throw new AppError('too_large')
  }
  // Nothing reads the body of a GET, and to look for one builds a whole Request.
  app.on(
    ['POST', 'PUT', 'PATCH', 'DELETE'],
    '*',
    bodyLimit({ maxSize: bodyLimitBytes, onError: tooLarge }),
  )
  app.all('/trpc/*', (c) => handleTrpc(c, services))
  app.all('/webhooks/stripe', (c) => takeWebhook(c, services))
  allowVisitors(app)
  registerScim(app, services)
  registerRest(app, services)

  async function stopListening(): Promise<void> {
    await services.changes.stop()
    await services.flags.stop()
    await services.requestCounts.stop()
  }

  function startJobs(): Promise<void> {
    return services.jobs.start({
      provisionTenant: (tenantId) => provisionTenant(services, tenantId),
      // Neither waits for the other to succeed.
      sweepProvisioning: () =>
        sweepProvisioning(services).finally(() => followSecurityPolicies(services)),
      purgeTenants: () => purgeTenants(services),
      sweepSsoApps: async () => void (await sweepSsoApps(services)),
      sweepLists: () => sweepLists(services),
      refreshUpstreamCache: (group, kind) => refreshCacheGroup(services, fetchers, group, kind),
      checkDomains: async () => {
        const timed = await onDatabaseTime(services)
        await checkDueDomains(timed).finally(() => settleDueAddressClaims(timed))
      },
      syncMember: (tenantId, userId) => syncMember(services, tenantId, userId),
      runImport: (importId) => runImport(services, importId),
      // Neither waits for the other to succeed.
      sweepMembers: () =>
        sweepMembers(services)
          .finally(() => followIdentities(services))
          .finally(async () => settleTemporaryPasswords(await onDatabaseTime(services))),
      sendMails: async () => drainOutbox(await onDatabaseTime(services)),
      rollBackBrokenFlags: () => rollBackBrokenFlags(services),
      applyDueSubscriptions: async () => {
        const timed = await onDatabaseTime(services)
        await applyDueSubscriptions(timed)
        await followDueEntitlements(timed)
        await carryOutCorrections(timed)
        await advancePriceMigrations(timed)
      },
      checkVatNumbers: async () => checkDueVatNumbers(await onDatabaseTime(services)),
      createPayouts: async () => void (await createMonthlyPayouts(await onDatabaseTime(services))),
      refreshHealth: async () => void (await refreshAllHealth(services)),
      drainWebhooks: () => drainWebhooks(services),
      deliverEvents: async () => {
        await writeAbandonedEntries(services)
        await deliverEvents(services, deliverForMs)
      },
      runDunning: async () => {
        const timed = await onDatabaseTime(services)
        await runDunning(timed)
        await issuePendingDocuments(timed)
      },
      async sendBillingNotices() {
        const onTime = await onDatabaseTime(services)
        await expireApprovals(onTime)
        await sendBillingNotices(onTime)
      },
      reconcileBilling: () => reconcileBilling(services),
      readProcessorBalance: () => readProcessorBalance(services),
      refreshReports: () => refreshReports(services),
      checkReports: async () => void (await checkReports(services)),
      sweepCredentials: () => sweepCredentials(services),
      sweepFormerFileAccounts: () => sweepFormerFileAccounts(services),
      endDueGrants: async () => endDueGrants(await onDatabaseTime(services)),
      expireBookings: async () => expireBookings(await onDatabaseTime(services)),
      writeCalendars: () => drainCalendars(services),
      checkCalendars: () => checkCalendars(services),
      sendReminders: async () => sendReminders(await onDatabaseTime(services)),
      cleanUp: async () => cleanUp(await onDatabaseTime(services)),
    })
  }

  return {
    fetch: app.fetch,
    listener: getRequestListener(app.fetch),
    services,
    paths: () => app.routes.map(({ path }) => path),
    readiness,
    async start() {
      try {
        await services.changes.start()
        await services.flags.start()
        services.requestCounts.start()
        await startJobs()
      } catch (error) {
        // The caller tries again, and would open each of these connections once more.
        await stopListening()
        throw error
      }
      await watchOrWarn()
      watching = setInterval(() => void watchOrWarn(), watchUpstreamsEveryMs).unref()
    },
    drain() {
      draining = true
    },
    async stop() {
      clearInterval(watching)
      await services.background.settled()
      await services.jobs.stop()
      services.webhookSender.close()
      await stopListening()
      services.memberLeases.stop()
      await services.templates.stop()
    },
  }
}
