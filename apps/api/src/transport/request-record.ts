import type { RequestFacts } from '../context.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/** What an answer says unless it says otherwise: it is about its caller, so nothing keeps it, and it is what its type says it is. */
export const everyAnswer = [
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
] as const

/** A Response with what every answer says, and its request's id. */
export function withEveryHeader(response: Response, requestId: string): Response {
  response.headers.set('x-request-id', requestId)
  for (const [name, value] of everyAnswer) if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

export interface BegunRequest {
  readonly requestId: string
  /** Milliseconds, as `performance.now()` tells them. */
  readonly started: number
  readonly line: RequestFacts['line']
}

/** What is kept of a request: one line in the log, and its time among those of its route. */
export interface RequestRecord {
  begin(requestId: string): BegunRequest
  /** `path` as it was asked for, without its query; `route` the pattern that it belongs to. */
  end(begun: BegunRequest, answered: { method: string; path: string; route: string; status: number }): void
}

export function createRequestRecord({ log, metrics }: { log: Logger; metrics: Metrics }): RequestRecord {
  // What stands in the line of a request is of our own making and no secret: searching it for one costs more than the line.
  const requestLog = log.child({}, { redact: [] })
  return {
    begin: (requestId) => ({ requestId, started: performance.now(), line: {} }),
    end({ requestId, started, line }, { method, path, route, status }) {
      const seconds = (performance.now() - started) / 1000
      metrics.requests.add(method, route, status, seconds)
      requestLog.info({ requestId, method, path, route, ...line, status, ms: Math.round(seconds * 1000) }, 'request')
    },
  }
}
