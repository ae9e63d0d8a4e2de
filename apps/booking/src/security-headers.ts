import { commonHeaders } from '@atrium/bff/common-headers'
import { isHttps } from '@atrium/bff/config'
import { createMiddleware } from 'hono/factory'
import type { AppEnv, PagePolicy } from './request.ts'

/** The headers of every response. Pages of a manage link send no referrer and are not indexed. */
export function securityHeaders(publicUrl: string) {
  const https = isHttps(publicUrl)
  return createMiddleware<AppEnv>(async (c, next) => {
    await next()
    const { headers } = c.res
    for (const [name, value] of Object.entries(commonHeaders))
      if (!headers.has(name)) headers.set(name, value)
    headers.set('content-security-policy', policyOf(c.get('policy'), https))
    if (c.req.path.startsWith('/manage/')) {
      headers.set('referrer-policy', 'no-referrer')
      headers.set('x-robots-tag', 'noindex, nofollow, noarchive')
      headers.set('cache-control', 'no-store')
    }
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    if (https) headers.set('strict-transport-security', 'max-age=63072000')
  })
}

function policyOf({ styles, images, frameAncestors }: PagePolicy, https: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles.length > 0 ? styles.join(' ') : "'none'"}`,
    `img-src ${["'self'", 'data:', ...images].join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length > 0 ? ["'self'", ...frameAncestors].join(' ') : "'none'"}`,
    "base-uri 'none'",
    ...(https ? ['upgrade-insecure-requests'] : []),
  ].join('; ')
}
