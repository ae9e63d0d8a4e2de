import AxeBuilder from '@axe-core/playwright'
import axe, { type AxeResults, type ContextObject, type RunOptions } from 'axe-core'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { closeContext } from './browser.ts'

/** A separate browser for one person, without a trace of anyone else. */
export interface Visit extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** What the pages complained about: script errors and rejected resources. */
  complaints: string[]
}

export type Screen = { width: number; height: number }
export const desktop: Screen = { width: 1440, height: 900 }
export const phone: Screen = { width: 390, height: 844 }
/** For `it.each`: both with a name. */
export const screens: readonly [name: string, screen: Screen][] = [
  ['a desktop', desktop],
  ['a phone', phone],
]

export async function visit(
  browser: Browser,
  { screen = desktop }: { screen?: Screen } = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: screen, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A CSP violation is only reported on the console.
    if (message.type() === 'error' && /Content Security Policy|Refused to/.test(message.text()))
      complaints.push(message.text())
  })
  return { page, context, complaints, [Symbol.asyncDispose]: () => closeContext(context) }
}

/** Cookies of people who have signed in, by app and name, for the files that this worker runs. */
const signedIn = new Map<string, Awaited<ReturnType<BrowserContext['cookies']>>>()

/**
 * Opens the app as this person. The first time in a worker goes through the real flow: the app's
 * button, the provider's page, the person's own button there. Later calls reuse that session until
 * it is ended.
 */
export async function signIn(
  page: Page,
  app: 'portal' | 'operator',
  name: string,
  at = inject('workplace')[app],
): Promise<void> {
  const key = `${at} ${name}`
  const cookies = signedIn.get(key)
  if (cookies) {
    await page.context().addCookies(cookies)
    const session = await page.request.get(`${at}/api/session`)
    const { signedIn: stillSignedIn } = (await session.json()) as { signedIn: boolean }
    if (stillSignedIn) {
      await page.goto(at)
      return
    }
    await page.context().clearCookies()
  }
  await page.goto(at)
  await page
    .getByRole('link', { name: 'Sign in' })
    .or(page.getByRole('button', { name: 'Sign in' }))
    .first()
    .click()
  await page.getByRole('button', { name }).click()
  await page.waitForURL((url) => url.origin === at && !url.pathname.startsWith('/auth/'))
  signedIn.set(key, await page.context().cookies())
}

/**
 * The first sign-in with a password that was shown to somebody: the identity provider asks for the
 * person's own. Returns that.
 */
export async function chooseOwnPassword(page: Page): Promise<string> {
  const own = `Own-${crypto.randomUUID()}`
  await page.getByLabel('New password', { exact: true }).fill(own)
  await page.getByLabel('New password (repeat)').fill(own)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  return own
}

/**
 * The link with which somebody creates a workplace: named so for people who have none. Another
 * journey may have made one for the same person before, and then the start page has it in a corner.
 */
export function createWorkplaceLink(page: Page, first: string): Locator {
  return page
    .getByRole('link', { name: first })
    .or(page.getByRole('main').getByRole('link', { name: 'Create a workplace', exact: true }))
}

/** Waits until nothing on the page is still being loaded. */
export async function untilLoaded(page: Page): Promise<void> {
  await expect
    .poll(() => page.locator('[aria-busy=true], [role=status][aria-label^=Loading]').count(), {
      timeout: 10_000,
    })
    .toBe(0)
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Of these, the rules that look at colours. */
const ofColours = ['color-contrast', 'link-in-text-block']
const everyRule: RunOptions = { runOnly: tags }
const colourRules: RunOptions = { runOnly: { type: 'rule', values: ofColours } }
const otherRules: RunOptions = {
  runOnly: tags,
  rules: Object.fromEntries(ofColours.map((rule) => [rule, { enabled: false }])),
}

/**
 * What all other rules look at: elements, words and attributes, and of each element its place and
 * whether it is seen.
 */
const everythingButColours = `JSON.stringify([document.documentElement.outerHTML.replace(/ data-mantine-color-scheme="[a-z]+"/, ''),
  [...document.querySelectorAll('*')].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const { display, visibility, opacity, overflowX, overflowY, fontSize, fontWeight } = getComputedStyle(element)
    return [x, y, width, height, display, visibility, opacity, overflowX, overflowY, fontSize, fontWeight].join()
  })])`

/**
 * Resolves when no transition of a colour or a place is under way any more. Those of a new colour
 * scheme begin a frame after it, when the app has heard of it.
 */
const untilStill = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
    .map((animation) => animation.finished)))`

/**
 * Holds the page, light and dark, against the WCAG 2.2 AA rules that axe can check, and against
 * scrolling sideways. Where the second scheme changes nothing but colours, the rules that look at
 * nothing else are not asked again.
 */
export async function expectWellMade(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page)
  let judged: unknown
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(untilStill)
    const seen = await page.evaluate(everythingButColours)
    expect(await violations(page, seen === judged ? colourRules : everyRule), colorScheme).toEqual(
      [],
    )
    judged = seen
  }
}

/**
 * For pages that are held against the rules on both screens: as `expectWellMade` on a desktop. A
 * phone shows other elements in the same colours, so there the rules about colours are left out.
 */
export async function expectWellMadeOn(screen: Screen, page: Page): Promise<void> {
  if (screen !== phone) return expectWellMade(page)
  await page.evaluate(untilStill)
  await expectNoSidewaysScroll(page)
  expect(await violations(page, otherRules)).toEqual([])
}

/** The open page on a phone, and then on a desktop, once everything on it is there. */
export async function expectWellMadeOnBoth(page: Page): Promise<void> {
  for (const screen of [phone, desktop]) {
    await page.setViewportSize(screen)
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
  }
}

/** Opens a page and holds it against `expectWellMadeOn` once everything on it is there. */
export async function expectGoodPage(screen: Screen, page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await untilLoaded(page)
  await expectWellMadeOn(screen, page)
}

/** Nothing of the page is beyond its right edge. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const sideways = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(sideways, `${page.url()} scrolls sideways`).toBe(0)
}

/** What axe finds, each rule with the elements that break it. */
async function violations(page: Page, options: RunOptions): Promise<string[]> {
  // No script runs in such a frame, axe included, which would wait for it for ever.
  const exclude = [['iframe[sandbox=""]']]
  const results =
    page.frames().length === 1
      ? await runInPage(page, { exclude }, options)
      : await new AxeBuilder({ page }).exclude('iframe[sandbox=""]').options(options).analyze()
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`,
  )
}

/**
 * Runs axe in a page without frames. Axe stays in the document, whose next check does not load half
 * a megabyte again, as `AxeBuilder` would; that takes longer than most rules.
 */
async function runInPage(
  page: Page,
  context: ContextObject,
  options: RunOptions,
): Promise<Pick<AxeResults, 'violations'>> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  const given = JSON.stringify([context, { ...options, resultTypes: ['violations'] }])
  return page.evaluate(`axe.run(...${given}).then(({ violations }) => ({ violations }))`)
}

/**
 * Enables a fault of the sandbox and returns a function to disable it. `match`: the affected calls,
 * as a part of `METHOD path`.
 */
export async function breakSystem(
  system: 'identity' | 'mail' | 'files',
  fault: { mode: string; status?: number; match?: string },
): Promise<() => Promise<void>> {
  const { control } = inject('workplace')
  const response = await fetch(`${control}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ system, ...fault }),
  })
  expect(response.status).toBe(201)
  const { id } = (await response.json()) as { id: string }
  return async () => {
    // This one alone: other files run beside this one and have faults of their own.
    await fetch(`${control}/faults/${id}`, { method: 'DELETE' })
  }
}
