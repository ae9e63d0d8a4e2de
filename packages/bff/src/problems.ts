import { AppError, findAppError, toProblem } from '@atrium/core/platform/errors'
import { isUnavailable } from '@atrium/db/platform/failures'
import { IdentityProviderUnavailable } from './oidc/client.ts'
import type { AppContext } from './request.ts'

/**
 * The rejection sent to the browser. Anything but an AppError or a temporary failure becomes
 * `internal` with a fixed sentence.
 */
export function toRejection(error: unknown): AppError {
  const known = findAppError(error)
  if (known) return known
  if (error instanceof IdentityProviderUnavailable || isUnavailable(error))
    return new AppError('unavailable', undefined, { cause: error })
  return new AppError('internal', undefined, { cause: error })
}

/** RFC 9457 `application/problem+json`, in the language of the request. */
export function problemResponse(c: AppContext, error: AppError): Response {
  const headers = new Headers({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  })
  // The rest of the body stays unread, so the connection cannot carry another request.
  if (error.code === 'too_large') headers.set('connection', 'close')
  return Response.json(toProblem(error, c.get('requestId'), c.get('language')), {
    status: error.status,
    headers,
  })
}
