import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDatabase } from '@atrium/db/connect'
import type { WebApp } from '@atrium/db/web-sessions'
import { createAdaptorServer } from '@hono/node-server'
import { createBff } from './bff.ts'
import { readAppConfig } from './config.ts'
import { createLogger } from './log.ts'
import { readStaticFiles } from './static-files.ts'
import { version } from './version.ts'

export interface AppServerOptions {
  app: WebApp
  env: Readonly<Record<string, string | undefined>>
  /** Folder of the app's build. */
  distDir: string
}

export interface AppServer {
  port: number
  /** Stops within `stopMs`: streams are ended, other requests may finish. */
  close(): Promise<void>
}

const stopMs = 2_500

/**
 * Starts the server of an app. Rejects when the configuration is not usable (one line per fault), the build is missing or the port is
 * taken. The database and the identity provider are reached when they are first needed.
 */
export async function startAppServer({ app, env, distDir }: AppServerOptions): Promise<AppServer> {
  const config = readAppConfig(app, env)
  const files = readStaticFiles(distDir)
  const log = createLogger(`atrium-${app}`, config.logLevel)
  const database = openDatabase({
    url: config.databaseUrl,
    poolSize: 12,
    applicationName: `atrium-${app}`,
    onError: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  const stopping = new AbortController()
  const bff = createBff({ config, database, files, log, version, stopping: stopping.signal })
  const server = createAdaptorServer({
    fetch: bff.app.fetch,
    serverOptions: { keepAliveTimeout: 65_000, headersTimeout: 20_000 },
  }) as Server
  try {
    await listen(server, config.port, config.host)
  } catch (error) {
    await bff.close()
    await database.close()
    throw error
  }
  const { port } = server.address() as AddressInfo
  log.info({ port, publicUrl: config.publicUrl }, 'listening')

  let closing: Promise<void> | undefined
  async function stop(): Promise<void> {
    const closed = new Promise<void>((done) => server.close(() => done()))
    stopping.abort()
    // Time and again: a connection that was busy becomes idle when its answer is complete, and is kept alive then.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const cut = setTimeout(() => server.closeAllConnections(), stopMs)
    await closed
    clearInterval(sweep)
    clearTimeout(cut)
    await bff.close()
    await database.close()
    log.info('stopped')
  }
  return {
    port,
    close() {
      closing ??= stop()
      return closing
    },
  }
}

/** Runs the server of an app until SIGTERM or SIGINT. A start that fails prints its reason and ends the process with status 1. */
export async function runAppServer(options: AppServerOptions): Promise<void> {
  try {
    const server = await startAppServer(options)
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

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      fail(error.code === 'EADDRINUSE' ? new Error(`Port ${port} on ${host} is taken.`, { cause: error }) : error)
    })
    server.listen(port, host, () => done())
  })
}
