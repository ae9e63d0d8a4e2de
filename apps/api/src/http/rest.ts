import { AppError } from '@atrium/core/platform/errors'
import type { Hono, Context as HonoContext } from 'hono'
import { type AppRouter, appRouter } from '../router.ts'
import type { RequestInfo } from '../rpc/caller.ts'
import { type Context, createContext } from '../rpc/context.ts'
import { proceduresOf } from '../rpc/procedure.ts'
import type { Deprecation, TextExport } from '../rpc/procedure-meta.ts'
import type { Services } from '../rpc/services.ts'
import type { LimitedRoute } from '../rpc/visitor-limits.ts'
import { deprecationHeaders } from './deprecation.ts'
import { onceOnly } from './idempotency.ts'
import { ofrepProblem, ofrepResponse } from './ofrep.ts'
import { asPrecondition, editVersionIn } from './preconditions.ts'
import { problemResponse } from './problems.ts'
import { type AppEnv, HttpRequestInfo } from './request-info.ts'
import { logFailure } from './request-record.ts'
import { fromBody, fromQuery } from './rest-input.ts'
import { type FileResponse, sendFile, streamExport, streamServerSentEvents } from './streams.ts'

/** A procedure with its REST address, as found in the router. */
export interface RestRoute {
  /** Dotted name, such as `tenants.suspend`. */
  name: string
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With parameters in braces, as OpenAPI writes them. */
  path: string
  type: 'query' | 'mutation' | 'subscription'
  secretResponse: boolean
  /** Needs no session; visitors take from this allowance. */
  visitors: LimitedRoute | undefined
  /** Returns what it made before when it is called again with the same Idempotency-Key. */
  repeatable: boolean
  /** Needs a valid access token. */
  needsToken: boolean
  /** Returns 201. */
  creates: boolean
  ofrep: boolean
  /** Which calls need a recent sign-in: `always`, or the words for those that do. */
  recentSignIn: string | undefined
  /** The types of the file that REST sends instead of JSON. */
  file: readonly string[] | undefined
  export: TextExport | undefined
  /** Still works, and is going to be removed. */
  deprecated: Deprecation | undefined
  /** Also available as CSV. */
  csv: ((result: unknown) => string) | undefined
}

/** Every procedure of the router that names a REST path. */
export function restRoutes(router: AppRouter = appRouter): RestRoute[] {
  return Object.entries(proceduresOf(router)).flatMap(([name, { _def }]) => {
    const { type, meta } = _def
    if (!meta?.openapi) return []
    const { method, path } = meta.openapi
    const creates =
      meta.creates ?? (method === 'POST' && !path.includes('{') && type === 'mutation')
    const { secretResponse = false, visitors, repeatable = false, ofrep = false, file, csv } = meta
    const { recentSignIn, needsToken = false, deprecated } = meta
    const wire = {
      secretResponse,
      visitors,
      repeatable,
      needsToken,
      creates,
      ofrep,
      recentSignIn,
      deprecated,
      file,
      csv,
      export: meta.export,
    }
    return [{ name, method, path, type, ...wire }]
  })
}

/**
 * Registers every path once, walked at start. The same procedure runs as over tRPC, so that code,
 * guards and errors are the same; only the way in (path, query, JSON body) and out (status, problem
 * details) differs.
 */
export function registerRest(app: Hono<AppEnv>, services: Services): void {
  // Paths with fewer parameters first, so that the me of /users/me is not taken for an id.
  const parameters = (path: string) => path.split('{').length
  const routes = restRoutes().sort((a, b) => parameters(a.path) - parameters(b.path))
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const byMethod = new Map<string, Endpoint>(
      ofPath.map((route) => [route.method, { ...route, invoke: procedureOf(route) }]),
    )
    const allow = [...byMethod.keys()].join(', ')
    app.all(toHonoPath(path), (c) => {
      const endpoint = byMethod.get(c.req.method === 'HEAD' ? 'GET' : c.req.method)
      if (!endpoint) return notAllowed(c, allow)
      c.set('route', path)
      return handle(c, services, endpoint)
    })
  }
}

interface Endpoint extends RestRoute {
  invoke: Invoke
}

function notAllowed(c: HonoContext<AppEnv>, allow: string): Response {
  const response = problemResponse(c, new AppError('method_not_allowed'))
  response.headers.set('allow', allow)
  return response
}

function toHonoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/**
 * `readInput` runs at most once, after the token was verified where one is needed. It throws
 * AppError for bad input.
 */
export type Invoke = (ctx: Context, readInput: () => unknown) => Promise<unknown>

/**
 * Calls the procedure as tRPC's server-side caller does, without the chain of proxies that finds it
 * again for each call.
 */
export function procedureOf({ name, type }: RestRoute): Invoke {
  const procedure = proceduresOf(appRouter)[name]
  if (!procedure) throw new Error(`there is no procedure ${name}`)
  return (ctx, readInput) => {
    let input: { value: unknown } | undefined
    const getRawInput = async () => {
      input ??= { value: readInput() }
      return input.value
    }
    return procedure({ ctx, path: name, type, batchIndex: 0, getRawInput })
  }
}

async function handle(
  c: HonoContext<AppEnv>,
  services: Services,
  route: Endpoint,
): Promise<Response> {
  const info = new HttpRequestInfo(c, services.config)
  if (route.deprecated) {
    info.logFields.deprecated = true
    for (const [name, value] of Object.entries(deprecationHeaders([route.name])))
      info.responseHeaders.set(name, value)
  }
  return info.complete(await answered(c, services, route, info))
}

async function answered(
  c: HonoContext<AppEnv>,
  services: Services,
  route: Endpoint,
  info: RequestInfo,
): Promise<Response> {
  const { invoke } = route
  const rejected = (failure: unknown) => {
    const error = c.req.header('if-match') === undefined ? failure : asPrecondition(failure)
    const response = route.ofrep ? ofrepProblem(c, error) : problemResponse(c, error)
    logFailure(services, response.status, error, info)
    return response
  }
  try {
    const ctx = createContext(services, info, c.req.header('authorization'))
    if (route.method === 'GET' || route.method === 'DELETE') {
      return await respond(
        c,
        services,
        route,
        await invoke(ctx, () => fromQuery(queryOf(c), parametersOf(c))),
      )
    }
    // No body is read without a valid token.
    if (route.needsToken) await ctx.verifyToken()
    const text = await c.req.text()
    const carryOut = async () => {
      try {
        const readInput = () =>
          fromBody(text, c.req.header('content-type'), parametersOf(c), c.req.header('if-match'))
        return await respond(c, services, route, await invoke(ctx, readInput))
      } catch (error) {
        return rejected(error)
      }
    }
    const key = route.method === 'POST' ? c.req.header('idempotency-key') : undefined
    if (key === undefined) return await carryOut()
    const { method, secretResponse, visitors, repeatable } = route
    return await onceOnly(
      ctx,
      key,
      { method, path: c.req.path, body: text, secretResponse, visitors, repeatable },
      carryOut,
    )
  } catch (error) {
    return rejected(error)
  }
}

async function respond(
  c: HonoContext<AppEnv>,
  services: Services,
  route: RestRoute,
  result: unknown,
): Promise<Response> {
  if (route.type === 'subscription') {
    services.streams.add(c.env.outgoing)
    return streamServerSentEvents(c, services, result as AsyncIterable<unknown>)
  }
  if (route.export?.lasts !== undefined && c.req.query(route.export.lasts) === 'true')
    services.streams.add(c.env.outgoing)
  if (route.export)
    return await streamExport(c, services, result as AsyncIterable<string>, route.export)
  if (route.file) return sendFile(c, result as FileResponse)
  if (route.ofrep) return ofrepResponse(c, result)
  if (route.csv && prefersCsv(c.req.header('accept')))
    return csvResponse(c, route, route.csv(result))
  const version = editVersionIn(result)
  if (version !== undefined) c.header('etag', `"${version}"`)
  if (route.method === 'DELETE' || result === undefined) return c.body(null, 204)
  return c.json(result, route.creates ? 201 : 200)
}

/** Whether CSV is asked for by its name: everything else takes JSON. */
function prefersCsv(accept: string | undefined): boolean {
  return (accept ?? '')
    .split(',')
    .some((one) => one.split(';')[0]?.trim().toLowerCase() === 'text/csv')
}

function csvResponse(c: HonoContext<AppEnv>, { path }: RestRoute, text: string): Response {
  const name = path.split('/').findLast((part) => !part.startsWith('{')) ?? 'report'
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
  }
  return c.body(text, 200, { ...headers, vary: 'accept' })
}

/** What follows the `?` of the address; empty without one. */
function queryOf(c: HonoContext<AppEnv>): string {
  const begin = c.req.url.indexOf('?')
  return begin === -1 ? '' : c.req.url.slice(begin + 1)
}

const parametersOf = (c: HonoContext<AppEnv>) => c.req.param() as Record<string, string>
