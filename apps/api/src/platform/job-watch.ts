import { setInterval } from 'node:timers'
import { jobsToActOn } from '@atrium/db/platform/jobs'
import type { Pool } from 'pg'
import type { PgBoss } from 'pg-boss'
import type { Logger } from './log.ts'

/** How often the jobs are looked at. A job waits for at most this long after its time has come. */
const lookEveryMs = 1_000

/** One look at the jobs of all queues, instead of a poll by each worker. */
export interface JobWatch {
  /** Resolves once no look is under way and none follows. */
  stop(): Promise<void>
}

/**
 * Checks once a second, in one statement, for queues with jobs that are due or were left by a
 * killed process, and has the engine fetch or release only those. The engine itself polls each
 * queue by its own statement and supervises all queues with several, which an idle service would
 * run all day. `workers`: the engine's worker of each queue. A failed check is logged, and the next
 * one follows.
 */
export function watchJobs(parts: {
  boss: PgBoss
  pool: Pool
  workers: ReadonlyMap<string, string>
  log: Logger
}): JobWatch {
  const { boss, pool, workers, log } = parts
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const { rows } = await pool.query<{ name: string; due: boolean; abandoned: boolean }>(
      jobsToActOn,
    )
    for (const { name, due, abandoned } of rows) {
      if (abandoned) await boss.supervise(name)
      const worker = workers.get(name)
      if (due && worker !== undefined) boss.notifyWorker(worker)
    }
  }
  const timer = setInterval(() => {
    looking ??= look()
      .catch((err: unknown) => log.error({ err }, 'failed to read due jobs'))
      .finally(() => {
        looking = undefined
      })
  }, lookEveryMs)

  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
