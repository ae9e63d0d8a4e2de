import type { IncomingMessage } from 'node:http'

/**
 * The body of a response as a stream with backpressure. It ends cleanly when it is complete or
 * `ending` was aborted. When it fails, `onBreak` has to cut the browser's connection: a clean end
 * would make half a response look complete.
 */
export function responseBody(
  response: IncomingMessage,
  ending: AbortSignal,
  onBreak: (error: Error) => void,
): ReadableStream<Uint8Array> {
  let open = true
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const close = () => {
        if (open) controller.close()
        open = false
      }
      response.on('data', (chunk: Uint8Array) => {
        if (!open) return
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) <= 0) response.pause()
      })
      response.once('end', close)
      response.on('error', (error) => {
        if (open && !ending.aborted) onBreak(error)
        close()
      })
    },
    pull() {
      response.resume()
    },
    cancel() {
      open = false
      response.destroy()
    },
  })
}
