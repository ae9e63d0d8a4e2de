import { AppError } from '@atrium/core/platform/errors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './request.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects requests that may change something unless they come from a page of this site: by
 * Sec-Fetch-Site where the browser sends it and by Origin where it sends that (OWASP, cross-site
 * request forgery prevention: fetch metadata). Both must agree; a request with neither header is
 * not from a supported browser. Stricter than Hono's `csrf` (decision 0049).
 */
export function sameOriginOnly(publicUrl: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!safeMethods.has(c.req.method)) {
      const site = c.req.header('sec-fetch-site')
      const origin = c.req.header('origin')
      const isDeclared = site !== undefined || origin !== undefined
      if (
        !isDeclared ||
        (site ?? 'same-origin') !== 'same-origin' ||
        (origin ?? publicUrl) !== publicUrl
      )
        throw new AppError('cross_origin')
    }
    await next()
  })
}
