import { archiveFails, readArchive } from '@atrium/db/system/account-facts'
import { readBacklogs, readQueues, readReplicaLag, readServer } from '@atrium/db/system/system'
import { Gauge } from 'prom-client'
import type { Services } from '../rpc/services.ts'

/** How old what was counted in the database may be: each process is asked by each collector. */
const freshMs = 5_000

/**
 * Lets the metrics report queues, backlogs, the replica, connections and upstream systems, counted
 * on each scrape.
 */
export function observeSystem({
  metrics,
  database,
  systemChecks,
  log,
}: Pick<Services, 'metrics' | 'database' | 'systemChecks' | 'log'>): void {
  const registers = [metrics.registry]
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: (self: Gauge<Label>) => unknown,
  ) =>
    new Gauge<Label>({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      async collect() {
        this.reset()
        await collect(this)
      },
    })
  const counted = remembered(
    async () => {
      const [queues, backlogs, server, archive] = await Promise.all([
        readQueues(database.db),
        readBacklogs(database.db),
        readServer(database.db),
        readArchive(database.db),
      ])
      return {
        queues,
        backlogs,
        archive,
        lag: await readReplicaLag(database, server.position).catch(() => null),
      }
    },
    (err) => log.warn({ err }, 'failed to count queues for metrics'),
  )
  const seconds = (at: Date | null) =>
    at === null ? 0 : Math.max(0, (Date.now() - at.getTime()) / 1000)

  gauge(
    'job_queue_jobs',
    'Jobs of the job engine by queue and state: waiting (due), later, running',
    ['queue', 'state'],
    async (self) => {
      for (const { name: queue, waiting, later, running } of (await counted())?.queues ?? [])
        for (const [state, count] of Object.entries({ waiting, later, running }))
          self.set({ queue, state }, count)
    },
  )
  gauge(
    'job_queue_oldest_seconds',
    'For how long the oldest due job of a queue has been due',
    ['queue'],
    async (self) => {
      for (const { name: queue, oldestAt } of (await counted())?.queues ?? [])
        self.set({ queue }, seconds(oldestAt))
    },
  )
  gauge(
    'backlog_items',
    'Work in our own rows by kind and state: waiting, failing (of those), gave_up',
    ['kind', 'state'],
    async (self) => {
      for (const { kind, waiting, failing, gaveUp } of (await counted())?.backlogs ?? [])
        for (const [state, count] of Object.entries({ waiting, failing, gave_up: gaveUp }))
          self.set({ kind, state }, count)
    },
  )
  gauge(
    'backlog_oldest_seconds',
    'For how long the oldest work of a kind has waited',
    ['kind'],
    async (self) => {
      for (const { kind, oldestAt } of (await counted())?.backlogs ?? [])
        self.set({ kind }, seconds(oldestAt))
    },
  )
  gauge(
    'database_replica_lag_seconds',
    'How far the copy is behind; absent without one or while it cannot be asked',
    [],
    async (self) => {
      const lag = (await counted())?.lag
      if (lag) self.set(lag.lagSeconds)
    },
  )
  gauge(
    'database_archive_failing',
    'Whether the newest attempt to copy the log of the database to the backups failed',
    [],
    async (self) => {
      const found = await counted()
      if (found) self.set(archiveFails(found.archive) ? 1 : 0)
    },
  )
  gauge(
    'database_connections',
    'Connections of the pool by state: busy, idle, and callers who wait for one',
    ['state'],
    (self) => {
      const { open, idle, waiting } = database.connections()
      for (const [state, count] of Object.entries({ busy: open - idle, idle, waiting }))
        self.set({ state }, count)
    },
  )
  gauge('database_connections_max', 'Connections that the pool may open', [], (self) =>
    self.set(database.connections().most),
  )
  gauge(
    'outside_system_up',
    'Whether an upstream system answered its last check; absent for systems that are not set up',
    ['system'],
    (self) => {
      for (const { system, state } of systemChecks.states())
        if (state === 'ok' || state === 'error') self.set({ system }, state === 'ok' ? 1 : 0)
    },
  )
}

/**
 * What was found a moment ago, once for all who ask together; undefined when it cannot be found
 * out.
 */
function remembered<Found>(
  find: () => Promise<Found>,
  onError: (error: unknown) => void,
): () => Promise<Found | undefined> {
  let at = Number.NEGATIVE_INFINITY
  let found: Promise<Found | undefined> = Promise.resolve(undefined)
  return () => {
    if (performance.now() - at > freshMs) {
      at = performance.now()
      found = find().catch((error: unknown) => {
        onError(error)
        return undefined
      })
    }
    return found
  }
}
