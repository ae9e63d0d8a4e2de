import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from './clock.ts'
import type { Metrics } from './metrics.ts'
import { chooseRequestId } from './transport/facts.ts'
import { version } from './version.ts'

/**
 * `GET /health`: that the process answers, and nothing else; it never touches the database. Asked every few seconds by whatever watches
 * the service, so it is counted but not logged, and answered before the app looks at the request.
 */
export interface Liveness {
  /** The answer to a request, or undefined when it asks for something else. */
  fetch(request: Request): Response | undefined
  /** Answers straight on the socket, where neither a Request nor a Response is made; false when it asks for something else. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): boolean
}

export function createLiveness({ clock, metrics }: { clock: Clock; metrics: Metrics }): Liveness {
  const startedAt = clock.now().getTime()
  function describe(): string {
    metrics.observeRequest('GET', '/health', 200, 0)
    const uptimeSeconds = Math.floor((clock.now().getTime() - startedAt) / 1000)
    return JSON.stringify({ service: 'atrium-platform-api', status: 'ok', version, uptimeSeconds })
  }
  return {
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (!asksForHealth(request.method, pathname)) return undefined
      const body = describe()
      return new Response(request.method === 'HEAD' ? null : body, {
        headers: {
          'content-type': 'application/json',
          'x-request-id': chooseRequestId(request.headers.get('x-request-id') ?? undefined),
        },
      })
    },
    handle({ method, url = '', headers }, outgoing) {
      const end = url.indexOf('?')
      if (!asksForHealth(method, end === -1 ? url : url.slice(0, end))) return false
      const body = describe()
      const given = headers['x-request-id']
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-request-id': chooseRequestId(typeof given === 'string' ? given : undefined),
      })
      outgoing.end(body)
      return true
    },
  }
}

function asksForHealth(method: string | undefined, path: string): boolean {
  return path === '/health' && (method === 'GET' || method === 'HEAD')
}
