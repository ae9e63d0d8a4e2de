import { clockDifferenceMs } from '@atrium/db/platform/clock'
import type { Clock } from './platform/clock.ts'
import { createOutbox } from './platform/outbox.ts'
import { createAuditRecorder } from './rpc/audit-recorder.ts'
import type { Services } from './rpc/services.ts'

/**
 * The service with a clock that is set by the database's, for work that deletes, expires, charges
 * or tells people: a machine whose clock is wrong would do it too early, and nothing brings back
 * what it did. Rejects where the database's time cannot be read.
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
