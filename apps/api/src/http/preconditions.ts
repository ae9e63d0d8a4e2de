import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError, findAppError } from '@atrium/core/platform/errors'

/**
 * The version of a record in a response, used as its `ETag`; undefined for responses without one.
 */
export function editVersionIn(response: unknown): string | undefined {
  if (typeof response !== 'object' || response === null || !('editVersion' in response))
    return undefined
  return typeof response.editVersion === 'string' ? response.editVersion : undefined
}

/**
 * `If-Match` as the input field that says the same (RFC 9110, section 13.1.1). `*` asks only that
 * the record exists, which the call finds out by itself. A weak tag never matches. Throws AppError
 * `invalid_input` for several tags and for what is none.
 */
export function withPrecondition(
  fields: Record<string, unknown>,
  ifMatch: string | undefined,
): Record<string, unknown> {
  if (ifMatch === undefined || ifMatch.trim() === '*') return fields
  const [, weak, tag] = /^\s*(W\/)?"([\x21\x23-\x7e]{0,100})"\s*$/.exec(ifMatch) ?? []
  if (tag === undefined) throw rejected('If-Match', errorText('oneEntityTag'))
  if (Object.hasOwn(fields, 'expectedVersion'))
    throw rejected('expectedVersion', errorText('ifMatchOrField'))
  return { ...fields, expectedVersion: weak === undefined ? tag : `${weak}${tag}`.slice(0, 100) }
}

/**
 * The failure as a caller learns it who sent `If-Match`: a conflict is a precondition that does not
 * hold.
 */
export function asPrecondition(failure: unknown): unknown {
  const error = findAppError(failure)
  if (error?.code !== 'edit_conflict') return failure
  return new AppError('precondition_failed', undefined, {
    cause: failure,
    ...(error.current && { current: error.current }),
  })
}

function rejected(path: string, message: ErrorText): AppError {
  return new AppError('invalid_input', undefined, { issues: [{ path, message }] })
}
