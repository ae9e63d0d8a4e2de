import type { IncomingMessage } from 'node:http'
import { AppError } from '@atrium/core/platform/errors'
import type { WebApp } from '@atrium/db/users/web-sessions'
import type { AppCookies } from './cookies.ts'
import { isEventStream, requestHeaders, responseHeaders } from './forwarding.ts'
import type { Logger } from './log.ts'
import type { AppContext } from './request.ts'
import { responseBody } from './response-body.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Upstream } from './upstream.ts'

export interface Call {
  method: 'GET' | 'POST'
  /** Path and query at the API, exactly as they go on the wire. */
  target: string
  body?: Uint8Array | undefined
}

export interface ApiProxy {
  /**
   * Forwards a call to the API with the session's access token, and streams the response back. An
   * expired token is refreshed before the call, a rejected one (401) after it, unless the sign-in
   * is too old; then the call is repeated once, read or write: a rejected call had no effect.
   */
  forward(c: AppContext, session: Session, call: Call): Promise<Response>
  /** The session of the request. Throws AppError `unauthenticated`. */
  requireSession(c: AppContext): Promise<Session>
}

export interface ProxyOptions {
  app: WebApp
  sessions: Sessions
  upstream: Upstream
  cookies: AppCookies
  trustedProxyHops: number
  countryHeader: string | undefined
  appSecret: string | undefined
  log: Logger
  /** Ends server-sent events when the server stops. */
  stopping: AbortSignal
  /** How often a stream makes sure that its session still exists, in milliseconds. */
  streamCheckMs?: number
}

const bodyless = new Set([101, 204, 205, 304])

/**
 * RFC 9470: the token is good and the sign-in behind it too old. A refresh keeps the time of the
 * sign-in, so it cannot help.
 */
function asksForSignIn(response: IncomingMessage): boolean {
  return (
    response.headers['www-authenticate']?.includes('error="insufficient_user_authentication"') ??
    false
  )
}

/**
 * False for what a page does by itself: streams that it opens again, and requests that it marks
 * because nobody has touched it for a while. They do not prolong a session.
 */
function isAttended(c: AppContext): boolean {
  return (
    c.req.header(unattendedHeader) === undefined &&
    !c.req.header('accept')?.includes('text/event-stream')
  )
}
const unattendedHeader = 'x-atrium-unattended'

export function createApiProxy(options: ProxyOptions): ApiProxy {
  const { sessions, cookies, upstream, log, stopping, streamCheckMs = 30_000 } = options

  async function currentAccess(c: AppContext, session: Session): Promise<string> {
    const { access } = session.tokens
    if (!session.accessDue) return access
    try {
      return await refreshed(c, session, access)
    } catch (error) {
      // It is about to expire but has not: while the identity provider is away it may still serve.
      if (error instanceof AppError && error.code === 'unavailable' && !session.accessExpired)
        return access
      throw error
    }
  }

  async function refreshed(c: AppContext, session: Session, stale: string): Promise<string> {
    c.get('line').refreshed = true
    try {
      return await sessions.refresh(session, stale)
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated')
        cookies.writeSession(c, '', 0)
      throw error
    }
  }

  /** Ends a stream when the browser leaves, the server stops, or the session behind it is gone. */
  function streamLife(c: AppContext) {
    const ending = new AbortController()
    const signal = AbortSignal.any([c.req.raw.signal, ending.signal])
    const watch = (response: IncomingMessage) => {
      const cookie = cookies.readSession(c)
      const stop = () => ending.abort()
      const check = setInterval(() => {
        sessions.find(cookie, { touch: false }).then(
          (session) => session ?? stop(),
          (err: unknown) => log.warn({ err }, 'failed to look up the session of a stream'),
        )
      }, streamCheckMs)
      stopping.addEventListener('abort', stop, { once: true })
      if (stopping.aborted) stop()
      response.once('close', () => {
        clearInterval(check)
        stopping.removeEventListener('abort', stop)
      })
    }
    return { signal, watch }
  }

  return {
    async forward(c, session, { method, target, body }) {
      const life = streamLife(c)
      const headers = {
        ...requestHeaders(c, options),
        'x-atrium-session': session.id,
        ...(body && { 'content-type': 'application/json' }),
      }
      const send = (access: string) =>
        upstream.send({
          method,
          target,
          body,
          headers: { ...headers, authorization: `Bearer ${access}` },
          signal: life.signal,
        })
      const access = await currentAccess(c, session)
      let response = await send(access)
      if (response.statusCode === 401 && !asksForSignIn(response)) {
        const newer = await refreshed(c, session, access).catch((error: unknown) => {
          response.destroy()
          throw error
        })
        response.resume()
        response = await send(newer)
      }
      const status = response.statusCode ?? 502
      c.get('line').upstreamStatus = status
      const outgoingHeaders = responseHeaders(response.headers)
      if (bodyless.has(status)) {
        response.resume()
        return new Response(null, { status, headers: outgoingHeaders })
      }
      if (isEventStream(outgoingHeaders)) life.watch(response)
      const onBreak = (err: Error) => {
        log.warn({ err, requestId: c.get('requestId') }, 'API closed its response early')
        c.env.outgoing.destroy()
      }
      return new Response(responseBody(response, life.signal, onBreak), {
        status,
        headers: outgoingHeaders,
      })
    },

    async requireSession(c) {
      const session = await sessions.find(cookies.readSession(c), { touch: isAttended(c) })
      if (!session)
        throw new AppError('unauthenticated', 'You are not signed in, or your session has ended.')
      Object.assign(c.get('line'), { session: session.id, subject: session.subject })
      return session
    },
  }
}
