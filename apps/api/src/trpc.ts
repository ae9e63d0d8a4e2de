import type { AuditAction } from '@atrium/core/audit'
import { AppError, type ErrorStatus, findAppError, type Issue } from '@atrium/core/errors'
import { isUnavailable } from '@atrium/db/failures'
import { initTRPC, type TRPC_ERROR_CODE_KEY, TRPCError } from '@trpc/server'
import type { OpenApiMeta } from 'trpc-to-openapi'
import { ZodError } from 'zod'
import type { Context } from './context.ts'
import { serializer } from './transport/serializer.ts'

/** What a procedure declares beside its schemas. */
export type ProcedureMeta = OpenApiMeta<{
  /** The audit action that a refusal of this procedure is recorded under, with outcome `denied`. */
  audit?: AuditAction
  /** The answer holds a one-time secret: it is never stored for replay. */
  secretAnswer?: boolean
}>

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    transformer: serializer,
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
    errorFormatter({ shape, error, ctx }) {
      const refusal = toAppError(error)
      return {
        ...shape,
        message: refusal.message,
        data: {
          code: refusal.code,
          httpStatus: refusal.status,
          path: shape.data.path,
          requestId: ctx?.request.requestId,
          issues: refusal.issues,
        },
      }
    },
  })

export const { router } = t

const codes: Record<ErrorStatus, TRPC_ERROR_CODE_KEY> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  500: 'INTERNAL_SERVER_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
}

/** The refusal that a caller is told. Everything that is no AppError and no bad input becomes `internal` with a fixed sentence. */
export function toAppError(error: unknown): AppError {
  const known = findAppError(error)
  if (known) return known
  const cause = error instanceof TRPCError ? error.cause : error
  if (error instanceof TRPCError && error.code === 'BAD_REQUEST' && cause instanceof ZodError) {
    return new AppError('invalid_input', undefined, { cause, issues: toIssues(cause) })
  }
  if (isUnavailable(cause)) return new AppError('unavailable', undefined, { cause })
  if (error instanceof TRPCError) {
    if (error.code === 'NOT_FOUND') return new AppError('not_found', 'There is no such procedure.', { cause: error })
    if (error.code === 'METHOD_NOT_SUPPORTED') return new AppError('method_not_allowed', undefined, { cause: error })
    if (error.code === 'PARSE_ERROR') return new AppError('malformed_json', undefined, { cause: error })
    if (error.code === 'PAYLOAD_TOO_LARGE') return new AppError('too_large', undefined, { cause: error })
    if (error.code === 'UNSUPPORTED_MEDIA_TYPE') return new AppError('unsupported_media_type', undefined, { cause: error })
    if (error.code === 'BAD_REQUEST')
      return new AppError('invalid_input', 'The request is not a call that can be understood.', { cause: error })
  }
  return new AppError('internal', undefined, { cause: error })
}

/** One issue per field, the first that was found; an unknown key is named by its own path. */
export function toIssues(error: ZodError): Issue[] {
  const issues = error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'This field is not known here.' }))
    }
    return [{ path: path.join('.'), message: issue.message }]
  })
  return issues.filter((issue, index) => issues.findIndex(({ path }) => path === issue.path) === index)
}

// First in every chain: it sees what guards, input parsing and the body throw, and gives each failure its transport code.
const mapErrors = t.middleware(async ({ ctx, next, type, meta }) => {
  const result = await next()
  if (result.ok) return result
  const refusal = toAppError(result.error)
  if (type === 'mutation' && meta?.audit && refusal.status === 403) await recordDenial(ctx, meta.audit, refusal)
  throw new TRPCError({ code: codes[refusal.status], message: refusal.message, cause: refusal })
})

/** A refused act is worth an entry when somebody signed in attempted it; without a caller there is nobody to name. */
async function recordDenial(ctx: Context, action: AuditAction, refusal: AppError): Promise<void> {
  const caller = await ctx.readCaller().catch(() => undefined)
  if (!caller) return
  await ctx.house.audit.record(ctx, caller, {
    action,
    outcome: 'denied',
    resourceType: action.split('.')[0] ?? 'platform',
    metadata: { code: refusal.code },
  })
}

/** No session needed. Every other guard is built on it. */
export const publicProcedure = t.procedure.use(mapErrors)
