import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { SettingsError, settingsExitStatus } from '@atrium/core/platform/settings'
import { createAdaptorServer } from '@hono/node-server'

export interface RunningServer {
  port: number
  /**
   * Stops. For `drainSeconds` it still takes requests while readiness is off, and asks their
   * clients to take another connection next time; then it rejects connections, ends streams, and
   * waits up to ten seconds for requests under way.
   */
  close(): Promise<void>
}

/** Node's listener of a server's `upgrade` event. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface ListenOptions {
  fetch: Parameters<typeof createAdaptorServer>[0]['fetch']
  host: string
  port: number
  /** Takes connections that switch to another protocol. Without it they are closed. */
  onUpgrade?: UpgradeListener
  /** How long a stopping server still takes requests. */
  drainSeconds: number
  /** Called when the stop begins; from then on the server must not be ready. */
  onDrain?: () => void
  /** Called when connections are rejected, before those that are left are waited for. */
  onStop?: () => void
}

const stopMs = 10_000

/** A socket for an app. Rejects when the port is taken, naming it. */
export async function listen({
  fetch,
  host,
  port,
  onUpgrade,
  drainSeconds,
  onDrain,
  onStop,
}: ListenOptions): Promise<RunningServer> {
  // Cuts off clients that send their head or body too slowly. Responses, including streams, may
  // take as long as they need.
  const serverOptions = {
    keepAliveTimeout: 65_000,
    headersTimeout: 20_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
  }
  const server = createAdaptorServer({ fetch, serverOptions }) as Server
  if (onUpgrade) server.on('upgrade', onUpgrade)
  let draining = false
  server.prependListener('request', (_request, response) => {
    if (draining) response.setHeader('connection', 'close')
  })
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      fail(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} on ${host} is taken.`, { cause: error })
          : error,
      )
    })
    server.listen(port, host, () => done())
  })
  let closing: Promise<void> | undefined
  async function stop(): Promise<void> {
    // Announces the stop to clients before a connection is closed under a request that is on its
    // way.
    draining = true
    onDrain?.()
    await new Promise((done) => setTimeout(done, drainSeconds * 1000))
    const closed = new Promise<void>((done) => server.close(() => done()))
    onStop?.()
    // Repeated: a busy connection becomes idle when its response is complete, and is kept alive
    // then.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const cut = setTimeout(() => server.closeAllConnections(), stopMs)
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
  }
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      closing ??= stop()
      return closing
    },
  }
}

/**
 * Runs a server until SIGTERM or SIGINT. A failed start prints its reason and ends the process:
 * with 78 for invalid settings, which no restart fixes, else with 1.
 */
export async function runUntilSignal(start: () => Promise<RunningServer>): Promise<void> {
  try {
    const server = await start()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        server.close().then(
          () => process.exit(0),
          () => process.exit(1),
        )
      })
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = error instanceof SettingsError ? settingsExitStatus : 1
  }
}
