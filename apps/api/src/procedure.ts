import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AuditAction } from '@atrium/core/audit'
import { AppError } from '@atrium/core/errors'
import {
  type AnyTRPCRouter,
  TRPCError,
  type TRPCMutationProcedure,
  type TRPCQueryProcedure,
  type TRPCSubscriptionProcedure,
} from '@trpc/server'
import type { OpenApiMeta } from 'trpc-to-openapi'
import type { z } from 'zod'
import { recordDenial } from './audit/denials.ts'
import type { Context } from './context.ts'
import { requireRecentSignIn } from './recent-sign-in.ts'
import { codeOf, isOfInput, toAppError, toIssues } from './refusals.ts'
import type { LimitedRoute } from './scheduling/limits.ts'

/** What a procedure declares beside its schemas. */
export type ProcedureMeta = OpenApiMeta<{
  /** The audit action that a refusal of this procedure is recorded under, with outcome `denied`. */
  audit?: AuditAction
  /** The answer holds a one-time secret: it is never stored for replay. */
  secretAnswer?: boolean
  /**
   * Called without a session, by visitors of the booking pages, who take from this allowance: an Idempotency-Key is kept per address
   * instead of per caller.
   */
  visitors?: LimitedRoute
  /** Recognises its own Idempotency-Key on both wires: the same request again returns what the first one made, secrets included. */
  repeatable?: boolean
  /** Makes a record below another one: REST answers 201. A POST to a path without parameters does so anyway. */
  creates?: boolean
  /** REST answers the same as CSV to who asks for `text/csv`. */
  csv?: (answer: unknown) => string
  /** Speaks the OpenFeature Remote Evaluation Protocol over REST: an ETag on answers, and its members in refusals beside ours. */
  ofrep?: boolean
  /** The answer is `{ fileName, contentType, text }`: REST sends the text itself, to be saved under that name, as one of these types. */
  file?: readonly [string, ...string[]]
  /** The answer is text in pieces: REST streams it as a file. The first format is what is sent unless the query's `format` names another. */
  export?: TextExport
}>

/** A file of this name, in one of these formats. */
export interface TextExport {
  fileName: string
  formats: readonly [ExportFormat, ...ExportFormat[]]
}
export type ExportFormat = 'csv' | 'ndjson'

/** For `csv` of a procedure's meta: the answer in the type that its schema gives it. */
export function csvOf<Schema extends z.ZodType>(
  _schema: Schema,
  render: (answer: z.output<Schema>) => string,
): (answer: unknown) => string {
  return (answer) => render(answer as z.output<Schema>)
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

export type ProcedureType = 'query' | 'mutation' | 'subscription'

/** A procedure at run time: what tRPC's router, our REST transport and the OpenAPI generator read of it. */
export interface RunnableProcedure {
  (call: ProcedureCall): Promise<unknown>
  _def: {
    procedure: true
    type: ProcedureType
    inputs: readonly z.ZodType[]
    output: z.ZodType | undefined
    meta: ProcedureMeta | undefined
    /** Which calls need a recent sign-in: `always`, or the words for those that do. */
    recentSignIn: string | undefined
    /** Whether a call needs a valid access token; a transport verifies it before it reads a body. */
    needsToken: boolean
  }
}

/** The calls of a procedure that need a recent sign-in, and the end of the sentence "This needs a recent sign-in …". */
export interface SensitiveCalls<Input> {
  when: (input: Input) => boolean
  said: string
}

/** Every procedure by its dotted name. At run time tRPC's record is flat; its type mirrors the nesting. */
export function proceduresOf(router: AnyTRPCRouter): Record<string, RunnableProcedure> {
  return router._def.procedures as unknown as Record<string, RunnableProcedure>
}

/**
 * Decides whether a call may go on and adds what it found to the context. Sees the input as it came, before it is checked, so that
 * somebody who may not know of a record learns nothing from field issues either. Throws AppError to refuse.
 */
export type Guard<Found extends object> = (ctx: Context, readInput: () => Promise<unknown>) => Found | Promise<Found>

/** A guard, and whether the access token is verified before the guard runs and before anything parses the input. */
interface Entry<Found extends object> {
  guard: Guard<Found>
  needsToken: boolean
}

type Schema = z.ZodType | undefined
type Parsed<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined
type Given<S extends Schema> = S extends z.ZodType ? z.input<S> : undefined
type Answer<S extends Schema, Result> = S extends z.ZodType ? z.input<S> : Result
type Told<S extends Schema, Result> = S extends z.ZodType ? z.output<S> : Result

type Resolve<Found extends object, In extends Schema, Result> = (call: {
  ctx: Context & Found
  input: Parsed<In>
  signal: AbortSignal | undefined
}) => Result | Promise<Result>

interface Types<In extends Schema, Out extends Schema, Result> {
  meta: ProcedureMeta
  input: Given<In>
  output: Told<Out, Result>
}

/**
 * A procedure in the making, with the interface of tRPC's own builder: `guarded(…).meta(…).input(…).output(…).query(…)`. tRPC runs a
 * procedure as a chain of middlewares and copies the call at every link, which costs more than all else that a read does; here guard,
 * input, work and answer are one function, and tRPC's router takes it as it takes its own. Schemas must not be asynchronous.
 */
export class ProcedureBuilder<Found extends object, In extends Schema = undefined, Out extends Schema = undefined> {
  readonly #entry: Entry<Found>
  readonly #meta: ProcedureMeta | undefined
  readonly #input: In
  readonly #output: Out
  readonly #sensitive: SensitiveCalls<never> | undefined

  constructor(entry: Entry<Found>, meta: ProcedureMeta | undefined, input: In, output: Out, sensitive?: SensitiveCalls<never>) {
    this.#entry = entry
    this.#meta = meta
    this.#input = input
    this.#output = output
    this.#sensitive = sensitive
  }

  meta(meta: ProcedureMeta): ProcedureBuilder<Found, In, Out> {
    return new ProcedureBuilder(this.#entry, meta, this.#input, this.#output, this.#sensitive)
  }
  input<S extends z.ZodType>(schema: S): ProcedureBuilder<Found, S, Out> {
    return new ProcedureBuilder(this.#entry, this.#meta, schema, this.#output, this.#sensitive)
  }
  output<S extends z.ZodType>(schema: S): ProcedureBuilder<Found, In, S> {
    return new ProcedureBuilder(this.#entry, this.#meta, this.#input, schema, this.#sensitive)
  }
  /**
   * Marks a sensitive procedure: whoever passes the guard also needs a sign-in that is recent (docs/contract.md, recent sign-in). With
   * `calls`, which stands behind `input`, only those calls are.
   */
  recentSignIn(calls?: SensitiveCalls<Parsed<In>>): ProcedureBuilder<Found, In, Out> {
    return new ProcedureBuilder(this.#entry, this.#meta, this.#input, this.#output, calls ?? everyCall)
  }

  query<Result>(resolve: Resolve<Found, In, Answer<Out, Result>>): TRPCQueryProcedure<Types<In, Out, Result>> {
    return this.#build('query', resolve) as unknown as TRPCQueryProcedure<Types<In, Out, Result>>
  }
  mutation<Result>(resolve: Resolve<Found, In, Answer<Out, Result>>): TRPCMutationProcedure<Types<In, Out, Result>> {
    return this.#build('mutation', resolve) as unknown as TRPCMutationProcedure<Types<In, Out, Result>>
  }
  subscription<Result>(resolve: Resolve<Found, In, Answer<Out, Result>>): TRPCSubscriptionProcedure<Types<In, Out, Result>> {
    return this.#build('subscription', resolve) as unknown as TRPCSubscriptionProcedure<Types<In, Out, Result>>
  }

  #build<Result>(type: ProcedureType, resolve: Resolve<Found, In, Result>): RunnableProcedure {
    const [meta, inputSchema, outputSchema] = [this.#meta, this.#input as Schema, this.#output as Schema]
    const { guard, needsToken } = this.#entry
    const sensitive = this.#sensitive as SensitiveCalls<unknown> | undefined
    let answers = 0
    async function run({ ctx, path, getRawInput, signal }: ProcedureCall): Promise<unknown> {
      let about: string | undefined
      try {
        if (needsToken) await ctx.verifyToken()
        if (needsToken && type === 'mutation') await takeChange(ctx)
        const found = await guard(ctx, getRawInput)
        about = tenantIdIn(found)
        const input = inputSchema && checked(inputSchema, await getRawInput())
        if (sensitive) await requireRecentSignIn(ctx, () => sensitive.when(input))
        const result = await resolve({ ctx: { ...ctx, ...found }, input: input as Parsed<In>, signal })
        if (outputSchema && (ctx.house.config.answerChecks === 'all' || answers++ % 100 === 0)) {
          checkAnswer(ctx, path, outputSchema, result)
        }
        if (about !== undefined) ctx.house.requestCounts.count(about, false)
        const open = type === 'subscription' ? 'streams' : meta?.export && 'exports'
        return open ? await heldOpen(ctx, open, result as AsyncIterable<unknown>) : result
      } catch (error) {
        const refusal = toAppError(error)
        if (about !== undefined) {
          const failed = refusal.status >= 500 && !ctx.request.signal.aborted && !isOfInput(refusal)
          ctx.house.requestCounts.count(about, failed)
        }
        if (type === 'mutation' && meta?.audit && refusal.status === 403) {
          const input = await getRawInput().catch(() => undefined)
          await recordDenial(ctx, { action: meta.audit, path: meta.openapi?.path ?? '', input }, refusal)
        }
        throw new TRPCError({ code: codeOf(refusal), message: refusal.message, cause: refusal })
      }
    }
    const inputs = inputSchema ? [inputSchema] : []
    const recentSignIn = sensitive?.said
    return Object.assign(run, { _def: { procedure: true as const, type, inputs, output: outputSchema, meta, recentSignIn, needsToken } })
  }
}

const everyCall: SensitiveCalls<never> = { when: () => true, said: 'always' }

/** Begins a procedure for calls with a valid access token that pass the guard. */
export function guarded<Found extends object>(guard: Guard<Found>): ProcedureBuilder<Found> {
  return new ProcedureBuilder({ guard, needsToken: true }, undefined, undefined, undefined)
}

/** Begins a procedure that needs no access token: the guard alone decides. */
export function guardedWithoutToken<Found extends object>(guard: Guard<Found>): ProcedureBuilder<Found> {
  return new ProcedureBuilder({ guard, needsToken: false }, undefined, undefined, undefined)
}

/** One change of the caller's, before anything else is done for it: a rejected call counts too. */
async function takeChange({ house, request, verifyToken, bearerToken }: Context): Promise<void> {
  const { subject } = await verifyToken()
  const token = createHash('sha256')
    .update(bearerToken() ?? '')
    .digest('base64url')
  await house.limits.take(request, [
    { limit: 'changes_person_minute', of: subject },
    { limit: 'changes_token_minute', of: token },
  ])
}

/** A stream or export, counted as open for the caller until it ends or the caller leaves. */
async function heldOpen({ house, request, verifyToken }: Context, limit: 'streams' | 'exports', pieces: AsyncIterable<unknown>) {
  const release = house.limits.hold(limit, (await verifyToken()).subject)
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

/** The tenant that a guard found a call to be about. */
function tenantIdIn(found: object): string | undefined {
  const holder = 'access' in found ? found.access : found
  const tenant = typeof holder === 'object' && holder !== null && 'tenant' in holder ? holder.tenant : undefined
  return typeof tenant === 'object' && tenant !== null && 'id' in tenant && typeof tenant.id === 'string' ? tenant.id : undefined
}

function checked(schema: z.ZodType, raw: unknown): unknown {
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  throw new AppError('invalid_input', undefined, { cause: result.error, issues: toIssues(result.error) })
}

/**
 * Holds an answer against what the procedure declares, undeclared fields included. It costs more than many a procedure's own work, so
 * every answer is held to it where people develop and test, where a fault fails the call; elsewhere one in a hundred, and a fault is
 * logged. Field names only: the values may be personal.
 */
function checkAnswer({ house, request }: Context, procedure: string, schema: z.ZodType, answer: unknown): void {
  const { success, data, error } = schema.safeParse(answer)
  const fault = success
    ? !isDeepStrictEqual(overTheWire(data), overTheWire(answer)) && 'it has fields that are not declared, or the schema changes it'
    : error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`).join('; ')
  if (!fault) return
  if (house.config.answerChecks === 'all') throw new Error(`the answer of ${procedure} is not what it declares: ${fault}`)
  house.log.error({ procedure, fault, requestId: request.requestId }, 'an answer is not what its procedure declares')
}

const overTheWire = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
