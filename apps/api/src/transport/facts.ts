import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { AuditSource } from '@atrium/core/audit'
import { isCountryCode } from '@atrium/core/countries'
import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { Config } from '../config.ts'
import type { RequestFacts } from '../context.ts'
import { ownServerOf, sourceOf } from './own-servers.ts'

export interface AppEnv {
  Bindings: Partial<HttpBindings>
  Variables: { requestId: string; route: string | undefined; line: RequestFacts['line'] }
}

const usableId = /^[A-Za-z0-9._:@-]{8,128}$/

/** The caller's X-Request-Id when it can safely stand in logs and headers, else a new one. */
export function chooseRequestId(given: string | undefined): string {
  return given !== undefined && usableId.test(given) ? given : randomUUID()
}

/** Where the facts of a request are read from, whichever way it came in. */
export interface RequestSource {
  /** A header by its name in small letters; several of one name are joined by commas. */
  header(name: string): string | undefined
  /** The address at the other end of the socket, undefined where there is none. */
  readonly peerAddress: string | undefined
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
}

/** What the transport knows of a request that Hono has; see `RequestFacts` for how the address is chosen. */
export function readFacts(c: HonoContext<AppEnv>, config: Config): HttpFacts {
  const source = new WebSource(c.req.raw, c.env.incoming?.socket?.remoteAddress)
  return new HttpFacts(source, c.get('requestId'), c.get('line'), config)
}

/** A web-standard request. */
export class WebSource implements RequestSource {
  readonly #request: Request
  readonly peerAddress: string | undefined

  constructor(request: Request, peerAddress: string | undefined) {
    this.#request = request
    this.peerAddress = peerAddress
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }
}

/** A class, because a getter in an object literal is a closure over the request that keeps it alive until the next major collection. */
export class HttpFacts implements RequestFacts {
  readonly requestId: string
  readonly ip: string | null
  readonly ipTrusted: boolean
  readonly peerIp: string | null
  readonly country: string | null
  readonly source: AuditSource
  readonly line: RequestFacts['line']
  readonly #from: RequestSource
  #answerHeaders: Map<string, string> | undefined

  constructor(from: RequestSource, requestId: string, line: RequestFacts['line'], config: Config) {
    const peer = from.peerAddress ?? null
    this.peerIp = peer?.startsWith('::ffff:') ? peer.slice(7) : peer
    this.requestId = requestId
    const forwarded = from.header('x-forwarded-for')
    const leftmost = forwardedFor(forwarded)
    const server = ownServerOf(config, (name) => from.header(name))
    this.ip = leftmost ?? this.peerIp
    this.ipTrusted = leftmost === undefined || server !== undefined || wroteAll(forwarded, config.trustedProxyHops)
    this.country = server === undefined ? null : countryOf(from.header('x-atrium-country'))
    this.source = sourceOf(server, from.header('x-atrium-source'))
    this.line = line
    this.#from = from
  }

  /** Made when somebody asks: few calls do, and an abort signal costs more than all the rest here. */
  get signal(): AbortSignal {
    return this.#from.signal
  }

  header(name: string): string | undefined {
    return this.#from.header(name.toLowerCase())
  }

  /** Made when somebody sets one: few calls do. */
  get answerHeaders(): Map<string, string> {
    this.#answerHeaders ??= new Map()
    return this.#answerHeaders
  }

  /** The headers that were set for the answer, undefined when there are none. */
  get headersSet(): ReadonlyMap<string, string> | undefined {
    return this.#answerHeaders
  }

  /** The same answer with the headers that were set for it. */
  complete(response: Response): Response {
    for (const [name, value] of this.#answerHeaders ?? []) response.headers.set(name, value)
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

/** True when the trusted proxies in front wrote every entry, the leftmost one too: each of them appends one. */
function wroteAll(header: string | undefined, trustedProxyHops: number): boolean {
  return header !== undefined && header.split(',').length <= trustedProxyHops
}
