import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

/**
 * What a browser with an empty cache loads to show a page: files, calls to the API, kB of script
 * and of styles as sent, and the scripts and styles among them that the page's HTML does not name.
 */
async function load(page: Page, address: string) {
  // Nobody moves the pointer here. Chromium reports a move of its own after a slow layout, and the
  // first move loads what only an act shows.
  await page.addInitScript(
    "addEventListener('pointermove', (event) => event.stopImmediatePropagation(), true)",
  )
  const sizes: Promise<{ type: string; bytes: number }>[] = []
  const paths: string[] = []
  let files = 0
  let calls = 0
  page.on('response', (response) => {
    const request = response.request()
    if (new URL(request.url()).pathname.startsWith('/trpc/')) calls++
    else files++
    const type = request.resourceType()
    // The size of a stream of events is known at its end only, and it has none.
    if (type !== 'script' && type !== 'stylesheet') return
    paths.push(new URL(request.url()).pathname)
    sizes.push(request.sizes().then(({ responseBodySize }) => ({ type, bytes: responseBodySize })))
  })
  const html = (await (await page.goto(address))?.text()) ?? ''
  await page.getByRole('heading', { level: 1 }).waitFor()
  await untilLoaded(page)
  const loaded = await Promise.all(sizes)
  const kilobytes = (type: string) =>
    loaded.filter((one) => one.type === type).reduce((sum, { bytes }) => sum + bytes, 0) / 1000
  return {
    files,
    calls,
    scriptKilobytes: kilobytes('script'),
    styleKilobytes: kilobytes('stylesheet'),
    late: paths.filter((path) => !html.includes(path)),
  }
}

describe('the first load', () => {
  it.each([
    { app: 'portal', person: 'Anna Owner', path: '/t/acme' },
    { app: 'portal', person: 'Anna Owner', path: '/t/acme/members' },
    { app: 'operator', person: 'Olive Operator', path: '/tenants' },
    { app: 'operator', person: 'Olive Operator', path: '/tenants/acme' },
    { app: 'booking', person: undefined, path: '/acme' },
  ] as const)(
    'of $path of the $app stays within 8 files and 180 kB of script, and loads nothing but texts late',
    async ({ app, person, path }) => {
      await using signedIn = await visit(browser, { screen: phone })
      if (person) await signIn(signedIn.page, app, person)
      await using fresh = await visit(browser, { screen: phone })
      await fresh.context.addCookies(await signedIn.context.cookies())
      const { files, calls, scriptKilobytes, styleKilobytes, late } = await load(
        fresh.page,
        inject('workplace')[app] + path,
      )
      expect(scriptKilobytes).toBeGreaterThan(0)
      // The texts of the page, in the language of the reader.
      expect(late.filter((path) => path.endsWith('.css'))).toEqual([])
      expect(late.length).toBeLessThanOrEqual(3)
      expect(files).toBeLessThanOrEqual(8)
      // Calls of one moment are one request, so their number depends on the speed of the machine.
      expect(calls).toBeLessThanOrEqual(8)
      expect(scriptKilobytes).toBeLessThanOrEqual(180)
      expect(styleKilobytes).toBeLessThanOrEqual(28)
    },
  )

  it('leaves the menu, the search and the list of workplaces to whoever opens them', async () => {
    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${inject('workplace').portal}/t/acme`)
    const account = page.getByRole('button', { name: 'Account of Anna Owner' })
    await account.click()
    await page.getByRole('menuitem', { name: 'My profile' }).waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => account.evaluate((button) => button.ownerDocument.activeElement === button))
      .toBe(true)
    const switcher = page.getByRole('button', { name: /switch workplace/ })
    await switcher.click()
    await page.getByRole('option', { name: 'Create a workplace' }).waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => switcher.evaluate((button) => button.ownerDocument.activeElement === button))
      .toBe(true)
    for (let times = 0; times < 2; times++) {
      await page.keyboard.press('Control+K')
      await page.getByRole('dialog').getByRole('textbox').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })

  it.each(['portal', 'operator'] as const)(
    'of the %s shows the frame with the product’s name before any script has run',
    async (app) => {
      await using guest = await visit(browser, { screen: phone })
      await guest.page.route('**/*.js', (route) => route.abort())
      await guest.page.goto(inject('workplace')[app])
      const frame = guest.page.getByRole('status', { name: 'Loading', exact: true })
      await frame.getByText('Atrium').waitFor()
    },
  )

  it('replaces that frame when the page is there', async () => {
    await using owner = await visit(browser, { screen: phone })
    // A signed-out person gets a page of the same app.
    await owner.page.goto(inject('workplace').operator)
    await owner.page.getByRole('heading', { level: 1 }).waitFor()
    await owner.page.locator('.app-loading').waitFor({ state: 'detached' })
    await signIn(owner.page, 'portal', 'Anna Owner')
    await owner.page.getByRole('heading', { level: 1 }).waitFor()
    await owner.page.locator('.app-loading').waitFor({ state: 'detached' })
  })

  it.each([
    { app: 'portal', person: 'Anna Owner', path: '/t/acme' },
    { app: 'operator', person: 'Olive Operator', path: '/tenants/acme' },
  ] as const)(
    'of $path of the $app reads the session once, and profile and tenant together',
    async ({ app, person, path }) => {
      await using visitor = await visit(browser, { screen: phone })
      const { page } = visitor
      await signIn(page, app, person)
      const calls: string[] = []
      page.on('request', (request) => calls.push(new URL(request.url()).pathname))
      await page.goto(inject('workplace')[app] + path)
      await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor()
      await untilLoaded(page)
      expect(calls.filter((call) => call === '/api/session')).toHaveLength(1)
      expect(calls).toContain('/trpc/tenants.get,users.me')
    },
  )
})
