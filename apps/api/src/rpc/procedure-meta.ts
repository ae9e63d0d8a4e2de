import type { Delegable } from '@atrium/core/access-grants/scopes'
import type { AuditAction } from '@atrium/core/audit/audit'
import type { ErrorCode } from '@atrium/core/platform/errors'
import type { ServiceAccess } from '@atrium/core/service-tokens/scopes'
import type { z } from 'zod'
import type { LimitedRoute } from './visitor-limits.ts'

/** What a procedure declares besides its schemas. */
export interface ProcedureMeta {
  /**
   * Whether a call needs a valid access token, which a transport verifies before it reads a body.
   * Set by `guarded`.
   */
  needsToken?: boolean
  /** The codes that the guard rejects with. Set by `guarded`. */
  guardErrors?: readonly ErrorCode[]
  /**
   * Which service tokens open the procedure. Every procedure that needs a token says so; a test
   * compares them with `packages/testing/src/matrix/service-scopes.ts`.
   */
  scope?: ServiceAccess
  /**
   * Which access grants open the procedure. Every procedure about a tenant says so; a test compares
   * them with docs/reference/contract.md.
   */
  delegable?: Delegable
  /** The REST endpoint, and its text in the API description. */
  openapi?: RestAddress
  /** Set while the procedure still works and is going to be removed. */
  deprecated?: Deprecation
  /** The SCIM endpoint of a procedure of `scim/router.ts`, in place of a REST endpoint. */
  scim?: ScimAddress
  /**
   * The errors of the procedure itself. Those of the token, the guard and the input are added
   * automatically.
   */
  errors?: readonly ErrorCode[]
  /**
   * The audit action that a rejection of this procedure is recorded under, with outcome `denied`.
   */
  audit?: AuditAction
  /**
   * Which calls need a recent sign-in (docs/reference/contract.md): `always` (set by
   * `recentSignIn`), or the end of the sentence "This needs a recent sign-in …" for a procedure
   * that decides by its input.
   */
  recentSignIn?: string
  /** The response contains a one-time secret: it is never stored for replay. */
  secretResponse?: boolean
  /**
   * Called without a session by visitors of booking pages. The limits of this route apply per
   * address, and an Idempotency-Key belongs to the address instead of a caller.
   */
  visitors?: LimitedRoute
  /**
   * Handles its Idempotency-Key itself, over REST and tRPC: a repeated request returns what the
   * first one created, secrets included.
   */
  repeatable?: boolean
  /**
   * REST returns 201. Needed only for a path with parameters: a POST to a path without them returns
   * 201 anyway.
   */
  creates?: boolean
  /** REST returns the same as CSV for `Accept: text/csv`. */
  csv?: (response: unknown) => string
  /**
   * Implements the OpenFeature Remote Evaluation Protocol over REST: responses have an ETag, errors
   * have its fields besides ours.
   */
  ofrep?: boolean
  /**
   * The result is `{ fileName, contentType, encoding, text }`: REST sends the text itself, decoded
   * and saved under that name, as one of these types.
   */
  file?: readonly [string, ...string[]]
  /**
   * The result is text in chunks: REST streams it as a file. The first format is the default; the
   * query's `format` names another.
   */
  export?: TextExport
}

export interface RestAddress {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With parameters in braces. */
  path: `/${string}`
  summary: string
  description?: string
  tags: readonly string[]
  /** False: no access token is read. Default true. */
  protect?: boolean
  /** Headers that the procedure reads itself. */
  requestHeaders?: z.ZodObject
}

/** When callers have to stop using a procedure (docs/reference/compatibility.md). */
export interface Deprecation {
  /** The day of the release that announces it, such as `2026-12-01`. */
  since: string
  /** From this day on a release may leave it out: at least a year after `since`. */
  sunset: string
  /** The dotted name of the procedure to call instead. */
  replacement?: string
}

/** An endpoint below the address of a tenant's SCIM service. */
export interface ScimAddress {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With parameters in braces. */
  path: `/${string}`
}

/** A file of this name, in one of these formats. */
export interface TextExport {
  fileName: string
  /** Parameters of the request whose values follow the name, so that downloads differ. */
  nameFields?: readonly string[]
  formats: readonly [ExportFormat, ...ExportFormat[]]
  /** The parameter that is `true` in a call whose response lasts until the reader leaves. */
  lasts?: string
}
export type ExportFormat = 'csv' | 'ndjson' | 'datev'

/** For `csv` of a procedure's meta: the result in the type of its schema. */
export function csvOf<Schema extends z.ZodType>(
  _schema: Schema,
  render: (response: z.output<Schema>) => string,
): (response: unknown) => string {
  return (response) => render(response as z.output<Schema>)
}
