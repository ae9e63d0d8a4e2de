import { readFile } from 'node:fs/promises'
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  desktop,
  expectWellMadeOn,
  phone,
  type Screen,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  await booked()
})

/** A month that no other journey looks at. */
const month = '2021-03'

/** An invoice of globex in euros with its charge, and a charge in dinars of nobody we know. */
async function booked(): Promise<void> {
  const client = new pg.Client(inject('workplace').database)
  await client.connect()
  try {
    await client.query(
      `insert into invoices (tenant_id, stripe_invoice_id, number, status, currency, subtotal, tax, total, total_excluding_tax, amount_due,
        amount_paid, amount_remaining, finalized_at, paid_at, created_at, lines)
      select id, 'in_booked', 'BOOKED-1', 'paid', 'eur', 10000, 1900, 11900, 10000, 11900, 11900, 0,
        '2021-03-04', '2021-03-05', '2021-03-04', '[]'
      from tenants where slug = 'globex'`,
    )
    await client.query(
      `insert into balance_transactions (id, type, category, currency, amount, fee, net, created_at, available_at, source_id,
        source_currency, source_amount, stripe_invoice_id)
      values
        ('txn_booked', 'charge', 'charge', 'eur', 11900, 204, 11696, '2021-03-05', '2021-03-12', 'ch_booked', 'eur', 11900, 'in_booked'),
        ('txn_strange', 'charge', 'charge', 'kwd', 5000, 100, 4900, '2021-03-06', '2021-03-13', 'ch_strange', 'kwd', 5000, null)`,
    )
  } finally {
    await client.end()
  }
}

const address = (path: string) => inject('workplace').operator + path

async function saved(page: Page, name: string): Promise<{ fileName: string; bytes: Buffer }> {
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name, exact: true }).click()
  const file = await download
  return { fileName: file.suggestedFilename(), bytes: await readFile(await file.path()) }
}

describe('an operator', () => {
  it('takes the books of a month away, and sees what does not agree', async () => {
    await using operator = await visit(browser)
    const { page } = operator
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(address(`/bookkeeping?month=${month}`))
    const reconciliation = page.getByRole('region', { name: 'Reconciliation' })
    await reconciliation.getByText('A transaction belongs to no invoice').waitFor()
    await reconciliation.getByText('txn_strange').waitFor()
    const balance = page.getByRole('region', { name: 'Balance at the payment processor' })
    await balance.getByText('€116.96').first().waitFor()
    await page.getByText('DATEV amounts have two decimals. Use the CSV for KWD.').waitFor()

    const csv = await saved(page, 'CSV')
    expect(csv.fileName).toBe('bookkeeping.csv')
    expect(csv.bytes.toString('utf8')).toContain('BOOKED-1')
    const datev = await saved(page, 'DATEV EUR')
    expect(datev.fileName).toBe('EXTF_bookkeeping.csv')
    // "ü" is one byte in Windows-1252.
    expect(datev.bytes.includes(Buffer.from('BU-Schl\u00FCssel', 'latin1'))).toBe(true)

    await page.getByLabel('Month').selectOption({ index: 35 })
    await page.getByText('There is nothing to book in this month.').waitFor()
  })

  it.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('has a page that holds on %s, light and dark', async (_: string, screen: Screen) => {
    await using operator = await visit(browser, { screen })
    const { page } = operator
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(address(`/bookkeeping?month=${month}`))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
  })
})
