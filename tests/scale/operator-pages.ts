import { percentile } from '@atrium/bench/measure/statistics'
import { openBrowser } from '@atrium/e2e/browser'
import { linksOf, routesOf, signIn } from '@atrium/e2e/pages'
import type { Page } from 'playwright-core'
import type { Check } from './shared-state.ts'

const most = 300
const rounds = 20
/** Pages whose address names a record, with a large one of those that the load brought. */
const records = ['/tenants/bench-tenant-1', '/partners/bench-partner-1']

/** The calls that a page makes to the API, by the page's route. */
type Calls = Map<string, string[]>

/**
 * The operator signs in, opens a page of each route in Chromium, and each page's reads are then
 * made together, as the page makes them, through the portal's server: the time until the last
 * response, twenty times.
 */
export async function checkOperatorPages(operator: string): Promise<Check> {
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await signIn(page, operator, 'Olive Operator')
    const calls = await walk(page, operator)
    const slow: string[] = []
    const times = new Map<string, number>()
    for (const [route, urls] of calls) {
      const took = await repeat(page, urls)
      const p95 = percentile(took, 0.95)
      times.set(route, p95)
      if (p95 > most) slow.push(`${route} ${p95.toFixed(0)} ms`)
    }
    const [slowest, longest] = [...times].sort((one, other) => other[1] - one[1])[0] ?? ['none', 0]
    return {
      what: `every page of the operator within ${most} ms at the API, p95 of ${rounds}`,
      measured: `${times.size} pages, slowest ${slowest}: ${longest.toFixed(0)} ms${slow.length > 0 ? `; over: ${slow.join(', ')}` : ''}`,
      holds: times.size > 0 && slow.length === 0,
    }
  } finally {
    await browser.close()
  }
}

/** One page of each route that links lead to, with the reads it made. */
async function walk(page: Page, operator: string): Promise<Calls> {
  const routes = await routesOf(page)
  const calls: Calls = new Map()
  let heard: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && pathname.startsWith('/trpc/') && !pathname.includes('events'))
      heard.push(request.url())
  })
  const queue = [...records, '/']
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const { pathname } = new URL(path, operator)
    const route = routes.find(({ matches }) => matches(pathname))
    if (!route || calls.has(route.pattern)) continue
    heard = []
    await page.goto(operator + path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle').catch(() => undefined)
    calls.set(route.pattern, [...new Set(heard)])
    queue.push(...(await linksOf(page)))
  }
  return calls
}

/** Milliseconds until the last response, for each time. Throws when one is not 2xx. */
async function repeat(page: Page, urls: readonly string[]): Promise<number[]> {
  const took: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    await Promise.all(
      urls.map(async (url) => {
        const response = await page.request.get(url, {
          headers: { 'sec-fetch-site': 'same-origin' },
        })
        if (!response.ok()) throw new Error(`${response.status()} for ${url}`)
      }),
    )
    took.push(performance.now() - began)
  }
  return took
}
