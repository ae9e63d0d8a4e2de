import type { Database } from '@atrium/db/connect'
import { jobSchema } from '@atrium/db/jobs'
import { Settings } from 'luxon'
import type { Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import type { Logger } from './log.ts'

// The clock by which the engine reads its schedules, which are all in UTC. To ask the machine for its own zone and language would load the
// languages of the world, 8 MiB. Where Node runs the sources there are two of luxon, and the engine has the other one (`vite.config.ts`).
Settings.defaultZone = 'utc'
Settings.defaultLocale = 'en'

/**
 * pg-boss with the settings that make a killed worker's job start again after about ten seconds and a new one at once. It never
 * changes its schema here: the account of the API may not (`packages/db/src/install-jobs.ts` does). Its statements are whole transactions
 * on connections of `pool`, which may lead through a transaction pooler; it listens on a direct one. Not started.
 */
export function createJobEngine({ pool, listen, log }: { pool: Pool; listen: Database['listen']; log: Logger }): PgBoss {
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) => pool.query(text, values),
      listen: async (channel, onNotification, onReconnect) => ({ close: await listen(channel, onNotification, onReconnect) }),
    },
    schema: jobSchema,
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
  return boss
}
