import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { jobSchema, queues } from './jobs.ts'

/**
 * Creates or upgrades the job engine's schema and queues with the rights of the migration account, and lets `atrium_app` use
 * them. The API itself starts the engine with `migrate: false`, because it may not change the schema.
 */
export async function installJobs(url: string): Promise<void> {
  const boss = new PgBoss({ connectionString: url, schema: jobSchema, max: 2, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  try {
    // Heartbeats let another process take over the job of a killed one after ten seconds instead of when it expires.
    const settings = { heartbeatSeconds: 10, retryLimit: 3, retryBackoff: true, retryDelay: 1, deleteAfterSeconds: 3600, notify: true }
    await ensureQueue(boss, queues.provisioning, { ...settings, policy: 'short', expireInSeconds: 120 })
    await ensureQueue(boss, queues.provisioningSweep, { ...settings, policy: 'short', expireInSeconds: 60 })
    await ensureQueue(boss, queues.ssoSweep, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.listSweep, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.members, { ...settings, policy: 'short', expireInSeconds: 120 })
    await ensureQueue(boss, queues.memberImports, { ...settings, policy: 'short', expireInSeconds: 3600 })
    await ensureQueue(boss, queues.memberSweep, { ...settings, policy: 'short', expireInSeconds: 60 })
    await ensureQueue(boss, queues.readings, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.domainChecks, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.outbox, { ...settings, policy: 'standard', expireInSeconds: 300 })
    await ensureQueue(boss, queues.outboxSweep, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.flagGuards, { ...settings, policy: 'short', expireInSeconds: 60 })
    await ensureQueue(boss, queues.subscriptions, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.payouts, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.health, { ...settings, policy: 'short', expireInSeconds: 3000 })
    await ensureQueue(boss, queues.webhooks, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.webhookSweep, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.dunning, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.billingReconcile, { ...settings, policy: 'short', expireInSeconds: 3600 })
    await ensureQueue(boss, queues.reports, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.reportChecks, { ...settings, policy: 'short', expireInSeconds: 3600 })
    await ensureQueue(boss, queues.credentials, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.bookingExpiry, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.calendarWrites, { ...settings, policy: 'standard', expireInSeconds: 300 })
    await ensureQueue(boss, queues.calendarSweep, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.calendarChecks, { ...settings, policy: 'short', expireInSeconds: 900 })
    await ensureQueue(boss, queues.bookingReminders, { ...settings, policy: 'short', expireInSeconds: 300 })
    await ensureQueue(boss, queues.cleanup, { ...settings, policy: 'short', expireInSeconds: 300 })
  } finally {
    await boss.stop({ graceful: false })
  }
  await grantJobs(url)
}

async function ensureQueue(boss: PgBoss, name: string, options: Parameters<PgBoss['createQueue']>[1]): Promise<void> {
  if (await boss.getQueue(name)) return
  await boss.createQueue(name, options)
}

async function grantJobs(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // One migration at a time: grants on the same object that meet fail with "tuple concurrently updated".
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
