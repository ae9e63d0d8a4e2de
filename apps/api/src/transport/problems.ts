import { AppError, toProblem } from '@atrium/core/errors'
import { HTTPException } from 'hono/http-exception'
import { toAppError } from '../refusals.ts'

/** Headers that a refusal brings: RFC 6750 section 3 where a (better) token is asked for, RFC 9470 section 3 where
 * a newer sign-in is, RFC 9110 section 10.2.3 where waiting helps. */
export function refusalHeaders(error: AppError): Record<string, string> {
  if (error.retryAfterSeconds !== undefined) return { 'retry-after': String(error.retryAfterSeconds) }
  if (error.status !== 401) return {}
  if (error.code === 'recent_sign_in_required') {
    const told = `error_description="${error.message}", max_age="${error.maxAgeSeconds ?? 0}"`
    return { 'www-authenticate': `Bearer realm="atrium", error="insufficient_user_authentication", ${told}` }
  }
  const reason = error.code === 'unauthenticated' && !error.cause ? '' : `, error="invalid_token", error_description="${error.message}"`
  return { 'www-authenticate': `Bearer realm="atrium"${reason}` }
}

/** A whole answer in one piece, before it is put on a socket or into a Response. */
export interface PlainAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  /** Null: an answer without a body. */
  body: string | null
}

/** The answer for a failure: RFC 9457 `application/problem+json`, no stack, no word of an outside system. `members` are further ones. */
export function problemAnswer(failure: unknown, requestId: string, members?: object): PlainAnswer {
  const error = failure instanceof HTTPException ? fromHttp(failure) : toAppError(failure)
  return {
    status: error.status,
    headers: { 'content-type': 'application/problem+json', ...refusalHeaders(error) },
    body: JSON.stringify({ ...toProblem(error, requestId), ...members }),
  }
}

/** The same as a Response. */
export function problemResponse(failure: unknown, requestId: string, members?: object): Response {
  return toResponse(problemAnswer(failure, requestId, members))
}

export function toResponse({ status, headers, body }: PlainAnswer): Response {
  return new Response(body, { status, headers })
}

function fromHttp(exception: HTTPException): AppError {
  if (exception.status === 413) return new AppError('too_large', undefined, { cause: exception })
  return new AppError('invalid_input', undefined, { cause: exception })
}
