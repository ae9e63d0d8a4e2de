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
  /**
   * Answers straight on the socket, where neither a Request nor a Response is made; false when it asks for something else. With
   * `closing` the answer asks its client to take another connection.
   */
  handle(incoming: IncomingMessage, outgoing: ServerResponse, closing: boolean): boolean
}

export function createLiveness({ clock, metrics }: { clock: Clock; metrics: Metrics }): Liveness {
  const startedAt = clock.now().getTime()
  const answered = metrics.requests.seriesOf('GET', '/health', 200)
  // Asked by every load balancer several times a second, and different once a second.
  let [seconds, body] = [-1, '']
  function describe(): string {
    answered.add(0)
    const uptimeSeconds = Math.floor((clock.now().getTime() - startedAt) / 1000)
    if (uptimeSeconds !== seconds) {
      seconds = uptimeSeconds
      body = JSON.stringify({ service: 'atrium-platform-api', status: 'ok', version, uptimeSeconds })
    }
    return body
  }
  return {
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (!asksForHealth(request.method, pathname)) return undefined
      const text = describe()
      return new Response(request.method === 'HEAD' ? null : text, {
        headers: {
          'content-type': 'application/json',
          'x-request-id': chooseRequestId(request.headers.get('x-request-id') ?? undefined),
        },
      })
    },
    handle(incoming, outgoing, closing) {
      const { method, url = '' } = incoming
      if (!asksForHealth(method, url)) return false
      const text = describe()
      const id = chooseRequestId(givenId(incoming.rawHeaders))
      // The answer is ASCII, a byte for each character.
      const headers = ['content-type', 'application/json', 'content-length', `${text.length}`, 'x-request-id', id]
      if (closing) headers.push('connection', 'close')
      outgoing.writeHead(200, headers)
      outgoing.end(text, 'latin1')
      return true
    },
  }
}

/** The X-Request-Id among a request's raw headers; Node makes the object of all of them only for who asks for it. */
function givenId(rawHeaders: readonly string[]): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'x-request-id') return rawHeaders[i + 1]
  return undefined
}

/** `target` may carry a query. */
function asksForHealth(method: string | undefined, target: string): boolean {
  return (method === 'GET' || method === 'HEAD') && (target === '/health' || target.startsWith('/health?'))
}
