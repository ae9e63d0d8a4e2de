import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TaxLocationInvalid } from '../src/payments/declined.ts'
import type { SubscriptionTax } from '../src/payments/port.ts'
import { stripe } from '../src/payments/stripe.ts'
import {
  business,
  germany,
  openPayments,
  type PaymentsUnderTest,
  works,
} from './payments-sandbox.ts'

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
      automaticTax: { enabled: false, status: null, disabledReason: null },
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

const automatic = { mode: 'automatic' } as const
const inCountry = (country: string) => ({ ...germany, country })

/** A subscription of three seats at 8 euros, taxed automatically, and its first invoice. */
async function taxedSale(country: string, vatNumber?: string) {
  const { payments, sandbox, write } = world
  sandbox.payments.act({ action: 'set_tax', percent: 0 })
  const customer = { tenantId: 't', tenantSlug: 'acme', name: 'Acme', email: null }
  const address = inCountry(country)
  const { id } = await payments.createCustomer({ ...customer, address }, write())
  sandbox.payments.act({ action: 'attach_card', customer: id, card: works })
  if (vatNumber !== undefined) await payments.addTaxId(id, vatNumber, write())
  const terms = { priceId: business, seats: 3, tax: automatic }
  const taxIds = vatNumber === undefined ? [] : [{ type: 'eu_vat', value: vatNumber }]
  const preview = await payments.previewSubscription({
    ...terms,
    currency: 'eur',
    trialEnd: null,
    customer: { address, taxExempt: 'none', taxIds },
  })
  const { subscription } = await payments.createSubscription(
    { ...terms, customerId: id, tenantId: 't', plan: 'business', trialDays: 0 },
    write(),
  )
  const invoice = await payments.findInvoice(subscription.latestInvoiceId ?? '')
  return { customerId: id, subscription, preview, invoice }
}

describe('computed tax', () => {
  it.each([
    ['at home', 'DE', undefined, 19, 456, 'standard_rated'],
    ['for a business at home', 'DE', 'DE136695976', 19, 456, 'standard_rated'],
    ['for a consumer in France', 'FR', undefined, 20, 480, 'standard_rated'],
    ['for a business in France', 'FR', 'FR40303265045', 0, 0, 'reverse_charge'],
    ['for a buyer in Finland, with a fraction', 'FI', undefined, 25.5, 612, 'standard_rated'],
    ['outside the Union', 'CH', undefined, 0, 0, 'not_collecting'],
  ] as const)(
    '%s is charged as it was previewed',
    async (_, country, number, percent, amount, reason) => {
      const { preview, invoice, subscription } = await taxedSale(country, number)
      const taxes = [{ amount, taxableAmount: 2_400, reason, rate: { percent, country } }]
      const amounts = { tax: amount, total: 2_400 + amount, totalExcludingTax: 2_400, taxes }
      expect(preview).toMatchObject({ first: amounts, recurring: amounts })
      expect(invoice).toMatchObject({
        ...amounts,
        automaticTax: { enabled: true, status: 'complete' },
      })
      expect(subscription.tax).toEqual({ automatic: true, rateIds: [] })
    },
  )

  it('needs an address, before anything is made', async () => {
    const { payments, write, customer } = world
    const customerId = await customer(works)
    await payments.updateCustomer(customerId, { address: null }, write())
    const terms = { priceId: business, seats: 1, tax: automatic }
    await expect(
      payments.createSubscription(
        { ...terms, customerId, tenantId: 't', plan: 'business', trialDays: 0 },
        write(),
      ),
    ).rejects.toBeInstanceOf(TaxLocationInvalid)
    await expect(
      payments.previewSubscription({
        ...terms,
        currency: 'eur',
        trialEnd: null,
        customer: { address: null, taxExempt: 'none', taxIds: [] },
      }),
    ).rejects.toBeInstanceOf(TaxLocationInvalid)
    expect(await payments.listSubscriptions(customerId)).toEqual([])
  })

  it.each([
    ['no postal code', { country: 'US', postalCode: null }],
    ['a malformed ZIP code', { country: 'US', postalCode: '1234' }],
    ['a ZIP code that does not exist', { country: 'US', postalCode: '00000' }],
    ['neither postal code nor province', { country: 'CA', postalCode: null, state: null }],
  ])('is not computed for an address with %s', async (_, part) => {
    const { payments, write } = world
    const address = { ...germany, ...part }
    const preview = payments.previewSubscription({
      priceId: business,
      seats: 1,
      tax: automatic,
      currency: 'eur',
      trialEnd: null,
      customer: { address, taxExempt: 'none', taxIds: [] },
    })
    await expect(preview).rejects.toBeInstanceOf(TaxLocationInvalid)
    const { customerId } = await taxedSale('DE')
    const moved = payments.updateCustomer(customerId, { address }, write())
    await expect(moved).rejects.toBeInstanceOf(TaxLocationInvalid)
  })

  it('follows the customer to another country at the next renewal', async () => {
    const { payments, sandbox, write } = world
    const { customerId } = await taxedSale('DE')
    await payments.updateCustomer(customerId, { address: inCountry('FR') }, write())
    sandbox.payments.setNow(new Date(sandbox.payments.now().getTime() + 32 * 86_400_000))
    const [renewal] = await payments.listInvoices(customerId)
    expect(renewal).toMatchObject({
      billingReason: 'subscription_cycle',
      customer: { address: { country: 'FR' } },
      taxes: [{ amount: 480, rate: { percent: 20, country: 'FR' } }],
    })
  })

  it('stays on through a scheduled change', async () => {
    const { payments, sandbox, write } = world
    const { customerId, subscription } = await taxedSale('FR')
    const { id: subscriptionId } = subscription
    await payments.scheduleChange(
      {
        subscriptionId,
        priceId: business,
        plan: 'business',
        seats: 2,
        cycle: 'month',
        cycleChanges: false,
        tax: { mode: 'none' },
        nextTax: { mode: 'none' },
      },
      write(),
    )
    sandbox.payments.setNow(new Date(sandbox.payments.now().getTime() + 32 * 86_400_000))
    const [renewal] = await payments.listInvoices(customerId)
    expect(renewal).toMatchObject({ totalExcludingTax: 1_600, tax: 320 })
  })

  it('is part of an inclusive price', async () => {
    const { payments, write, customer } = world
    const price = await payments.createPrice(
      {
        plan: 'inclusive',
        cycle: 'month',
        currency: 'eur',
        scheme: 'per_seat',
        unitAmount: 1_000,
        tiers: null,
        priceId: 'p_inclusive',
        version: 1,
        taxBehavior: 'inclusive',
      },
      write(),
    )
    const { subscription } = await payments.createSubscription(
      {
        customerId: await customer(works),
        tenantId: 't',
        plan: 'inclusive',
        priceId: price.id,
        seats: 1,
        trialDays: 0,
        tax: automatic,
      },
      write(),
    )
    expect(await payments.findInvoice(subscription.latestInvoiceId ?? '')).toMatchObject({
      total: 1_000,
      tax: 160,
      totalExcludingTax: 840,
      taxes: [{ behavior: 'inclusive', taxableAmount: 840 }],
    })
  })
})

describe('rates of our own', () => {
  const german = {
    country: 'DE',
    percent: 19,
    behavior: 'exclusive',
    reason: 'standard_rated',
  } as const

  it('are made once, and say why they were applied', async () => {
    const { payments, write, customer } = world
    const rateId = await payments.ensureTaxRate(german)
    expect(await payments.ensureTaxRate(german)).toBe(rateId)
    const other = stripe({
      secretKey: demoServiceCredentials.stripeSecretKey,
      apiUrl: world.sandbox.paymentsUrl,
    })
    expect(await other.ensureTaxRate(german)).toBe(rateId)
    expect(await payments.ensureTaxRate({ ...german, percent: 7 })).not.toBe(rateId)
    const { subscription } = await payments.createSubscription(
      {
        customerId: await customer(works),
        tenantId: 't',
        plan: 'business',
        priceId: business,
        seats: 3,
        trialDays: 0,
        tax: { mode: 'rates', rateIds: [rateId] },
      },
      write(),
    )
    expect(subscription.tax).toEqual({ automatic: false, rateIds: [rateId] })
    expect(await payments.findInvoice(subscription.latestInvoiceId ?? '')).toMatchObject({
      taxes: [{ amount: 456, reason: 'standard_rated', rate: { percent: 19, country: 'DE' } }],
    })
  })

  it('give way to computed tax and come back, also beside a schedule', async () => {
    const { payments, write, subscribed } = world
    const { subscription } = await subscribed(2)
    const { id: subscriptionId } = subscription
    const rateId = await payments.ensureTaxRate(german)
    const set = (tax: SubscriptionTax) =>
      payments.setSubscriptionTax({ subscriptionId, tax, nextTax: tax }, write())
    expect((await set(automatic)).tax).toEqual({ automatic: true, rateIds: [] })
    const rates = { mode: 'rates', rateIds: [rateId] } as const
    expect((await set(rates)).tax).toEqual({ automatic: false, rateIds: [rateId] })
    await payments.scheduleChange(
      {
        subscriptionId,
        priceId: business,
        plan: 'business',
        seats: 1,
        cycle: 'month',
        cycleChanges: false,
        tax: rates,
        nextTax: rates,
      },
      write(),
    )
    const scheduled = await set(automatic)
    expect(scheduled).toMatchObject({
      tax: { automatic: true, rateIds: [] },
      scheduled: { seats: 1 },
    })
  })

  it('charge nothing where the buyer owes the tax', async () => {
    const { payments, write, customer } = world
    const customerId = await customer(works)
    await payments.updateCustomer(customerId, { taxExempt: 'reverse' }, write())
    const rateId = await payments.ensureTaxRate(german)
    const { subscription } = await payments.createSubscription(
      {
        customerId,
        tenantId: 't',
        plan: 'business',
        priceId: business,
        seats: 3,
        trialDays: 0,
        tax: { mode: 'rates', rateIds: [rateId] },
      },
      write(),
    )
    expect(await payments.findInvoice(subscription.latestInvoiceId ?? '')).toMatchObject({
      total: 2_400,
      tax: 0,
      customer: { taxExempt: 'reverse' },
      taxes: [{ amount: 0, reason: 'reverse_charge' }],
    })
  })
})
