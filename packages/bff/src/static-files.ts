import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { AppError } from '@atrium/core/platform/errors'
import {
  catalogueLanguage,
  defaultLanguage,
  type PageLanguage,
  pseudoLanguage,
} from '@atrium/messages/languages'
import { serverPageTexts } from '@atrium/messages/server-pages'
import { accepts } from 'hono/accepts'
import type { AppContext } from './request.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
const compressible = /^(text\/|application\/(json|manifest\+json)|image\/(svg\+xml|x-icon))/

interface Asset {
  body: Buffer
  type: string
  etag: string
  /** The name changes with the content. */
  hashed: boolean
  /** From the build, which packs with Brotli, or made when first asked for and kept. */
  packed: Map<'br' | 'gzip', Promise<Buffer>>
}

export interface StaticFiles {
  /** The file of the build at this path; undefined when there is none. */
  file(c: AppContext): Promise<Response | undefined>
  /** The app's page in the language of the request, with the nonce of this response in it. */
  page(c: AppContext): Response
}

/**
 * The build of an app (`vite build`), read once at start, so that a path of a request never reaches
 * the file system (decision 0049). Throws one line when there is no build.
 */
export function readStaticFiles(distDir: string): StaticFiles {
  const assets = new Map(
    listFiles(distDir).map((path) => [
      `/${relative(distDir, path).split(sep).join('/')}`,
      readAsset(distDir, path),
    ]),
  )
  const index = assets.get('/index.html')?.body.toString('utf8')
  if (index === undefined)
    throw new Error(
      `There is no build of the app in ${distDir} (index.html is missing). Run "vite build" first.`,
    )
  // The page has a new nonce in every response and is never sent as a plain file.
  assets.delete('/index.html')
  takePacked(assets)
  const pages = {
    en: inLanguage(index, 'en', assets),
    de: inLanguage(index, 'de', assets),
    [pseudoLanguage]: inLanguage(index, pseudoLanguage, assets),
  }

  return {
    async file(c) {
      const asset = assets.get(c.req.path)
      return asset && serve(c, asset)
    },
    page: (c) => htmlResponse(withNonce(pages[c.get('language')], c.get('nonce'))),
  }
}

/** `index.html` as the response to a request: in the visitor's language, with the nonce. */
export function renderPage(c: AppContext, index: string): Response {
  return htmlResponse(withNonce(inLanguage(index, c.get('language'), new Map()), c.get('nonce')))
}

function htmlResponse(html: string): Response {
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  })
}

function listFiles(distDir: string): string[] {
  try {
    return readdirSync(distDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (cause) {
    throw new Error(`There is no build of the app in ${distDir}. Run "vite build" first.`, {
      cause,
    })
  }
}

function readAsset(distDir: string, path: string): Asset {
  const body = readFileSync(path)
  return {
    body,
    type: types[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    // Where Vite writes what it names after its content.
    hashed: relative(distDir, path).split(sep)[0] === 'assets',
    packed: new Map(),
  }
}

/**
 * A file that the build packed (`app.js.br`) belongs to the one without the ending and has no
 * address of its own.
 */
function takePacked(assets: Map<string, Asset>): void {
  for (const [path, { body }] of assets) {
    const plain = path.endsWith('.br') ? assets.get(path.slice(0, -'.br'.length)) : undefined
    if (!plain) continue
    plain.packed.set('br', Promise.resolve(body))
    assets.delete(path)
  }
}

async function serve(c: AppContext, asset: Asset): Promise<Response> {
  const headers = new Headers({
    'content-type': asset.type,
    'cache-control': asset.hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: asset.etag,
  })
  const packable = compressible.test(asset.type) && asset.body.byteLength > 1_000
  if (packable) headers.set('vary', 'accept-encoding')
  if (c.req.header('if-none-match')?.includes(asset.etag))
    return new Response(null, { status: 304, headers })
  const encoding = packable ? chooseEncoding(c) : undefined
  if (encoding) headers.set('content-encoding', encoding)
  const body = encoding ? await pack(asset, encoding) : asset.body
  headers.set('content-length', String(body.byteLength))
  return new Response(new Uint8Array(body), { headers })
}

function chooseEncoding(c: AppContext): 'br' | 'gzip' | undefined {
  const choice = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['br', 'gzip'],
    default: 'identity',
    match: (offers) =>
      (['br', 'gzip'] as const).find((name) =>
        offers.some(({ type, q }) => type === name && q > 0),
      ) ?? 'identity',
  })
  return choice === 'br' || choice === 'gzip' ? choice : undefined
}

function pack(asset: Asset, encoding: 'br' | 'gzip'): Promise<Buffer> {
  const known = asset.packed.get(encoding)
  if (known) return known
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_SIZE_HINT]: asset.body.byteLength,
  }
  const made =
    encoding === 'br'
      ? promisify(brotliCompress)(asset.body, { params })
      : promisify(gzip)(asset.body, { level: 9 })
  asset.packed.set(encoding, made)
  return made
}

/**
 * Writes the nonce to the page's `<meta name="csp-nonce">`, which is added when the page has none.
 */
function withNonce(index: string, nonce: string): string {
  const meta = `<meta name="csp-nonce" content="${nonce}">`
  const existing = index.match(/<meta\s[^<>]*>/gi)?.find((tag) => tag.includes('name="csp-nonce"'))
  return existing === undefined
    ? index.replace(/<head[^<>]*>/i, (head) => head + meta)
    : index.replace(existing, meta)
}

/**
 * The app's page, which is written in English, in a language. The app reads the language from it,
 * and the texts of the frame load beside the app's script instead of after it.
 */
function inLanguage(
  page: string,
  language: PageLanguage,
  assets: ReadonlyMap<string, Asset>,
): string {
  const [english, text] = [serverPageTexts(defaultLanguage), serverPageTexts(language)]
  const frameTexts = `/assets/messages-${catalogueLanguage(language)}-`
  const preloaded = [...assets.keys()].find((path) => path.startsWith(frameTexts))
  return page
    .replace(
      '</head>',
      (end) =>
        (preloaded ? `<link rel="modulepreload" crossorigin href="${preloaded}">` : '') + end,
    )
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(`aria-label="${english('loading')}"`, `aria-label="${text('loading')}"`)
    .replace(english('description'), text('description'))
    .replace(english('needsScript'), text('needsScript'))
}

/**
 * Whether a request is for a page: a browser's navigation, not a script's fetch of something that
 * is missing.
 */
export function wantsPage(c: AppContext): boolean {
  const { path } = c.req
  if (/^\/(api|trpc|auth|assets)(\/|$)/.test(path)) return false
  return (
    (c.req.method === 'GET' || c.req.method === 'HEAD') &&
    (c.req.header('accept') ?? '').includes('text/html')
  )
}

/** The rejection for everything that is neither a file nor a page. */
export function nothingHere(): AppError {
  return new AppError('not_found', 'There is nothing at this address.')
}
