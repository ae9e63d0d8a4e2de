import type { Clock } from './clock.ts'
import type { Metrics } from './metrics.ts'
import { type AppEnv, chooseRequestId } from './transport/facts.ts'
import { version } from './version.ts'

/**
 * `GET /health`: that the process answers, and nothing else; it never touches the database. Asked every few seconds by whatever watches
 * the service, so it is counted but not logged, and answered before the app looks at the request. Undefined for every other request.
 */
export function createLiveness(parts: {
  clock: Clock
  metrics: Metrics
}): (request: Request, bindings: AppEnv['Bindings'] | undefined) => Response | undefined {
  const { clock, metrics } = parts
  const startedAt = clock.now().getTime()
  return (request, bindings) => {
    const { method } = request
    if ((method !== 'GET' && method !== 'HEAD') || pathOf(request.url) !== '/health') return undefined
    metrics.observeRequest('GET', '/health', 200, 0)
    const uptimeSeconds = Math.floor((clock.now().getTime() - startedAt) / 1000)
    const body = JSON.stringify({ service: 'atrium-platform-api', status: 'ok', version, uptimeSeconds })
    return new Response(method === 'HEAD' ? null : body, {
      headers: { 'content-type': 'application/json', 'x-request-id': chooseRequestId(givenId(request, bindings)) },
    })
  }
}

/** From Node's own headers where there are some: to ask the Request builds a Headers object first. */
function givenId(request: Request, bindings: AppEnv['Bindings'] | undefined): string | undefined {
  const given = bindings?.incoming ? bindings.incoming.headers['x-request-id'] : request.headers.get('x-request-id')
  return typeof given === 'string' ? given : undefined
}

/** The path of an absolute address, without the query. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}
