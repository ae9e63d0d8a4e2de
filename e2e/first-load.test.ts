import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

/** What a browser with an empty cache loads to show a page: script requests, and kB of script and of styles as sent. */
async function load(page: Page, address: string) {
  const sizes: Promise<{ type: string; bytes: number }>[] = []
  page.on('response', (response) => {
    const type = response.request().resourceType()
    if (type !== 'script' && type !== 'stylesheet') return
    sizes.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => ({ type, bytes: responseBodySize })),
    )
  })
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await untilLoaded(page)
  const loaded = await Promise.all(sizes)
  const kilobytes = (type: string) => loaded.filter((one) => one.type === type).reduce((sum, { bytes }) => sum + bytes, 0) / 1000
  const scripts = loaded.filter(({ type }) => type === 'script').length
  return { scripts, scriptKilobytes: kilobytes('script'), styleKilobytes: kilobytes('stylesheet') }
}

describe('the first load', () => {
  it.each([
    { app: 'portal', person: 'Anna Owner', path: '/t/acme' },
    { app: 'portal', person: 'Anna Owner', path: '/t/acme/members' },
    { app: 'operator', person: 'Olive Operator', path: '/tenants' },
  ] as const)('of $path of the $app stays small', async ({ app, person, path }) => {
    await using signedIn = await visit(browser, { screen: phone })
    await signIn(signedIn.page, app, person)
    await using fresh = await visit(browser, { screen: phone })
    await fresh.context.addCookies(await signedIn.context.cookies())
    const { scripts, scriptKilobytes, styleKilobytes } = await load(fresh.page, inject('house')[app] + path)
    expect(scripts).toBeGreaterThan(0)
    expect(scripts).toBeLessThanOrEqual(15)
    expect(scriptKilobytes).toBeLessThanOrEqual(300)
    expect(styleKilobytes).toBeLessThanOrEqual(40)
  })

  it('shows a frame before any script has run', async () => {
    await using guest = await visit(browser, { screen: phone })
    await guest.page.route('**/*.js', (route) => route.abort())
    await guest.page.goto(inject('house').portal)
    await guest.page.getByRole('status', { name: 'Loading' }).waitFor()
  })
})
