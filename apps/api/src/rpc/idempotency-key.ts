import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { RequestInfo } from './caller.ts'

const usableKey = /^[\x21-\x7e]{1,255}$/

/**
 * The request's Idempotency-Key; undefined without one. Throws AppError `invalid_input` for one
 * that cannot be used.
 */
export function idempotencyKeyOf(request: Pick<RequestInfo, 'header'>): string | undefined {
  const key = request.header('idempotency-key')
  if (key !== undefined) assertUsableKey(key)
  return key
}

/** Throws AppError `invalid_input` unless the key is 1 to 255 visible ASCII characters. */
export function assertUsableKey(key: string): void {
  if (usableKey.test(key)) return
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'Idempotency-Key', message: errorText('idempotencyKeyFormat') }],
  })
}
