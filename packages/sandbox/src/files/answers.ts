import { randomUUID } from 'node:crypto'

declare global {
  interface JSON {
    /** A number in the very digits given (ECMAScript 2026). */
    rawJSON(text: string): unknown
  }
}

export type ErrorCode =
  | 'accessDenied'
  | 'generalException'
  | 'invalidRequest'
  | 'itemNotFound'
  | 'nameAlreadyExists'
  | 'notAllowed'
  | 'notSupported'

/** A rejection of libre-graph. */
export class GraphError extends Error {
  readonly status: number
  readonly code: ErrorCode

  constructor(status: number, code: ErrorCode, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export function badRequest(message: string): GraphError {
  return new GraphError(400, 'invalidRequest', message)
}

export function notFound(message: string): GraphError {
  return new GraphError(404, 'itemNotFound', message)
}

const jsonHeaders = { 'content-type': 'application/json' }

/**
 * JSON in which a bigint is written as the plain number that it is, beyond what JavaScript can read
 * back.
 */
export function jsonResponse(body: unknown, status = 200): Response {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  )
  return new Response(`${text}\n`, { status, headers: jsonHeaders })
}

export function emptyResponse(status: number): Response {
  return new Response(null, { status })
}

/** The error envelope of libre-graph. `now` is in milliseconds since 1970. */
export function errorBody(
  code: string,
  message: string,
  now: number,
  requestId: string = randomUUID(),
): string {
  const innererror = {
    date: `${new Date(now).toISOString().slice(0, 19)}Z`,
    'request-id': requestId,
  }
  return `${JSON.stringify({ error: { code, innererror, message } })}\n`
}

export function errorResponse(error: GraphError, now: number, requestId: string): Response {
  return new Response(errorBody(error.code, error.message, now, requestId), {
    status: error.status,
    headers: jsonHeaders,
  })
}
