import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { jobSchema, queues } from './jobs.ts'

type QueueSettings = NonNullable<Parameters<PgBoss['createQueue']>[1]>

/**
 * Heartbeats let another process take over the job of a killed one after ten seconds instead of
 * when it expires.
 */
const common: QueueSettings = {
  heartbeatSeconds: 10,
  retryLimit: 3,
  retryBackoff: true,
  retryDelay: 1,
  deleteAfterSeconds: 3600,
  notify: true,
}

/** Every queue: a service does not start without one of them. */
const settingsOf: Record<keyof typeof queues, QueueSettings> = {
  provisioning: { policy: 'short', expireInSeconds: 120 },
  provisioningSweep: { policy: 'short', expireInSeconds: 60 },
  ssoSweep: { policy: 'short', expireInSeconds: 900 },
  listSweep: { policy: 'short', expireInSeconds: 900 },
  members: { policy: 'short', expireInSeconds: 120 },
  memberImports: { policy: 'short', expireInSeconds: 3600 },
  memberSweep: { policy: 'short', expireInSeconds: 60 },
  formerFileAccounts: { policy: 'short', expireInSeconds: 900 },
  readings: { policy: 'short', expireInSeconds: 900 },
  domainChecks: { policy: 'short', expireInSeconds: 300 },
  outbox: { policy: 'standard', expireInSeconds: 300 },
  outboxSweep: { policy: 'short', expireInSeconds: 300 },
  accessGrants: { policy: 'short', expireInSeconds: 300 },
  flagGuards: { policy: 'short', expireInSeconds: 60 },
  subscriptions: { policy: 'short', expireInSeconds: 300 },
  vatChecks: { policy: 'short', expireInSeconds: 600 },
  payouts: { policy: 'short', expireInSeconds: 900 },
  health: { policy: 'short', expireInSeconds: 3000 },
  webhooks: { policy: 'short', expireInSeconds: 300 },
  eventDeliveries: { policy: 'short', expireInSeconds: 300 },
  webhookSweep: { policy: 'short', expireInSeconds: 300 },
  dunning: { policy: 'short', expireInSeconds: 900 },
  billingNotices: { policy: 'short', expireInSeconds: 900 },
  billingReconcile: { policy: 'short', expireInSeconds: 3600 },
  processorBalance: { policy: 'short', expireInSeconds: 3600 },
  reports: { policy: 'short', expireInSeconds: 900 },
  reportChecks: { policy: 'short', expireInSeconds: 3600 },
  credentials: { policy: 'short', expireInSeconds: 900 },
  bookingExpiry: { policy: 'short', expireInSeconds: 300 },
  calendarWrites: { policy: 'standard', expireInSeconds: 300 },
  calendarSweep: { policy: 'short', expireInSeconds: 300 },
  calendarChecks: { policy: 'short', expireInSeconds: 900 },
  bookingReminders: { policy: 'short', expireInSeconds: 300 },
  tenantPurges: { policy: 'short', expireInSeconds: 900 },
  cleanup: { policy: 'short', expireInSeconds: 300 },
}

/**
 * Creates or upgrades the job engine's schema and queues with the rights of the migration account,
 * and lets `atrium_app` use them. The API itself starts the engine with `migrate: false`, because
 * it may not change the schema.
 */
export async function installJobs(url: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: url,
    schema: jobSchema,
    max: 2,
    supervise: false,
    schedule: false,
  })
  boss.on('error', () => {})
  await boss.start()
  try {
    for (const [key, settings] of Object.entries(settingsOf)) {
      await ensureQueue(boss, queues[key as keyof typeof queues], { ...common, ...settings })
    }
  } finally {
    await boss.stop({ graceful: false })
  }
  await grantJobs(url)
}

async function ensureQueue(boss: PgBoss, name: string, options: QueueSettings): Promise<void> {
  if (await boss.getQueue(name)) return
  await boss.createQueue(name, options)
}

async function grantJobs(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // One migration at a time: grants on the same object that meet fail with "tuple concurrently
    // updated".
    await client.query(`
      select pg_advisory_xact_lock(hashtext('atrium grant jobs'));
      grant usage on schema ${jobSchema} to atrium_app;
      grant select, insert, update, delete on all tables in schema ${jobSchema} to atrium_app;
      grant usage, select on all sequences in schema ${jobSchema} to atrium_app;
      grant execute on all functions in schema ${jobSchema} to atrium_app;
    `)
  } finally {
    await client.end()
  }
}
