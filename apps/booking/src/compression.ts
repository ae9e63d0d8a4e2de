import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { accepts } from 'hono/accepts'
import { createMiddleware } from 'hono/factory'
import type { AppContext, AppEnv } from './request.ts'

// In the order of what is smallest for pages of this size.
const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

const leastBytes = 600
const compressible = /^(text\/|application\/(json|problem\+json))/
const pack = { br: promisify(brotliCompress), zstd: promisify(zstdCompress), gzip: promisify(gzip) }

/** The best encoding that the browser takes; undefined when it takes none. */
export function chooseEncoding(c: AppContext): Encoding | undefined {
  const choice = accepts(c, {
    header: 'Accept-Encoding',
    supports: [...encodings],
    default: 'identity',
    match: (offers) =>
      encodings.find((name) =>
        offers.some(({ type, q }) => type.toLowerCase() === name && q > 0),
      ) ?? 'identity',
  })
  return encodings.find((name) => name === choice)
}

/** `thorough` is for what is packed once and sent often. */
export function compress(body: Buffer, encoding: Encoding, thorough: boolean): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return pack.br(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: thorough ? 11 : 5,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
        },
      })
    case 'zstd':
      return pack.zstd(body, { params: { [constants.ZSTD_c_compressionLevel]: thorough ? 19 : 6 } })
    case 'gzip':
      return pack.gzip(body, { level: thorough ? 9 : 6 })
  }
}

/**
 * Compresses pages. None has a secret of ours beside attacker-controlled text, so their length
 * reveals nothing (BREACH).
 */
export function compressed() {
  return createMiddleware<AppEnv>(async (c, next) => {
    await next()
    const { headers } = c.res
    const type = headers.get('content-type') ?? ''
    if (
      !compressible.test(type) ||
      headers.has('content-encoding') ||
      c.req.method === 'HEAD' ||
      c.res.status === 304
    )
      return
    headers.append('vary', 'accept-encoding')
    const encoding = chooseEncoding(c)
    const body = Buffer.from(await c.res.arrayBuffer())
    const sent =
      encoding && body.byteLength >= leastBytes ? await compress(body, encoding, false) : undefined
    c.res = new Response(new Uint8Array(sent ?? body), c.res)
    if (sent && encoding) c.res.headers.set('content-encoding', encoding)
    c.res.headers.set('content-length', String((sent ?? body).byteLength))
  })
}
