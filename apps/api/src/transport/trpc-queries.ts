import { TRPCError, type TRPCErrorShape } from '@trpc/server'
import {
  getErrorShape,
  getHTTPStatusCode,
  getTRPCErrorFromUnknown,
  type TRPCResponse,
  transformTRPCResponse,
} from '@trpc/server/unstable-core-do-not-import'
import type { Context } from '../context.ts'
import { proceduresOf, type RunnableProcedure } from '../procedure.ts'
import { appRouter } from '../router.ts'
import type { PlainAnswer } from './problems.ts'
import { serializer } from './serializer.ts'

export const endpoint = '/trpc'
export const maxBatchSize = 20

const procedures = proceduresOf(appRouter)
const config = appRouter._def._config

interface Query {
  path: string
  procedure: RunnableProcedure
  input: unknown
}

export interface Queries {
  batch: boolean
  calls: readonly Query[]
}

/**
 * The calls of a GET as the HTTP protocol of tRPC 11 writes them; undefined unless each of them is a query that there is. `names` is
 * what follows the endpoint in the path, `parameter` reads the query.
 */
export function readQueries(names: string, parameter: (name: string) => string | undefined): Queries | undefined {
  if (parameter('connectionParams') !== undefined) return undefined
  const batch = parameter('batch') === '1'
  const paths = batch ? names.split(',') : [names]
  const inputs = parsed(parameter('input'))
  if (paths.length > maxBatchSize || inputs === malformed) return undefined
  if (batch && inputs !== undefined && (typeof inputs !== 'object' || Array.isArray(inputs))) return undefined
  const calls: Query[] = []
  for (const [index, name] of paths.entries()) {
    const procedure = Object.hasOwn(procedures, name) ? procedures[name] : undefined
    if (procedure?._def.type !== 'query') return undefined
    calls.push({ path: name, procedure, input: batch ? (inputs as Record<number, unknown> | undefined)?.[index] : inputs })
  }
  return { batch, calls }
}

const malformed = Symbol('malformed')

/** Parsed JSON; undefined without a text, which is no input to any call. */
function parsed(text: string | undefined): unknown {
  if (!text) return undefined
  try {
    return JSON.parse(text) ?? malformed
  } catch {
    return malformed
  }
}

/**
 * Answers in one piece what tRPC's adapter answers to such calls, without what it prepares for streams: composite abort signals for
 * the request and for each call, which cost more than the calls themselves. `headersFor` and `onError` are the adapter's hooks.
 */
export async function answerQueries(
  ctx: Context,
  { batch, calls }: Queries,
  hooks: { headersFor: (errors: readonly TRPCError[]) => Record<string, string>; onError: (error: TRPCError, path: string) => void },
): Promise<PlainAnswer> {
  const errors: TRPCError[] = []
  const answers = await Promise.all(
    calls.map((call, index) =>
      run(ctx, call, index, (error) => {
        errors.push(error)
        hooks.onError(error, call.path)
      }),
    ),
  )
  const status = errors.length === 0 ? 200 : getHTTPStatusCode(answers)
  const body = transformTRPCResponse(config, batch ? answers : (answers[0] as Answer))
  const headers = { 'content-type': 'application/json', vary: 'trpc-accept, accept', ...hooks.headersFor(errors) }
  return { status, headers, body: JSON.stringify(body) }
}

type Answer = TRPCResponse<unknown, TRPCErrorShape>

async function run(
  ctx: Context,
  { path, procedure, input }: Query,
  batchIndex: number,
  onError: (error: TRPCError) => void,
): Promise<Answer> {
  const getRawInput = async () => (input === undefined ? undefined : serializer.deserialize(input))
  try {
    const data = await procedure({ ctx, path, type: 'query', batchIndex, getRawInput })
    if (typeof data === 'object' && data !== null && Symbol.asyncIterator in data) {
      throw new TRPCError({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'Cannot use stream-like response in non-streaming request - use httpBatchStreamLink',
      })
    }
    return { result: { data } }
  } catch (cause) {
    const error = getTRPCErrorFromUnknown(cause)
    onError(error)
    return { error: getErrorShape({ config, ctx, error, input: undefined, path, type: 'query' }) }
  }
}
