import { fileURLToPath } from 'node:url'
import { listen, type RunningServer, runUntilSignal } from '@atrium/bff/listening'
import { createLogger } from '@atrium/bff/log'
import { startMetrics } from '@atrium/bff/metrics'
import { createBookingApp } from './app.ts'
import { readAssets } from './assets.ts'
import { readBookingConfig } from './config.ts'

/**
 * Starts the booking pages. Rejects when the configuration is not usable, the build is missing or
 * the port is taken.
 */
async function start(): Promise<RunningServer> {
  const config = readBookingConfig(process.env)
  const assets = readAssets(fileURLToPath(new URL('../dist', import.meta.url)))
  const log = createLogger('atrium-booking', config.logLevel)
  const metrics = await startMetrics(config)
  const draining = new AbortController()
  const app = createBookingApp({ config, assets, log, metrics, draining: draining.signal })
  const server = await listen({
    fetch: app.fetch,
    host: config.host,
    port: config.port,
    drainSeconds: config.drainSeconds,
    onDrain: () => draining.abort(),
  }).catch(async (error: unknown) => {
    await metrics?.close()
    throw error
  })
  log.info({ port: server.port, publicUrl: config.publicUrl }, 'listening')
  return {
    port: server.port,
    async close() {
      await server.close()
      await metrics?.close()
      log.info('stopped')
    },
  }
}

await runUntilSignal(start)
