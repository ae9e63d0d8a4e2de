import { TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import {
  getErrorShape,
  getHTTPStatusCode,
  getTRPCErrorFromUnknown,
  type TRPCResponse,
  transformTRPCResponse,
} from '@trpc/server/unstable-core-do-not-import'
import type { Context as HonoContext } from 'hono'
import { type Context, createContext } from '../context.ts'
import type { House } from '../house.ts'
import { proceduresOf, type RunnableProcedure } from '../procedure-calls.ts'
import { appRouter } from '../router.ts'
import { toAppError } from '../trpc.ts'
import { type AppEnv, readFacts } from './facts.ts'
import { challenge } from './problems.ts'
import { serializer } from './serializer.ts'

const endpoint = '/trpc'
const maxBatchSize = 20
const procedures = proceduresOf(appRouter)
const config = appRouter._def._config

/**
 * Answers a request under `/trpc`. Queries by GET that are answered in one piece go through `answerQueries`; everything else (changes,
 * streams, subscriptions, and whatever is not a well-formed call) through tRPC's own adapter.
 */
export async function answerTrpc(c: HonoContext<AppEnv>, house: House): Promise<Response> {
  c.set('route', endpoint)
  const ctx = createContext(house, readFacts(c), c.req.header('authorization'))
  const queries = readQueries(c)
  if (queries) return answerQueries(ctx, queries)
  // A streamed batch answers 200 before its first call runs, so a bad token has to be told before the stream begins.
  if (c.req.header('trpc-accept') === 'application/jsonl') await ctx.verifyToken()
  return fetchRequestHandler({
    endpoint,
    req: c.req.raw,
    router: appRouter,
    maxBatchSize,
    createContext: () => ctx,
    responseMeta: ({ errors }) => ({ headers: answerHeaders(errors) }),
    onError: ({ error, path }) => report(ctx, error, path),
  })
}

interface Query {
  path: string
  procedure: RunnableProcedure
  input: unknown
}

interface Queries {
  batch: boolean
  calls: readonly Query[]
}

/** The calls of a GET as the HTTP protocol of tRPC 11 writes them; undefined unless each of them is a query that there is. */
function readQueries(c: HonoContext<AppEnv>): Queries | undefined {
  const { req } = c
  if (req.method !== 'GET' || req.header('trpc-accept') !== undefined || req.query('connectionParams') !== undefined) return undefined
  const batch = req.query('batch') === '1'
  const path = req.path.slice(endpoint.length + 1)
  const paths = batch ? path.split(',') : [path]
  const inputs = parsed(req.query('input'))
  if (paths.length > maxBatchSize || inputs === malformed || (batch && inputs !== undefined && typeof inputs !== 'object')) return undefined
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
 * What the adapter does for such calls, without what it does for streams: composite abort signals for the request and for each call,
 * which keep the garbage collector busier than the calls themselves. `trpc-transport.test.ts` holds the two side by side.
 */
async function answerQueries(ctx: Context, { batch, calls }: Queries): Promise<Response> {
  const results = await Promise.all(calls.map((call, index) => run(ctx, call, index)))
  const answers = results.map((result) => result.answer)
  const errors = results.flatMap((result) => (result.error ? [result.error] : []))
  const status = errors.length === 0 ? 200 : getHTTPStatusCode(answers)
  const body = transformTRPCResponse(config, batch ? answers : (answers[0] as TRPCResponse))
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', vary: 'trpc-accept, accept', ...answerHeaders(errors) },
  })
}

async function run(
  ctx: Context,
  { path, procedure, input }: Query,
  batchIndex: number,
): Promise<{ answer: TRPCResponse; error?: TRPCError }> {
  const getRawInput = async () => (input === undefined ? undefined : serializer.deserialize(input))
  try {
    const data = await procedure({ ctx, path, type: 'query', batchIndex, getRawInput })
    if (typeof data === 'object' && data !== null && Symbol.asyncIterator in data) {
      throw new TRPCError({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'Cannot use stream-like response in non-streaming request - use httpBatchStreamLink',
      })
    }
    return { answer: { result: { data } } }
  } catch (cause) {
    const error = getTRPCErrorFromUnknown(cause)
    report(ctx, error, path)
    return { answer: { error: getErrorShape({ config, ctx, error, input: undefined, path, type: 'query' }) }, error }
  }
}

function answerHeaders(errors: readonly TRPCError[]): Record<string, string> {
  return Object.assign({ 'cache-control': 'no-store' }, ...errors.map((error) => challenge(toAppError(error))))
}

function report({ house, request }: Context, error: TRPCError, path: string | undefined): void {
  if (toAppError(error).status >= 500) house.log.error({ err: error, requestId: request.requestId, procedure: path }, 'a request failed')
}
