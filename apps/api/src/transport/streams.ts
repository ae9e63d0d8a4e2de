import type { Context as HonoContext } from 'hono'
import { stream, streamSSE } from 'hono/streaming'
import type { AppEnv } from './facts.ts'

/** A subscription over REST: server-sent events (WHATWG HTML, section 9.2), one JSON object per message, a comment every 15 s. */
export function streamServerSentEvents(c: HonoContext<AppEnv>, events: AsyncIterable<unknown>): Response {
  c.header('cache-control', 'no-store')
  c.header('x-accel-buffering', 'no')
  return streamSSE(c, async (sse) => {
    const iterator = events[Symbol.asyncIterator]()
    sse.onAbort(() => {
      iterator.return?.().catch(() => {})
    })
    const ping = setInterval(() => {
      sse.write(': ping\n\n').catch(() => {})
    }, 15_000)
    try {
      for (let next = await iterator.next(); !next.done && !sse.aborted; next = await iterator.next()) {
        await sse.writeSSE({ data: JSON.stringify(next.value) })
      }
    } finally {
      clearInterval(ping)
    }
  })
}

/** An export over REST: text in pieces, named as a file. */
export function streamExport(c: HonoContext<AppEnv>, pieces: AsyncIterable<string>): Response {
  const csv = c.req.query('format') === 'csv'
  c.header('content-type', csv ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
  c.header('content-disposition', `attachment; filename="audit.${csv ? 'csv' : 'ndjson'}"`)
  c.header('cache-control', 'no-store')
  return stream(c, async (out) => {
    for await (const piece of pieces) {
      if (out.aborted) return
      await out.write(piece)
    }
  })
}
