import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import type { Tables } from '../schema/tables.ts'
import { workExclusively } from './exclusive-work.ts'
import { type KeyPart, type NamedStatement, parserOf } from './keyed-read.ts'
import { listenOn } from './listener.ts'
import { createPipelinedQueries, type PipelinedQueries } from './pipelined-queries.ts'
import { openPool } from './pool.ts'
import { createReplica, type ReplicaRead } from './replica.ts'
import { type StatementWatch, toWatch, watched } from './statement-watch.ts'

export type Db = Kysely<Tables>
/**
 * A transaction. Asked for by functions that lock or write in several places, so that the compiler
 * rejects a plain handle.
 */
export type Trx = Transaction<Tables>

export interface DatabaseOptions {
  url: string
  /**
   * The same database without a transaction pooler in between, for what needs a session of its own;
   * `url` when absent.
   */
  directUrl?: string | undefined
  /**
   * A copy that reports and the audit log are read from, directly; the server of `url` when absent.
   */
  replicaUrl?: string | undefined
  /** Called for each read that the replica could have served. */
  onReplicaRead?: (where: ReplicaRead) => void
  /** Ordinary connections: transactions, searches, everything not read by key. */
  poolSize?: number
  /** Connections for reads by key. */
  readers?: number
  /**
   * `url` may lead through a transaction pooler, which takes no start-up options. As long as
   * nothing is said: when `directUrl` is another.
   */
  pooled?: boolean
  applicationName?: string
  /** Called for each statement that ended, without its text and values. */
  onStatement?: StatementWatch | undefined
  onError: (error: Error) => void
}

export interface Database {
  readonly db: Db
  /**
   * Searches the audit log: on the copy where there is one that shows all that was committed so
   * far, else on `db`. Only for reading.
   */
  search<Result>(run: (db: Db) => Promise<Result>): Promise<Result>
  /** Runs a short read by key. Many go to the server as one, so a slow one holds up the others. */
  read<Row extends pg.QueryResultRow>(
    statement: NamedStatement,
    values: readonly KeyPart[],
  ): Promise<Row[]>
  /**
   * The same for reports, on connections of their own, because they take longer than reads by key;
   * from the copy under the rule of `search`.
   */
  readReport<Row extends pg.QueryResultRow>(
    statement: NamedStatement,
    values: readonly KeyPart[],
  ): Promise<Row[]>
  /**
   * A connection of its own that listens on a channel; reconnects by itself and calls `onReconnect`
   * after it missed messages.
   */
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<() => Promise<void>>
  /**
   * Runs work that no process does at the same time under the same name, such as
   * `email:anna@example.org` (`lockEmail` holds the same lock). The lock takes a connection of its
   * own, none of a pool, so the work may take those.
   */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>
  /**
   * The copy itself, to ask how it is doing; null where there is none. What a request needs is read
   * with `search`.
   */
  readonly copy: Db | null
  /** Use of the ordinary connections; `waiting` counts who has none. */
  connections(): { open: number; idle: number; waiting: number; most: number }
  close(): Promise<void>
}

/** Ends the name of a connection that listens, so that the processes which do can be counted. */
export const listeningTo = (channel: string) => `listening to ${channel}`

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary'
      ? pg.types.getTypeParser(oid, 'binary')
      : parserOf(oid)) as typeof pg.types.getTypeParser,
}

const asOptions = (settings: readonly string[]) =>
  settings.map((setting) => `-c ${setting}`).join(' ')
// The statements of reports touch few rows, which the planner cannot know: it would compile them,
// plan them again at each run, or lay out memory for a million look-ups or groups, at many times
// the cost of running them.
const reportSettings = [
  'jit=off',
  'plan_cache_mode=force_generic_plan',
  'enable_memoize=off',
  'enable_hashagg=off',
]
const reportConfig = { statement_timeout: 15_000, options: asOptions(reportSettings) }
// What is read by key has one plan, whatever the key is; the planner, left to itself, makes it
// again for half of all reads.
const keyedSettings = ['jit=off', 'plan_cache_mode=force_generic_plan']

/**
 * Opens the pools for one process. Nothing is connected before the first statement. A lost server
 * ends no process: every connection has an error handler, and the next statement connects again.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const {
    url,
    directUrl = url,
    replicaUrl,
    poolSize = 8,
    readers = 2,
    applicationName = 'atrium',
    onStatement,
    onError,
  } = options
  const { pooled = directUrl !== url } = options
  const common = {
    connectionString: url,
    types,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
  }
  const pool = openPool(
    { ...common, max: poolSize, idleTimeoutMillis: 30_000, statement_timeout: 15_000 },
    onError,
  )
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    ...(onStatement && { log: toWatch(onStatement) }),
  })
  const ofKeyed = pooled ? {} : { options: asOptions(keyedSettings) }
  const keyed = watched(
    createPipelinedQueries(readers, { ...common, ...ofKeyed, statement_timeout: 1_000 }, onError),
    onStatement,
  )
  const reports = watched(
    createPipelinedQueries(2, { ...common, connectionString: directUrl, ...reportConfig }, onError),
    onStatement,
  )
  const copy =
    replicaUrl === undefined
      ? undefined
      : openCopy({ ...common, connectionString: replicaUrl }, keyed, options)
  const listeners = new Set<() => Promise<void>>()
  return {
    db,
    search: (run) =>
      copy
        ? copy.replica.read(
            () => run(copy.searches),
            () => run(db),
          )
        : run(db),
    read: (statement, values) => keyed.read(statement, values),
    readReport<Row extends pg.QueryResultRow>(
      statement: NamedStatement,
      values: readonly KeyPart[],
    ) {
      const onPrimary = () => reports.read<Row>(statement, values)
      return copy
        ? copy.replica.read(() => copy.reports.read<Row>(statement, values), onPrimary)
        : onPrimary()
    },
    listen: async (channel, onMessage, onReconnect) => {
      const config = {
        ...common,
        connectionString: directUrl,
        application_name: `${applicationName} ${listeningTo(channel)}`,
      }
      const stop = await listenOn(config, { channel, onMessage, onReconnect, onError })
      listeners.add(stop)
      return async () => {
        listeners.delete(stop)
        await stop()
      }
    },
    exclusively: (name, work) =>
      workExclusively({ ...common, connectionString: directUrl }, { name, work, onError }),
    copy: copy?.searches ?? null,
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      // The pool serves callers a moment later, also where a connection is idle or may be opened.
      waiting: Math.max(0, pool.waitingCount - pool.idleCount - (poolSize - pool.totalCount)),
      most: poolSize,
    }),
    close: async () => {
      await Promise.all([...listeners].map((stop) => stop()))
      await copy?.close()
      await keyed.close()
      await reports.close()
      await db.destroy()
    },
  }
}

/**
 * Connections to a copy: for the question how far it is, for reports, and for searches in the audit
 * log.
 */
function openCopy(
  config: pg.PoolConfig,
  primary: PipelinedQueries,
  { onError, onReplicaRead }: DatabaseOptions,
) {
  // A copy that is gone without a word must not keep the first request that meets it for long.
  const common = { ...config, connectionTimeoutMillis: 2_000 }
  const state = createPipelinedQueries(1, { ...common, statement_timeout: 1_000 }, onError)
  const reports = createPipelinedQueries(2, { ...common, ...reportConfig }, onError)
  const pool = openPool(
    { ...common, max: 4, idleTimeoutMillis: 30_000, statement_timeout: 15_000 },
    onError,
  )
  const searches = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const replica = createReplica({ primary, replica: state, onError, onRead: onReplicaRead })
  return {
    replica,
    reports,
    searches,
    async close(): Promise<void> {
      replica.close()
      await Promise.all([state.close(), reports.close(), searches.destroy()])
    },
  }
}
