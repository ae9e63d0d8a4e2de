import { Socket } from 'node:net'
import pg from 'pg'

export interface Listening {
  channel: string
  onMessage: (payload: string) => void
  /** The connection was lost and is back: messages may have been missed. */
  onReconnect: () => void
  onError: (error: Error) => void
}

const retryMs = 500
// A server that is gone without a word would leave its listeners deaf: they send nothing, so
// nothing fails.
const heartbeatMs = 10_000
const heartbeatTimeoutMs = 5_000

/**
 * A connection of its own that listens on a channel and connects again, time and again, whenever it
 * is lost. Rejects when the first attempt fails. Returns how to stop.
 */
export async function listenOn(
  config: pg.ClientConfig,
  listening: Listening,
): Promise<() => Promise<void>> {
  const { onReconnect, onError } = listening
  let stopped = false
  let connected: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  function again(): void {
    connected = undefined
    if (stopped) return
    retry = setTimeout(() => {
      connect().then(onReconnect, (error: Error) => {
        onError(error)
        again()
      })
    }, retryMs)
  }
  async function connect(): Promise<void> {
    const client = await openListener(config, listening, again)
    if (stopped) await client.end()
    else connected = client
  }
  await connect()
  return async () => {
    stopped = true
    clearTimeout(retry)
    await connected?.end()
  }
}

/**
 * Rejects when the connection cannot be made; once it is made, `onLost` is called when it ends,
 * once.
 */
async function openListener(
  config: pg.ClientConfig,
  { channel, onMessage, onError }: Listening,
  onLost: () => void,
): Promise<pg.Client> {
  const socket = new Socket()
  const client = new pg.Client({
    ...config,
    keepAlive: true,
    stream: () => socket,
    query_timeout: heartbeatTimeoutMs,
  })
  client.on('error', onError)
  client.on('notification', (message) => onMessage(message.payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${pg.escapeIdentifier(channel)}`)
  } catch (error) {
    socket.destroy()
    throw error
  }
  const heartbeat = setInterval(() => {
    client.query('select 1').catch(() => socket.destroy())
  }, heartbeatMs)
  heartbeat.unref()
  client.once('end', () => {
    clearInterval(heartbeat)
    onLost()
  })
  return client
}
