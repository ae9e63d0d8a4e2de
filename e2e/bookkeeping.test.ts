import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectGoodPage, screens, signIn, visit } from './people.ts'
import { runSql } from './workplace-database.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  await booked()
})

/** A month that no other journey looks at. */
const month = '2021-03'

/**
 * An invoice of globex in euros with its charge and a document of another amount, a charge in
 * dinars that belongs to no invoice, and many in crowns two months later.
 */
async function booked(): Promise<void> {
  await runSql(
    `insert into invoices (tenant_id, stripe_invoice_id, number, status, currency, subtotal, tax, total, total_excluding_tax, amount_due,
        amount_paid, amount_remaining, finalized_at, paid_at, created_at, lines)
      select id, 'in_booked', 'BOOKED-1', 'paid', 'eur', 10000, 1900, 11900, 10000, 11900, 11900, 0,
        '2021-03-04', '2021-03-05', '2021-03-04', '[]'
      from tenants where slug = 'globex'`,
    `insert into balance_transactions (id, type, category, currency, amount, fee, net, created_at, available_at, source_id,
        source_currency, source_amount, stripe_invoice_id)
      values
        ('txn_booked', 'charge', 'charge', 'eur', 11900, 204, 11696, '2021-03-05', '2021-03-12', 'ch_booked', 'eur', 11900, 'in_booked'),
        ('txn_strange', 'charge', 'charge', 'kwd', 5000, 100, 4900, '2021-03-06', '2021-03-13', 'ch_strange', 'kwd', 5000, null)`,
    `insert into billing_documents (tenant_id, invoice_id, source, kind, cancels, number, document, issued_at)
      select tenant_id, id, stripe_invoice_id, 'invoice', false, number,
        '{"currency": "eur", "taxes": [{"category": "S", "ratePercent": 19, "netMinor": 9900, "taxMinor": 1881}],
          "totals": {"netMinor": 9900, "taxMinor": 1881, "grossMinor": 11781}}', now()
      from invoices where stripe_invoice_id = 'in_booked'`,
    // Two bookings each, three more than a DATEV batch takes.
    `insert into balance_transactions (id, type, category, currency, amount, fee, net, created_at, available_at)
      select 'txn_many_' || n, 'charge', 'charge', 'sek', 1000, 10, 990, '2021-05-05', '2021-05-12'
      from generate_series(1, 50001) n`,
  )
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
    await reconciliation.getByText('The document has another amount').waitFor()
    await reconciliation.getByText('€117.81').waitFor()
    const balance = page.getByRole('region', { name: 'Balance at the payment processor' })
    await balance.getByText('€116.96').first().waitFor()
    await page.getByText('DATEV amounts have two decimals. Use the CSV for KWD.').waitFor()

    const csv = await saved(page, 'CSV')
    expect(csv.fileName).toBe(`bookkeeping-${month}.csv`)
    expect(csv.bytes.toString('utf8')).toContain('BOOKED-1')
    const datev = await saved(page, 'DATEV EUR')
    expect(datev.fileName).toBe(`EXTF_bookkeeping-${month}-eur-1.csv`)
    // "ü" is one byte in Windows-1252.
    expect(datev.bytes.includes(Buffer.from('BU-Schl\u00FCssel', 'latin1'))).toBe(true)

    await page.goto(address('/bookkeeping?month=2021-05'))
    await page.getByRole('link', { name: 'DATEV SEK, part 1 of 2' }).waitFor()
    const part = await saved(page, 'DATEV SEK, part 2 of 2')
    expect(part.fileName).toBe('EXTF_bookkeeping-2021-05-sek-2.csv')
    // The two lines at its head, and three bookings.
    expect(part.bytes.toString('latin1').trimEnd().split('\r\n')).toHaveLength(5)

    await page.getByLabel('Month').selectOption({ index: 35 })
    await page.getByText('There is nothing to book in this month.').waitFor()
  })

  it.each(screens)('has a page that holds on %s, light and dark', async (_, screen) => {
    await using operator = await visit(browser, { screen })
    const { page } = operator
    await signIn(page, 'operator', 'Olive Operator')
    await expectGoodPage(screen, page, address(`/bookkeeping?month=${month}`))
  })
})
