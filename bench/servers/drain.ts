import { randomUUID } from 'node:crypto'
import { createJobs } from '@atrium/api/platform/jobs'
import { createLogger } from '@atrium/api/platform/log'
import { createMetrics } from '@atrium/api/platform/metrics'
import { openDatabase } from '@atrium/db/platform/connect'
import { jobSchema, queues } from '@atrium/db/platform/jobs'
import { PgBoss } from 'pg-boss'

// P14: works off a backlog with empty handlers, either with the product's engine and settings or
// with pg-boss as it comes, in batches of a hundred. The bare one may fetch on while batches are
// full, else it would wait between them for most of the time.
const url = process.env.DATABASE_URL ?? ''
const bareQueue = 'bench-bare'
let left = 0
let cleared: () => void = () => {}

function handled(count: number): void {
  left -= count
  if (left === 0) cleared()
}

const boss = new PgBoss({
  connectionString: url,
  schema: jobSchema,
  migrate: false,
  createSchema: false,
  max: 4,
  supervise: false,
})
boss.on('error', (error) => process.stderr.write(`${String(error)}\n`))
await boss.start()
const queue = process.env.DRAIN_MODE === 'bare' ? bareQueue : queues.provisioning
if (queue === bareQueue) {
  await boss.createQueue(bareQueue)
  await boss.work(
    bareQueue,
    { batchSize: 100, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
    async (jobs) => handled(jobs.length),
  )
} else {
  const database = openDatabase({ url, onError: () => {} })
  const jobs = createJobs({
    databaseUrl: url,
    database,
    log: createLogger('warn'),
    metrics: createMetrics(),
  })
  await jobs.start({
    provisionTenant: async () => handled(1),
    sweepProvisioning: async () => {},
    sweepSsoApps: async () => {},
    purgeTenants: async () => {},
    sweepLists: async () => {},
    refreshUpstreamCache: async () => {},
    checkDomains: async () => {},
    syncMember: async () => {},
    runImport: async () => {},
    sweepMembers: async () => {},
    sweepFormerFileAccounts: async () => {},
    sendMails: async () => {},
    rollBackBrokenFlags: async () => {},
    applyDueSubscriptions: async () => {},
    checkVatNumbers: async () => {},
    createPayouts: async () => {},
    refreshHealth: async () => {},
    drainWebhooks: async () => {},
    deliverEvents: async () => {},
    runDunning: async () => {},
    sendBillingNotices: async () => {},
    reconcileBilling: async () => {},
    readProcessorBalance: async () => {},
    refreshReports: async () => {},
    checkReports: async () => {},
    sweepCredentials: async () => {},
    endDueGrants: async () => {},
    expireBookings: async () => {},
    writeCalendars: async () => {},
    checkCalendars: async () => {},
    sendReminders: async () => {},
    cleanUp: async () => {},
  })
}

process.on('message', ({ jobs }: { jobs: number }) => {
  left = jobs
  const done = new Promise<void>((resolve) => {
    cleared = resolve
  })
  const list = Array.from({ length: jobs }, () => {
    const tenantId = randomUUID()
    return { data: { tenantId }, singletonKey: tenantId }
  })
  const started = performance.now()
  boss
    .insert(queue, list)
    .then(() => done)
    .then(
      () => process.send?.({ ms: performance.now() - started }),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        process.exit(1)
      },
    )
})
