import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { collectData } from './catalogue-texts.ts'
import { expectCatalogueOnly, walkPages } from './page-walk.ts'
import { expectWellMade, signIn, untilLoaded, visit } from './people.ts'
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

async function look(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await untilLoaded(page)
}

const noId = '0199a000-0000-7000-8000-000000000000'
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

/** A browser of somebody who reads the pseudo-language. */
async function pseudoVisit(app: 'operator' | 'portal', name?: string) {
  const visitor = await visit(browser)
  if (name !== undefined) await signIn(visitor.page, app, name, at[app])
  await visitor.context.addCookies([{ name: 'atrium_language', value: 'en-XA', url: at[app] }])
  return { ...visitor, data: await collectData(visitor.context, at[app]) }
}

describe('every page is well made, with all of its texts from the catalogue', {
  timeout: 600_000,
}, () => {
  it('in the operator portal', async () => {
    await using visitor = await pseudoVisit('operator', 'Olive Operator')
    const { page, data, complaints } = visitor
    await page.goto(at.operator)
    const from = ['/', '/account/security', '/tenants/acme', '/signed-out', '/no/such/page']
    expect(await walkPages(page, { at: at.operator, from, data })).toEqual([])
    for (const path of ['/tenants/nobody', '/partners/nobody', '/flags/none', `/users/${noId}`])
      await expectCatalogueOnly(page, at.operator + path, data)
    expect(complaints).toEqual([])
  })

  it('in the customer portal and the partner area', async () => {
    await using owner = await pseudoVisit('portal', 'Anna Owner')
    await owner.page.goto(at.portal)
    const from = [
      '/t/acme',
      '/t/acme/account',
      '/t/acme/billing/card',
      '/',
      '/confirm-address',
      '/new',
      '/signed-out',
      '/no/such/page',
    ]
    // The history has no list: the page says that there is no such one.
    from.push(`/t/acme/lists/${noId}`)
    const left = await walkPages(owner.page, { at: at.portal, from, data: owner.data })
    await using partner = await pseudoVisit('portal', 'Pia Partner')
    await partner.page.goto(at.portal)
    const inArea = { at: at.portal, from: ['/partner'], data: partner.data }
    const alsoLeft = await walkPages(partner.page, inArea)
    expect(left.filter((route) => alsoLeft.includes(route))).toEqual([])
    expect([...owner.complaints, ...partner.complaints]).toEqual([])
  })

  it('where there is nothing to show', async () => {
    await using owner = await pseudoVisit('portal', 'Gero Owner')
    for (const path of ['', '/members', '/lists', '/aliases', '/domains', '/sso', '/billing'])
      await expectCatalogueOnly(owner.page, `${at.portal}/t/globex${path}`, owner.data)
    for (const path of ['/t/nobody', '/t/globex/domains/none.example', `/t/globex/lists/${noId}`])
      await expectCatalogueOnly(owner.page, at.portal + path, owner.data)
    await using stranger = await pseudoVisit('operator', 'Anna Owner')
    await expectCatalogueOnly(stranger.page, at.operator, stranger.data)
    await using guest = await pseudoVisit('portal')
    await expectCatalogueOnly(guest.page, at.portal, guest.data)
  })
})
