import { SettingsError } from '@atrium/core/platform/settings'
import { version } from '@atrium/core/platform/version'
import { openDatabase } from '@atrium/db/platform/connect'
import { askServerFaults } from '@atrium/db/server/server-faults'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { createBff } from './bff.ts'
import { readAppConfig } from './config.ts'
import { listen, type RunningServer, runUntilSignal, type UpgradeListener } from './listening.ts'
import { createLogger } from './log.ts'
import { startMetrics } from './metrics.ts'
import { readStaticFiles, type StaticFiles } from './static-files.ts'

/** Serves the pages of an app from its sources, in development. */
export interface DevPages {
  files: StaticFiles
  /** Takes the connections that switch to another protocol (hot module replacement). */
  upgrade: UpgradeListener
  /** Closes those connections and stops watching the sources. */
  close(): Promise<void>
}

export type AppServerOptions = {
  app: WebApp
  env: Readonly<Record<string, string | undefined>>
} & (
  | {
      /** Folder of the app's build. */
      distDir: string
    }
  | { devPages: DevPages }
)

/**
 * Starts the server of an app. Rejects when the configuration is not usable (one line per fault),
 * the build is missing or the port is taken. The database and the identity provider are reached
 * when they are first needed.
 */
export async function startAppServer(options: AppServerOptions): Promise<RunningServer> {
  const { app, env } = options
  const devPages = 'devPages' in options ? options.devPages : undefined
  const config = readAppConfig(app, env)
  const files = 'devPages' in options ? options.devPages.files : readStaticFiles(options.distDir)
  const log = createLogger(`atrium-${app}`, config.logLevel)
  const database = openDatabase({
    url: config.databaseUrl,
    // Sessions are all that it reads, by key: nothing that it would need a way past a pooler for.
    pooled: true,
    poolSize: 12,
    applicationName: `atrium-${app}`,
    onError: (err) => log.warn({ err }, 'database connection lost'),
  })
  const faults = await askServerFaults(database.db, env.NODE_ENV === 'production')
  if (faults.length > 0) {
    await database.close()
    throw new SettingsError(faults)
  }
  const metrics = await startMetrics(config).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  const draining = new AbortController()
  const stopping = new AbortController()
  const bff = createBff({
    config,
    database,
    files,
    log,
    version,
    metrics,
    draining: draining.signal,
    stopping: stopping.signal,
  })
  const release = async () => {
    await bff.close()
    await database.close()
    await metrics?.close()
  }
  const server = await listen({
    fetch: bff.app.fetch,
    host: config.host,
    port: config.port,
    ...(devPages && { onUpgrade: devPages.upgrade }),
    drainSeconds: config.drainSeconds,
    onDrain: () => draining.abort(),
    onStop: () => {
      stopping.abort()
      void devPages?.close()
    },
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
