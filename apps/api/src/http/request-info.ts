import { isIP } from 'node:net'
import type { AuditSource } from '@atrium/core/audit/audit'
import { isCountryCode } from '@atrium/core/billing/countries'
import type { PageLanguage } from '@atrium/messages/languages'
import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { Config } from '../platform/config.ts'
import type { RequestInfo } from '../rpc/caller.ts'
import { ownServerOf, sourceOf } from '../rpc/own-servers.ts'

export interface AppEnv {
  Bindings: Partial<HttpBindings>
  Variables: {
    requestId: string
    route: string | undefined
    logFields: RequestInfo['logFields']
    language: PageLanguage
  }
}

/**
 * What the transport knows of a request; see `RequestInfo` for how the address is chosen. A class,
 * because a getter in an object literal keeps the request alive until the next major collection.
 */
export class HttpRequestInfo implements RequestInfo {
  readonly requestId: string
  readonly ip: string | null
  readonly ipTrusted: boolean
  readonly peerIp: string | null
  readonly country: string | null
  readonly source: AuditSource
  readonly language: PageLanguage
  readonly logFields: RequestInfo['logFields']
  readonly responseHeaders = new Map<string, string>()
  readonly #request: Request

  constructor(c: HonoContext<AppEnv>, config: Config) {
    const peer = c.env.incoming?.socket?.remoteAddress ?? null
    this.peerIp = peer?.startsWith('::ffff:') ? peer.slice(7) : peer
    this.requestId = c.get('requestId')
    const forwarded = c.req.header('x-forwarded-for')
    const leftmost = forwardedFor(forwarded)
    const server = ownServerOf(config, (name) => c.req.header(name))
    this.ip = leftmost ?? this.peerIp
    this.ipTrusted =
      leftmost === undefined || server !== undefined || wroteAll(forwarded, config.trustedProxyHops)
    this.country = server === undefined ? null : countryOf(c.req.header('x-atrium-country'))
    this.source = sourceOf(server, c.req.header('x-atrium-source'))
    this.language = c.get('language')
    this.logFields = c.get('logFields')
    this.#request = c.req.raw
  }

  /**
   * Read from the request only when a procedure asks: most do not, and Node makes a signal for each
   * that is read.
   */
  get signal(): AbortSignal {
    return this.#request.signal
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  /** Adds the headers that were set for the response. */
  complete(response: Response): Response {
    for (const [name, value] of this.responseHeaders) response.headers.set(name, value)
    return response
  }
}

function forwardedFor(header: string | undefined): string | undefined {
  const leftmost = header
    ?.split(',')[0]
    ?.trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
  // A zone such as fe80::1%eth0 is an address to Node and none to PostgreSQL.
  return leftmost && isIP(leftmost) && !leftmost.includes('%') ? leftmost : undefined
}

function countryOf(header: string | undefined): string | null {
  return header !== undefined && isCountryCode(header.toUpperCase()) ? header.toUpperCase() : null
}

/**
 * True when the trusted proxies in front wrote every entry, the leftmost one too: each of them
 * appends one.
 */
function wroteAll(header: string | undefined, trustedProxyHops: number): boolean {
  return header !== undefined && header.split(',').length <= trustedProxyHops
}
