import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { RequestInfo } from '../rpc/caller.ts'

/**
 * Sets what every response says unless it says otherwise: it is about its caller, so nothing caches
 * it, and its type is not guessed. `x-request-id` is set always.
 */
export function setCommonHeaders(headers: Headers, requestId: string): void {
  headers.set('x-request-id', requestId)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  if (!headers.has('x-content-type-options')) headers.set('x-content-type-options', 'nosniff')
}

/**
 * Logs a failed request: our own failure as an error; a client that closed the connection before
 * its response as information, because reading the rest of its body failed and nothing needs
 * fixing. A 4xx only has its line in the request log.
 */
export function logFailure(
  { log }: { log: Logger },
  status: number,
  err: unknown,
  { requestId, signal }: Pick<RequestInfo, 'requestId' | 'signal'>,
  procedure?: string,
): void {
  if (status < 500) return
  const logFields = procedure === undefined ? { requestId } : { requestId, procedure }
  if (signal.aborted) log.info(logFields, 'client closed the connection before the response')
  else log.error({ err, ...logFields }, 'request failed')
}

export interface CompletedRequest {
  requestId: string
  logFields: RequestInfo['logFields']
  method: string
  /** As requested, without the query. */
  path: string
  /** The pattern that the path matches, such as `/tenants/{slug}`. */
  route: string
  status: number
  /** From the first middleware to the response, in milliseconds. */
  ms: number
}

/**
 * Routes that load balancers request every few seconds. A successful one is logged at level debug.
 */
const probes = new Set(['/health', '/health/ready'])

/**
 * Returns a function that writes one log line per request and adds its duration to the histogram of
 * its route.
 */
export function createRequestRecord({
  log,
  metrics,
}: {
  log: Logger
  metrics: Metrics
}): (request: CompletedRequest) => void {
  // The line holds nothing that a caller wrote and no secret. To search it for secrets costs more
  // than to write it.
  const requestLog = log.child({}, { redact: [] })
  return ({ requestId, logFields, method, path, route, status, ms }) => {
    metrics.requests.observe({ method, route, status }, ms / 1000)
    const level = probes.has(route) && status < 400 ? 'debug' : 'info'
    requestLog[level](
      { requestId, method, path, route, ...logFields, status, ms: Math.round(ms) },
      'request',
    )
  }
}
