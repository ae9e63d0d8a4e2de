/**
 * A person's browser as far as sign-in needs one: keeps cookies by host and path, follows redirects
 * by hand, posts forms.
 */
export interface Browser {
  get(url: string): Promise<Page>
  /** Posts the fields to the page's address. */
  post(url: string, fields: Record<string, string>): Promise<Page>
  /** Names of the cookies it holds. */
  cookies(): string[]
}

export interface Page {
  readonly url: string
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

/**
 * `stopAt`: redirects to an address that starts with one of these are not followed; the page then
 * has its address.
 */
export function openBrowser(stopAt: readonly string[]): Browser {
  let jar: Cookie[] = []

  function keep(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/)
      const name = pair.slice(0, pair.indexOf('='))
      const attribute = (requested: string) =>
        attributes
          .find((one) => one.toLowerCase().startsWith(`${requested}=`))
          ?.slice(requested.length + 1)
      const path = attribute('path') ?? url.pathname
      const expires = attribute('expires')
      jar = jar.filter((cookie) => cookie.name !== name || cookie.path !== path)
      if (expires === undefined || Date.parse(expires) > Date.now())
        jar.push({ name, value: pair.slice(name.length + 1), path })
    }
  }

  async function load(url: string, init: RequestInit): Promise<Page> {
    const at = new URL(url)
    const cookie = jar
      .filter((one) => at.pathname.startsWith(one.path))
      .map((one) => `${one.name}=${one.value}`)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie: cookie.join('; '), accept: 'text/html' },
    })
    keep(response, at)
    const location = response.headers.get('location')
    if (location !== null && response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const next = new URL(location, url).href
      if (stopAt.some((prefix) => next.startsWith(prefix)))
        return { url: next, status: response.status, text: '', headers: response.headers }
      return load(next, {})
    }
    return { url, status: response.status, text: await response.text(), headers: response.headers }
  }

  return {
    get: (url) => load(url, {}),
    post: (url, fields) => load(url, { method: 'POST', body: new URLSearchParams(fields) }),
    cookies: () => jar.map((cookie) => cookie.name),
  }
}
