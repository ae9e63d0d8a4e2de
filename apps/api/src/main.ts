import { createServer } from 'node:http'
import { SettingsError, settingsExitStatus } from '@atrium/core/platform/settings'
import { openDatabase } from '@atrium/db/platform/connect'
import { askServerFaults } from '@atrium/db/server/server-faults'
import { connectIntegrations } from '@atrium/integrations/connect'
import { createApp, headerLimitBytes } from './app.ts'
import { createMetricsServer } from './http/serve-metrics.ts'
import { readConfig } from './platform/config.ts'
import { listenOnAll } from './platform/listen.ts'
import { createLogger } from './platform/log.ts'
import { standardOutput } from './platform/log-output.ts'
import { createMetrics } from './platform/metrics.ts'
import { createUpstreamCalls } from './platform/upstream-calls.ts'

function configured(): ReturnType<typeof readConfig> {
  try {
    return readConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(settingsExitStatus)
  }
}

const config = configured()
// Loaded only when traces are enabled: others should not pay for it in start time and memory.
const tracing = config.tracing
  ? (await import('./platform/open-telemetry.ts')).createOpenTelemetry(config.tracing)
  : undefined
const log = createLogger(config.logLevel, standardOutput(), tracing && (() => tracing.ids() ?? {}))
const metrics = createMetrics()
metrics.collectProcess()
const database = openDatabase({
  url: config.databaseUrl,
  directUrl: config.databaseDirectUrl ?? undefined,
  replicaUrl: config.databaseReplicaUrl,
  onReplicaRead: (where) => metrics.replicaReads.inc({ where }),
  applicationName: 'atrium-api',
  onStatement:
    tracing &&
    (({ name, ms, failed }) => tracing.ended(name, ms, { 'db.system.name': 'postgresql', failed })),
  onError: (err) => log.warn({ err }, 'database connection lost'),
})
const upstreamCalls = createUpstreamCalls()
const integrations = await connectIntegrations({
  identity: config.identity,
  mail: config.mail,
  files: config.files,
  smtp: config.smtp,
  payments: config.payments,
  vies: config.vies,
  dns: config.dns,
  // Opens late and closes early: a person who fixed the cause and presses "reconcile" should not
  // have to wait.
  policy: { circuit: { failures: 10, openMs: 4_000 } },
  callHeaders: tracing && (() => tracing.headers()),
  onCircuit: (system, open) => metrics.openCircuits.set({ system }, open ? 1 : 0),
  onCall: (report) => {
    const { system, call, request, status, attempt, outcome } = report
    tracing?.ended(`${system} ${call}`, report.ms, {
      'atrium.system': system,
      'atrium.request': request,
      'http.response.status_code': status,
      'atrium.attempt': attempt,
      'atrium.outcome': outcome,
      failed: outcome !== 'ok',
    })
    upstreamCalls.observe(report)
    metrics.upstreamCalls.observe(
      { system: report.system, call: report.call, outcome: report.outcome },
      report.ms / 1000,
    )
    log[report.outcome === 'ok' ? 'debug' : 'warn']({ upstream: report }, 'upstream call')
  },
})
// Not when the first event comes: by then a deploy may have put other files in the place of these.
if (config.billing.webhookSecrets.length > 0) await import('@atrium/integrations/payments/webhooks')
const app = createApp({ config, database, integrations, upstreamCalls, log, metrics, tracing })
// Cuts off clients that send their head or body too slowly. Responses, including streams, may take
// as long as they need. Idle connections are kept longer than proxies keep theirs, so that none is
// closed under a request that is on its way.
const serverOptions = {
  keepAliveTimeout: 65_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: headerLimitBytes,
}
const server = createServer(serverOptions, app.listener)
const metricsServer = createMetricsServer(metrics.registry, app.readiness)
const taken = await listenOnAll(
  [
    { server, variable: 'PORT', port: config.port },
    { server: metricsServer, variable: 'METRICS_PORT', port: config.metricsPort },
  ],
  config.host,
)
if (taken.length > 0) {
  process.stderr.write(`The API cannot start:\n${taken.map((line) => `  ${line}`).join('\n')}\n`)
  process.exit(1)
}
const address = server.address()
log.info(
  { port: typeof address === 'object' ? address?.port : config.port, host: config.host },
  'listening',
)
if (config.payments !== null && config.seller.missing.length > 0) {
  log.warn(
    { missing: config.seller.missing },
    'no invoices and statements are issued: seller settings are missing',
  )
}
let stopping = false

async function stop(reason: string): Promise<void> {
  if (stopping) return
  stopping = true
  log.info({ reason }, 'stopping')
  const forced = setTimeout(() => {
    log.error('shutdown grace period exceeded; exiting')
    process.exit(1)
  }, config.shutdownGraceSeconds * 1000)
  forced.unref()
  // Announces the stop to clients before a connection is rejected or closed under a request that is
  // on its way.
  app.drain()
  await new Promise((done) => setTimeout(done, config.shutdownDrainSeconds * 1000))
  await closeServer()
  await app.stop()
  await database.close()
  await tracing?.stop()
  await new Promise<void>((done) => metricsServer.close(() => done()))
  log.info('stopped')
  process.exit(0)
}

/**
 * Accepts no more connections, ends streams, and resolves when every request under way has its
 * response.
 */
async function closeServer(): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()))
  app.services.streams.cut()
  // Repeated: a busy connection becomes idle when its response is complete, and is kept alive then.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(
    () => server.closeAllConnections(),
    Math.max(config.shutdownGraceSeconds - 3, 1) * 1000,
  )
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled promise rejection'))

// The service serves requests while the database is still unavailable; jobs and streams start as
// soon as it is up.
for (let attempt = 1; !stopping; attempt++) {
  try {
    const faults = await askServerFaults(database.db, config.production)
    if (faults.length > 0) {
      process.stderr.write(`${new SettingsError(faults).message}\n`)
      process.exit(settingsExitStatus)
    }
    await app.start()
    log.info('started')
    break
  } catch (err) {
    log.error({ err, attempt }, 'failed to start jobs and streams; retrying')
    await new Promise((done) => setTimeout(done, Math.min(500 * attempt, 5_000)))
  }
}
