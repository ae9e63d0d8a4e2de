import type { TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import type { Context as HonoContext } from 'hono'
import { type Context, createContext } from '../context.ts'
import type { House } from '../house.ts'
import { toAppError } from '../refusals.ts'
import { appRouter } from '../router.ts'
import { type AppEnv, readFacts } from './facts.ts'
import { type PlainAnswer, refusalHeaders, toResponse } from './problems.ts'
import { answerQueries, endpoint, maxBatchSize, type Queries, readQueries } from './trpc-queries.ts'

/** A single call is counted under its procedure, a batch under the endpoint. */
const routes = new Map(Object.keys(appRouter._def.procedures).map((name) => [`${endpoint}/${name}`, `${endpoint}/${name}`]))

/**
 * Answers a request under `/trpc`. Queries by GET that are answered in one piece go through `answerQueries`; everything else (changes,
 * streams, subscriptions, and whatever is not a well-formed call) through tRPC's own adapter.
 */
export async function answerTrpc(c: HonoContext<AppEnv>, house: House): Promise<Response> {
  c.set('route', trpcRoute(c.req.path))
  const facts = readFacts(c, house.config)
  const ctx = createContext(house, facts, c.req.header('authorization'))
  const plain = c.req.method === 'GET' && c.req.header('trpc-accept') === undefined
  const queries = plain ? readQueries(c.req.path.slice(endpoint.length + 1), (name) => c.req.query(name)) : undefined
  if (queries) return facts.complete(toResponse(await answerInOnePiece(ctx, queries)))
  // A streamed batch answers 200 before its first call runs, so a bad token has to be told before the stream begins.
  if (c.req.header('trpc-accept') === 'application/jsonl') await ctx.verifyToken()
  const response = await fetchRequestHandler({
    endpoint,
    req: c.req.raw,
    router: appRouter,
    maxBatchSize,
    createContext: () => ctx,
    responseMeta: ({ errors }) => ({ headers: answerHeaders(errors) }),
    onError: ({ error, path }) => report(ctx, error, path),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) house.streams.add(c.env.outgoing)
  return facts.complete(response)
}

/** Answers queries, with the headers of their refusals; a failure of ours is logged. */
export function answerInOnePiece(ctx: Context, queries: Queries): Promise<PlainAnswer> {
  return answerQueries(ctx, queries, { headersFor: answerHeaders, onError: (error, path) => report(ctx, error, path) })
}

/** What a request under `/trpc` is counted under. */
export function trpcRoute(path: string): string {
  return routes.get(path) ?? endpoint
}

function answerHeaders(errors: readonly TRPCError[]): Record<string, string> {
  return Object.assign({}, ...errors.map((error) => refusalHeaders(toAppError(error))))
}

function report({ house, request }: Context, error: TRPCError, path: string | undefined): void {
  if (toAppError(error).status >= 500) house.log.error({ err: error, requestId: request.requestId, procedure: path }, 'a request failed')
}
