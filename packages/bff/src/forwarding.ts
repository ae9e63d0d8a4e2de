import { isIP } from 'node:net'
import { userAgentLength } from '@atrium/core/account/sessions'
import { isCountryCode } from '@atrium/core/billing/countries'
import type { SessionDevice, WebApp } from '@atrium/db/users/web-sessions'
import type { AppContext } from './request.ts'

// A list of what goes on, not of what is held back: cookies and Authorization of the browser are
// not the API's to see.
const forwardedRequestHeaders = [
  'accept',
  'accept-language',
  'idempotency-key',
  'last-event-id',
  'trpc-accept',
  'user-agent',
  'x-trpc-source',
]

const heldBackResponseHeaders = new Set([
  // Hop-by-hop (RFC 9110 section 7.6.1).
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // The API's words about its own origin and callers with tokens; the browser talks to this one,
  // with a session.
  'alt-svc',
  'clear-site-data',
  'server',
  'set-cookie',
  'www-authenticate',
])

/** The headers of a request to the API, without its Authorization and the type of its body. */
export function requestHeaders(
  c: AppContext,
  {
    app,
    trustedProxyHops,
    countryHeader,
    appSecret,
  }: {
    app: WebApp
    trustedProxyHops: number
    countryHeader: string | undefined
    appSecret: string | undefined
  },
): Record<string, string> {
  const headers: Record<string, string> = {
    'x-atrium-source': app,
    'x-request-id': c.get('requestId'),
    // What the API sends is passed on as it is; a body that had to be unpacked first could not be
    // streamed.
    'accept-encoding': 'identity',
  }
  if (appSecret !== undefined) headers['x-atrium-app-secret'] = appSecret
  for (const name of forwardedRequestHeaders) {
    const value = c.req.header(name)
    if (value !== undefined) headers[name] = value
  }
  // Our own proxy may have started a trace; a browser's trace headers are not trusted.
  if (trustedProxyHops > 0) {
    for (const name of ['traceparent', 'tracestate']) {
      const value = c.req.header(name)
      if (value !== undefined) headers[name] = value
    }
  }
  const addresses = forwardedFor(
    c.req.header('x-forwarded-for'),
    c.env.incoming.socket.remoteAddress,
    trustedProxyHops,
  )
  if (addresses !== '') headers['x-forwarded-for'] = addresses
  const country = countryHeader === undefined ? undefined : c.req.header(countryHeader)
  if (country !== undefined) headers['x-atrium-country'] = country
  return headers
}

/** What a session keeps of the browser that begins it. */
export function deviceOf(
  c: AppContext,
  proxies: { trustedProxyHops: number; countryHeader: string | undefined },
): SessionDevice {
  const { trustedProxyHops, countryHeader } = proxies
  const peer = c.env.incoming.socket.remoteAddress
  const addresses = forwardedFor(c.req.header('x-forwarded-for'), peer, trustedProxyHops)
  const country = countryHeader && c.req.header(countryHeader)?.toUpperCase()
  return {
    userAgent: c.req.header('user-agent')?.slice(0, userAgentLength) || null,
    address: addresses.split(', ', 1)[0] || null,
    country: country !== undefined && isCountryCode(country) ? country : null,
  }
}

/**
 * X-Forwarded-For for the API, which records its leftmost entry as the client. Each trusted proxy
 * appended one entry, so only that many from the right are trusted; the sender of the request may
 * have written the rest.
 */
export function forwardedFor(
  provided: string | undefined,
  peer: string | undefined,
  trustedHops: number,
): string {
  const entries = (provided ?? '').split(',').map((entry) => plainAddress(entry.trim()))
  const trusted = trustedHops === 0 ? [] : entries.slice(-trustedHops)
  return [...trusted, plainAddress(peer ?? '')].filter((entry) => isIP(entry) !== 0).join(', ')
}

/** An IPv4 address that a dual-stack socket shows as IPv6 is written as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/**
 * The headers of an API response that are passed to the browser. The API's cache rules are kept;
 * without any, nothing is cached.
 */
export function responseHeaders(
  raw: Readonly<Record<string, string | string[] | undefined>>,
): Headers {
  const named = String(raw.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) {
    if (
      value === undefined ||
      heldBackResponseHeaders.has(name) ||
      named.includes(name) ||
      name.startsWith('access-control-')
    )
      continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  // Some reverse proxies buffer a whole stream unless told otherwise.
  if (isStream(headers)) headers.set('x-accel-buffering', 'no')
  return headers
}

/** Server-sent events, which last as long as the page. */
export function isEventStream(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

function isStream(headers: Headers): boolean {
  return isEventStream(headers) || !headers.has('content-length')
}
