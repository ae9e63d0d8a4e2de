import type { IncomingMessage } from 'node:http'
import { clearTimeout, setTimeout } from 'node:timers'

const mostBytes = 4 * 1024 * 1024
const patienceMs = 500

/**
 * Drains and discards the unread body of a rejected request: a response sent while the client still
 * uploads is lost when the connection is reset (RFC 9112 section 9.6). Returns false when that
 * would take more than 4 MiB or half a second; then the connection has to end.
 */
export function dropUnreadBody(incoming: IncomingMessage): Promise<boolean> {
  if (incoming.complete) return Promise.resolve(true)
  if (incoming.destroyed) return Promise.resolve(false)
  return new Promise((done) => {
    let bytes = 0
    const timer = setTimeout(() => settle(false), patienceMs)
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > mostBytes) settle(false)
    }
    const whole = () => settle(true)
    const cut = () => settle(false)
    function settle(dropped: boolean): void {
      clearTimeout(timer)
      incoming.off('data', count).off('end', whole).off('close', cut)
      done(dropped)
    }
    // An earlier reader of the body left a listener that pauses it. The response is complete, and
    // no reader follows.
    incoming.removeAllListeners('data').on('data', count).on('end', whole).on('close', cut).resume()
  })
}
