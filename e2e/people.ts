import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect, inject } from 'vitest'

/** A browser of its own for one person, with no trace of anybody else. */
export interface Visit extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** What the pages complained about: script errors and rejected resources. */
  complaints: string[]
}

export type Screen = { width: number; height: number }
export const desktop: Screen = { width: 1440, height: 900 }
export const phone: Screen = { width: 390, height: 844 }

export async function visit(
  browser: Browser,
  { screen = desktop }: { screen?: Screen } = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: screen, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A rejected policy is told on the console and nowhere else.
    if (message.type() === 'error' && /Content Security Policy|Refused to/.test(message.text()))
      complaints.push(message.text())
  })
  return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/**
 * Signs in through the real flow: the app's button, the provider's page, the person's own button
 * there.
 */
export async function signIn(
  page: Page,
  app: 'portal' | 'operator',
  name: string,
  at = inject('workplace')[app],
): Promise<void> {
  await page.goto(at)
  await page
    .getByRole('link', { name: 'Sign in' })
    .or(page.getByRole('button', { name: 'Sign in' }))
    .first()
    .click()
  await page.getByRole('button', { name }).click()
  await page.waitForURL((url) => url.origin === at && !url.pathname.startsWith('/auth/'))
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
 * Holds the page, light and dark, against the WCAG 2.2 AA rules that axe can check, and against
 * scrolling sideways. Where the second scheme changes nothing but colours, the rules that look at
 * nothing else are not asked again.
 */
export async function expectWellMade(page: Page): Promise<void> {
  const sideways = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(sideways, `${page.url()} scrolls sideways`).toBe(0)
  let judged: unknown
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    const seen = await page.evaluate(everythingButColours)
    const builder = new AxeBuilder({ page })
      // No script runs in such a frame, axe included, which would wait for it for ever.
      .exclude('iframe[sandbox=""]')
      .options({ resultTypes: ['violations'] })
      // A page without frames is judged where it stands; otherwise all that was found is carried
      // through a second page, also what is well.
      .setLegacyMode(page.frames().length === 1)
    const { violations } = await (seen === judged
      ? builder.withRules(ofColours)
      : builder.withTags(tags)
    ).analyze()
    expect(
      violations.map(
        ({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map((node) => node.html).join(' ')}`,
      ),
    ).toEqual([])
    judged = seen
  }
}

/**
 * Switches a fault of the sandbox on; answers how to switch it off. `match`: the calls it hits, as
 * a part of `METHOD path`.
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
