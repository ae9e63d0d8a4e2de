import { randomBytes } from 'node:crypto'
import { createMiddleware } from 'hono/factory'
import { isHttps } from './config.ts'
import { linkPath } from './mail-profile.ts'
import type { AppEnv } from './request.ts'

const fixed: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-permitted-cross-domain-policies': 'none',
}

/**
 * The headers of every answer, also of those that come from the API. Styles that the components write at run time carry a nonce made
 * for the one answer (`c.var.nonce`); style attributes set by script need no permission.
 */
export function securityHeaders({ publicUrl, issuer }: { publicUrl: string; issuer: string }) {
  const https = isHttps(publicUrl)
  return createMiddleware<AppEnv>(async (c, next) => {
    const nonce = randomBytes(16).toString('base64')
    c.set('nonce', nonce)
    await next()
    for (const [name, value] of Object.entries(fixed)) c.res.headers.set(name, value)
    if (c.req.path.startsWith(linkPath)) c.res.headers.set('referrer-policy', 'no-referrer')
    c.res.headers.set('content-security-policy', policy(nonce, new URL(issuer).origin, https))
    if (https) c.res.headers.set('strict-transport-security', 'max-age=63072000')
  })
}

function policy(nonce: string, identityProvider: string, https: boolean): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    // Signing out is a form whose answer leads to the identity provider, and browsers hold redirects against this as well.
    `form-action 'self' ${identityProvider}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    ...(https ? ['upgrade-insecure-requests'] : []),
  ].join('; ')
}
