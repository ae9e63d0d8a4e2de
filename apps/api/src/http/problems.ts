import { AppError, toProblem } from '@atrium/core/platform/errors'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { toAppError } from '../rpc/errors.ts'
import type { AppEnv } from './request-info.ts'

/**
 * Headers that a rejection brings: RFC 6750 section 3 where a (better) token is asked for, RFC 9470
 * section 3 where a newer sign-in is, RFC 9110 section 10.2.3 where waiting helps.
 */
export function rejectionHeaders(error: AppError): Record<string, string> {
  if (error.retryAfterSeconds !== undefined)
    return { 'retry-after': String(error.retryAfterSeconds) }
  if (error.code === 'insufficient_scope') {
    const needed = error.scopes ? `, scope="${error.scopes.join(' ')}"` : ''
    return { 'www-authenticate': `Bearer realm="atrium", error="insufficient_scope"${needed}` }
  }
  if (error.status !== 401) return {}
  if (error.maxAgeSeconds !== undefined) {
    const challenge = `error_description="${error.message}", max_age="${error.maxAgeSeconds}"`
    return {
      'www-authenticate': `Bearer realm="atrium", error="insufficient_user_authentication", ${challenge}`,
    }
  }
  const reason =
    error.code === 'unauthenticated' && !error.cause
      ? ''
      : `, error="invalid_token", error_description="${error.message}"`
  return { 'www-authenticate': `Bearer realm="atrium"${reason}` }
}

/**
 * The response to a failure in the caller's language: RFC 9457 `application/problem+json`, without
 * a stack and without details of an upstream service. `members` are added to the problem.
 */
export function problemResponse(c: Context<AppEnv>, failure: unknown, members?: object): Response {
  const error = failure instanceof HTTPException ? fromHttp(failure) : toAppError(failure)
  const headers = { 'content-type': 'application/problem+json', ...rejectionHeaders(error) }
  return new Response(
    JSON.stringify({ ...toProblem(error, c.get('requestId'), c.get('language')), ...members }),
    {
      status: error.status,
      headers,
    },
  )
}

function fromHttp(exception: HTTPException): AppError {
  if (exception.status === 413) return new AppError('too_large', undefined, { cause: exception })
  return new AppError('invalid_input', undefined, { cause: exception })
}
