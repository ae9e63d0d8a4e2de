import { hash } from 'node:crypto'
import type { ErrorCode } from '@atrium/core/platform/errors'
import { type AnyTRPCRouter, TRPCError } from '@trpc/server'
import type { z } from 'zod'
import { recordDenial } from './audit-denials.ts'
import type { Caller, OnBehalf } from './caller.ts'
import type { Context } from './context.ts'
import { codeOf, isCausedByInput, toAppError } from './errors.ts'
import type { ProcedureMeta } from './procedure-meta.ts'
import { requireRecentSignIn } from './recent-sign-in.ts'
import { admitService } from './service-admission.ts'
import { t } from './trpc.ts'

/**
 * Decides whether a call may proceed and adds what it found to the context. Gets the raw input
 * before validation, so that a caller who may not know of a record learns nothing from field issues
 * either. Throws AppError to reject.
 */
export type Guard<Found extends object> = (
  ctx: Context,
  readInput: () => Promise<unknown>,
  call: GuardedCall,
) => Found | Promise<Found>

/** What a guard decides by besides caller and input. */
export interface GuardedCall {
  delegable: ProcedureMeta['delegable']
  /** Whether the call may change something. */
  changes: boolean
}

/**
 * Begins a procedure for calls with a valid access token that pass the guard, which rejects with
 * `errors`.
 */
export function guarded<Found extends object>(
  guard: Guard<Found>,
  errors: readonly ErrorCode[] = [],
) {
  return begin(guard, { needsToken: true, guardErrors: errors })
}

/**
 * Begins a procedure that needs no access token: the guard alone decides, and rejects with
 * `errors`.
 */
export function guardedWithoutToken<Found extends object>(
  guard: Guard<Found>,
  errors: readonly ErrorCode[] = [],
) {
  return begin(guard, { needsToken: false, guardErrors: errors })
}

/**
 * tRPC's builder with one middleware before the input: token, limit of changes and guard, and what
 * follows from the outcome of the call: counts, the audit entry of a denial, and the error that the
 * caller gets.
 */
function begin<Found extends object>(
  guard: Guard<Found>,
  access: Required<Pick<ProcedureMeta, 'needsToken' | 'guardErrors'>>,
) {
  return t.procedure.meta(access).use(async ({ ctx, path, type, meta, getRawInput, next }) => {
    const { services, request } = ctx
    let tenantId: string | undefined
    let onBehalf: OnBehalf | undefined
    try {
      if (access.needsToken) {
        const service = await ctx.readService()
        if (service) await admitService(ctx, service, { path, meta })
      }
      if (access.needsToken && type === 'mutation') await takeChange(ctx)
      const found = await guard(ctx, getRawInput, {
        delegable: meta?.delegable,
        changes: type === 'mutation',
      })
      tenantId = tenantIdIn(found)
      onBehalf = onBehalfIn(found)
      const result = await next({ ctx: found })
      if (!result.ok) throw result.error
      if (tenantId !== undefined) services.requestCounts.count(tenantId, false)
      const open = type === 'subscription' ? 'streams' : meta?.export && 'exports'
      return open
        ? {
            ...result,
            data: await heldOpen(
              ctx,
              { limit: open, tenantId },
              result.data as AsyncIterable<unknown>,
            ),
          }
        : result
    } catch (error) {
      const rejection = toAppError(error)
      const { code } = rejection
      if (!ofTransport.has(code) && !errorsOfProcedure({ inputs: [], meta }).has(code)) {
        services.log.error({ procedure: path, code, requestId: request.requestId }, undeclaredError)
      }
      if (tenantId !== undefined) {
        services.requestCounts.count(
          tenantId,
          rejection.status >= 500 && !request.signal.aborted && !isCausedByInput(rejection),
        )
      }
      if (type === 'mutation' && meta?.audit && rejection.status === 403) {
        const input = await getRawInput().catch(() => undefined)
        await recordDenial(
          ctx,
          { action: meta.audit, path: meta.openapi?.path ?? '', input, onBehalf },
          rejection,
        )
      }
      throw new TRPCError({ code: codeOf(rejection), message: rejection.message, cause: rejection })
    }
  })
}

/**
 * For `.concat()` after `.input()`: every call needs a recent sign-in (docs/reference/contract.md).
 * It runs after input validation, so that no one signs in again for a call that cannot succeed.
 */
export const recentSignIn = t.procedure
  .meta({ recentSignIn: 'always' })
  .use(async ({ ctx, next }) => {
    await requireRecentSignIn(ctx)
    return next()
  })

export type ProcedureType = 'query' | 'mutation' | 'subscription'

/**
 * A procedure at run time: what the REST transport and the OpenAPI document read of tRPC's record.
 */
export interface RunnableProcedure {
  (call: ProcedureCall): Promise<unknown>
  _def: {
    type: ProcedureType
    inputs: readonly z.ZodType[]
    output: z.ZodType | undefined
    meta: ProcedureMeta | undefined
  }
}

/** One call of a procedure, as tRPC's transports make it and REST does. */
export interface ProcedureCall {
  ctx: Context
  path: string
  type: ProcedureType
  /** The call's place in its batch. */
  batchIndex: number
  getRawInput: () => Promise<unknown>
  signal?: AbortSignal | undefined
}

/**
 * Every procedure by its dotted name. At run time tRPC's record is flat; its type mirrors the
 * nesting.
 */
export function proceduresOf(router: AnyTRPCRouter): Record<string, RunnableProcedure> {
  return router._def.procedures as unknown as Record<string, RunnableProcedure>
}

/** Every code that a call can be rejected with, whichever transport it came by. */
export function errorsOfProcedure({
  inputs,
  meta,
}: Pick<RunnableProcedure['_def'], 'inputs' | 'meta'>): Set<ErrorCode> {
  // Every call with a service token is counted, so one that needs a token can always be limited.
  const limited = meta?.needsToken || meta?.visitors
  return new Set<ErrorCode>([
    ...(inputs.length > 0 ? (['invalid_input'] as const) : []),
    ...(meta?.needsToken
      ? ([
          'unauthenticated',
          'token_expired',
          'unexpected_issuer',
          'user_deactivated',
          'insufficient_scope',
          'network_not_allowed',
        ] as const)
      : []),
    ...(meta?.recentSignIn ? (['recent_sign_in_required'] as const) : []),
    ...(meta?.guardErrors ?? []),
    ...(meta?.errors ?? []),
    ...(limited ? (['rate_limited'] as const) : []),
    'internal',
    'unavailable',
  ])
}

/** What a transport rejects a body with. */
const ofTransport: ReadonlySet<ErrorCode> = new Set([
  'invalid_input',
  'malformed_json',
  'unsupported_media_type',
  'too_large',
])

/** The log line of a rejection that the API description does not name. Tests fail on it. */
export const undeclaredError = 'procedure returned an undeclared error'

/** One change of the caller's, before anything else is done for it: a rejected call counts too. */
async function takeChange({ services, request, verifyToken, bearerToken }: Context): Promise<void> {
  const { subject } = await verifyToken()
  const token = hash('sha256', bearerToken() ?? '', 'base64url')
  await services.limits.take(request, [
    { limit: 'changes_person_minute', of: subject },
    { limit: 'changes_token_minute', of: token },
  ])
}

/** A stream or export, counted as open for the caller until it ends or the caller leaves. */
async function heldOpen(
  { services, request, verifyToken }: Context,
  { limit, tenantId }: { limit: 'streams' | 'exports'; tenantId: string | undefined },
  pieces: AsyncIterable<unknown>,
) {
  const release = await services.limits.hold(limit, (await verifyToken()).subject, tenantId)
  request.signal.addEventListener('abort', release, { once: true })
  if (request.signal.aborted) release()
  return (async function* () {
    try {
      yield* pieces
    } finally {
      release()
    }
  })()
}

/** The access grant that a guard found a call to be made under. */
function onBehalfIn(found: object): OnBehalf | undefined {
  return 'caller' in found ? (found.caller as Caller).onBehalf : undefined
}

/** The tenant that a guard found a call to be about. */
function tenantIdIn(found: object): string | undefined {
  const holder = 'access' in found ? found.access : found
  const tenant =
    typeof holder === 'object' && holder !== null && 'tenant' in holder ? holder.tenant : undefined
  return typeof tenant === 'object' &&
    tenant !== null &&
    'id' in tenant &&
    typeof tenant.id === 'string'
    ? tenant.id
    : undefined
}
