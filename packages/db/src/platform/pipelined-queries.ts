import pg from 'pg'
import {
  type KeyedRead,
  KeyedReads,
  type KeyPart,
  type NamedStatement,
  type Shapes,
} from './keyed-read.ts'

export interface PipelinedQueries {
  read<Row extends pg.QueryResultRow>(
    statement: NamedStatement,
    values: readonly KeyPart[],
  ): Promise<Row[]>
  close(): Promise<void>
}

const mostAtOnce = 64
const closedSentence = 'The database is closed.'

/**
 * A few connections that share one queue of reads by key. What is asked for in one turn of the
 * event loop goes out together on a connection that is free; while none is, it waits and goes out
 * with what comes after it. The busier the service, the more reads share a round trip, which costs
 * both sides more than the reads themselves. A lost connection fails the reads on it and is opened
 * again for the next.
 */
export function createPipelinedQueries(
  count: number,
  config: pg.ClientConfig,
  onError: (error: Error) => void,
): PipelinedQueries {
  const waiting: KeyedRead[] = []
  const readers = Array.from({ length: count }, () =>
    createReader(config, onError, { whenFree, whenUnreachable }),
  )
  let planned = false
  let closed = false

  function plan(): void {
    if (planned) return
    planned = true
    setImmediate(() => {
      planned = false
      for (let free = freeConnection(); free && waiting.length > 0; free = freeConnection())
        free.run(waiting.splice(0, mostAtOnce))
    })
  }
  const freeConnection = () => readers.find((reader) => !reader.busy)
  function whenFree(left: readonly KeyedRead[]): void {
    waiting.unshift(...left)
    if (waiting.length > 0) plan()
  }
  function failWaiting(error: Error): void {
    for (const read of waiting.splice(0)) read.done(error, [])
  }
  /**
   * Fails all waiting reads once no connection is left: they must not wait for one attempt each.
   */
  function whenUnreachable(error: Error): void {
    if (!readers.some((reader) => reader.connected)) failWaiting(error)
  }
  return {
    read<Row extends pg.QueryResultRow>(
      statement: NamedStatement,
      values: readonly KeyPart[],
    ): Promise<Row[]> {
      if (closed) return Promise.reject(new Error(closedSentence))
      return new Promise((resolve, reject) => {
        waiting.push({
          statement,
          values,
          done: (error, rows) => (error ? reject(error) : resolve(rows as Row[])),
        })
        plan()
      })
    },
    async close() {
      closed = true
      failWaiting(new Error(closedSentence))
      await Promise.all(readers.map((reader) => reader.close()))
    },
  }
}

interface Reader {
  /** Connecting, or waiting for the server. */
  readonly busy: boolean
  readonly connected: boolean
  run(reads: readonly KeyedRead[]): void
  close(): Promise<void>
}

interface Notices {
  /** The reader can take more; `left` are reads that it took and did not get to. */
  whenFree(left: readonly KeyedRead[]): void
  whenUnreachable(error: Error): void
}

function createReader(
  config: pg.ClientConfig,
  onError: (error: Error) => void,
  notices: Notices,
): Reader {
  let connected: { client: pg.Client; shapes: Shapes } | undefined
  let connecting: Promise<void> | undefined
  let busy = false

  async function connect(): Promise<{ client: pg.Client; shapes: Shapes }> {
    const client = new pg.Client(config)
    const lost = () => {
      if (connected?.client !== client) return
      connected = undefined
      free([])
    }
    client.on('error', (error) => {
      onError(error)
      lost()
    })
    client.on('end', lost)
    await client.connect()
    return { client, shapes: new Map() }
  }
  function free(left: readonly KeyedRead[]): void {
    busy = false
    notices.whenFree(left)
  }
  return {
    get busy() {
      return busy
    },
    get connected() {
      return connected !== undefined
    },
    run(reads) {
      busy = true
      const send = ({ client, shapes }: { client: pg.Client; shapes: Shapes }) =>
        client.query(new KeyedReads(reads, shapes, free))
      if (connected) {
        send(connected)
        return
      }
      connecting = connect().then(
        (made) => {
          connected = made
          send(made)
        },
        (error: Error) => {
          for (const read of reads) read.done(error, [])
          notices.whenUnreachable(error)
          free([])
        },
      )
    },
    async close() {
      await connecting
      const { client } = connected ?? {}
      connected = undefined
      await client?.end()
    },
  }
}
