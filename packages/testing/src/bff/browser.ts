import { request } from 'node:http'

/**
 * A browser as far as sessions need one: cookies with their attributes, redirects by hand, and the
 * headers that pages send.
 */
export interface Cookie {
  value: string
  attributes: readonly string[]
}

export class Browser {
  /** By host name without port, as browsers keep them. */
  readonly cookies = new Map<string, Map<string, Cookie>>()
  /**
   * Where a public origin is really served, for servers behind an address that does not exist here.
   */
  readonly #routes: ReadonlyMap<string, string>

  constructor(routes: Iterable<readonly [string, string]> = []) {
    this.#routes = new Map(routes)
  }

  cookie(url: string, name: string): Cookie | undefined {
    return this.#jar(url).get(name)
  }

  names(url: string): string[] {
    return [...this.#jar(url).keys()]
  }

  setCookie(url: string, name: string, value: string): void {
    this.#jar(url).set(name, { value, attributes: [] })
  }

  /** One request, redirects not followed. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const jar = this.#jar(url)
    if (!headers.has('cookie') && jar.size > 0)
      headers.set('cookie', [...jar].map(([name, { value }]) => `${name}=${value}`).join('; '))
    const { origin } = new URL(url)
    const target = url.replace(origin, this.#routes.get(origin) ?? origin)
    const response = await fetch(target, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#store(url, line)
    return response
  }

  /** What a script of the page at `origin` sends. */
  post(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(url, {
      method: 'POST',
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  /**
   * Follows redirects until a response is none, or until the next address is one that `until`
   * accepts.
   */
  async follow(
    url: string,
    until: (url: string) => boolean = () => false,
    init: RequestInit = {},
  ): Promise<{ url: string; response: Response }> {
    let response = await this.fetch(url, init)
    let at = url
    for (let hops = 0; hops < 15; hops++) {
      const location = response.headers.get('location')
      if (!location || response.status < 300 || response.status >= 400) return { url: at, response }
      at = new URL(location, at).href
      if (until(at)) return { url: at, response }
      await response.body?.cancel()
      response = await this.fetch(at)
    }
    throw new Error(`too many redirects, the last one to ${at}`)
  }

  /**
   * Signs in as a demo person, or as the form says, up to the address with which the identity
   * provider returns to the app.
   */
  async signInUpToCallback(
    appUrl: string,
    email: string,
    query = '',
    form: Record<string, string> = { person: email },
  ): Promise<string> {
    const isCallback = (url: string) => url.startsWith(`${appUrl}/auth/callback`)
    const start = await this.follow(`${appUrl}/auth/login${query}`, isCallback)
    if (isCallback(start.url)) return start.url
    const end = await this.follow(start.url, isCallback, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form),
    })
    if (!isCallback(end.url))
      throw new Error(`the sign-in ended at ${end.url} with ${end.response.status}`)
    return end.url
  }

  /** Signs in and returns the address to which the app redirected the browser. */
  async signIn(
    appUrl: string,
    email: string,
    query = '',
    form?: Record<string, string>,
  ): Promise<string | null> {
    const response = await this.fetch(await this.signInUpToCallback(appUrl, email, query, form))
    if (response.status !== 303) throw new Error(`the callback answered ${response.status}`)
    return response.headers.get('location')
  }

  #jar(url: string): Map<string, Cookie> {
    const { hostname } = new URL(url)
    const jar = this.cookies.get(hostname) ?? new Map<string, Cookie>()
    this.cookies.set(hostname, jar)
    return jar
  }

  #store(url: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const separator = pair.indexOf('=')
    const name = pair.slice(0, separator)
    const gone = attributes.some(
      (attribute) => /^max-age=0$/i.test(attribute) || /^expires=thu, 01 jan 1970/i.test(attribute),
    )
    if (gone) this.#jar(url).delete(name)
    else this.#jar(url).set(name, { value: pair.slice(separator + 1), attributes })
  }
}

export interface RawResponse {
  status: number
  headers: Record<string, unknown>
  body: Buffer
}

/** A raw request: `fetch` would normalize its address and decompress the response. */
export function rawRequest(
  url: string,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const call = request(
      { hostname, port, path, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    call.on('error', reject).end()
  })
}
