import type { Database, Trx } from '@atrium/db/platform/connect'
import { moveForward, queues } from '@atrium/db/platform/jobs'
import { openPool } from '@atrium/db/platform/pool'
import { hasJobEngine } from '@atrium/db/platform/readiness'
import type { CacheGroup, CacheKind } from '@atrium/db/upstream-cache/upstream-cache'
import { CompiledQuery } from 'kysely'
import type { Job, PgBoss, WorkOptions } from 'pg-boss'
import { type JobWatch, watchJobs } from './job-watch.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

/**
 * Work that the job engine wakes. Each handler reads the state in our own rows, so running twice
 * does no harm.
 */
export interface JobHandlers {
  provisionTenant(tenantId: string): Promise<void>
  sweepProvisioning(): Promise<void>
  sweepSsoApps(): Promise<void>
  purgeTenants(): Promise<void>
  sweepLists(): Promise<void>
  syncMember(tenantId: string, userId: string): Promise<void>
  runImport(importId: string): Promise<void>
  sweepMembers(): Promise<void>
  refreshUpstreamCache(group: CacheGroup, kind: CacheKind): Promise<void>
  checkDomains(): Promise<void>
  sendMails(): Promise<void>
  rollBackBrokenFlags(): Promise<void>
  applyDueSubscriptions(): Promise<void>
  checkVatNumbers(): Promise<void>
  createPayouts(): Promise<void>
  refreshHealth(): Promise<void>
  drainWebhooks(): Promise<void>
  deliverEvents(): Promise<void>
  runDunning(): Promise<void>
  sendBillingNotices(): Promise<void>
  reconcileBilling(): Promise<void>
  readProcessorBalance(): Promise<void>
  refreshReports(): Promise<void>
  checkReports(): Promise<void>
  sweepCredentials(): Promise<void>
  endDueGrants(): Promise<void>
  expireBookings(): Promise<void>
  writeCalendars(): Promise<void>
  checkCalendars(): Promise<void>
  sendReminders(): Promise<void>
  sweepFormerFileAccounts(): Promise<void>
  cleanUp(): Promise<void>
}

export interface Jobs {
  /** Lets this process send wake-ups without working on any. */
  startSending(): Promise<void>
  /** Sends and works. */
  start(handlers: JobHandlers): Promise<void>
  /**
   * Wakes a tenant's provisioning after a delay; at most one wake-up per tenant waits, and an
   * earlier one moves it forward. In a transaction: exists once it commits.
   */
  enqueueProvisioning(tenantId: string, afterSeconds: number, trx?: Trx): Promise<void>
  /** The same for many tenants. */
  enqueueProvisionings(queued: readonly { tenantId: string; afterSeconds: number }[]): Promise<void>
  /**
   * Wakes the work on a member after a delay; at most one wake-up per member waits, and an earlier
   * one moves it forward.
   */
  enqueueMember(tenantId: string, userId: string, afterSeconds: number): Promise<void>
  /** The same for many members. */
  enqueueMembers(
    queued: readonly { tenantId: string; userId: string; afterSeconds: number }[],
  ): Promise<void>
  /** Wakes an import after a delay; an earlier wake-up moves one that waits forward. */
  enqueueImport(importId: string, afterSeconds: number): Promise<void>
  /**
   * Wakes the reading of what is due about a tenant's members or a partner's staff; at most one
   * wake-up per group and kind waits.
   */
  enqueueCacheRefresh(group: CacheGroup, kind: CacheKind, afterSeconds: number): Promise<void>
  /** Wakes the sending of mails. In a transaction: exists once it commits. */
  enqueueOutbox(mailId: string, afterSeconds: number, trx?: Trx): Promise<void>
  /**
   * Wakes the work on payment events; at most one wake-up waits. In a transaction: exists once it
   * commits.
   */
  enqueueWebhooks(trx?: Trx): Promise<void>
  /** Wakes the writing of hosts' calendars. In a transaction: exists once it commits. */
  enqueueCalendars(bookingId: string, afterSeconds: number, trx?: Trx): Promise<void>
  /** `ok`, or a sentence about what is wrong. */
  health(): Promise<string>
  stop(): Promise<void>
}

/** The queues of the service, on connections of their own (`createJobEngine`). */
export function createJobs(parts: {
  databaseUrl: string
  database: Pick<Database, 'db' | 'listen'>
  log: Logger
  metrics: Metrics
  tracing?: Tracing | undefined
}): Jobs {
  const { database, log, metrics, tracing } = parts
  const { db } = database
  const pool = openPool(
    {
      connectionString: parts.databaseUrl,
      application_name: 'atrium-jobs',
      max: 4,
      connectionTimeoutMillis: 10_000,
    },
    (err) => log.error({ err }, 'job engine lost a database connection'),
  )
  let made: Promise<PgBoss> | undefined
  // Loaded when it is first asked for, which is after the service has begun to listen.
  function engine(): Promise<PgBoss> {
    made ??= import('./job-engine.ts')
      .then(({ createJobEngine }) => createJobEngine({ pool, listen: database.listen, log }))
      .catch((error: unknown) => {
        made = undefined
        throw error
      })
    return made
  }
  let running = false
  let watch: JobWatch | undefined
  const everyMinute = '* * * * *'

  // Notifications only announce new jobs. `watchJobs` finds jobs that become due and those that a
  // killed process left.
  const workOptions = {
    pollingIntervalSeconds: 60,
    notifyPollingIntervalSeconds: 60,
    heartbeatRefreshSeconds: 3,
  }
  async function counted(queue: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await (tracing ? tracing.span(`job ${queue}`, { 'atrium.queue': queue }, work) : work())
      metrics.jobs.inc({ queue, outcome: 'done' })
    } catch (err) {
      metrics.jobs.inc({ queue, outcome: 'failed' })
      log.error({ err, queue }, 'job failed; it will be retried')
      throw err
    }
  }

  /**
   * Sends a wake-up. One that waits under its key is moved forward instead when it would come
   * later.
   */
  async function enqueue(
    queue: string,
    { key, data, afterSeconds }: QueuedJob,
    trx?: Trx,
  ): Promise<void> {
    const boss = await engine()
    const connection = inTransaction(trx)
    const startAfter = Math.ceil(afterSeconds)
    const execute =
      connection.db?.executeSql ?? ((text: string, values: unknown[]) => pool.query(text, values))
    for (let tries = 1; tries <= mostTries; tries++) {
      if ((await boss.send(queue, data, { singletonKey: key, startAfter, ...connection })) !== null)
        return
      const { rows } = await execute(moveForward, [queue, [key], startAfter])
      // None waits any more: it was begun meanwhile, and may not have seen what this one is about.
      if (rows.length > 0) return
    }
  }

  async function enqueueMany(queue: string, queued: readonly QueuedJob[]): Promise<void> {
    const boss = await engine()
    for (let start = 0; start < queued.length; start += mostAtOnce) {
      const some = queued.slice(start, start + mostAtOnce)
      await boss.insert(
        queue,
        some.map(({ key, data, afterSeconds }) => ({
          data,
          singletonKey: key,
          startAfter: Math.ceil(afterSeconds),
        })),
      )
      const now = some.filter(({ afterSeconds }) => afterSeconds <= 0).map(({ key }) => key)
      await pool.query(moveForward, [queue, now, 0])
    }
  }

  let sending: Promise<unknown> | undefined
  function startSending(): Promise<void> {
    sending ??= engine()
      .then((boss) => boss.start())
      .catch((error: unknown) => {
        sending = undefined
        throw error
      })
    return sending.then(() => undefined)
  }

  return {
    startSending,
    async start(handlers) {
      await startSending()
      const boss = await engine()
      const workers = new Map<string, string>()
      async function workOn<Data>(
        queue: string,
        options: WorkOptions,
        work: (jobs: Job<Data>[]) => Promise<unknown>,
      ): Promise<void> {
        workers.set(
          queue,
          await boss.work<Data>(queue, { ...workOptions, ...options }, (jobs) =>
            counted(queue, () => work(jobs)),
          ),
        )
      }
      await workOn<{ tenantId: string }>(queues.provisioning, inBatches(20), (jobs) =>
        Promise.all(jobs.map(({ data }) => handlers.provisionTenant(data.tenantId))),
      )
      await workOn<{ tenantId: string; userId: string }>(queues.members, inBatches(8), (jobs) =>
        Promise.all(jobs.map(({ data }) => handlers.syncMember(data.tenantId, data.userId))),
      )
      await workOn<{ importId: string }>(queues.memberImports, {}, async (jobs) => {
        for (const { data } of jobs) await handlers.runImport(data.importId)
      })
      await workOn<CacheGroup & { kind: CacheKind }>(queues.readings, { batchSize: 4 }, (jobs) =>
        Promise.all(jobs.map(({ data }) => handlers.refreshUpstreamCache(data, data.kind))),
      )
      // One wake-up does whatever is due, so a batch of them needs no more than one.
      await workOn(queues.outbox, inBatches(50), handlers.sendMails)
      await workOn(queues.calendarWrites, inBatches(50), handlers.writeCalendars)
      await workOn(queues.webhooks, {}, handlers.drainWebhooks)
      // Work without a trigger: searched for at start, and from then on periodically.
      for (const [queue, work, cron] of [
        [queues.provisioningSweep, handlers.sweepProvisioning, everyMinute],
        [queues.ssoSweep, handlers.sweepSsoApps, everyMinute],
        [queues.tenantPurges, handlers.purgeTenants, everyMinute],
        [queues.listSweep, handlers.sweepLists, everyMinute],
        [queues.memberSweep, handlers.sweepMembers, everyMinute],
        [queues.domainChecks, handlers.checkDomains, everyMinute],
        [queues.outboxSweep, handlers.sendMails, everyMinute],
        [queues.accessGrants, handlers.endDueGrants, everyMinute],
        [queues.flagGuards, handlers.rollBackBrokenFlags, everyMinute],
        [queues.subscriptions, handlers.applyDueSubscriptions, everyMinute],
        [queues.vatChecks, handlers.checkVatNumbers, everyMinute],
        [queues.payouts, handlers.createPayouts, '41 * * * *'],
        [queues.health, handlers.refreshHealth, '*/5 * * * *'],
        [queues.webhookSweep, handlers.drainWebhooks, everyMinute],
        [queues.eventDeliveries, handlers.deliverEvents, everyMinute],
        [queues.dunning, handlers.runDunning, '*/5 * * * *'],
        [queues.billingNotices, handlers.sendBillingNotices, '*/15 * * * *'],
        [queues.processorBalance, handlers.readProcessorBalance, '29 * * * *'],
        [queues.reports, handlers.refreshReports, everyMinute],
        [queues.credentials, handlers.sweepCredentials, everyMinute],
        [queues.bookingExpiry, handlers.expireBookings, everyMinute],
        [queues.calendarSweep, handlers.writeCalendars, everyMinute],
        [queues.calendarChecks, handlers.checkCalendars, '*/15 * * * *'],
        [queues.bookingReminders, handlers.sendReminders, everyMinute],
        [queues.formerFileAccounts, handlers.sweepFormerFileAccounts, '*/10 * * * *'],
        [queues.cleanup, handlers.cleanUp, '17 * * * *'],
      ] as const) {
        await workOn(queue, {}, work)
        await boss.schedule(queue, cron)
        await boss.send(queue, {})
      }
      await workOn(queues.billingReconcile, {}, handlers.reconcileBilling)
      await boss.schedule(queues.billingReconcile, '43 2 * * *')
      await workOn(queues.reportChecks, {}, handlers.checkReports)
      await boss.schedule(queues.reportChecks, '5 0 * * *')
      watch = watchJobs({ boss, pool, workers, log })
      running = true
    },
    async enqueueProvisioning(tenantId, afterSeconds, trx) {
      await enqueue(queues.provisioning, { key: tenantId, data: { tenantId }, afterSeconds }, trx)
    },
    async enqueueProvisionings(queued) {
      const toJob = ({ tenantId, afterSeconds }: (typeof queued)[number]) => ({
        key: tenantId,
        data: { tenantId },
        afterSeconds,
      })
      await enqueueMany(queues.provisioning, queued.map(toJob))
    },
    async enqueueOutbox(mailId, afterSeconds, trx) {
      await (await engine()).send(
        queues.outbox,
        { mailId },
        { startAfter: Math.ceil(afterSeconds), ...inTransaction(trx) },
      )
    },
    async enqueueCalendars(bookingId, afterSeconds, trx) {
      await (await engine()).send(
        queues.calendarWrites,
        { bookingId },
        { startAfter: Math.ceil(afterSeconds), ...inTransaction(trx) },
      )
    },
    async enqueueWebhooks(trx) {
      await (await engine()).send(queues.webhooks, {}, inTransaction(trx))
    },
    async enqueueMember(tenantId, userId, afterSeconds) {
      await enqueue(queues.members, toMemberJob({ tenantId, userId, afterSeconds }))
    },
    async enqueueMembers(queued) {
      await enqueueMany(queues.members, queued.map(toMemberJob))
    },
    async enqueueImport(importId, afterSeconds) {
      await enqueue(queues.memberImports, { key: importId, data: { importId }, afterSeconds })
    },
    async enqueueCacheRefresh(group, kind, afterSeconds) {
      const key = `${kind}:${'tenantId' in group ? group.tenantId : group.partnerId}`
      await enqueue(queues.readings, { key, data: { ...group, kind }, afterSeconds })
    },
    async health() {
      if (!running) return 'the job engine is not started'
      return (await hasJobEngine(db)) ? 'ok' : 'the job engine has no schema'
    },
    async stop() {
      running = false
      await watch?.stop()
      if (sending) await (await engine()).stop({ graceful: true, timeout: 10_000 })
      if (!pool.ending) await pool.end()
    },
  }
}

interface QueuedJob {
  /** At most one waits per key. */
  key: string
  data: object
  afterSeconds: number
}

/** Fetches the next batch at once while batches come back full. */
function inBatches(batchSize: number): WorkOptions {
  return { batchSize, burstWhenBatchFull: true }
}

/** How often a wake-up is sent while those that wait are begun. */
const mostTries = 3
/** Wake-ups in one statement. */
const mostAtOnce = 1000

function toMemberJob({
  tenantId,
  userId,
  afterSeconds,
}: {
  tenantId: string
  userId: string
  afterSeconds: number
}): QueuedJob {
  return { key: `${tenantId}.${userId}`, data: { tenantId, userId }, afterSeconds }
}

/** Lets the job engine write with the transaction's connection. */
function inTransaction(trx: Trx | undefined): {
  db?: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> }
} {
  if (!trx) return {}
  const executeSql = async (text: string, values?: unknown[]) => ({
    rows: (await trx.executeQuery(CompiledQuery.raw(text, values ?? []))).rows,
  })
  return { db: { executeSql } }
}
