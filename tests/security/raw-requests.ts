import { connect } from 'node:net'

/**
 * What came back over a socket: the status of the first answer, 0 when the server closed without
 * one.
 */
export interface RawResponse {
  status: number
  text: string
  /** Milliseconds from the first byte sent to the end. */
  ms: number
}

/**
 * Sends bytes as they are, piece by piece with a pause between them, and reads until the server
 * closes or an answer is complete. Rejects after `limitMs`.
 */
export function sendRaw(
  url: string,
  pieces: Iterable<string | Uint8Array>,
  { pauseMs = 0, limitMs = 20_000 } = {},
): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  return new Promise((done, failed) => {
    const began = performance.now()
    const socket = connect({ host: hostname, port: Number(port) })
    let text = ''
    let over = false
    const timer = setTimeout(
      () => end(() => failed(new Error(`nothing came within ${limitMs} ms`))),
      limitMs,
    )
    function end(settle: () => void): void {
      if (over) return
      over = true
      clearTimeout(timer)
      socket.destroy()
      settle()
    }
    const finish = () =>
      end(() =>
        done({
          status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
          text,
          ms: performance.now() - began,
        }),
      )
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (isComplete(text)) finish()
    })
    // A server that has responded and rejects the rest resets the connection while data is still
    // being sent.
    socket.on('error', finish)
    socket.on('close', finish)
    socket.once('connect', async () => {
      for (const piece of pieces) {
        if (over) return
        if (!socket.write(piece))
          await new Promise((drained) => socket.once('drain', drained).once('close', drained))
        if (pauseMs > 0) await new Promise((waited) => setTimeout(waited, pauseMs))
      }
    })
  })
}

function isComplete(text: string): boolean {
  const [head, body] = [
    text.slice(0, text.indexOf('\r\n\r\n')),
    text.slice(text.indexOf('\r\n\r\n') + 4),
  ]
  if (!text.includes('\r\n\r\n')) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return Buffer.byteLength(body, 'latin1') >= Number(length)
  return /\r\ntransfer-encoding: chunked/i.test(head)
    ? body.endsWith('0\r\n\r\n')
    : /^HTTP\/1\.1 (204|304)/.test(head)
}
