import { AppError } from '@atrium/core/errors'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './request.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses requests that may change something unless they come from a page of this site: by Sec-Fetch-Site where the browser sends
 * it, else by Origin (OWASP, cross-site request forgery prevention: fetch metadata). Neither header means no browser of ours.
 */
export function sameOriginOnly(publicUrl: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!safeMethods.has(c.req.method)) {
      const site = c.req.header('sec-fetch-site')
      const sameOrigin = site === undefined ? c.req.header('origin') === publicUrl : site === 'same-origin'
      if (!sameOrigin) throw new AppError('cross_origin')
    }
    await next()
  })
}
