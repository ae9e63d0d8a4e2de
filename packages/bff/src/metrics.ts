import { commit, version } from '@atrium/core/platform/version'
import { Hono, type MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { listen } from './listening.ts'

export interface Metrics {
  port: number
  /** Counts and times the requests of an app by the pattern of their route. */
  observe: MiddlewareHandler
  close(): Promise<void>
}

/**
 * Serves the Prometheus metrics of this process at `GET /metrics` on a port of its own, so that
 * they are not reachable where the pages are. Names are those of the API's metrics. Returns
 * undefined where the settings name no port. Rejects when the port is taken, naming it.
 */
export async function startMetrics(config: {
  host: string
  metricsPort?: number | undefined
}): Promise<Metrics | undefined> {
  const { host, metricsPort: port } = config
  if (port === undefined) return undefined
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'build_info',
    help: 'Always 1; the labels name the version, and the commit that the process was built from',
    labelNames: ['version', 'commit'] as const,
    registers,
  }).set({ version, commit: commit ?? 'none' }, 1)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by route pattern and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const app = new Hono()
  app.get('/metrics', async (c) =>
    c.body(await registry.metrics(), 200, { 'content-type': registry.contentType }),
  )
  const server = await listen({ fetch: app.fetch, host, port, drainSeconds: 0 })
  return {
    ...server,
    async observe(c, next) {
      const started = performance.now()
      await next()
      // The route that answered. A path holds secrets, and would be a series of its own.
      const route = routePath(c)
      requests.observe(
        { method: c.req.method, route, status: c.res.status },
        (performance.now() - started) / 1000,
      )
    },
  }
}
