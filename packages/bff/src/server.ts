import { SettingsError } from '@atrium/core/platform/settings'
import { openDatabase } from '@atrium/db/platform/connect'
import { askServerFaults } from '@atrium/db/server/server-faults'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { createBff } from './bff.ts'
import { readAppConfig } from './config.ts'
import { listen, type RunningServer, runUntilSignal } from './listening.ts'
import { createLogger } from './log.ts'
import { readStaticFiles } from './static-files.ts'
import { version } from './version.ts'

export interface AppServerOptions {
  app: WebApp
  env: Readonly<Record<string, string | undefined>>
  /** Folder of the app's build. */
  distDir: string
}

/**
 * Starts the server of an app. Rejects when the configuration is not usable (one line per fault),
 * the build is missing or the port is taken. The database and the identity provider are reached
 * when they are first needed.
 */
export async function startAppServer({
  app,
  env,
  distDir,
}: AppServerOptions): Promise<RunningServer> {
  const config = readAppConfig(app, env)
  const files = readStaticFiles(distDir)
  const log = createLogger(`atrium-${app}`, config.logLevel)
  const database = openDatabase({
    url: config.databaseUrl,
    // Sessions are all that it reads, by key: nothing that it would need a way past a pooler for.
    pooled: true,
    poolSize: 12,
    applicationName: `atrium-${app}`,
    onError: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  const faults = await askServerFaults(database.db, env.NODE_ENV === 'production')
  if (faults.length > 0) {
    await database.close()
    throw new SettingsError(faults)
  }
  const stopping = new AbortController()
  const bff = createBff({ config, database, files, log, version, stopping: stopping.signal })
  const release = async () => {
    await bff.close()
    await database.close()
  }
  const server = await listen({
    fetch: bff.app.fetch,
    host: config.host,
    port: config.port,
    onStop: () => stopping.abort(),
  }).catch(async (error: unknown) => {
    await release()
    throw error
  })
  log.info({ port: server.port, publicUrl: config.publicUrl }, 'listening')

  let closing: Promise<void> | undefined
  return {
    port: server.port,
    close() {
      closing ??= server.close().then(async () => {
        await release()
        log.info('stopped')
      })
      return closing
    },
  }
}

/**
 * Runs the server of an app until SIGTERM or SIGINT. A start that fails prints its reason; see
 * `runUntilSignal`.
 */
export function runAppServer(options: AppServerOptions): Promise<void> {
  return runUntilSignal(() => startAppServer(options))
}
