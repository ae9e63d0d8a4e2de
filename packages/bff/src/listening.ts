import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'

export interface RunningServer {
  port: number
  /** Stops within 2.5 seconds: streams are ended, other requests may finish. */
  close(): Promise<void>
}

export interface ListenOptions {
  fetch: Parameters<typeof createAdaptorServer>[0]['fetch']
  host: string
  port: number
  /** Called when a stop begins, before connections are waited for. */
  onStop?: () => void
}

const stopMs = 2_500

/** A socket for an app. Rejects when the port is taken, naming it. */
export async function listen({ fetch, host, port, onStop }: ListenOptions): Promise<RunningServer> {
  const server = createAdaptorServer({ fetch, serverOptions: { keepAliveTimeout: 65_000, headersTimeout: 20_000 } }) as Server
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      fail(error.code === 'EADDRINUSE' ? new Error(`Port ${port} on ${host} is taken.`, { cause: error }) : error)
    })
    server.listen(port, host, () => done())
  })
  let closing: Promise<void> | undefined
  async function stop(): Promise<void> {
    const closed = new Promise<void>((done) => server.close(() => done()))
    onStop?.()
    // Time and again: a connection that was busy becomes idle when its answer is complete, and is kept alive then.
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

/** Runs a server until SIGTERM or SIGINT. A start that fails prints its reason and ends the process with status 1. */
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
    process.exitCode = 1
  }
}
