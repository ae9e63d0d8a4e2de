import type { RequestListener } from 'node:http'
import type { getRequestListener } from '@hono/node-server'
import type { Logger } from '../log.ts'

/**
 * Hands requests from Node's socket to Hono. What does that is loaded with the first of them: it brings the web's Request and Response, for
 * which Node loads all of its client for the web (11 MiB), and a start and most reads need neither. Where it cannot be loaded the request
 * is answered 503, and the next one tries again.
 */
export function createHonoListener(
  fetch: Parameters<typeof getRequestListener>[0],
  log: Logger,
  loadServer: () => Promise<{ getRequestListener: typeof getRequestListener }> = () => import('@hono/node-server'),
): RequestListener {
  let loaded: RequestListener | undefined
  let loading: Promise<RequestListener> | undefined

  function load(): Promise<RequestListener> {
    loading ??= loadServer()
      .then(({ getRequestListener }) => {
        loaded = getRequestListener(fetch)
        return loaded
      })
      .catch((error: unknown) => {
        loading = undefined
        throw error
      })
    return loading
  }

  return (incoming, outgoing) => {
    if (loaded) return void loaded(incoming, outgoing)
    load().then(
      (listener) => listener(incoming, outgoing),
      (err: unknown) => {
        log.error({ err }, 'what hands requests to Hono could not be loaded')
        outgoing.writeHead(503, { connection: 'close', 'retry-after': '5' }).end()
      },
    )
  }
}
