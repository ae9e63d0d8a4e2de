import type { IncomingMessage } from 'node:http'
import { clearTimeout, setTimeout } from 'node:timers'

const mostBytes = 4 * 1024 * 1024
const patienceMs = 500

/**
 * Takes in and drops what nobody read of the body of a rejected request: an answer that goes out
 * while the client still sends is lost when the connection is reset under it (RFC 9112 section
 * 9.6). False where more than 4 MiB or half a second would go by; then the connection has to end.
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
    // Whoever has looked at the body left a listener that holds it back for a reader; the answer is
    // made, and none comes.
    incoming.removeAllListeners('data').on('data', count).on('end', whole).on('close', cut).resume()
  })
}
