import { sellerEnvironment } from '@atrium/testing/payments/billing-documents'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { reconcileBilling } from '../src/billing/invoices/reconcile.ts'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { day } from './subscriptions-test-app.ts'

/** Of a seat and month. Kuwaiti dinars have three decimals, yen none. */
const unitAmounts = { eur: 1_000, usd: 1_100, jpy: 1_234, kwd: 5_550 }
type Currency = keyof typeof unitAmounts
const currencies = ['eur', 'jpy', 'kwd'] as const

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']
beforeAll(async () => {
  world = await openPaidSubscriptions({ env: { ...sellerEnvironment } })
  testApp = world.testApp
  const amounts = Object.entries(unitAmounts).map(([currency, unitAmount]) => ({
    currency,
    unitAmount,
  }))
  const price = { plan: 'starter', cycle: 'month', state: 'active', amounts }
  const { status, body } = await testApp.request('POST', '/prices', {
    token: world.operator,
    body: price,
  })
  expect(status, JSON.stringify(body)).toBe(201)
}, 60_000)
afterEach(() => testApp.sandbox.clearFaults())
afterAll(() => world[Symbol.asyncDispose]())

async function deliver(): Promise<void> {
  for (let round = 0; round < 20 && testApp.webhooks.pending().length > 0; round++) {
    await testApp.webhooks.deliver()
    await drainWebhooks(testApp.app.services)
  }
}

const read = async (slug: string, path: string) =>
  (await testApp.request('GET', `/tenants/${slug}${path}`, { token: world.operator })).body
const creditsOf = async (slug: string) => (await read(slug, '/billing')).credits
const act = (action: Parameters<typeof testApp.sandbox.payments.act>[0]) =>
  testApp.sandbox.payments.act(action)

/** Three seats, paid for the first month, with a credit of `credit` from it. */
async function withCredit(credit: number, currency: Currency = 'eur') {
  const tenant = await world.newTenant('pm_card_visa')
  const terms = { plan: 'starter', cycle: 'month', currency, seats: 3 }
  const started = await world.call(tenant.slug, '', terms)
  expect(started.status, JSON.stringify(started.body)).toBe(201)
  const [invoice] = await world.processor().listInvoices(tenant.customerId)
  if (credit > 0) act({ action: 'credit_note', invoice: invoice?.id ?? '', amount: credit })
  await deliver()
  const end = Date.parse(started.body.subscription.currentPeriodEnd)
  return { ...tenant, end }
}

async function endNow(slug: string) {
  const [{ id }] = await world.rows(slug)
  const path = `/subscriptions/${id}?when=now`
  const ended = await testApp.request('DELETE', path, { token: world.operator })
  expect(ended.status, JSON.stringify(ended.body)).toBeLessThan(300)
}

describe('the credit of a customer', () => {
  it('is shown with and without a next invoice, and while the processor does not respond', async () => {
    const { slug } = await withCredit(0)
    expect(await creditsOf(slug)).toEqual([])
    const [invoice] = (await read(slug, '/invoices')).items
    const { stripeInvoiceId } = await testApp.database.db
      .selectFrom('invoices')
      .select('stripe_invoice_id as stripeInvoiceId')
      .where('id', '=', invoice.id)
      .executeTakeFirstOrThrow()
    act({ action: 'credit_note', invoice: stripeInvoiceId, amount: 700 })
    await deliver()
    expect(await creditsOf(slug)).toEqual([{ currency: 'eur', amountMinor: 700 }])
    await endNow(slug)
    await deliver()
    expect(await read(slug, '/billing/next-invoice')).toBeNull()
    expect(await creditsOf(slug)).toEqual([{ currency: 'eur', amountMinor: 700 }])
    world.fault({ mode: 'error', status: 503, times: 100 })
    expect(await creditsOf(slug)).toEqual([{ currency: 'eur', amountMinor: 700 }])
  })
})

describe('an invoice', () => {
  it.each(currencies)('in %s says what the credit paid and what was charged', async (currency) => {
    const total = 3 * unitAmounts[currency]
    const { slug, end } = await withCredit(1_000, currency)
    testApp.sandbox.payments.setNow(new Date(end + 3 * 3_600_000))
    await deliver()
    const [renewal, first] = (await read(slug, '/invoices')).items
    expect(first).toMatchObject({ totalMinor: total, balanceAppliedMinor: 0 })
    expect(renewal).toMatchObject({
      currency,
      status: 'paid',
      totalMinor: total,
      balanceAppliedMinor: 1_000,
      amountDueMinor: total - 1_000,
      amountPaidMinor: total - 1_000,
      amountRemainingMinor: 0,
    })
    expect(await creditsOf(slug)).toEqual([])
  })

  it('that is open says what is left to pay, and gives the credit back once it is void', async () => {
    const { slug, customerId, end } = await withCredit(1_000)
    act({ action: 'attach_card', customer: customerId, card: 'pm_card_chargeCustomerFail' })
    const now = Date.parse((await world.rows(slug))[0].currentPeriodEnd)
    testApp.sandbox.payments.setNow(new Date(Math.max(end, now) + 3 * 3_600_000))
    await deliver()
    const [open] = (await read(slug, '/invoices')).items
    expect(open).toMatchObject({
      status: 'overdue',
      totalMinor: 3_000,
      balanceAppliedMinor: 1_000,
      amountDueMinor: 2_000,
      amountRemainingMinor: 2_000,
    })
    expect(await creditsOf(slug)).toEqual([])
    const [invoice] = await world.processor().listInvoices(customerId)
    act({ action: 'void_invoice', invoice: invoice?.id ?? '' })
    await deliver()
    expect(await creditsOf(slug)).toEqual([{ currency: 'eur', amountMinor: 1_000 }])
  })

  it('below zero says what was added to the credit', async () => {
    const { slug } = await withCredit(0)
    // What was paid for the rest of the period becomes credit.
    await testApp.request('DELETE', `/tenants/${slug}`, { token: world.owner })
    await deliver()
    const [last] = (await read(slug, '/invoices')).items
    expect(last.totalMinor).toBeLessThan(-2_990)
    expect(last).toMatchObject({
      balanceAppliedMinor: last.totalMinor,
      amountDueMinor: 0,
      amountPaidMinor: 0,
    })
    expect(await creditsOf(slug)).toEqual([{ currency: 'eur', amountMinor: -last.totalMinor }])
  })

  it('from before is filled in by the nightly comparison', async () => {
    const { slug, end } = await withCredit(1_000)
    testApp.sandbox.payments.setNow(new Date(end + 3 * day))
    await deliver()
    const { db } = testApp.database
    const [{ id }] = (await read(slug, '/invoices')).items
    await db.updateTable('invoices').set({ balance_applied: null }).where('id', '=', id).execute()
    expect((await read(slug, '/invoices')).items[0].balanceAppliedMinor).toBe(0)
    await reconcileBilling(testApp.app.services)
    expect((await read(slug, '/invoices')).items[0].balanceAppliedMinor).toBe(1_000)
  })
})
