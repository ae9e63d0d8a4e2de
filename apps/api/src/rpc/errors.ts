import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import {
  AppError,
  type ErrorStatus,
  findAppError,
  type IssueText,
  issuePath,
  mostIssues,
} from '@atrium/core/platform/errors'
import { isUnavailable } from '@atrium/db/platform/failures'
import { type TRPC_ERROR_CODE_KEY, TRPCError } from '@trpc/server'
import { ZodError } from 'zod'

const codes: Record<ErrorStatus, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  // tRPC has no name for 410.
  410: 'NOT_FOUND',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  501: 'NOT_IMPLEMENTED',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
}

/** tRPC's own name for the status of a rejection. */
export function codeOf(rejection: AppError): TRPC_ERROR_CODE_KEY {
  return codes[rejection.status]
}

/**
 * Whether an internal error was caused by the caller's input: a value that the database rejects
 * (SQLSTATE class 22, data exception). It is a bug in one of our schemas, and says nothing about
 * the state of the service.
 */
export function isCausedByInput(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && /^22[0-9A-Z]{3}$/.test(String(at.code))) return true
  return false
}

/**
 * The rejection sent to the caller. Anything but an AppError and invalid input becomes `internal`
 * with a fixed sentence.
 */
export function toAppError(error: unknown): AppError {
  const known = findAppError(error)
  if (known) return known
  const cause = error instanceof TRPCError ? error.cause : error
  if (isUnavailable(cause))
    return new AppError('unavailable', undefined, { cause, retryAfterSeconds: 1 })
  if (error instanceof TRPCError) {
    if (error.code === 'NOT_FOUND')
      return new AppError('not_found', errorText('unknownProcedure'), { cause: error })
    if (error.code === 'METHOD_NOT_SUPPORTED')
      return new AppError('method_not_allowed', undefined, { cause: error })
    if (error.code === 'PARSE_ERROR')
      return new AppError('malformed_json', undefined, { cause: error })
    if (error.code === 'PAYLOAD_TOO_LARGE')
      return new AppError('too_large', undefined, { cause: error })
    if (error.code === 'UNSUPPORTED_MEDIA_TYPE')
      return new AppError('unsupported_media_type', undefined, { cause: error })
    if (error.code === 'BAD_REQUEST' && cause instanceof ZodError) {
      return new AppError('invalid_input', undefined, { cause, issues: toIssues(cause) })
    }
    if (error.code === 'BAD_REQUEST')
      return new AppError('invalid_input', errorText('malformedCall'), {
        cause: error,
      })
  }
  return new AppError('internal', undefined, { cause: error })
}

/**
 * One issue per field, the first that was found, and at most a hundred; an unknown key is named by
 * its own path.
 */
export function toIssues(error: ZodError): IssueText[] {
  const messages = new Map<string, ErrorText | string>()
  for (const issue of error.issues) {
    const path = issue.path.map(String)
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
    for (const key of keys) {
      if (messages.size === mostIssues) return listed(messages)
      const at = issuePath((key === undefined ? path : [...path, key]).join('.'))
      if (!messages.has(at))
        messages.set(at, key === undefined ? issue.message : errorText('unknownField'))
    }
  }
  return listed(messages)
}

function listed(messages: ReadonlyMap<string, ErrorText | string>): IssueText[] {
  return [...messages].map(([path, message]) => ({ path, message }))
}
