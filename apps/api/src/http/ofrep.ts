import { hash } from 'node:crypto'
import type { AppError } from '@atrium/core/platform/errors'
import type { Context as HonoContext } from 'hono'
import { ZodError } from 'zod'
import { namesTag } from '../platform/entity-tags.ts'
import { toAppError } from '../rpc/errors.ts'
import { problemResponse } from './problems.ts'
import type { AppEnv } from './request-info.ts'

export const ofrepErrorCodes = [
  'PARSE_ERROR',
  'TARGETING_KEY_MISSING',
  'INVALID_CONTEXT',
  'FLAG_NOT_FOUND',
  'GENERAL',
] as const

/**
 * What an OpenFeature client reads of a rejection (OpenFeature Remote Evaluation Protocol 0.2),
 * beside our problem details.
 */
export interface OfrepMembers {
  errorCode: (typeof ofrepErrorCodes)[number]
  errorDetails: string
  /** The flag that was asked for. */
  key?: string
}

export function ofrepProblem(c: HonoContext<AppEnv>, failure: unknown): Response {
  const error = toAppError(failure)
  const key = c.req.param('key')
  const members: OfrepMembers = {
    errorCode: errorCodeOf(error),
    errorDetails:
      error
        .issuesIn(c.get('language'))
        ?.map((issue) => `${issue.path}: ${issue.message}`)
        .join(' ') ?? error.messageIn(c.get('language')),
    ...(key === undefined ? {} : { key }),
  }
  return problemResponse(c, error, members)
}

function errorCodeOf(error: AppError): OfrepMembers['errorCode'] {
  if (error.code === 'malformed_json') return 'PARSE_ERROR'
  if (error.code === 'not_found') return 'FLAG_NOT_FOUND'
  if (error.code !== 'invalid_input') return 'GENERAL'
  return lacksTargetingKey(error.cause) ? 'TARGETING_KEY_MISSING' : 'INVALID_CONTEXT'
}

/** Absent or no text; a text that is no slug is there and wrong. */
function lacksTargetingKey(cause: unknown): boolean {
  return (
    cause instanceof ZodError &&
    cause.issues.some(
      ({ path, code }) => path.join('.') === 'context.targetingKey' && code === 'invalid_type',
    )
  )
}

/** The response with an ETag, or 304 for a client that already has it (RFC 9110 section 13.1.2). */
export function ofrepResponse(c: HonoContext<AppEnv>, result: unknown): Response {
  const body = JSON.stringify(result)
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`
  const headers = { etag, 'cache-control': 'private, no-cache' }
  if (namesTag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers)
  return c.body(body, 200, { ...headers, 'content-type': 'application/json' })
}
