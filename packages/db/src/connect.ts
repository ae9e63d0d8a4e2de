import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { type KeyPart, type NamedStatement, parserOf } from './keyed-read.ts'
import { createReaders } from './readers.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
/** A transaction. Asked for by functions that lock or write in several places, so that the compiler refuses a plain handle. */
export type Trx = Transaction<Tables>

export interface DatabaseOptions {
  url: string
  /** A copy that reports and the audit log are read from; the server of `url` when absent. */
  replicaUrl?: string | undefined
  /** Ordinary connections: transactions, searches, everything not read by key. */
  poolSize?: number
  /** Connections for reads by key. */
  readers?: number
  applicationName?: string
  onError: (error: Error) => void
}

export interface Database {
  readonly db: Db
  /** For searches in the audit log: the copy where there is one, which may lag behind, else `db`. Only for reading. */
  readonly searches: Db
  /** Runs a short read by key. Many go to the server as one, so a slow one holds up the others. */
  read<Row extends pg.QueryResultRow>(statement: NamedStatement, values: readonly KeyPart[]): Promise<Row[]>
  /** The same for reports, on connections of their own: they take longer than reads by key, and may come from a copy that lags behind. */
  readReport<Row extends pg.QueryResultRow>(statement: NamedStatement, values: readonly KeyPart[]): Promise<Row[]>
  /** A connection of its own that listens on a channel; reconnects by itself and calls `onReconnect` after it missed messages. */
  listen(channel: string, onMessage: (payload: string) => void, onReconnect: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : parserOf(oid)) as typeof pg.types.getTypeParser,
}

// The statements of reports touch few rows, which the planner cannot know: it would compile them, or plan them anew at each run, at many
// times the cost of running them.
const reportSettings = '-c jit=off -c plan_cache_mode=force_generic_plan'

/**
 * Opens the pools for one process. Nothing is connected before the first statement. A lost server ends no process: every
 * connection has an error handler, and the next statement connects anew.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, poolSize = 8, readers = 2, applicationName = 'atrium', onError } = options
  const common = { connectionString: url, types, application_name: applicationName, connectionTimeoutMillis: 5_000 }
  const pool = new pg.Pool({ ...common, max: poolSize, idleTimeoutMillis: 30_000, statement_timeout: 15_000 })
  pool.on('error', onError)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const searches = options.replicaUrl === undefined ? db : openSearches({ ...common, connectionString: options.replicaUrl }, onError)
  const keyed = createReaders(readers, { ...common, statement_timeout: 1_000 }, onError)
  const reports = createReaders(
    2,
    { ...common, connectionString: options.replicaUrl ?? url, statement_timeout: 15_000, options: reportSettings },
    onError,
  )
  const listeners = new Set<() => Promise<void>>()
  return {
    db,
    searches,
    read: (statement, values) => keyed.read(statement, values),
    readReport: (statement, values) => reports.read(statement, values),
    listen: async (channel, onMessage, onReconnect) => {
      const stop = await listenOn({ ...common, keepAlive: true }, channel, onMessage, onReconnect, onError)
      listeners.add(stop)
      return async () => {
        listeners.delete(stop)
        await stop()
      }
    },
    close: async () => {
      await Promise.all([...listeners].map((stop) => stop()))
      await keyed.close()
      await reports.close()
      if (searches !== db) await searches.destroy()
      await db.destroy()
    },
  }
}

function openSearches(config: pg.PoolConfig, onError: (error: Error) => void): Db {
  const pool = new pg.Pool({ ...config, max: 4, idleTimeoutMillis: 30_000, statement_timeout: 15_000 })
  pool.on('error', onError)
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

async function listenOn(
  config: pg.ClientConfig,
  channel: string,
  onMessage: (payload: string) => void,
  onReconnect: () => void,
  onError: (error: Error) => void,
): Promise<() => Promise<void>> {
  let stopped = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  async function connect(): Promise<void> {
    const next = new pg.Client(config)
    let lost = false
    const reconnect = () => {
      if (lost || stopped) return
      lost = true
      retry = setTimeout(() => {
        connect().then(onReconnect, (error: Error) => {
          onError(error)
          lost = false
          reconnect()
        })
      }, 500)
    }
    next.on('error', (error) => {
      onError(error)
      reconnect()
    })
    next.on('end', reconnect)
    next.on('notification', (message) => onMessage(message.payload ?? ''))
    await next.connect()
    await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    client = next
  }
  await connect()
  return async () => {
    stopped = true
    clearTimeout(retry)
    await client?.end()
  }
}
