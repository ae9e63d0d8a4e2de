import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { AuditSource } from '@atrium/core/audit'
import { isCountryCode } from '@atrium/core/countries'
import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { RequestFacts } from '../context.ts'

export interface AppEnv {
  Bindings: Partial<HttpBindings>
  Variables: { requestId: string; route: string | undefined; line: RequestFacts['line'] }
}

const usableId = /^[A-Za-z0-9._:@-]{8,128}$/

/** The caller's X-Request-Id when it can safely stand in logs and headers, else a new one. */
export function chooseRequestId(given: string | undefined): string {
  return given !== undefined && usableId.test(given) ? given : randomUUID()
}

/** What the transport knows of a request; see `RequestFacts` for how the address is chosen. */
export function readFacts(c: HonoContext<AppEnv>): HttpFacts {
  return new HttpFacts(c)
}

/** A class, because a getter in an object literal is a closure over the request that keeps it alive until the next major collection. */
export class HttpFacts implements RequestFacts {
  readonly requestId: string
  readonly ip: string | null
  readonly peerIp: string | null
  readonly country: string | null
  readonly source: AuditSource
  readonly line: RequestFacts['line']
  readonly #request: Request
  #answerHeaders: Map<string, string> | undefined

  constructor(c: HonoContext<AppEnv>) {
    const peer = c.env.incoming?.socket?.remoteAddress ?? null
    this.peerIp = peer?.startsWith('::ffff:') ? peer.slice(7) : peer
    this.requestId = c.get('requestId')
    this.ip = forwardedFor(c.req.header('x-forwarded-for')) ?? this.peerIp
    this.country = countryOf(c.req.header('x-atrium-country'))
    this.source = sourceOf(c.req.header('x-atrium-source'))
    this.line = c.get('line')
    this.#request = c.req.raw
  }

  /** Made when somebody asks: few calls do, and an abort signal costs more than all the rest here. */
  get signal(): AbortSignal {
    return this.#request.signal
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  /** Made when somebody sets one: few calls do. */
  get answerHeaders(): Map<string, string> {
    this.#answerHeaders ??= new Map()
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

function sourceOf(header: string | undefined): AuditSource {
  return header === 'portal' || header === 'operator' || header === 'partner' || header === 'booking' ? header : 'api'
}
