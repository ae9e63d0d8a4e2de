import type { MiddlewareHandler } from 'hono'
import type { Tracing } from '../platform/tracing.ts'
import { appRouter } from '../router.ts'
import type { AppEnv } from './request-info.ts'
import { restRoutes } from './rest.ts'
import { endpoint } from './trpc.ts'

/** A batch may call many; a span names the first of them. */
const mostNames = 20

/** Returns every request within a span. Only used where traces are wanted. */
export function traceRequests(tracing: Tracing): MiddlewareHandler<AppEnv> {
  const ofRest = new Map(restRoutes().map(({ name, method, path }) => [`${method} ${path}`, name]))
  const known = new Set(Object.keys(appRouter._def.procedures))
  function called(method: string, path: string, route: string): string[] {
    const name = ofRest.get(`${method} ${route}`)
    if (name !== undefined) return [name]
    if (!path.startsWith(`${endpoint}/`)) return []
    // A procedure name from an address is not trusted until the router knows it.
    return path
      .slice(endpoint.length + 1)
      .split(',', mostNames)
      .filter((one) => known.has(one))
  }
  return (c, next) =>
    tracing.request({ method: c.req.method, header: (name) => c.req.header(name) }, async () => {
      await next()
      const route = c.get('route') ?? 'other'
      const procedures = called(c.req.method, c.req.path, route)
      return { route, procedures, status: c.res.status, requestId: c.get('requestId') }
    })
}
