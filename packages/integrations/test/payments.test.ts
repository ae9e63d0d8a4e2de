import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PaymentDeclined } from '../src/payments/declined.ts'
import {
  business,
  confirmedEachTime,
  declinedLater,
  none,
  openPayments,
  type PaymentsUnderTest,
  start,
  works,
} from './payments-sandbox.ts'

let world: PaymentsUnderTest
beforeAll(async () => {
  world = await openPayments()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('a customer', () => {
  it('is made with what belongs to the tenant, found, changed and gone once deleted', async () => {
    const { payments, sandbox, write, customer } = world
    const id = await customer()
    expect(id).toMatch(/^cus_/)
    expect(await payments.findCustomer(id)).toEqual({
      id,
      email: 'billing@acme.test',
      defaultCard: null,
      credits: {},
    })
    await payments.updateCustomer(
      id,
      { name: 'Acme Engineering', email: null, address: null },
      write(),
    )
    expect(await payments.findCustomer(id)).toMatchObject({ email: null })
    sandbox.payments.act({ action: 'delete_customer', customer: id })
    expect(await payments.findCustomer(id)).toBeUndefined()
    expect(await payments.findCustomer('cus_unknown')).toBeUndefined()
  })

  it('has the credit that a credit note gave it', async () => {
    const { payments, sandbox, subscribed } = world
    const { customerId, subscription } = await subscribed(1)
    expect((await payments.findCustomer(customerId))?.credits).toEqual({})
    const invoice = subscription.latestInvoiceId ?? ''
    sandbox.payments.act({ action: 'credit_note', invoice, amount: 300 })
    expect((await payments.findCustomer(customerId))?.credits).toEqual({ eur: 300 })
  })

  it('takes a VAT number, whose check comes later', async () => {
    const { payments, sandbox, write, customer, eventTypes } = world
    const id = await customer()
    const made = await payments.addTaxId(id, 'DE136695976', write())
    expect(made).toMatchObject({ status: 'pending' })
    sandbox.payments.act({ action: 'verify_tax_id', taxId: made.id, status: 'verified' })
    expect(await payments.findTaxId(id, made.id)).toEqual({
      id: made.id,
      value: 'DE136695976',
      status: 'verified',
    })
    expect(eventTypes().filter((type) => type.startsWith('customer.tax_id'))).toEqual([
      'customer.tax_id.created',
      'customer.tax_id.updated',
    ])
    await payments.removeTaxId(id, made.id, write())
    expect(await payments.findTaxId(id, made.id)).toBeUndefined()
    await payments.removeTaxId(id, made.id, write())
    await expect(payments.addTaxId(id, 'GR123', write())).rejects.toMatchObject({
      kind: 'refused',
      note: expect.stringMatching(/VAT number/),
    })
  })

  it('gets a portal session for its billing', async () => {
    const { payments, write, customer } = world
    const { url } = await payments.createPortalSession(
      await customer(),
      'http://localhost/billing',
      write(),
    )
    const shown = await fetch(url)
    expect(await shown.text()).toContain('Billing of Acme')
  })
})

describe('a card', () => {
  it('is entered through a setup intent, made the default and detached', async () => {
    const { payments, sandbox, write, customer } = world
    const customerId = await customer()
    const intent = await payments.createSetupIntent(customerId, write())
    expect(intent.clientSecret).toMatch(new RegExp(`^${intent.id}_secret_`))
    expect(await payments.findSetupIntent(intent.id)).toMatchObject({
      customerId,
      status: 'requires_payment_method',
      paymentMethodId: null,
    })
    sandbox.payments.act({ action: 'confirm_setup', setupIntent: intent.id, card: works })
    const done = await payments.findSetupIntent(intent.id)
    expect(done).toMatchObject({ status: 'succeeded', metadata: { purpose: 'default_card' } })
    const paymentMethodId = done?.paymentMethodId ?? ''
    expect(await payments.findPaymentMethod(paymentMethodId)).toMatchObject({
      customerId,
      card: { brand: 'visa', last4: '4242' },
    })
    await payments.setDefaultPaymentMethod(
      { customerId, paymentMethodId, subscriptionId: null },
      write(),
    )
    expect(await payments.findCustomer(customerId)).toMatchObject({
      defaultCard: {
        paymentMethodId,
        brand: 'visa',
        displayBrand: 'visa',
        last4: '4242',
        funding: 'credit',
        country: 'US',
        wallet: null,
      },
    })
    await payments.detachPaymentMethod(paymentMethodId, write())
    expect(await payments.findCustomer(customerId)).toMatchObject({ defaultCard: null })
    expect(await payments.findPaymentMethod(paymentMethodId)).toMatchObject({ customerId: null })
  })

  it('of another customer is not made the default', async () => {
    const { payments, sandbox, write, customer } = world
    const other = await customer(works)
    const foreign = (await payments.findCustomer(other))?.defaultCard?.paymentMethodId ?? ''
    const customerId = await customer()
    await expect(
      payments.setDefaultPaymentMethod(
        { customerId, paymentMethodId: foreign, subscriptionId: null },
        write(),
      ),
    ).rejects.toMatchObject({
      kind: 'refused',
    })
    expect(
      sandbox.payments.act({ action: 'attach_card', customer: customerId, card: works }),
    ).toMatchObject({ object: 'payment_method' })
  })

  it('is one truth: the subscription loses its own when the customer gets a default', async () => {
    const { payments, write, subscribed } = world
    const { customerId, subscription } = await subscribed(2)
    const paymentMethodId =
      (await payments.findCustomer(customerId))?.defaultCard?.paymentMethodId ?? ''
    await payments.setDefaultPaymentMethod(
      { customerId, paymentMethodId, subscriptionId: subscription.id },
      write(),
    )
    expect(await payments.findSubscription(subscription.id)).toMatchObject({
      defaultPaymentMethodId: null,
    })
  })
})

describe('a new subscription', () => {
  it('is charged at once where there is a card', async () => {
    const { payments, subscribed, eventTypes } = world
    const before = eventTypes().length
    const { customerId, subscription } = await subscribed(10)
    expect(subscription).toMatchObject({
      customerId,
      status: 'active',
      priceId: business,
      currency: 'eur',
      cycle: 'month',
      perSeatAmount: 800,
      periodAmount: null,
      seats: 10,
      metadata: { tenantId: '0197-tenant', plan: 'business' },
      currentPeriodStart: start,
      currentPeriodEnd: new Date('2026-02-15T12:00:00Z'),
      cancelAtPeriodEnd: false,
      pendingUpdate: null,
    })
    const [invoice] = await payments.listInvoices(customerId)
    expect(invoice).toMatchObject({
      subscriptionId: subscription.id,
      status: 'paid',
      billingReason: 'subscription_create',
      subtotal: 8_000,
      tax: 0,
      total: 8_000,
      amountPaid: 8_000,
      amountRemaining: 0,
      paidAt: start,
      periodStart: start,
      periodEnd: new Date('2026-02-15T12:00:00Z'),
    })
    expect(eventTypes().slice(before)).toEqual([
      'customer.created',
      'payment_method.attached',
      'customer.updated',
      'invoice.created',
      'customer.subscription.created',
      'invoice.finalized',
      'invoice.paid',
      'invoice.payment_succeeded',
      'customer.subscription.updated',
    ])
  })

  it('waits for its first payment where there is none, and starts with it', async () => {
    const { payments, sandbox, write, customer } = world
    const customerId = await customer()
    const input = {
      customerId,
      tenantId: 't',
      plan: 'business',
      priceId: business,
      seats: 1,
      trialDays: 0,
      tax: none,
    }
    const { subscription, clientSecret } = await payments.createSubscription(input, write())
    expect(subscription.status).toBe('incomplete')
    expect(clientSecret).toMatch(/^pi_\w+_secret_/)
    const unpaid = await payments
      .payInvoice(subscription.latestInvoiceId ?? '', write())
      .catch((error: unknown) => error)
    expect(unpaid).toBeInstanceOf(PaymentDeclined)
    expect(unpaid).toMatchObject({
      code: 'no_payment_method',
      message: 'There is no card to charge. Add one first.',
    })
    await expect(payments.payInvoice('in_unknown', write())).rejects.toMatchObject({
      kind: 'not_found',
    })
    sandbox.payments.act({
      action: 'pay',
      invoice: subscription.latestInvoiceId ?? '',
      card: works,
    })
    expect(await payments.findSubscription(subscription.id)).toMatchObject({ status: 'active' })
  })

  it('is incomplete with a secret where the bank wants the payment confirmed', async () => {
    const { payments, write, customer } = world
    const input = {
      customerId: await customer(confirmedEachTime),
      tenantId: 't',
      plan: 'business',
      priceId: business,
      seats: 1,
      trialDays: 0,
      tax: none,
    }
    const { subscription, clientSecret } = await payments.createSubscription(input, write())
    expect(subscription.status).toBe('incomplete')
    expect(clientSecret).toMatch(/_secret_/)
    await expect(
      payments.payInvoice(subscription.latestInvoiceId ?? '', write()),
    ).rejects.toMatchObject({ needsConfirmation: true })
  })

  it('with a trial costs nothing yet', async () => {
    const { payments, write, customer } = world
    const input = {
      customerId: await customer(),
      tenantId: 't',
      plan: 'business',
      priceId: business,
      seats: 3,
      trialDays: 14,
      tax: none,
    }
    const { subscription, clientSecret } = await payments.createSubscription(input, write())
    expect(subscription).toMatchObject({
      status: 'trialing',
      trialStart: start,
      trialEnd: new Date('2026-01-29T12:00:00Z'),
    })
    expect(clientSecret).toBeNull()
  })

  it('is rejected in a second currency', async () => {
    const { payments, write, subscribed } = world
    const { customerId } = await subscribed(1)
    const input = {
      customerId,
      tenantId: 't',
      plan: 'business',
      priceId: 'price_demo_business_month_usd',
      seats: 1,
      trialDays: 0,
      tax: none,
    }
    await expect(payments.createSubscription(input, write())).rejects.toMatchObject({
      kind: 'refused',
      status: 400,
    })
  })
})

describe('a change', () => {
  const change = (subscription: { id: string; itemId: string }, seats: number) => ({
    subscriptionId: subscription.id,
    itemId: subscription.itemId,
    priceId: business,
    plan: 'business',
    seats,
    prorationDate: start,
    cycleChanges: false,
  })

  it('costs exactly what its preview said', async () => {
    const { payments, write, subscribed } = world
    const { customerId, subscription } = await subscribed(10)
    const preview = await payments.previewChange({
      customerId,
      ...change(subscription, 14),
      tax: none,
    })
    expect(preview).toMatchObject({
      currency: 'eur',
      prorationDate: start,
      total: 3_200,
      tax: 0,
      next: { total: 11_200 },
    })
    expect(preview.lines.map(({ amount, proration }) => [amount, proration])).toEqual([
      [-8_000, true],
      [11_200, true],
    ])
    const changed = await payments.changeSubscription(change(subscription, 14), write())
    expect(changed).toMatchObject({ seats: 14, status: 'active', pendingUpdate: null })
    const [invoice] = await payments.listInvoices(customerId)
    expect(invoice).toMatchObject({
      total: 3_200,
      billingReason: 'subscription_update',
      status: 'paid',
    })
  })

  it('waits until it is paid, and is carried out then', async () => {
    const { payments, sandbox, write, subscribed, eventTypes } = world
    const { customerId, subscription } = await subscribed(2)
    sandbox.payments.act({ action: 'attach_card', customer: customerId, card: declinedLater })
    const before = eventTypes().length
    const waiting = await payments.changeSubscription(change(subscription, 5), write())
    expect(waiting).toMatchObject({
      seats: 2,
      status: 'active',
      pendingUpdate: { seats: 5, priceId: business },
    })
    const open = waiting.latestInvoiceId ?? ''
    await expect(payments.payInvoice(open, write())).rejects.toBeInstanceOf(PaymentDeclined)
    sandbox.payments.act({ action: 'pay', invoice: open, card: works })
    expect(await payments.findSubscription(subscription.id)).toMatchObject({
      seats: 5,
      pendingUpdate: null,
    })
    expect(eventTypes().slice(before)).toContain('customer.subscription.pending_update_applied')
  })

  it('from month to year begins a new period and gives the unused rest back', async () => {
    const { payments, write, subscribed } = world
    const { customerId, subscription } = await subscribed(2)
    const input = {
      ...change(subscription, 2),
      priceId: 'price_demo_business_year_eur',
      cycleChanges: true,
    }
    expect(await payments.previewChange({ customerId, ...input, tax: none })).toMatchObject({
      total: 16_000 - 1_600,
      next: { total: 16_000 },
    })
    expect(await payments.changeSubscription(input, write())).toMatchObject({
      cycle: 'year',
      currentPeriodEnd: new Date('2027-01-15T12:00:00Z'),
    })
  })

  it('that is scheduled holds from the next period on, and can be released before', async () => {
    const { payments, write, subscribed, sandbox } = world
    const { customerId, subscription } = await subscribed(10)
    const { id: subscriptionId, currentPeriodEnd } = subscription
    const starter = 'price_demo_starter_month_eur'
    const terms = {
      subscriptionId,
      plan: 'starter',
      cycle: 'month',
      cycleChanges: false,
      tax: none,
      nextTax: none,
    } as const
    const request = { ...terms, priceId: starter, seats: 6 }
    const scheduled = await payments.scheduleChange(request, write())
    expect(scheduled).toMatchObject({
      seats: 10,
      priceId: business,
      scheduled: { priceId: starter, seats: 6, at: currentPeriodEnd },
    })
    const { scheduleId } = scheduled
    expect(await payments.previewNextInvoice({ subscriptionId, scheduleId })).toMatchObject({
      total: 6 * 400,
      creditApplied: 0,
      amountDue: 6 * 400,
    })
    await expect(
      payments.setCancelAtPeriodEnd(subscriptionId, true, null, write()),
    ).rejects.toMatchObject({ kind: 'refused' })
    expect(await payments.scheduleChange({ ...request, seats: 7 }, write())).toMatchObject({
      scheduleId,
      scheduled: { seats: 7 },
    })
    expect(await payments.releaseSchedule(subscriptionId, write())).toMatchObject({
      seats: 10,
      scheduleId: null,
      scheduled: null,
    })
    expect(await payments.releaseSchedule(subscriptionId, write())).toMatchObject({
      scheduleId: null,
    })
    expect(await payments.previewNextInvoice({ subscriptionId, scheduleId: null })).toMatchObject({
      total: 10 * 800,
    })
    await payments.setCancelAtPeriodEnd(subscriptionId, true, null, write())
    expect(await payments.previewNextInvoice({ subscriptionId, scheduleId: null })).toBeUndefined()
    expect(sandbox.payments.events().map(({ type }) => type)).toContain(
      'subscription_schedule.released',
    )
    expect(await payments.listInvoices(customerId)).toHaveLength(1)
  })

  it('from year to month that is scheduled begins months at the end of the year', async () => {
    const { payments, write, subscribed } = world
    const { subscription } = await subscribed(2)
    const yearly = await payments.changeSubscription(
      {
        ...change(subscription, 2),
        priceId: 'price_demo_business_year_eur',
        cycleChanges: true,
      },
      write(),
    )
    expect(
      await payments.scheduleChange(
        {
          subscriptionId: subscription.id,
          plan: 'business',
          priceId: business,
          seats: 2,
          cycle: 'month',
          cycleChanges: true,
          tax: none,
          nextTax: none,
        },
        write(),
      ),
    ).toMatchObject({
      cycle: 'year',
      scheduled: { priceId: business, seats: 2, at: yearly.currentPeriodEnd },
    })
  })

  it('without proration invoices nothing; with credit it waits for the next invoice', async () => {
    const { payments, write, subscribed } = world
    const { customerId, subscription } = await subscribed(10)
    const { itemId, id: subscriptionId } = subscription
    const item = { subscriptionId, itemId, priceId: business, plan: 'business' }
    expect(
      await payments.setSubscriptionItem({ ...item, seats: 8, prorates: false }, write()),
    ).toMatchObject({ seats: 8 })
    expect(
      await payments.setSubscriptionItem({ ...item, seats: 4, prorates: true }, write()),
    ).toMatchObject({ seats: 4 })
    expect(await payments.listInvoices(customerId)).toHaveLength(1)
  })

  it('to be cancelled is taken back, and cancelling now ends it, also a second time', async () => {
    const { payments, write, subscribed } = world
    const { subscription } = await subscribed(1)
    expect(
      await payments.setCancelAtPeriodEnd(subscription.id, true, 'too dear', write()),
    ).toMatchObject({
      cancelAtPeriodEnd: true,
      cancelAt: subscription.currentPeriodEnd,
      canceledAt: start,
      cancelReason: 'cancellation_requested',
      cancelComment: 'too dear',
    })
    expect(
      await payments.setCancelAtPeriodEnd(subscription.id, false, null, write()),
    ).toMatchObject({
      cancelAtPeriodEnd: false,
      cancelAt: null,
    })
    expect(await payments.cancelNow(subscription.id, false, write())).toMatchObject({
      status: 'canceled',
      endedAt: start,
    })
    expect(await payments.cancelNow(subscription.id, false, write())).toMatchObject({
      status: 'canceled',
      endedAt: start,
    })
    expect(
      (await payments.listSubscriptions(subscription.customerId)).map(({ status }) => status),
    ).toEqual(['canceled'])
    await expect(payments.cancelNow('sub_unknown', false, write())).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  it('ends at once with a credit for the unused time', async () => {
    const { payments, write, subscribed } = world
    const { subscription } = await subscribed(1)
    expect(await payments.cancelNow(subscription.id, true, write())).toMatchObject({
      status: 'canceled',
      endedAt: start,
    })
    const [last, first] = await payments.listInvoices(subscription.customerId)
    expect(last).toMatchObject({ status: 'paid', total: -Number(first?.total), amountDue: 0 })
  })
})

describe('a price', () => {
  it('takes the lookup key of the one before it and is archived', async () => {
    const { payments, sandbox, write } = world
    const input = {
      plan: 'business',
      cycle: 'month',
      currency: 'eur',
      scheme: 'per_seat',
      unitAmount: 900,
      tiers: null,
      priceId: 'p2',
      version: 2,
      taxBehavior: 'exclusive',
    } as const
    const { id } = await payments.createPrice(input, write())
    const holders = () => records().prices.filter((one) => one.lookupKey === 'business:month:eur')
    const records = () =>
      sandbox.state().payments.records as {
        prices: { id: string; lookupKey: string | null; active: boolean }[]
      }
    expect(holders().map((one) => one.id)).toEqual([id])
    await payments.archivePrice(id, write())
    expect(records().prices.find((one) => one.id === id)).toMatchObject({ active: false })
  })

  it.each([
    ['graduated', 13_200],
    ['volume', 11_200],
    ['flat', 5_000],
  ] as const)('by %s tiers tells what the whole period costs', async (scheme, periodAmount) => {
    const { payments, write, customer } = world
    const tiers =
      scheme === 'flat'
        ? null
        : [
            { upTo: 10, unitAmount: 1_000, flatAmount: 0 },
            { upTo: null, unitAmount: 800, flatAmount: 0 },
          ]
    const input = {
      plan: `new_${scheme}`,
      cycle: 'month',
      currency: 'eur',
      scheme,
      unitAmount: 5_000,
      tiers,
      priceId: scheme,
      version: 1,
      taxBehavior: 'exclusive',
    } as const
    const { id: priceId } = await payments.createPrice(input, write())
    const { subscription } = await payments.createSubscription(
      {
        customerId: await customer(works),
        tenantId: 't',
        plan: input.plan,
        priceId,
        seats: 14,
        trialDays: 0,
        tax: none,
      },
      write(),
    )
    expect(subscription).toMatchObject({ perSeatAmount: null, periodAmount })
    expect(await payments.findInvoice(subscription.latestInvoiceId ?? '')).toMatchObject({
      total: periodAmount,
    })
  })
})

describe('what takes money back', () => {
  it('names the invoice that it takes from', async () => {
    const { payments, sandbox, subscribed } = world
    const { subscription } = await subscribed(10)
    const invoice = subscription.latestInvoiceId ?? ''
    const idOf = (object: object) =>
      'id' in object && typeof object.id === 'string' ? object.id : ''

    const refund = idOf(
      sandbox.payments.act({ action: 'refund', invoice, amount: 1_000, status: 'pending' }),
    )
    expect(await payments.findRefund(refund)).toMatchObject({
      kind: 'refund',
      invoiceId: invoice,
      amount: 1_000,
      effective: false,
    })
    sandbox.payments.act({ action: 'settle_refund', refund, status: 'succeeded' })
    expect(await payments.findRefund(refund)).toMatchObject({
      status: 'succeeded',
      effective: true,
    })
    sandbox.payments.act({ action: 'settle_refund', refund, status: 'failed' })
    expect(await payments.findRefund(refund)).toMatchObject({ status: 'failed', effective: false })

    const balance = idOf(sandbox.payments.act({ action: 'credit_note', invoice, amount: 200 }))
    expect(await payments.findCreditNote(balance)).toMatchObject({ effective: false })
    const note = idOf(
      sandbox.payments.act({ action: 'credit_note', invoice, amount: 500, to: 'outside' }),
    )
    expect(await payments.findCreditNote(note)).toMatchObject({
      kind: 'credit_note',
      invoiceId: invoice,
      amount: 500,
      effective: true,
    })
    sandbox.payments.act({ action: 'void_credit_note', creditNote: note })
    expect(await payments.findCreditNote(note)).toMatchObject({ status: 'void', effective: false })
    const byCard = idOf(
      sandbox.payments.act({ action: 'credit_note', invoice, amount: 300, to: 'card' }),
    )
    expect(await payments.findCreditNote(byCard)).toMatchObject({ effective: false })

    const dispute = idOf(sandbox.payments.act({ action: 'dispute', invoice, amount: 2_000 }))
    expect(await payments.findDispute(dispute)).toMatchObject({
      kind: 'dispute',
      invoiceId: invoice,
      amount: 2_000,
      effective: true,
    })
    sandbox.payments.act({ action: 'close_dispute', dispute, outcome: 'won' })
    expect(await payments.findDispute(dispute)).toMatchObject({ status: 'won', effective: false })
    const lost = idOf(sandbox.payments.act({ action: 'dispute', invoice, amount: 100 }))
    sandbox.payments.act({ action: 'close_dispute', dispute: lost, outcome: 'lost' })
    expect(await payments.findDispute(lost)).toMatchObject({ status: 'lost', effective: true })
    for (const find of [payments.findRefund, payments.findCreditNote, payments.findDispute])
      expect(await find('re_unknown')).toBeUndefined()
  })
})

describe('events', () => {
  it('come in pages, newest first, of the types asked for, delivered or lost', async () => {
    const { payments, sandbox } = world
    sandbox.payments.webhooks.lose()
    for (let number = 1; number <= 101; number += 1)
      sandbox.payments.act({
        action: 'emit',
        type: number % 2 === 0 ? 'refund.updated' : 'refund.failed',
        object: { id: `re_event_${number}`, object: 'refund' },
      })
    sandbox.payments.act({ action: 'emit', type: 'product.created', object: { id: 'prod_1' } })
    sandbox.payments.webhooks.keep()
    const listed = (after: string | null, since = new Date(0)) =>
      payments.listEvents({ types: ['refund.updated', 'refund.failed'], since, after })
    const first = await listed(null)
    expect(first.events).toHaveLength(100)
    expect(first.events[0]).toMatchObject({
      type: 'refund.failed',
      objectType: 'refund',
      objectId: 're_event_101',
      payload: { object: 'event' },
    })
    const second = await listed(first.next)
    expect(second).toMatchObject({ next: null })
    expect(second.events.some(({ objectId }) => objectId === 're_event_1')).toBe(true)
    const later = new Date(sandbox.payments.now().getTime() + 60_000)
    expect(await listed(null, later)).toEqual({ events: [], next: null })
  })
})

describe('lists', () => {
  it('go on over their pages', async () => {
    const { payments, sandbox, write, subscribed } = world
    const { customerId, subscription } = await subscribed(1)
    for (let seats = 2; seats <= 13; seats += 1) {
      await payments.setSubscriptionItem(
        {
          subscriptionId: subscription.id,
          itemId: subscription.itemId,
          priceId: business,
          plan: 'business',
          seats,
          prorates: true,
        },
        write(),
      )
    }
    const change = {
      subscriptionId: subscription.id,
      itemId: subscription.itemId,
      priceId: business,
      plan: 'business',
      seats: 14,
    }
    await payments.changeSubscription(
      { ...change, prorationDate: start, cycleChanges: false },
      write(),
    )
    const [invoice] = await payments.listInvoices(customerId)
    expect(invoice?.lines).toHaveLength(26)
    expect(invoice?.lines.reduce((sum, line) => sum + line.amount, 0)).toBe(invoice?.subtotal)
    expect(sandbox.state().payments.calls.some(({ path }) => path.includes('/lines'))).toBe(true)
  })
})

describe('the balance', () => {
  it('has every charge, refund, dispute and fee, and payouts collect what is available', async () => {
    const { payments, sandbox, subscribed } = world
    const { subscription } = await subscribed(10)
    const invoice = subscription.latestInvoiceId ?? ''
    const since = new Date(sandbox.payments.now().getTime() - 1_000)
    sandbox.payments.act({ action: 'refund', invoice, amount: 1_000 })
    const { id: dispute } = sandbox.payments.act({ action: 'dispute', invoice, amount: 500 }) as {
      id: string
    }
    sandbox.payments.act({ action: 'close_dispute', dispute, outcome: 'won' })
    const listed = async () =>
      (await payments.listBalanceTransactions({ since, until: null, after: null })).transactions
    const { amountPaid } = (await payments.findInvoice(invoice)) ?? { amountPaid: 0 }
    const categories = (await listed()).map(({ category, amount }) => [category, amount])
    expect(categories).toEqual(
      expect.arrayContaining([
        ['charge', amountPaid],
        ['refund', -1_000],
        ['dispute', -500],
        ['dispute_reversal', 500],
      ]),
    )
    for (const { net, amount, fee } of await listed()) expect(net).toBe(amount - fee)
    const charge = (await listed()).find(({ category }) => category === 'charge')
    expect(await payments.findInvoiceOfPayment(charge?.paymentIntentId ?? '')).toBe(invoice)
    sandbox.payments.setNow(new Date(sandbox.payments.now().getTime() + 12 * 86_400_000))
    const { payouts } = await payments.listPayouts({ since, after: null })
    expect(payouts.length).toBeGreaterThan(0)
    for (const { id, amount, currency } of payouts) {
      const input = { payoutId: id, after: null }
      const { transactions } = await payments.listBalanceTransactions(input)
      const nets = transactions.filter(({ type }) => type !== 'payout').map(({ net }) => net)
      expect(nets.reduce((sum, net) => sum + net, 0)).toBe(amount)
      expect(transactions.every((one) => one.currency === currency)).toBe(true)
    }
    for (const { currency, amount } of await payments.readBalance()) {
      const own: number[] = []
      for (let after: string | null = null; ; ) {
        const page: Awaited<ReturnType<typeof payments.listBalanceTransactions>> =
          await payments.listBalanceTransactions({ since: new Date(0), until: null, after })
        own.push(...page.transactions.filter((o) => o.currency === currency).map(({ net }) => net))
        if (page.next === null) break
        after = page.next
      }
      expect(own.reduce((sum, net) => sum + net, 0)).toBe(amount)
    }
  })
})
