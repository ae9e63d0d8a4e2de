import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  desktop,
  expectWellMade,
  expectWellMadeOn,
  phone,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'
import { startWorkplace, type WorkplaceAddresses } from './workplace.ts'

let browser: Browser
let at: WorkplaceAddresses
let stop: (() => Promise<void>) | undefined
beforeAll(async () => {
  const [launched, started] = await Promise.all([openBrowser(), startWorkplace({ history: true })])
  browser = launched
  at = started.addresses
  stop = started.stop
})
afterAll(async () => {
  await stop?.()
})

/**
 * Opens a page on a phone and on a desktop, and holds it against what every page is held against.
 */
async function look(page: Page, address: string): Promise<void> {
  for (const screen of [phone, desktop]) {
    await page.setViewportSize(screen)
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
  }
}

const points = (page: Page) => page.locator('figure .recharts-line-dot').count()
const rows = (page: Page) => page.locator('tbody tr').count()

it('shows operators a year of growth, payouts and lists', async () => {
  await using operator = await visit(browser)
  const { page, complaints } = operator
  await signIn(page, 'operator', 'Olive Operator', at.operator)
  await look(page, `${at.operator}/reports?tab=growth`)
  await expect.poll(() => points(page)).toBeGreaterThanOrEqual(12)
  for (const [path, least] of [
    ['/tenants', 25],
    ['/subscriptions', 25],
    ['/payouts', 15],
    ['/audit', 25],
    ['/webhooks', 20],
    ['/mail', 20],
    ['/system', 5],
  ] as const) {
    await look(page, at.operator + path)
    await expect.poll(() => rows(page), { message: path }).toBeGreaterThanOrEqual(least)
  }
  expect(complaints).toEqual([])
})

it('shows a partner what its customers paid, and a customer its invoices and bookings', async () => {
  await using partner = await visit(browser)
  await signIn(partner.page, 'portal', 'Pia Partner', at.portal)
  await look(partner.page, `${at.portal}/partner/reports?tab=growth`)
  await expect.poll(() => points(partner.page)).toBeGreaterThanOrEqual(12)
  await look(partner.page, `${at.portal}/partner/billing`)
  // A row's details are beside the rest of it, not behind the edge of the table.
  const hidden = await partner.page
    .locator('table')
    .evaluateAll((tables) =>
      tables.map(({ parentElement: box }) => (box ? box.scrollWidth - box.clientWidth : 0)),
    )
  expect(Math.max(...hidden)).toBe(0)

  await using owner = await visit(browser)
  await signIn(owner.page, 'portal', 'Anna Owner', at.portal)
  await look(owner.page, `${at.portal}/t/acme/billing`)
  await expect.poll(() => rows(owner.page)).toBeGreaterThanOrEqual(12)
  await expect
    .poll(
      async () => {
        await owner.page.goto(`${at.portal}/t/acme/scheduling/bookings?when=past`)
        await owner.page.getByRole('heading', { name: 'Bookings', level: 1 }).waitFor()
        await untilLoaded(owner.page)
        return rows(owner.page)
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThanOrEqual(20)
  await expectWellMade(owner.page)
})
