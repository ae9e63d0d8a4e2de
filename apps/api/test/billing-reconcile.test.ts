import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { describe, expect, it } from 'vitest'
import { reconcileBilling } from '../src/billing/invoices/reconcile.ts'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import { type Billing, billingOf } from './billing-test-app.ts'

async function subscribed(): Promise<{ testApp: TestApp; billing: Billing } & AsyncDisposable> {
  const testApp = await startTestApp({ provisioned: false })
  const billing = billingOf(testApp)
  await billing.setCard('acme', 'pm_card_visa')
  await billing.subscribe('acme')
  await billing.settle()
  return { testApp, billing, [Symbol.asyncDispose]: () => testApp[Symbol.asyncDispose]() }
}

const overview = async ({ billing }: { billing: Billing }) =>
  (await billing.as('operator@atrium.test').get('/billing/overview')).body

describe('the nightly comparison with the payment processor', () => {
  it('finds nothing where every event came', async () => {
    await using own = await subscribed()
    await reconcileBilling(own.testApp.app.services)
    expect(await overview(own)).toMatchObject({
      reconciliation: { tenants: 1, differences: 0, failed: 0, error: null },
      differences: [],
    })
    expect(await own.testApp.auditActions()).not.toContain('billing.reconciled')
  })

  it('finds and repairs what events that never came would have changed', async () => {
    await using own = await subscribed()
    const { payments } = own.testApp.sandbox
    payments.setNow(new Date(payments.now().getTime() + 33 * 86_400_000))
    expect(own.testApp.webhooks.pending().length).toBeGreaterThan(0)
    await reconcileBilling(own.testApp.app.services)
    const found = await overview(own)
    expect(found.reconciliation).toMatchObject({
      tenants: 1,
      differences: 2,
      repaired: 2,
      failed: 0,
    })
    expect(found.differences).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          tenantSlug: 'acme',
          objectType: 'invoice',
          kind: 'missing_here',
          repaired: true,
        }),
        expect.objectContaining({
          objectType: 'subscription',
          kind: 'differs',
          fields: { currentPeriodEnd: [expect.any(String), expect.any(String)] },
        }),
      ]),
    )
    expect(
      (await own.billing.as('owner@acme.test').get('/tenants/acme/invoices')).body.items,
    ).toHaveLength(2)
    expect(await own.testApp.auditActions()).toContain('billing.reconciled')
    await reconcileBilling(own.testApp.app.services)
    expect((await overview(own)).reconciliation.differences).toBe(0)
  })

  it('tells a subscription that the processor does not have, and leaves it', async () => {
    await using own = await subscribed()
    await own.testApp.database.db
      .updateTable('subscriptions')
      .set({ stripe_subscription_id: 'sub_nowhere' })
      .where('source', '=', 'stripe')
      .execute()
    await own.testApp.database.db
      .updateTable('subscriptions')
      .set({ status: 'active' })
      .where('stripe_subscription_id', '=', 'sub_nowhere')
      .execute()
    await reconcileBilling(own.testApp.app.services)
    const { differences, reconciliation } = await overview(own)
    expect(differences).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          objectId: 'sub_nowhere',
          kind: 'missing_there',
          repaired: false,
        }),
      ]),
    )
    expect(reconciliation.finishedAt).not.toBeNull()
  })

  it('says that it failed where the processor does not answer, and changes nothing', async () => {
    await using own = await subscribed()
    own.testApp.sandbox.fault({ system: 'payments', mode: 'error', status: 500 })
    await reconcileBilling(own.testApp.app.services)
    const { reconciliation } = await overview(own)
    expect(reconciliation).toMatchObject({ tenants: 0, failed: 1, differences: 0 })
    expect(
      (await own.billing.as('owner@acme.test').get('/tenants/acme/billing')).body.subscription
        .status,
    ).toBe('active')
  })
})

const lastInvoice = async ({ testApp }: { testApp: TestApp }) =>
  testApp.database.db
    .selectFrom('invoices')
    .select([
      'stripe_invoice_id as id',
      'refunded_amount as refunded',
      'disputed_amount as disputed',
      'credited_amount as credited',
    ])
    .executeTakeFirstOrThrow()
const idOf = (object: object) => String(Reflect.get(object, 'id'))

describe('events that are lost for good', () => {
  const reversals = ({ testApp }: { testApp: TestApp }) =>
    testApp.database.db
      .selectFrom('invoice_reversals')
      .select(['id', 'kind', 'amount', 'status', 'effective'])
      .orderBy('kind', 'desc')
      .execute()

  it.each([
    { kind: 'refund', column: 'refunded' },
    { kind: 'credit_note', column: 'credited' },
    { kind: 'dispute', column: 'disputed' },
  ] as const)('a $kind is in the books after the nightly run', async ({ kind, column }) => {
    await using own = await subscribed()
    const { payments } = own.testApp.sandbox
    const { id: invoice } = await lastInvoice(own)
    payments.webhooks.lose()
    const id = idOf(payments.act({ action: kind, invoice, amount: 500 }))
    payments.webhooks.keep()
    await own.billing.settle()
    expect(await reversals(own)).toEqual([])
    await reconcileBilling(own.testApp.app.services)
    expect(await reversals(own)).toEqual([
      expect.objectContaining({ id, kind, amount: 500, effective: kind !== 'credit_note' }),
    ])
    expect((await lastInvoice(own))[column]).toBe(500)
    const { reconciliation } = await overview(own)
    expect(reconciliation.lostEvents).toBeGreaterThan(0)
    expect(reconciliation.error).toBeNull()
    expect(await own.testApp.auditActions()).toContain('billing.reconciled')
  })

  it('the receipt of a payment is mailed once after the nightly run', async () => {
    await using own = await subscribed()
    const { payments } = own.testApp.sandbox
    const receipts = () =>
      own.testApp.database.db
        .selectFrom('outbox')
        .select('key')
        .where('template', '=', 'invoice.paid')
        .execute()
    payments.webhooks.lose()
    payments.setNow(new Date(payments.now().getTime() + 33 * 86_400_000))
    payments.webhooks.keep()
    await own.billing.settle()
    const before = await receipts()
    await reconcileBilling(own.testApp.app.services)
    expect(await receipts()).toHaveLength(before.length + 1)
    await reconcileBilling(own.testApp.app.services)
    expect(await receipts()).toHaveLength(before.length + 1)
  })

  it('a refund that failed and a dispute that was won count no longer', async () => {
    await using own = await subscribed()
    const { payments } = own.testApp.sandbox
    const { id: invoice } = await lastInvoice(own)
    const refund = idOf(payments.act({ action: 'refund', invoice, amount: 500, status: 'pending' }))
    const dispute = idOf(payments.act({ action: 'dispute', invoice, amount: 600 }))
    await own.billing.settle()
    payments.webhooks.lose()
    payments.act({ action: 'settle_refund', refund, status: 'failed' })
    payments.act({ action: 'close_dispute', dispute, outcome: 'won' })
    payments.webhooks.keep()
    await reconcileBilling(own.testApp.app.services)
    expect(await reversals(own)).toEqual([
      expect.objectContaining({ id: refund, status: 'failed', effective: false }),
      expect.objectContaining({ id: dispute, status: 'won', effective: false }),
    ])
  })

  it('are read once: the next night finds none, and a late webhook changes nothing', async () => {
    await using own = await subscribed()
    const { payments } = own.testApp.sandbox
    const { id: invoice } = await lastInvoice(own)
    payments.webhooks.lose()
    payments.act({ action: 'refund', invoice, amount: 500 })
    payments.webhooks.keep()
    await reconcileBilling(own.testApp.app.services)
    const before = await reversals(own)
    await reconcileBilling(own.testApp.app.services)
    expect((await overview(own)).reconciliation).toMatchObject({ lostEvents: 0, differences: 0 })
    const late = payments.events().filter(({ type }) => type === 'refund.created')
    expect(await own.testApp.webhooks.deliver(late.map(({ id }) => id))).toEqual([200])
    await drainWebhooks(own.testApp.app.services)
    expect(await reversals(own)).toEqual(before)
  })

  it('are read the night after one in which the list of events did not come', async () => {
    await using own = await subscribed()
    const { payments } = own.testApp.sandbox
    const { id: invoice } = await lastInvoice(own)
    payments.webhooks.lose()
    payments.act({ action: 'refund', invoice, amount: 500 })
    payments.webhooks.keep()
    own.testApp.sandbox.fault({
      system: 'payments',
      mode: 'error',
      status: 500,
      match: 'GET /v1/events',
    })
    await reconcileBilling(own.testApp.app.services)
    expect((await overview(own)).reconciliation).toMatchObject({
      lostEvents: 0,
      error: expect.stringContaining('listEvents'),
    })
    expect(await reversals(own)).toEqual([])
    own.testApp.sandbox.clearFaults()
    await reconcileBilling(own.testApp.app.services)
    expect(await reversals(own)).toHaveLength(1)
  })
})

describe('the overview', () => {
  it('shows recurring revenue, what is owed and by whom, and how the inbox is doing', async () => {
    await using own = await subscribed()
    const { db } = own.testApp.database
    const before = await overview(own)
    expect(before).toMatchObject({
      paymentsEnabled: true,
      configured: true,
      webhooksConfigured: true,
      pastDue: [],
      inbox: {
        waiting: 0,
        parked: 0,
        oldestWaitingSeconds: null,
        medianSeconds: expect.any(Number),
      },
    })
    const eur = before.currencies.find(({ currency }: { currency: string }) => currency === 'eur')
    expect(eur).toMatchObject({ paidLast30DaysMinor: 2_000, openInvoices: 0, overdueMinor: 0 })
    const { sum } = await db
      .selectFrom('subscription_history')
      .select((row) => row.fn.sum<string>('arr').as('sum'))
      .where('valid_to', 'is', null)
      .where('currency', '=', 'eur')
      .executeTakeFirstOrThrow()
    expect(eur.mrrMinor).toBe(Math.round(Number(sum) / 12))
    await db
      .updateTable('subscriptions')
      .set({ status: 'past_due', past_due_since: new Date(Date.now() - 29 * 86_400_000) })
      .where('source', '=', 'stripe')
      .execute()
    await db
      .updateTable('invoices')
      .set({
        status: 'open',
        amount_paid: 0,
        amount_remaining: 2_000,
        attempt_count: 2,
        paid_at: null,
      })
      .execute()
    const { pastDue, currencies } = await overview(own)
    expect(pastDue).toEqual([
      expect.objectContaining({
        slug: 'acme',
        status: 'past_due',
        amountMinor: 2_000,
        state: 'limited',
        suspensionSuggested: true,
      }),
    ])
    expect(
      currencies.find(({ currency }: { currency: string }) => currency === 'eur'),
    ).toMatchObject({
      atRiskMrrMinor: 2_000,
      openInvoices: 1,
      overdueInvoices: 1,
      overdueMinor: 2_000,
      failedPaymentsLast30Days: 1,
      paidLast30DaysMinor: 0,
    })
  })

  it('shows what was given back beside what was paid', async () => {
    await using own = await subscribed()
    const { payments } = own.testApp.sandbox
    const { id: invoice } = await lastInvoice(own)
    payments.act({ action: 'refund', invoice, amount: 500 })
    const refund = idOf(payments.act({ action: 'refund', invoice, amount: 300, status: 'pending' }))
    payments.act({ action: 'settle_refund', refund, status: 'failed' })
    await own.billing.settle()
    expect((await overview(own)).currencies).toContainEqual(
      expect.objectContaining({
        currency: 'eur',
        paidLast30DaysMinor: 2_000,
        returnedLast30DaysMinor: 500,
      }),
    )
  })
})
