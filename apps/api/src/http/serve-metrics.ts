import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { Registry } from 'prom-client'
import type { Readiness } from './readiness.ts'

/**
 * Prometheus text at `GET /metrics` and the details of readiness at `GET /health/ready`, on a
 * server of its own, so that neither is reachable where the API is.
 */
export function createMetricsServer(
  registry: Registry,
  readiness: () => Promise<Readiness>,
): Server {
  async function respond(
    path: string | undefined,
  ): Promise<{ status: number; type: string; text: string }> {
    if (path === '/metrics')
      return { status: 200, type: registry.contentType, text: await registry.metrics() }
    if (path !== '/health/ready') return { status: 404, type: 'text/plain', text: '' }
    const found = await readiness()
    return {
      status: found.ready ? 200 : 503,
      type: 'application/json',
      text: JSON.stringify(found),
    }
  }
  return createServer((request, response) => {
    respond(request.method === 'GET' ? request.url : undefined).then(
      ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
}
