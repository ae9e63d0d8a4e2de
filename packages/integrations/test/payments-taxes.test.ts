import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPayments, type PaymentsUnderTest } from './payments-sandbox.ts'

let world: PaymentsUnderTest
beforeAll(async () => {
  world = await openPayments()
})
afterAll(() => world[Symbol.asyncDispose]())

const idOf = (object: object) => ('id' in object && typeof object.id === 'string' ? object.id : '')

describe('an invoice', () => {
  it('shows each tax with its rate, and the buyer as of its date', async () => {
    const { payments, sandbox, write, subscribed } = world
    sandbox.payments.act({ action: 'set_tax', percent: 19 })
    const { customerId, subscription } = await subscribed(3)
    await payments.updateCustomer(customerId, { name: 'Acme Engineering' }, write())
    const vat = {
      amount: 456,
      taxableAmount: 2_400,
      behavior: 'exclusive',
      reason: 'standard_rated',
      rate: { percent: 19, displayName: 'VAT' },
    }
    expect(await payments.findInvoice(subscription.latestInvoiceId ?? '')).toMatchObject({
      customer: {
        name: 'Acme',
        email: 'billing@acme.test',
        address: { country: 'DE' },
        taxIds: [],
        taxExempt: 'none',
      },
      subtotal: 2_400,
      tax: 456,
      total: 2_856,
      totalExcludingTax: 2_400,
      taxes: [vat],
      automaticTax: { enabled: false, status: null },
      balanceApplied: 0,
      effectiveAt: expect.any(Date),
      lines: [{ amount: 2_400, quantity: 3, unitAmount: '800', taxes: [vat] }],
    })
  })

  it('is paid from the balance, and says how much', async () => {
    const { payments, sandbox, write, subscribed } = world
    const { customerId, subscription } = await subscribed(3)
    const invoice = subscription.latestInvoiceId ?? ''
    sandbox.payments.act({ action: 'credit_note', invoice, amount: 500, to: 'balance' })
    await payments.changeSubscription(
      {
        subscriptionId: subscription.id,
        itemId: subscription.itemId,
        priceId: subscription.priceId,
        plan: 'business',
        seats: 9,
        prorationDate: sandbox.payments.now(),
        cycleChanges: false,
      },
      write(),
    )
    const [latest] = await payments.listInvoices(customerId)
    expect(latest).toMatchObject({ balanceApplied: 500 })
    expect(latest?.amountDue).toBe((latest?.total ?? 0) - 500)
  })
})

describe('a credit note', () => {
  it('has the lines and taxes that it takes back, and is listed with its invoice', async () => {
    const { payments, sandbox, subscribed } = world
    const { customerId, subscription } = await subscribed(3)
    const invoice = subscription.latestInvoiceId ?? ''
    const part = idOf(sandbox.payments.act({ action: 'credit_note', invoice, amount: 119 }))
    const tax = { amount: 19, taxableAmount: 100, reason: 'standard_rated', rate: { percent: 19 } }
    expect(await payments.findCreditNote(part)).toMatchObject({
      kind: 'credit_note',
      invoiceId: invoice,
      customerId,
      number: expect.stringMatching(/^SANDBOX-CN-/),
      reason: 'order_change',
      subtotal: 100,
      tax: 19,
      total: 119,
      totalExcludingTax: 100,
      prePaymentAmount: 0,
      postPaymentAmount: 119,
      outOfBandAmount: 0,
      refundIds: [],
      voidedAt: null,
      taxes: [tax],
      lines: [{ amount: 100, invoiceLineId: null, taxes: [tax] }],
    })
    const rest = idOf(
      sandbox.payments.act({ action: 'credit_note', invoice, amount: 2_737, to: 'card' }),
    )
    const notes = await payments.listCreditNotes(invoice)
    expect(notes.map(({ id }) => id)).toEqual([rest, part])
    expect(notes[0]?.refundIds).toHaveLength(1)
    expect(await payments.listCreditNotes('in_unknown')).toEqual([])
  })

  it('of a whole invoice repeats its lines', async () => {
    const { payments, sandbox, subscribed } = world
    const { subscription } = await subscribed(1)
    const invoice = subscription.latestInvoiceId ?? ''
    const note = idOf(sandbox.payments.act({ action: 'credit_note', invoice, amount: 952 }))
    const lines = (await payments.findInvoice(invoice))?.lines ?? []
    expect((await payments.findCreditNote(note))?.lines).toMatchObject(
      lines.map(({ id, amount, taxes }) => ({ invoiceLineId: id, amount, taxes })),
    )
  })
})
