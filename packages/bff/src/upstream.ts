import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { AppError } from '@atrium/core/platform/errors'

export interface UpstreamRequest {
  method: string
  /** Path and query exactly as they go on the wire. */
  target: string
  headers: Readonly<Record<string, string>>
  body?: Uint8Array | undefined
  /** Aborts the call, also while its response is being read. */
  signal: AbortSignal
}

export interface Upstream {
  /**
   * Resolves with the head of the response; its body follows. Throws AppError `unavailable` when
   * there is none.
   */
  send(request: UpstreamRequest): Promise<IncomingMessage>
  close(): void
}

/**
 * Calls to the API over kept-alive connections. On node:http and not on `fetch`, which would
 * rewrite the query's encoding, unpack bodies and add headers of its own.
 */
export function createUpstream(
  baseUrl: string,
  { headDeadlineMs = 60_000 }: { headDeadlineMs?: number } = {},
): Upstream {
  const base = new URL(baseUrl)
  const secure = base.protocol === 'https:'
  const { request: open } = secure ? https : http
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxFreeSockets: 64 })
  const basePath = base.pathname.replace(/\/$/, '')

  function attempt({
    method,
    target,
    headers,
    body,
    signal,
  }: UpstreamRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = body ? { 'content-length': String(body.byteLength) } : {}
      const call = open(base, {
        agent,
        method,
        path: basePath + target,
        headers: { ...headers, ...length },
        signal,
      })
      const timer = setTimeout(
        () => call.destroy(new Error('The API did not answer in time.')),
        headDeadlineMs,
      )
      call.once('response', (response) => {
        clearTimeout(timer)
        resolve(response)
      })
      // Stays on for the life of the call: a connection that breaks during the body is reported
      // here too.
      call.on('error', (error) => {
        clearTimeout(timer)
        reject(Object.assign(error, { reusedSocket: call.reusedSocket }))
      })
      call.end(body)
    })
  }

  return {
    async send(request) {
      try {
        return await attempt(request).catch((error: unknown) => {
          // The API closed a kept-alive connection just as it was chosen; nothing was carried out
          // by a read.
          if (request.method === 'GET' && !request.signal.aborted && wasReused(error))
            return attempt(request)
          throw error
        })
      } catch (cause) {
        throw new AppError(
          'unavailable',
          'The platform cannot be reached at this moment. Try again shortly.',
          { cause },
        )
      }
    },
    close: () => agent.destroy(),
  }
}

function wasReused(error: unknown): boolean {
  return error instanceof Error && 'reusedSocket' in error && error.reusedSocket === true
}
