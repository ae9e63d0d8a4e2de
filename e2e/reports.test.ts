import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, phone, signIn, untilLoaded, visit } from './people.ts'
import { sellForTwoYears } from './subscription-history.ts'

let browser: Browser
let sold: Awaited<ReturnType<typeof sellForTwoYears>>
beforeAll(async () => {
  browser = await openBrowser()
  sold = await sellForTwoYears(inject('workplace').database)
})

const open = async (page: Page, tab: string) => {
  await page.getByRole('tab', { name: tab, exact: true }).click()
  await untilLoaded(page)
}

it('shows operators what the platform earns at any day, down to the tenants of a figure', async () => {
  await using operator = await visit(browser)
  const { page } = operator
  await signIn(page, 'operator', 'Olive Operator')
  await page.getByRole('link', { name: /^MRR in EUR/ }).click()
  await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
  await untilLoaded(page)
  const now = await page.getByRole('button', { name: /tenants behind MRR in EUR$/ }).innerText()
  await expectWellMade(page)

  await page.getByRole('button', { name: /tenants behind MRR in EUR$/ }).click()
  await page.getByRole('dialog').getByRole('link', { name: sold.largest }).waitFor()
  await expectWellMade(page)
  await page.keyboard.press('Escape')

  const lastYear = new Date(Date.UTC(new Date().getUTCFullYear() - 1, 0, 31))
    .toISOString()
    .slice(0, 10)
  await page.getByLabel('At the end of').fill(lastYear)
  await untilLoaded(page)
  await expect
    .poll(() => page.getByRole('button', { name: /tenants behind MRR in EUR$/ }).innerText())
    .not.toBe(now)
  expect(page.url()).toContain(`asOf=${lastYear}`)

  await open(page, 'Growth')
  await page.getByRole('table', { name: 'Growth in EUR by month' }).waitFor()
  await page.locator('figure svg').first().waitFor()
  await expectWellMade(page)
  await page
    .getByRole('button', { name: /tenants behind expansion in/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('link', { name: sold.largest }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download Growth as CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('platform-growth.csv')
  expect(await readFile(await file.path(), 'utf8')).toMatch(/^month,currency,partial,startArrMinor/)

  for (const [tab, text] of [
    ['Retention', 'Retention by first payment'],
    ['Churn', 'Churn by month'],
    ['Invoiced', 'Revenue by month'],
  ] as const) {
    await open(page, tab)
    await page.getByRole('heading', { name: text }).waitFor()
    await expectWellMade(page)
  }
  expect(operator.complaints).toEqual([])
})

it('lets partner staff keep a view, open it from its link and delete it, on a phone', async () => {
  await using staff = await visit(browser, { screen: phone })
  const { page } = staff
  await signIn(page, 'portal', 'Pia Partner')
  await page.goto(`${inject('workplace').portal}/partner/reports?tab=growth`)
  await page.getByRole('table', { name: 'Growth in EUR by month' }).waitFor()
  await untilLoaded(page)
  await expectWellMade(page)
  const name = `Growth ${sold.slug}`
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name }).waitFor()

  await open(page, 'Revenue')
  await page.getByRole('heading', { name: 'Top customers' }).waitFor()
  await page.getByRole('link', { name: sold.largest }).first().waitFor()
  await expectWellMade(page)
  await open(page, 'Retention')
  await expectWellMade(page)
  await page.getByRole('link', { name }).click()
  await page.getByRole('table', { name: 'Growth in EUR by month' }).waitFor()
  await page.getByRole('button', { name: `Delete ${name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name }).waitFor({ state: 'detached' })
  expect(staff.complaints).toEqual([])
})
