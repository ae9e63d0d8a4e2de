import { clockDifferenceMs } from '@atrium/db/clock'
import { createAuditRecorder } from './audit/recorder.ts'
import type { Clock } from './clock.ts'
import type { House } from './house.ts'
import { createOutbox } from './outbox/outbox.ts'

/**
 * The service with a clock that is set by the database's, for work that deletes, expires, charges or tells people: a machine whose clock
 * is wrong would do it too early, and nothing brings back what it did. Rejects where the database's time cannot be read.
 */
export async function onDatabaseTime(house: House): Promise<House> {
  const aheadMs = await clockDifferenceMs(house.database.db)
  const clock: Clock = { now: () => new Date(house.clock.now().getTime() - aheadMs) }
  const { config, database, log, metrics, jobs } = house
  return {
    ...house,
    clock,
    audit: createAuditRecorder({ database, clock, log, metrics, chained: config.auditHashChain }),
    outbox: createOutbox({ config, clock, jobs }),
  }
}
