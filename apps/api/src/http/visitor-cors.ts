import type { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from './request-info.ts'

/** What visitors call. A path and everything below it. */
const publicPaths = [
  '/api/v1/pages',
  '/api/v1/event-types',
  '/api/v1/slot-locks',
  '/api/v1/bookings',
  '/api/v1/manage',
]

const allowed = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
  allowHeaders: [
    'Content-Type',
    'Authorization',
    'Idempotency-Key',
    'X-Lock-Token',
    'X-Request-Id',
  ],
  exposeHeaders: [
    'Deprecation',
    'Link',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'Retry-After',
    'Sunset',
    'X-Request-Id',
    'Idempotency-Replayed',
  ],
  maxAge: 86_400,
})

/**
 * Allows pages of every origin to call the visitors' procedures: none uses a cookie, so another
 * site gains nothing by calling them from a visitor's browser. The rest of the API stays closed to
 * other origins.
 */
export function allowVisitors(app: Hono<AppEnv>): void {
  for (const path of publicPaths) {
    app.use(path, allowed)
    app.use(`${path}/*`, allowed)
  }
}
