import type { Database } from '@atrium/db/platform/connect'
import { jobSchema } from '@atrium/db/platform/jobs'
import type { Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import type { Logger } from './log.ts'

/**
 * pg-boss, with notifications of new jobs. What comes due later and what a killed process left is
 * found by `watchJobs`. It never changes its schema here: the account of the API may not
 * (`packages/db/src/platform/install-jobs.ts` does). Its statements are whole transactions on
 * connections of `pool`, which may lead through a transaction pooler; it listens on a direct one.
 * Not started.
 */
export function createJobEngine({
  pool,
  listen,
  log,
}: {
  pool: Pool
  listen: Database['listen']
  log: Logger
}): PgBoss {
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) => pool.query(text, values),
      listen: async (channel, onNotification, onReconnect) => ({
        close: await listen(channel, onNotification, onReconnect),
      }),
    },
    schema: jobSchema,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    superviseIntervalSeconds: 60,
    // `watchJobs` supervises a queue out of turn, which does nothing within this time.
    monitorIntervalSeconds: 1,
    cronWorkerIntervalSeconds: 5,
    cronMonitorIntervalSeconds: 5,
    // No job depends on another one.
    flowIntervalSeconds: 3600,
    reindex: false,
  })
  boss.on('error', (err) => log.error({ err }, 'job engine error'))
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'job engine warning'))
  return boss
}
