import { version } from '@atrium/core/platform/version'
import type {
  DatabaseHealth,
  ListSystemFailures,
  SystemFailures,
  SystemView,
} from '@atrium/core/system/system'
import { newestMigration } from '@atrium/db/schema/newest-migration'
import {
  listFailures,
  listProcesses,
  readBacklogs,
  readQueues,
  readReplicaLag,
  readServer,
} from '@atrium/db/system/system'
import { listUpstreamDays } from '@atrium/db/system/upstream-days'
import { upstreamDaysBefore } from '../platform/upstream-calls.ts'
import { readFailure } from '../rpc/reader-language.ts'
import type { Services } from '../rpc/services.ts'

/**
 * What operators look at first when something is slow or has stopped. The states of upstream
 * systems are as this process last saw them.
 */
export async function getSystem(services: Services): Promise<SystemView> {
  const { db } = services.database
  const now = services.clock.now()
  const [systems, processes, queues, backlogs, database, jobEngine] = await Promise.all([
    upstreamSystems(services, now),
    listProcesses(db),
    readQueues(db),
    readBacklogs(db),
    databaseHealth(services),
    services.jobs.health(),
  ])
  return {
    at: now.toISOString(),
    version,
    processes: processes.map(({ address, since }) => ({ address, since: since.toISOString() })),
    jobEngine,
    database,
    systems,
    backlogs: backlogs.map((backlog) => ({
      ...backlog,
      oldestAt: backlog.oldestAt?.toISOString() ?? null,
    })),
    queues: queues.map((queue) => ({ ...queue, oldestAt: queue.oldestAt?.toISOString() ?? null })),
  }
}

/** Current failures, newest first. */
export async function listSystemFailures(
  services: Services,
  input: ListSystemFailures,
): Promise<SystemFailures> {
  const rows = await listFailures(services.database.db, input)
  return {
    items: rows.map((row) => ({
      ...row,
      message: readFailure(row.message),
      at: row.at.toISOString(),
      nextAt: row.nextAt?.toISOString() ?? null,
    })),
  }
}

async function upstreamSystems(
  { database, systemChecks, upstreamCalls, log }: Services,
  now: Date,
): Promise<SystemView['systems']> {
  // What this process counted a moment ago belongs on the page that shows it.
  await upstreamCalls
    .save(database.db)
    .catch((err: unknown) => log.warn({ err }, 'failed to save upstream call statistics'))
  const days = await listUpstreamDays(database.db, upstreamDaysBefore(now))
  return systemChecks.states().map((state) => {
    const own = days.filter(({ system }) => system === state.system)
    const failed = own.findLast(({ lastFailedAt }) => lastFailedAt !== null)
    return {
      ...state,
      lastError: failed?.lastFailedAt
        ? { at: failed.lastFailedAt.toISOString(), message: readFailure(failed.lastFailure ?? '') }
        : null,
      days: own.map(({ day, calls, failures }) => ({ day, calls, failures })),
    }
  })
}

async function databaseHealth({ database, log }: Services): Promise<DatabaseHealth> {
  const { used, most, migration, position, ...figures } = await readServer(database.db)
  return {
    ...figures,
    connections: { used, most },
    migration: { found: migration, needed: newestMigration },
    replica: await replicaHealth(),
  }

  async function replicaHealth(): Promise<DatabaseHealth['replica']> {
    try {
      const lag = await readReplicaLag(database, position)
      return lag ? { state: 'ok', ...lag } : null
    } catch (err) {
      log.warn({ err }, 'failed to read replica lag')
      return { state: 'error', lagBytes: null, lagSeconds: null }
    }
  }
}
