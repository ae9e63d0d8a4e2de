import type { TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import type { Context as HonoContext } from 'hono'
import { appRouter } from '../router.ts'
import { type Context, createContext } from '../rpc/context.ts'
import { toAppError } from '../rpc/errors.ts'
import type { Services } from '../rpc/services.ts'
import { deprecationHeaders } from './deprecation.ts'
import { rejectionHeaders } from './problems.ts'
import { type AppEnv, HttpRequestInfo } from './request-info.ts'
import { logFailure } from './request-record.ts'

export const endpoint = '/trpc'
const maxBatchSize = 20

/** A single call is counted under its procedure, a batch under the endpoint. */
const routes = new Map(
  Object.keys(appRouter._def.procedures).map((name) => [
    `${endpoint}/${name}`,
    `${endpoint}/${name}`,
  ]),
)

/** Serves a request under `/trpc` with tRPC's own adapter. */
export async function handleTrpc(c: HonoContext<AppEnv>, services: Services): Promise<Response> {
  c.set('route', routes.get(c.req.path) ?? endpoint)
  const info = new HttpRequestInfo(c, services.config)
  const ctx = createContext(services, info, c.req.header('authorization'))
  // A streamed batch sends 200 before its first call runs, so a bad token has to be rejected before
  // the stream begins.
  if (c.req.header('trpc-accept') === 'application/jsonl') await ctx.verifyToken()
  const response = await fetchRequestHandler({
    endpoint,
    req: c.req.raw,
    router: appRouter,
    maxBatchSize,
    createContext: () => ctx,
    responseMeta({ paths = [], errors }) {
      const deprecated = deprecationHeaders(paths)
      if (Object.keys(deprecated).length > 0) info.logFields.deprecated = true
      return { headers: { ...deprecated, ...responseHeaders(errors) } }
    },
    onError: ({ error, path }) => report(ctx, error, path),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream'))
    services.streams.add(c.env.outgoing)
  return info.complete(response)
}

function responseHeaders(errors: readonly TRPCError[]): Record<string, string> {
  return Object.assign({}, ...errors.map((error) => rejectionHeaders(toAppError(error))))
}

function report({ services, request }: Context, error: TRPCError, path: string | undefined): void {
  logFailure(services, toAppError(error).status, error, request, path)
}
