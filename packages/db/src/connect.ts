import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { FirstRead, KeyedReads, type KeyPart, type NamedStatement, parserOf, type Read, type Shapes } from './keyed-read.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
/** A transaction. Asked for by functions that lock or write in several places, so that the compiler refuses a plain handle. */
export type Trx = Transaction<Tables>

export interface DatabaseOptions {
  url: string
  /** Ordinary connections: transactions, searches, everything not read by key. */
  poolSize?: number
  /** Pipelined connections for reads by key. */
  readers?: number
  applicationName?: string
  onError: (error: Error) => void
}

export interface Database {
  readonly db: Db
  /** Runs a short read by key on a pipelined connection: several are on the wire at once, so a slow one holds up the others. */
  read<Row extends pg.QueryResultRow>(statement: NamedStatement, values: readonly KeyPart[]): Promise<Row[]>
  /** A connection of its own that listens on a channel; reconnects by itself and calls `onReconnect` after it missed messages. */
  listen(channel: string, onMessage: (payload: string) => void, onReconnect: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : parserOf(oid)) as typeof pg.types.getTypeParser,
}

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
  const pipelines = Array.from({ length: readers }, () => pipelinedReader(common, onError))
  let turn = 0
  let turnTaken = false
  const listeners = new Set<() => Promise<void>>()
  return {
    db,
    read: (statement, values) => {
      // What is asked for in one turn of the event loop goes to one reader, so that it leaves in one write.
      if (!turnTaken) {
        turnTaken = true
        turn = (turn + 1) % pipelines.length
        setImmediate(() => {
          turnTaken = false
        })
      }
      const reader = pipelines[turn]
      if (!reader) return Promise.reject(new Error('The database is opened without readers.'))
      return reader.read(statement, values)
    },
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
      await Promise.all(pipelines.map((reader) => reader.close()))
      await db.destroy()
    },
  }
}

function pipelinedReader(config: pg.ClientConfig, onError: (error: Error) => void) {
  let current: Promise<Reader> | undefined
  async function connect(): Promise<Reader> {
    const client = new pg.Client({ ...config, pipeline: true, statement_timeout: 1_000 })
    const forget = () => {
      if (current === connected) current = undefined
    }
    client.on('error', (error) => {
      forget()
      onError(error)
    })
    client.on('end', forget)
    const connected = client.connect().then(() => createReader(client))
    current = connected
    return connected.catch((error: unknown) => {
      forget()
      throw error
    })
  }
  return {
    async read<Row extends pg.QueryResultRow>(statement: NamedStatement, values: readonly KeyPart[]): Promise<Row[]> {
      const reader = await (current ?? connect())
      return new Promise((resolve, reject) => {
        const done: Read['done'] = (error, rows) => (error ? reject(error) : resolve(rows as Row[]))
        reader.add({ statement, values, done })
      })
    },
    async close() {
      const reader = await current?.catch(() => undefined)
      current = undefined
      await reader?.client.end()
    },
  }
}

interface Reader {
  client: pg.Client
  add(read: Read): void
}

/** Sends what is asked for in one turn of the event loop together: waking the server for each costs more than the read itself. */
function createReader(client: pg.Client): Reader {
  const shapes: Shapes = new Map()
  let waiting: Read[] = []
  function add(read: Read): void {
    if (waiting.length === 0) setImmediate(send)
    waiting.push(read)
  }
  function send(): void {
    const reads = waiting
    waiting = []
    const known = reads.filter(({ statement }) => shapes.has(statement.name))
    for (const read of reads) if (!shapes.has(read.statement.name)) client.query(new FirstRead(read, shapes))
    if (known.length > 0) client.query(new KeyedReads(known, shapes, (rest) => rest.forEach(add)))
  }
  return { client, add }
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
