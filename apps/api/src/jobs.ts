import type { Db, Trx } from '@atrium/db/connect'
import { jobSchema, queues } from '@atrium/db/jobs'
import { CompiledQuery } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Work that the job engine wakes. Each handler reads the state in our own rows, so running twice does no harm. */
export interface JobHandlers {
  provisionTenant(tenantId: string): Promise<void>
  sweepProvisioning(): Promise<void>
  cleanUp(): Promise<void>
}

export interface Jobs {
  /** Lets this process send wake-ups without working on any. */
  startSending(): Promise<void>
  /** Sends and works. */
  start(handlers: JobHandlers): Promise<void>
  /** Wakes a tenant's provisioning after a delay; at most one wake-up per tenant waits. In a transaction: exists once it commits. */
  wakeProvisioning(tenantId: string, afterSeconds: number, trx?: Trx): Promise<void>
  /** `ok`, or a sentence about what is wrong. */
  health(): Promise<string>
  stop(): Promise<void>
}

/**
 * pg-boss with the settings that make a killed worker's job start again after about ten seconds and a new one at once. It never
 * changes its schema here: the account of the API may not (`packages/db/src/jobs.ts` installs it).
 */
export function createJobs(parts: { databaseUrl: string; db: Db; log: Logger; metrics: Metrics }): Jobs {
  const { db, log, metrics } = parts
  const boss = new PgBoss({
    connectionString: parts.databaseUrl,
    schema: jobSchema,
    application_name: 'atrium-jobs',
    max: 4,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    cronWorkerIntervalSeconds: 5,
    cronMonitorIntervalSeconds: 5,
    reindex: false,
  })
  boss.on('error', (err) => log.error({ err }, 'the job engine reported an error'))
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'the job engine reported a warning'))
  let running = false

  // A notification tells of new jobs only; one whose time comes, or that a killed worker left, is found by looking.
  const workOptions = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 1, heartbeatRefreshSeconds: 3 }
  async function counted(queue: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      metrics.jobs.inc({ queue, outcome: 'done' })
    } catch (err) {
      metrics.jobs.inc({ queue, outcome: 'failed' })
      log.error({ err, queue }, 'a job failed and will be tried again')
      throw err
    }
  }

  let sending: Promise<unknown> | undefined
  function startSending(): Promise<void> {
    sending ??= boss.start().catch((error: unknown) => {
      sending = undefined
      throw error
    })
    return sending.then(() => undefined)
  }

  return {
    startSending,
    async start(handlers) {
      await startSending()
      await boss.work<{ tenantId: string }>(queues.provisioning, { ...workOptions, batchSize: 20, burstWhenBatchFull: true }, (jobs) =>
        counted(queues.provisioning, async () => {
          await Promise.all(jobs.map((job) => handlers.provisionTenant(job.data.tenantId)))
        }),
      )
      await boss.work(queues.provisioningSweep, workOptions, () => counted(queues.provisioningSweep, handlers.sweepProvisioning))
      await boss.work(queues.cleanup, workOptions, () => counted(queues.cleanup, handlers.cleanUp))
      await boss.schedule(queues.provisioningSweep, '* * * * *')
      await boss.schedule(queues.cleanup, '17 * * * *')
      await boss.send(queues.provisioningSweep, {})
      await boss.send(queues.cleanup, {})
      running = true
    },
    async wakeProvisioning(tenantId, afterSeconds, trx) {
      await boss.send(
        queues.provisioning,
        { tenantId },
        {
          singletonKey: tenantId,
          startAfter: Math.ceil(afterSeconds),
          ...(trx
            ? {
                db: {
                  executeSql: async (text: string, values?: unknown[]) => ({
                    rows: (await trx.executeQuery(CompiledQuery.raw(text, values ?? []))).rows,
                  }),
                },
              }
            : {}),
        },
      )
    },
    async health() {
      if (!running) return 'the job engine is not started'
      const { rows } = await db.executeQuery(CompiledQuery.raw(`select version from ${jobSchema}.version`))
      return rows.length > 0 ? 'ok' : 'the job engine has no schema'
    },
    async stop() {
      running = false
      if (sending) await boss.stop({ graceful: true, timeout: 10_000 })
    },
  }
}
