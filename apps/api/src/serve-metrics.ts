import type { Server } from 'node:http'
import type { Registry } from 'prom-client'
import { createServer } from './node-http.ts'

/** Prometheus text at `GET /metrics`, on a server of its own, so that it is never reachable where the API is. */
export function createMetricsServer(registry: Registry): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
}
