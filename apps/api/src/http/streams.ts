import type { Context as HonoContext } from 'hono'
import { streamSSE } from 'hono/streaming'
import { encode } from 'iconv-lite'
import type { ExportFormat, TextExport } from '../rpc/procedure-meta.ts'
import type { Services } from '../rpc/services.ts'
import type { AppEnv } from './request-info.ts'

/**
 * A subscription over REST: server-sent events (WHATWG HTML, section 9.2), one JSON object per
 * message, a comment every 15 s.
 */
export function streamServerSentEvents(
  c: HonoContext<AppEnv>,
  services: Services,
  events: AsyncIterable<unknown>,
): Response {
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
      for (
        let next = await iterator.next();
        !next.done && !sse.aborted;
        next = await iterator.next()
      ) {
        await sse.writeSSE({ data: JSON.stringify(next.value) })
      }
    } catch (err) {
      // The reader sees the end of the response and reconnects.
      services.log.error({ err, requestId: c.get('requestId') }, 'event stream failed')
    } finally {
      clearInterval(ping)
    }
  })
}

/** The result of a procedure with `file`. */
export interface FileResponse {
  /** Only letters, digits, `-` and `.`: it is used in a header. */
  fileName: string
  contentType: string
  /** Of `text`; plain text where absent. */
  encoding?: 'base64' | undefined
  text: string
}

/** A document over REST. A page in it runs no scripts and loads nothing. */
export function sendFile(
  c: HonoContext<AppEnv>,
  { fileName, contentType, encoding, text }: FileResponse,
): Response {
  c.header('content-type', contentType)
  c.header('content-disposition', `attachment; filename="${fileName}"`)
  c.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
  return c.body(encoding === undefined ? text : Buffer.from(text, encoding))
}

interface FileType {
  mediaType: string
  charset: 'utf-8' | 'windows-1252'
  /** The name of the file, from that of the export. */
  named(name: string): string
}

const fileTypes: Readonly<Record<ExportFormat, FileType>> = {
  csv: { mediaType: 'text/csv', charset: 'utf-8', named: (name) => `${name}.csv` },
  ndjson: {
    mediaType: 'application/x-ndjson',
    charset: 'utf-8',
    named: (name) => `${name}.ndjson`,
  },
  // DATEV finds the files of other programs by the beginning of their names.
  datev: { mediaType: 'text/csv', charset: 'windows-1252', named: (name) => `EXTF_${name}.csv` },
}

/**
 * An export over REST: text in chunks, saved as a file. A failure before the first chunk is thrown.
 * A later one aborts the connection, so that no one takes half a file for a complete one, and is
 * logged with the request's id.
 */
export async function streamExport(
  c: HonoContext<AppEnv>,
  services: Services,
  pieces: AsyncIterable<string>,
  { fileName, nameFields = [], formats }: TextExport,
): Promise<Response> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  const requestId = c.get('requestId')
  const format = formats.find((one) => one === c.req.query('format')) ?? formats[0]
  const { mediaType, charset, named } = fileTypes[format]
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (let next = first; !next.done; next = await iterator.next())
        yield encode(next.value, charset)
    } catch (err) {
      services.log.error({ err, requestId }, 'export failed')
      // On a socket it is cut here: what runs Hono on Node would write the error to the console as
      // well.
      if (!c.env.outgoing) throw err
      c.env.outgoing.destroy()
    } finally {
      await iterator.return?.()
    }
  }
  c.header('content-type', `${mediaType}; charset=${charset}`)
  const values = nameFields.map((field) => c.req.param(field) ?? c.req.query(field) ?? '')
  // A number may be written with spaces around it, and a header takes none of them.
  const fullName = [fileName, ...values.filter((value) => /^[\w-]+$/.test(value))].join('-')
  c.header('content-disposition', `attachment; filename="${named(fullName)}"`)
  return c.body(ReadableStream.from(bytes()))
}
