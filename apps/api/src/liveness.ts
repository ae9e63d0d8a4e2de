import type { Clock } from './clock.ts'
import type { Metrics } from './metrics.ts'
import { chooseRequestId } from './transport/facts.ts'
import { version } from './version.ts'

/**
 * `GET /health`: that the process answers, and nothing else; it never touches the database. Asked every few seconds by whatever watches
 * the service, so it is counted but not logged, and answered before the app looks at the request. Undefined for every other request.
 */
export function createLiveness({ clock, metrics }: { clock: Clock; metrics: Metrics }): (request: Request) => Response | undefined {
  const startedAt = clock.now().getTime()
  return (request) => {
    if (request.method !== 'GET' || pathOf(request.url) !== '/health') return undefined
    const started = performance.now()
    const uptimeSeconds = Math.floor((clock.now().getTime() - startedAt) / 1000)
    const body = JSON.stringify({ service: 'atrium-platform-api', status: 'ok', version, uptimeSeconds })
    const requestId = chooseRequestId(request.headers.get('x-request-id') ?? undefined)
    metrics.requests.observe({ method: 'GET', route: '/health', status: '200' }, (performance.now() - started) / 1000)
    return new Response(body, { headers: { 'content-type': 'application/json', 'x-request-id': requestId } })
  }
}

/** The path of an absolute address, without the query. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}
