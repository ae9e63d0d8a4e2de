import type { PageLanguage } from '@atrium/messages/languages'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** One line of the request log, filled on the way. */
export interface RequestLine {
  requestId: string
  method: string
  path: string
  session?: string
  subject?: string
  /** The API's response, if it was called. */
  upstreamStatus?: number
  refreshed?: boolean
  err?: unknown
}

export interface AppEnv {
  Bindings: HttpBindings
  Variables: { requestId: string; line: RequestLine; nonce: string; language: PageLanguage }
}

export type AppContext = Context<AppEnv>

/** The query as it came, byte for byte, with its question mark; empty when there is none. */
export function rawQuery(c: AppContext): string {
  const url = c.env.incoming.url ?? ''
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}
