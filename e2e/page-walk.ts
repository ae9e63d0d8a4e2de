import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { textsOutsideCatalogue } from './catalogue-texts.ts'
import { linksOf, routesOf } from './pages.ts'
import { desktop, expectWellMade, expectWellMadeOn, phone, untilLoaded } from './people.ts'

export interface Walk {
  /** Address of the app. */
  at: string
  /** Paths to begin with; the others are found by following links, one path of each. */
  from: readonly string[]
  /** What pages got as data. */
  data: ReadonlySet<string>
}

/**
 * Opens a page of each route that links lead to, in the pseudo-language. Each is held against what
 * every page is held against, on a desktop and on a phone, and then its buttons are pressed; no
 * text may be outside of the catalogue. Returns the routes that no link led to.
 */
export async function walkPages(page: Page, { at, from, data }: Walk): Promise<string[]> {
  const routes = await routesOf(page)
  const queue = [...from]
  const open = new Set(routes.map(({ pattern }) => pattern))
  const outside: Record<string, string[]> = {}
  const look = async (where: string) => {
    const texts = await textsOutsideCatalogue(page, data)
    if (texts.length > 0) outside[where] = texts
  }
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const { pathname } = new URL(path, at)
    const route = routes.find(({ matches }) => matches(pathname))
    if (!route || !open.delete(route.pattern)) continue
    await page.setViewportSize(desktop)
    await openPage(page, at + path)
    await expectWellMade(page)
    await look(path)
    queue.push(...(await linksOf(page)))
    await page.setViewportSize(phone)
    await expectWellMadeOn(phone, page)
    await look(`${path} on a phone`)
    await page.setViewportSize(desktop)
    await pressButtons(page, (name) => look(`${path} after ${name}`))
  }
  expect(outside).toEqual({})
  return [...open]
}

/** Opens one page, such as an empty one, and looks for texts outside the catalogue on it alone. */
export async function expectCatalogueOnly(
  page: Page,
  address: string,
  data: ReadonlySet<string>,
): Promise<void> {
  await openPage(page, address)
  expect(await textsOutsideCatalogue(page, data), address).toEqual([])
}

async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await untilLoaded(page)
}

function ignoreNavigation(error: Error): void {
  if (!error.message.includes('Execution context was destroyed')) throw error
}

/** Of one kind, as in the rows of a table, the first is enough. */
const mostButtons = 10

/**
 * Presses the buttons and tabs of the page, one after the other, and looks at what each opens:
 * dialogs, menus, what forms say. Goes back to the page from wherever one leads.
 */
async function pressButtons(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  const address = page.url()
  const buttons = page.locator('main :is(button, [role=tab], summary)')
  const names = (await page.evaluate(
    `[...document.querySelectorAll('main :is(button, [role=tab], summary)')].map((button) =>
      button.disabled || button.dataset.disabled || button.offsetParent === null
        ? ''
        : (button.getAttribute('aria-label') ?? button.textContent).replace(/[^⟦⟧\\p{L} ]/gu, ''))`,
  )) as string[]
  const kinds = new Set<string>()
  for (const [index, name] of names.entries()) {
    // Names that are data belong to rows, all of which lead to the same.
    const kind = name.includes('⟦') ? name : 'row'
    if (name === '' || kinds.has(kind) || kinds.size >= mostButtons) continue
    kinds.add(kind)
    await buttons
      .nth(index)
      .click({ timeout: 1_000 })
      .catch(() => undefined)
    await page.waitForTimeout(100)
    // A button may lead to another page, which is looked at by its own route.
    const { origin, pathname } = new URL(page.url())
    if (address.startsWith(origin + pathname)) await look(name).catch(ignoreNavigation)
    // What Escape does not close goes with the page.
    if (page.url() === address) await page.keyboard.press('Escape')
    const closed = await page
      .getByRole('dialog')
      .waitFor({ state: 'detached', timeout: 500 })
      .then(() => true)
      .catch(() => false)
    if (page.url() !== address || !closed) await openPage(page, address)
  }
}
