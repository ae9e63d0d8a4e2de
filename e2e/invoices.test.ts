import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectGoodPage, screens, signIn, visit } from './people.ts'
import { runSql } from './workplace-database.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  await invoiced()
})

/** Two invoices of globex in francs, which no other journey uses; only we know them. */
async function invoiced(): Promise<void> {
  await runSql(
    `insert into invoices (tenant_id, stripe_invoice_id, number, status, currency, subtotal, tax, total, total_excluding_tax, amount_due,
        amount_paid, amount_remaining, finalized_at, paid_at, created_at, lines)
      select t.id, 'in_correct_' || n, 'GLOBEX-' || n, case n when 1 then 'paid' else 'open' end, 'chf', 10000, 810, 10810, 10000, 10810,
        case n when 1 then 10810 else 0 end, case n when 1 then 0 else 10810 end, now() - interval '3 days',
        case n when 1 then now() - interval '2 days' end, now() - interval '3 days',
        '[{"description":"Business, 10 seats","amount":10000,"quantity":10,"proration":false,"periodStart":"2026-01-01T00:00:00.000Z","periodEnd":"2026-02-01T00:00:00.000Z"}]'
      from tenants t, generate_series(1, 2) n where t.slug = 'globex'`,
  )
}

const address = (path: string) => inject('workplace').operator + path

describe('an operator', () => {
  it('finds an invoice, and is told why a refund of it is not possible', async () => {
    await using operator = await visit(browser)
    const { page } = operator
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(address('/invoices?currency=chf'))
    await page.getByRole('region', { name: 'Totals' }).getByText('2 invoices').waitFor()
    await page.getByLabel('Status').selectOption('paid')
    await page.getByRole('region', { name: 'Totals' }).getByText('1 invoice').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as CSV' }).click()
    expect((await download).suggestedFilename()).toContain('invoices')
    await page.getByRole('link', { name: 'GLOBEX-1' }).click()
    await page.getByRole('heading', { name: 'Invoice GLOBEX-1' }).waitFor()
    await page.getByRole('button', { name: 'Refund or credit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: /Amount in CHF/ }).fill('200')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Agreed on the phone.')
    await dialog.getByRole('button', { name: 'Refund or credit' }).click()
    await dialog.getByText(/At most .*108\.10 can be refunded/).waitFor()
    await dialog.getByRole('textbox', { name: /Amount in CHF/ }).fill('20')
    await dialog.getByRole('button', { name: 'Refund or credit' }).click()
    // The payment processor does not know this invoice.
    await dialog.getByText(/does not exist there/).waitFor()
    await page.goto(address('/invoices?tab=corrections&state=failed'))
    await page.getByText('Agreed on the phone.').waitFor()
  })

  it.each(screens)('has pages that hold on %s, light and dark', async (_, screen) => {
    await using operator = await visit(browser, { screen })
    const { page } = operator
    await signIn(page, 'operator', 'Olive Operator')
    await expectGoodPage(screen, page, address('/invoices?currency=chf'))
    const invoice = await page.getByRole('link', { name: 'GLOBEX-1' }).getAttribute('href')
    await expectGoodPage(screen, page, address(invoice ?? ''))
    await expectGoodPage(screen, page, address('/invoices?tab=corrections'))
  })
})
