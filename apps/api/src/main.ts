import { createServer } from 'node:http'
import { openDatabase } from '@atrium/db/connect'
import { connectIntegrations } from '@atrium/integrations/connect'
import { createApp } from './app.ts'
import { readConfig } from './config.ts'
import { createLogger } from './log.ts'
import { standardOutput } from './log-output.ts'
import { createMetrics } from './metrics.ts'
import { serveMetrics } from './serve-metrics.ts'

function configured(): ReturnType<typeof readConfig> {
  try {
    return readConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(78)
  }
}

const config = configured()
const log = createLogger(config.logLevel, standardOutput())
const metrics = createMetrics()
metrics.collectProcess()
const database = openDatabase({
  url: config.databaseUrl,
  replicaUrl: config.databaseReplicaUrl,
  applicationName: 'atrium-api',
  onError: (err) => log.warn({ err }, 'a database connection was lost'),
})
const integrations = connectIntegrations({
  identity: config.identity,
  mail: config.mail,
  files: config.files,
  smtp: config.smtp,
  payments: config.payments,
  dns: config.dns,
  // Opens late and closes soon: a person who has mended the cause and presses "reconcile" should not be told to wait.
  policy: { circuit: { failures: 10, openMs: 4_000 } },
  onCall: (report) => {
    metrics.upstreamCalls.observe({ system: report.system, call: report.call, outcome: report.outcome }, report.ms / 1000)
    log[report.outcome === 'ok' ? 'debug' : 'warn']({ upstream: report }, 'outside call')
  },
})
const app = createApp({ config, database, integrations, log, metrics })
// A client that sends its head or body drop by drop is cut off; answers, streams among them, may take as long as they need.
const serverOptions = { headersTimeout: 15_000, requestTimeout: 30_000 }
const server = createServer(serverOptions, app.listener)
server.listen(config.port, config.host, () => {
  const address = server.address()
  log.info({ port: typeof address === 'object' ? address?.port : config.port, host: config.host }, 'listening')
})
const metricsServer = serveMetrics(metrics.registry, config.metricsPort, config.host)
let stopping = false

async function stop(reason: string): Promise<void> {
  if (stopping) return
  stopping = true
  log.info({ reason }, 'stopping')
  const forced = setTimeout(() => {
    log.error('the grace period is over, leaving')
    process.exit(1)
  }, config.shutdownGraceSeconds * 1000)
  forced.unref()
  // New connections are refused at once; requests under way are answered, streams are ended after a moment.
  const closed = new Promise<void>((done) => server.close(() => done()))
  server.closeIdleConnections()
  const cutStreams = setTimeout(() => {
    server.closeAllConnections()
  }, 3_000)
  await app.stop()
  await closed
  clearTimeout(cutStreams)
  await database.close()
  await new Promise<void>((done) => metricsServer.close(() => done()))
  log.info('stopped')
  process.exit(0)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
process.on('unhandledRejection', (err) => log.error({ err }, 'a promise was rejected and nobody looked'))

// The service answers while the database is still away; jobs and streams start as soon as it is there.
for (let attempt = 1; !stopping; attempt++) {
  try {
    await app.start()
    log.info('started')
    break
  } catch (err) {
    log.error({ err, attempt }, 'not all parts could be started, trying again')
    await new Promise((done) => setTimeout(done, Math.min(500 * attempt, 5_000)))
  }
}
