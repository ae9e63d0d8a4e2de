import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseEncoding, compress, type Encoding } from './compression.ts'
import type { AppContext } from './request.ts'

interface Script {
  body: Buffer
  /** Short hash of the content: name and entity tag. */
  hash: string
  /** Made when first asked for, then kept. */
  packed: Map<Encoding, Promise<Buffer>>
}

export interface Assets {
  /** The style sheet, inlined in every page. */
  style: string
  /** Address of the pages' script, which changes with its content. */
  scriptPath: string
  /** For the script's integrity attribute. */
  scriptIntegrity: string
  /** The pages' script, or undefined when the address names another version. */
  script(c: AppContext, hash: string): Promise<Response | undefined>
  /** The script that other sites load to show a booking page. */
  embed(c: AppContext): Promise<Response>
}

/** The build of the app (`vite build`), read once at start. Throws one line when there is none. */
export function readAssets(distDir: string): Assets {
  const page = readScript(distDir, 'page.js')
  const embed = readScript(distDir, 'embed.js')
  return {
    style: read(distDir, 'style.css').toString('utf8').trim(),
    scriptPath: `/assets/page.${page.hash}.js`,
    scriptIntegrity: `sha384-${createHash('sha384').update(page.body).digest('base64')}`,
    script: async (c, hash) =>
      hash === page.hash ? serve(c, page, 'public, max-age=31536000, immutable') : undefined,
    async embed(c) {
      const response = await serve(c, embed, 'public, max-age=3600')
      response.headers.set('cross-origin-resource-policy', 'cross-origin')
      return response
    },
  }
}

function read(distDir: string, name: string): Buffer {
  try {
    return readFileSync(join(distDir, name))
  } catch (cause) {
    throw new Error(
      `There is no build of the app in ${distDir} (${name} is missing). Run "vite build" first.`,
      { cause },
    )
  }
}

function readScript(distDir: string, name: string): Script {
  const body = read(distDir, name)
  return {
    body,
    hash: createHash('sha256').update(body).digest('base64url').slice(0, 12),
    packed: new Map(),
  }
}

async function serve(c: AppContext, script: Script, caching: string): Promise<Response> {
  const headers = new Headers({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': caching,
    etag: `"${script.hash}"`,
    vary: 'accept-encoding',
  })
  if (c.req.header('if-none-match')?.includes(script.hash))
    return new Response(null, { status: 304, headers })
  const encoding = chooseEncoding(c)
  const body = encoding ? await packOnce(script, encoding) : script.body
  // Also where nothing was packed, so that it is not tried once more on the way out.
  headers.set('content-encoding', encoding ?? 'identity')
  headers.set('content-length', String(body.byteLength))
  return new Response(new Uint8Array(body), { headers })
}

function packOnce(script: Script, encoding: Encoding): Promise<Buffer> {
  const known = script.packed.get(encoding)
  if (known) return known
  const made = compress(script.body, encoding, true)
  script.packed.set(encoding, made)
  return made
}
