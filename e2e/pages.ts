import type { Page } from 'playwright-core'

// What programs need of the pages too, not only tests.

/** Signs a person of the demo data in at an app, through the identity provider of the sandbox. */
export async function signIn(page: Page, app: string, person: string): Promise<void> {
  await page.goto(app)
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await page.getByRole('button', { name: person }).click()
  await page.waitForURL((url) => url.origin === app && !url.pathname.startsWith('/auth/'))
}

interface Route {
  /** As the app's router names it: `/tenants/$slug`. */
  pattern: string
  matches(path: string): boolean
}

/** All pages of the app that is open, from its own router. */
export async function routesOf(page: Page): Promise<Route[]> {
  await page.waitForFunction('self.__TSR_ROUTER__')
  const paths = (await page.evaluate('Object.keys(self.__TSR_ROUTER__.routesByPath)')) as string[]
  const patterns = new Set(paths.map((path) => (path === '/' ? path : path.replace(/\/$/, ''))))
  // What takes every address comes last.
  const parameters = (pattern: string) =>
    pattern.endsWith('$') ? Infinity : pattern.split('$').length
  return [...patterns]
    .sort((one, other) => parameters(one) - parameters(other) || other.length - one.length)
    .map((pattern) => {
      const parts = pattern.split('/').map((part) => {
        if (part === '$') return '.+'
        return part.startsWith('$') ? '[^/]+' : part
      })
      const shape = new RegExp(`^${parts.join('/')}/?$`)
      return { pattern, matches: (path) => shape.test(path) }
    })
}

/** The paths that the page links to within its app. */
export async function linksOf(page: Page): Promise<string[]> {
  const links = (await page.evaluate(
    `[...document.querySelectorAll('a[href^="/"]')].map((link) => link.getAttribute('href'))`,
  )) as string[]
  return links.filter((link) => !/^\/(auth|api)\//.test(link))
}
