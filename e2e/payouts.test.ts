import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectGoodPage, screens, signIn, visit } from './people.ts'
import { runSql } from './workplace-database.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

/**
 * Invoices of acme in pounds, which no other journey uses, that were paid long ago: 20 % of 800.00
 * are North's, less a refund.
 */
async function earn(): Promise<void> {
  await runSql(
    `with paid as (
        insert into invoices (tenant_id, stripe_invoice_id, number, status, currency, subtotal, total, total_excluding_tax, amount_due,
          amount_paid, amount_remaining, finalized_at, paid_at, partner_id, margin_pct, created_at)
        select t.id, 'in_journey_' || n, 'ACME-' || n, 'paid', 'gbp', 40000, 40000, 40000, 40000, 40000, 0, now() - interval '40 days',
          now() - interval '40 days', t.partner_id, 20, now() - interval '40 days'
        from tenants t, generate_series(1, 2) n where t.slug = 'acme'
        returning id, tenant_id, partner_id, stripe_invoice_id)
      insert into partner_ledger (partner_id, currency, type, amount, base_amount, margin_pct, tenant_id, invoice_id, source_type, source_id, available_at)
      select partner_id, 'gbp', 'accrual', 8000, 40000, 20, tenant_id, id, 'invoice', stripe_invoice_id, now() - interval '1 second' from paid
      union all
      select partner_id, 'gbp', 'clawback', -583, null, null, tenant_id, id, 'refund', 're_journey', now() from paid where stripe_invoice_id = 'in_journey_1'`,
  )
}

describe('a partner and an operator', () => {
  it('see to it that what was earned is paid: agreed, asked for, approved, sent, paid, and told in a statement', async () => {
    await earn()
    await using partner = await visit(browser)
    await using operator = await visit(browser)
    const { page: pia } = partner
    const { page: olive } = operator
    await signIn(pia, 'portal', 'Pia Partner')
    await signIn(olive, 'operator', 'Olive Operator')

    await pia.goto(`${inject('workplace').portal}/partner/billing`)
    const balance = pia.getByRole('region', { name: 'Balance in GBP' })
    await balance.getByText('£154.17').first().waitFor()
    await pia.getByRole('button', { name: 'Agree to self-billing' }).click()
    await pia.getByRole('dialog').getByRole('button', { name: 'Agree' }).click()
    await pia.getByText('Payouts can be made now.').waitFor()
    await balance.getByRole('button', { name: 'Request payout' }).click()
    await pia.getByRole('dialog').getByRole('button', { name: 'Request payout' }).click()
    await pia.getByText('A payout of £154.17 is being checked.').waitFor()
    await balance.getByRole('link', { name: '£154.17' }).click()
    await pia
      .getByRole('dialog', { name: 'Payout of £154.17' })
      .getByText('ACME-1')
      .first()
      .waitFor()

    await olive.goto(`${inject('workplace').operator}/payouts?status=draft&partnerSlug=north`)
    await olive
      .getByRole('row', { name: /£154\.17/ })
      .getByRole('link')
      .click()
    await olive.getByRole('heading', { name: '£154.17 to North Cloud Services' }).waitFor()
    await olive.getByRole('button', { name: 'Approve' }).click()
    await olive.getByRole('dialog').getByRole('button', { name: 'Approve payout' }).click()
    await olive.getByRole('button', { name: 'Mark as sent' }).click()
    await olive.getByRole('dialog').getByRole('button', { name: 'Mark as sent' }).click()
    await olive.getByRole('button', { name: 'Mark as paid' }).click()
    await olive.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click()
    await olive.getByText('This must not be empty.').waitFor()
    await olive.getByRole('textbox', { name: 'Reference' }).fill('SEPA 4711')
    await olive.getByRole('dialog').getByRole('button', { name: 'Mark as paid' }).click()
    await olive.getByText('The payout is paid, statement SB-NORTH-0001.').waitFor()

    await pia.goto(`${inject('workplace').portal}/partner/payouts`)
    await pia.getByRole('link', { name: 'SB-NORTH-0001' }).click()
    const drawer = pia.getByRole('dialog', { name: 'Payout of £154.17' })
    await drawer.getByText('SEPA 4711').waitFor()
    const download = pia.waitForEvent('download')
    await drawer.getByRole('link', { name: 'Statement as CSV' }).click()
    expect((await download).suggestedFilename()).toBe('sb-north-0001.csv')
    expect([...partner.complaints, ...operator.complaints]).toEqual([])
  })

  it.each(screens)('have pages that hold on %s, light and dark', async (_, screen) => {
    await using partner = await visit(browser, { screen })
    await using operator = await visit(browser, { screen })
    await signIn(partner.page, 'portal', 'Pia Partner')
    for (const path of ['/partner/billing', '/partner/payouts'])
      await expectGoodPage(screen, partner.page, inject('workplace').portal + path)
    await signIn(operator.page, 'operator', 'Olive Operator')
    await expectGoodPage(screen, operator.page, `${inject('workplace').operator}/payouts`)
    const payout = await operator.page
      .getByRole('link', { name: 'North Cloud Services' })
      .first()
      .getAttribute('href')
    await expectGoodPage(screen, operator.page, `${inject('workplace').operator}${payout}`)
    await expectGoodPage(
      screen,
      operator.page,
      `${inject('workplace').operator}/payouts?tab=adjustments`,
    )
  })
})

describe('an operator', () => {
  it('enters a large adjustment, which waits for somebody else', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(`${inject('workplace').operator}/payouts?tab=adjustments`)
    await page.getByRole('button', { name: 'Adjust a ledger' }).click()
    const dialog = page.getByRole('dialog', { name: 'Adjust a ledger' })
    await dialog.getByRole('button', { name: 'Enter adjustment' }).click()
    await dialog.getByText('This is not a slug.').waitFor()
    await dialog.getByRole('textbox', { name: 'Partner' }).fill('north')
    await dialog.getByRole('textbox', { name: 'Currency' }).fill('CHF')
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('1200.50')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Bonus for the year, as agreed')
    await dialog.getByRole('button', { name: 'Enter adjustment' }).click()
    await page.getByText('is waiting for a second operator.').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByText('You cannot approve an adjustment that you entered.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('cell', { name: 'Rejected' }).waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it('reads why a tenant is as healthy as it is', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(`${inject('workplace').operator}/tenants/acme`)
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('Use of seats').waitFor()
    await health.getByText('Not known, and not counted').waitFor()
    expect(visitor.complaints).toEqual([])
  })
})
