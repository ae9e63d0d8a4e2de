import { clockDifferenceMs } from '@atrium/db/platform/clock'
import type { Clock } from './platform/clock.ts'
import { createOutbox } from './platform/outbox.ts'
import { createAuditRecorder } from './rpc/audit-recorder.ts'
import type { Services } from './rpc/services.ts'

/**
 * The services with a clock set by the database, for work that deletes, expires, charges or sends
 * mail: a machine with a wrong clock would do it too early, and that cannot be undone. Rejects when
 * the database's time cannot be read.
 */
export async function onDatabaseTime(services: Services): Promise<Services> {
  const aheadMs = await clockDifferenceMs(services.database.db)
  const clock: Clock = { now: () => new Date(services.clock.now().getTime() - aheadMs) }
  const { config, database, log, metrics, keyedLimiter, jobs } = services
  return {
    ...services,
    clock,
    audit: createAuditRecorder({
      database,
      clock,
      log,
      metrics,
      keyedLimiter,
      chained: config.auditHashChain,
    }),
    outbox: createOutbox({ config, clock, jobs }),
  }
}
