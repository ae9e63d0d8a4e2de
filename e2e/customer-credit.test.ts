import type { Browser } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, control, makePaidWorkplace, tokenOf } from './paid-workplace.ts'
import { desktop, expectWellMadeOn, phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const slug = 'credit-journey'

/** Credits a part of the workplace's newest invoice to the balance of the customer. */
async function credit(operator: string, amount: number): Promise<void> {
  const { items } = await call(operator, 'GET', `/billing/invoices?tenantSlug=${slug}`)
  const { stripeInvoiceId } = await call(operator, 'GET', `/billing/invoices/${items[0].id}`)
  await control('/payments/actions', { action: 'credit_note', invoice: stripeInvoiceId, amount })
}

it('a credit shows what it is used for, an invoice what it paid, and it stays after the end', async () => {
  const owner = await makePaidWorkplace({
    slug,
    name: 'Credit Journey',
    plan: 'starter',
    seats: 10,
  })
  const operator = await tokenOf('operator@atrium.test', 'operator')
  const subscription = `/tenants/${slug}/subscription`
  await expect
    .poll(async () => (await call(owner, 'GET', `/tenants/${slug}/invoices`)).items.length)
    .toBe(1)
  await credit(operator, 1_000)
  const creditsAre = (amountMinor: number) =>
    expect
      .poll(async () => (await call(owner, 'GET', `/tenants/${slug}/billing`)).credits)
      .toEqual(amountMinor === 0 ? [] : [{ currency: 'eur', amountMinor }])
  await creditsAre(1_000)

  await using visitor = await visit(browser)
  const { page } = visitor
  await signIn(page, 'portal', 'Anna Owner')
  await page.goto(`${inject('workplace').portal}/t/${slug}/billing`)
  const due = page.getByRole('region', { name: 'Due and upcoming' })
  await due.getByText(/^Pays your invoices, starting with the one on /).waitFor()

  // Charged at once, and paid with the credit first.
  const { quote } = await call(owner, 'POST', `${subscription}/preview`, { seats: 20 })
  await call(owner, 'POST', `${subscription}/change`, { seats: 20, quote })
  await creditsAre(0)
  await page.reload()
  const invoices = page.getByRole('region', { name: 'Invoices' })
  await invoices.getByText('€10.00 from credit').waitFor()
  await invoices.getByText('€30.00 paid').waitFor()
  await due.getByText('Credit', { exact: true }).waitFor({ state: 'detached' })

  await credit(operator, 500)
  await creditsAre(500)
  const { items } = await call(operator, 'GET', `/subscriptions?tenantSlug=${slug}`)
  await fetch(`${inject('workplace').api}/subscriptions/${items[0].id}?when=now`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${operator}` },
  })
  for (const screen of [desktop, phone]) {
    await page.setViewportSize(screen)
    await page.reload()
    await due.getByText('Kept for your next invoice in EUR.').waitFor()
    await due.getByText(/^€5\.00/).waitFor()
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
  }
  expect(visitor.complaints).toEqual([])
})
