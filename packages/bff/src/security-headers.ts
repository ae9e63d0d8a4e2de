import { randomBytes } from 'node:crypto'
import { createMiddleware } from 'hono/factory'
import { commonHeaders } from './common-headers.ts'
import { isHttps } from './config.ts'
import { linkPath } from './mail-profile.ts'
import type { AppEnv } from './request.ts'

const fixed = { ...commonHeaders, 'x-frame-options': 'DENY' }

/**
 * The one page on which a card is entered: the payment processor's own form in frames of its own,
 * so that no card number reaches us.
 */
const cardPage = /^\/t\/[^/]+\/billing\/card\/?$/

export interface HeaderOptions {
  publicUrl: string
  issuer: string
  /** Whether cards are entered through Stripe's form; off where there is no Stripe. */
  stripeForm: boolean
}

/**
 * The headers of every response, including those of the API. Styles that components write at run
 * time carry a nonce created for the response (`c.var.nonce`); style attributes set by script need
 * no permission. Decision 0049 says why this is not Hono's `secureHeaders`.
 */
export function securityHeaders({ publicUrl, issuer, stripeForm }: HeaderOptions) {
  const https = isHttps(publicUrl)
  return createMiddleware<AppEnv>(async (c, next) => {
    const nonce = randomBytes(16).toString('base64')
    c.set('nonce', nonce)
    await next()
    for (const [name, value] of Object.entries(fixed)) c.res.headers.set(name, value)
    if (c.req.path.startsWith(linkPath)) c.res.headers.set('referrer-policy', 'no-referrer')
    c.res.headers.set(
      'content-security-policy',
      policy(nonce, new URL(issuer).origin, https, stripeForm && cardPage.test(c.req.path)),
    )
    if (https) c.res.headers.set('strict-transport-security', 'max-age=63072000')
  })
}

/**
 * What Stripe's form needs (docs.stripe.com/security/guide#content-security-policy), without
 * wallets, fonts and its fraud beacons' images.
 */
const stripe = {
  script: ' https://js.stripe.com https://*.js.stripe.com',
  connect: ' https://api.stripe.com',
  frame: 'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
}

function policy(nonce: string, identityProvider: string, https: boolean, card: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'self'${card ? stripe.script : ''}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${card ? stripe.connect : ''}`,
    ...(card ? [stripe.frame] : []),
    "manifest-src 'self'",
    // Sign-out is a form that redirects to the identity provider, and browsers apply this directive
    // to redirects too.
    `form-action 'self' ${identityProvider}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    ...(https ? ['upgrade-insecure-requests'] : []),
  ].join('; ')
}
