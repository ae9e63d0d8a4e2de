import type { Json } from '../json.ts'

/**
 * A response other than success; `body` undefined sends none. Status and body are those of
 * authentik.
 */
export class ApiError extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(`${status} ${JSON.stringify(body)}`)
    this.name = 'ApiError'
    this.status = status
    this.body = body
  }
}

/**
 * The errors of a field: a list of sentences, nested objects for lists and parts, or (rarely) one
 * sentence.
 */
export type FieldErrors = { [field: string]: Json }

/** 400 with one entry per field. */
export function invalid(errors: FieldErrors): ApiError {
  return new ApiError(400, errors)
}

/** 404 `No <model> matches the given query.` */
export function missing(model: string): ApiError {
  return new ApiError(404, { detail: `No ${model} matches the given query.` })
}
