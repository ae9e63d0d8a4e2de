import type { Database, Trx } from '@atrium/db/connect'
import { jobSchema, moveForward, queues } from '@atrium/db/jobs'
import { openPool } from '@atrium/db/pool'
import type { ReadingGroup, ReadingKind } from '@atrium/db/readings'
import { CompiledQuery } from 'kysely'
import type { PgBoss } from 'pg-boss'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

/** Work that the job engine wakes. Each handler reads the state in our own rows, so running twice does no harm. */
export interface JobHandlers {
  provisionTenant(tenantId: string): Promise<void>
  sweepProvisioning(): Promise<void>
  sweepSsoApps(): Promise<void>
  sweepLists(): Promise<void>
  settleMember(tenantId: string, userId: string): Promise<void>
  runImport(importId: string): Promise<void>
  sweepMembers(): Promise<void>
  refreshReadings(group: ReadingGroup, kind: ReadingKind): Promise<void>
  checkDomains(): Promise<void>
  sendMails(): Promise<void>
  rollBackBrokenFlags(): Promise<void>
  settleSubscriptions(): Promise<void>
  createPayouts(): Promise<void>
  refreshHealth(): Promise<void>
  drainWebhooks(): Promise<void>
  runDunning(): Promise<void>
  reconcileBilling(): Promise<void>
  keepReports(): Promise<void>
  checkReports(): Promise<void>
  sweepCredentials(): Promise<void>
  expireBookings(): Promise<void>
  writeCalendars(): Promise<void>
  checkCalendars(): Promise<void>
  sendReminders(): Promise<void>
  cleanUp(): Promise<void>
}

export interface Jobs {
  /** Lets this process send wake-ups without working on any. */
  startSending(): Promise<void>
  /** Sends and works. */
  start(handlers: JobHandlers): Promise<void>
  /**
   * Wakes a tenant's provisioning after a delay; at most one wake-up per tenant waits, and an earlier one moves it forward. In a
   * transaction: exists once it commits.
   */
  wakeProvisioning(tenantId: string, afterSeconds: number, trx?: Trx): Promise<void>
  /** The same for many tenants. */
  wakeProvisionings(wakeUps: readonly { tenantId: string; afterSeconds: number }[]): Promise<void>
  /** Wakes the work on a member after a delay; at most one wake-up per member waits, and an earlier one moves it forward. */
  wakeMember(tenantId: string, userId: string, afterSeconds: number): Promise<void>
  /** The same for many members. */
  wakeMembers(wakeUps: readonly { tenantId: string; userId: string; afterSeconds: number }[]): Promise<void>
  /** Wakes an import after a delay; an earlier wake-up moves one that waits forward. */
  wakeImport(importId: string, afterSeconds: number): Promise<void>
  /** Wakes the reading of what is due about a tenant's members or a partner's staff; at most one wake-up per group and kind waits. */
  wakeReadings(group: ReadingGroup, kind: ReadingKind, afterSeconds: number): Promise<void>
  /** Wakes the sending of mails. In a transaction: exists once it commits. */
  wakeOutbox(mailId: string, afterSeconds: number, trx?: Trx): Promise<void>
  /** Wakes the work on payment events; at most one wake-up waits. In a transaction: exists once it commits. */
  wakeWebhooks(trx?: Trx): Promise<void>
  /** Wakes the writing of hosts' calendars. In a transaction: exists once it commits. */
  wakeCalendars(bookingId: string, afterSeconds: number, trx?: Trx): Promise<void>
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
    { connectionString: parts.databaseUrl, application_name: 'atrium-jobs', max: 4, connectionTimeoutMillis: 10_000 },
    (err) => log.error({ err }, 'the job engine lost a connection'),
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
  const everyMinute = '* * * * *'

  // A notification tells of new jobs only; one whose time comes, or that a killed worker left, is found by looking.
  const workOptions = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1, heartbeatRefreshSeconds: 3 }
  // Begun by the clock every minute or more rarely: a second try may come some seconds later, and an idle service asks half as often.
  const sweepOptions = { ...workOptions, pollingIntervalSeconds: 5, notifyPollingIntervalSeconds: 5 }
  async function counted(queue: string, work: () => Promise<void>): Promise<void> {
    try {
      await (tracing ? tracing.span(`job ${queue}`, { 'atrium.queue': queue }, work) : work())
      metrics.jobs.inc({ queue, outcome: 'done' })
    } catch (err) {
      metrics.jobs.inc({ queue, outcome: 'failed' })
      log.error({ err, queue }, 'a job failed and will be tried again')
      throw err
    }
  }

  /** Sends a wake-up. One that waits under its key is moved forward instead when it would come later. */
  async function wake(queue: string, { key, data, afterSeconds }: WakeUp, trx?: Trx): Promise<void> {
    const boss = await engine()
    const connection = inTransaction(trx)
    const startAfter = Math.ceil(afterSeconds)
    const execute = connection.db?.executeSql ?? ((text: string, values: unknown[]) => pool.query(text, values))
    for (let tries = 1; tries <= mostTries; tries++) {
      if ((await boss.send(queue, data, { singletonKey: key, startAfter, ...connection })) !== null) return
      const { rows } = await execute(moveForward, [queue, [key], startAfter])
      // None waits any more: it was begun meanwhile, and may not have seen what this one is about.
      if (rows.length > 0) return
    }
  }

  async function wakeMany(queue: string, wakeUps: readonly WakeUp[]): Promise<void> {
    const boss = await engine()
    for (let start = 0; start < wakeUps.length; start += mostAtOnce) {
      const some = wakeUps.slice(start, start + mostAtOnce)
      await boss.insert(
        queue,
        some.map(({ key, data, afterSeconds }) => ({ data, singletonKey: key, startAfter: Math.ceil(afterSeconds) })),
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
      await boss.work<{ tenantId: string }>(queues.provisioning, { ...workOptions, batchSize: 20, burstWhenBatchFull: true }, (jobs) =>
        counted(queues.provisioning, async () => {
          await Promise.all(jobs.map((job) => handlers.provisionTenant(job.data.tenantId)))
        }),
      )
      await boss.work<{ tenantId: string; userId: string }>(
        queues.members,
        { ...workOptions, batchSize: 8, burstWhenBatchFull: true },
        (jobs) =>
          counted(queues.members, async () => {
            await Promise.all(jobs.map(({ data }) => handlers.settleMember(data.tenantId, data.userId)))
          }),
      )
      await boss.work<{ importId: string }>(queues.memberImports, workOptions, (jobs) =>
        counted(queues.memberImports, async () => {
          for (const { data } of jobs) await handlers.runImport(data.importId)
        }),
      )
      await boss.work<ReadingGroup & { kind: ReadingKind }>(queues.readings, { ...workOptions, batchSize: 4 }, (jobs) =>
        counted(queues.readings, async () => {
          await Promise.all(jobs.map(({ data }) => handlers.refreshReadings(data, data.kind)))
        }),
      )
      // One wake-up sends whatever is due, so a batch of them needs no more than one.
      await boss.work<{ mailId: string }>(queues.outbox, { ...workOptions, batchSize: 50, burstWhenBatchFull: true }, () =>
        counted(queues.outbox, handlers.sendMails),
      )
      await boss.work<{ bookingId: string }>(queues.calendarWrites, { ...workOptions, batchSize: 50, burstWhenBatchFull: true }, () =>
        counted(queues.calendarWrites, handlers.writeCalendars),
      )
      // One wake-up works on whatever is due.
      await boss.work(queues.webhooks, workOptions, () => counted(queues.webhooks, handlers.drainWebhooks))
      // Work that nobody is woken for: looked for at the start, and from then on by the clock.
      for (const [queue, work, cron] of [
        [queues.provisioningSweep, handlers.sweepProvisioning, everyMinute],
        [queues.ssoSweep, handlers.sweepSsoApps, everyMinute],
        [queues.listSweep, handlers.sweepLists, everyMinute],
        [queues.memberSweep, handlers.sweepMembers, everyMinute],
        [queues.domainChecks, handlers.checkDomains, everyMinute],
        [queues.outboxSweep, handlers.sendMails, everyMinute],
        [queues.flagGuards, handlers.rollBackBrokenFlags, everyMinute],
        [queues.subscriptions, handlers.settleSubscriptions, everyMinute],
        [queues.payouts, handlers.createPayouts, '41 * * * *'],
        [queues.health, handlers.refreshHealth, '*/5 * * * *'],
        [queues.webhookSweep, handlers.drainWebhooks, everyMinute],
        [queues.dunning, handlers.runDunning, '*/5 * * * *'],
        [queues.reports, handlers.keepReports, everyMinute],
        [queues.credentials, handlers.sweepCredentials, everyMinute],
        [queues.bookingExpiry, handlers.expireBookings, everyMinute],
        [queues.calendarSweep, handlers.writeCalendars, everyMinute],
        [queues.calendarChecks, handlers.checkCalendars, '*/15 * * * *'],
        [queues.bookingReminders, handlers.sendReminders, everyMinute],
        [queues.cleanup, handlers.cleanUp, '17 * * * *'],
      ] as const) {
        await boss.work(queue, sweepOptions, () => counted(queue, work))
        await boss.schedule(queue, cron)
        await boss.send(queue, {})
      }
      await boss.work(queues.billingReconcile, sweepOptions, () => counted(queues.billingReconcile, handlers.reconcileBilling))
      await boss.schedule(queues.billingReconcile, '43 2 * * *')
      await boss.work(queues.reportChecks, sweepOptions, () => counted(queues.reportChecks, handlers.checkReports))
      await boss.schedule(queues.reportChecks, '5 0 * * *')
      running = true
    },
    async wakeProvisioning(tenantId, afterSeconds, trx) {
      await wake(queues.provisioning, { key: tenantId, data: { tenantId }, afterSeconds }, trx)
    },
    async wakeProvisionings(wakeUps) {
      const toWakeUp = ({ tenantId, afterSeconds }: (typeof wakeUps)[number]) => ({ key: tenantId, data: { tenantId }, afterSeconds })
      await wakeMany(queues.provisioning, wakeUps.map(toWakeUp))
    },
    async wakeOutbox(mailId, afterSeconds, trx) {
      await (await engine()).send(queues.outbox, { mailId }, { startAfter: Math.ceil(afterSeconds), ...inTransaction(trx) })
    },
    async wakeCalendars(bookingId, afterSeconds, trx) {
      await (await engine()).send(queues.calendarWrites, { bookingId }, { startAfter: Math.ceil(afterSeconds), ...inTransaction(trx) })
    },
    async wakeWebhooks(trx) {
      await (await engine()).send(queues.webhooks, {}, inTransaction(trx))
    },
    async wakeMember(tenantId, userId, afterSeconds) {
      await wake(queues.members, toMemberWakeUp({ tenantId, userId, afterSeconds }))
    },
    async wakeMembers(wakeUps) {
      await wakeMany(queues.members, wakeUps.map(toMemberWakeUp))
    },
    async wakeImport(importId, afterSeconds) {
      await wake(queues.memberImports, { key: importId, data: { importId }, afterSeconds })
    },
    async wakeReadings(group, kind, afterSeconds) {
      const key = `${kind}:${'tenantId' in group ? group.tenantId : group.partnerId}`
      await wake(queues.readings, { key, data: { ...group, kind }, afterSeconds })
    },
    async health() {
      if (!running) return 'the job engine is not started'
      const { rows } = await db.executeQuery(CompiledQuery.raw(`select version from ${jobSchema}.version`))
      return rows.length > 0 ? 'ok' : 'the job engine has no schema'
    },
    async stop() {
      running = false
      if (sending) await (await engine()).stop({ graceful: true, timeout: 10_000 })
      if (!pool.ending) await pool.end()
    },
  }
}

interface WakeUp {
  /** At most one waits per key. */
  key: string
  data: object
  afterSeconds: number
}

/** How often a wake-up is sent while those that wait are begun. */
const mostTries = 3
/** Wake-ups in one statement. */
const mostAtOnce = 1000

function toMemberWakeUp({ tenantId, userId, afterSeconds }: { tenantId: string; userId: string; afterSeconds: number }): WakeUp {
  return { key: `${tenantId}.${userId}`, data: { tenantId, userId }, afterSeconds }
}

/** Lets the job engine write with the transaction's connection. */
function inTransaction(trx: Trx | undefined): { db?: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } } {
  if (!trx) return {}
  const executeSql = async (text: string, values?: unknown[]) => ({
    rows: (await trx.executeQuery(CompiledQuery.raw(text, values ?? []))).rows,
  })
  return { db: { executeSql } }
}
