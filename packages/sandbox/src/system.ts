import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { CallLog } from './call-log.ts'
import type { Faults } from './faults.ts'
import type { SystemName } from './system-names.ts'

/** What a system gets from the sandbox when it is made. */
export interface SystemContext {
  /**
   * Asked by the sandbox itself for every HTTP request. Only a system with another protocol (SMTP)
   * asks by hand.
   */
  readonly faults: Faults
  /**
   * Written by the sandbox itself for every HTTP request. Only a system with another protocol
   * writes by hand.
   */
  readonly calls: CallLog
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** To be called after each change of what `save()` returns. */
  readonly changed: () => void
  /**
   * Address at which people and clients reach the system: `http://localhost:4100`, no slash at the
   * end. Known once it listens.
   */
  readonly origin: () => string
  /**
   * `demo`: the people and groups of `@atrium/core/demo/demo`; `empty`: what a fresh installation
   * holds.
   */
  readonly seed: 'demo' | 'empty'
}

/** A request before it is carried out, with its body read to the end. */
export interface Incoming {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly body: Buffer
}

/** A response by which a fault replaces the real one. */
export interface FaultResponse {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One stand-in. It serves HTTP through `listener`; `honoListener` makes one from a Hono app. */
export interface SandboxSystem {
  readonly name: SystemName
  readonly listener: RequestListener
  /** Every record, JSON-able, secrets masked: for `GET /state`. */
  state(): unknown
  /** Every record, JSON-able, whole: written to the state file. */
  save(): unknown
  /** Takes what an earlier `save()` returned, instead of the seed. */
  load(saved: unknown): void
  /** Back to the seed. */
  reset(): void
  /**
   * Names that a fault can match besides `METHOD path`: the JMAP methods of the request. When
   * present, the sandbox reads the body first and hands it on as `rawBody`, which Hono's Node
   * server understands.
   */
  operations?(request: Incoming): readonly string[]
  /** The body that the real system sends with this 5xx (or any other) status. */
  errorResponse(status: number): FaultResponse
}

/**
 * A system whose main protocol is not HTTP: `listener` serves its page, `listen` opens its own
 * port.
 */
export interface SocketSystem extends SandboxSystem {
  /**
   * Resolves to the port: the one asked for, or a free one for 0. Rejects with the error of `net`
   * when it is taken.
   */
  listen(port: number, host: string): Promise<number>
  /** Closes the port and every open connection. */
  close(): Promise<void>
}

/** Serves a Hono app, or anything else with `fetch`, on Node's HTTP server. */
export function honoListener(app: {
  fetch: (request: Request) => Response | Promise<Response>
}): RequestListener {
  return getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false })
}
