import { describe, expect, it } from 'vitest'
import { openPaymentsServer } from './payments-server.ts'

describe('time', () => {
  it('renews a subscription: a draft for an hour, then charged', async () => {
    await using server = await openPaymentsServer()
    const { stripe, pass } = server
    const { id, customer } = await server.subscription(2)
    const of = { customer: String(customer) }
    pass(28)
    const [draft] = (await stripe.invoices.list(of)).data
    expect(draft).toMatchObject({
      status: 'draft',
      billing_reason: 'subscription_cycle',
      total: 1_600,
    })
    pass(28, 1)
    expect(await stripe.invoices.retrieve(draft?.id ?? '')).toMatchObject({
      status: 'paid',
      amount_paid: 1_600,
    })
    const [item] = (await stripe.subscriptions.retrieve(id)).items.data
    expect(new Date((item?.current_period_start ?? 0) * 1000).toISOString()).toBe(
      '2026-02-28T12:00:00.000Z',
    )
    expect(new Date((item?.current_period_end ?? 0) * 1000).toISOString()).toBe(
      '2026-03-31T12:00:00.000Z',
    )
    pass(366)
    expect((await stripe.invoices.list({ ...of, limit: 100 })).data).toHaveLength(13)
  })

  it('carries things out at the moment at which they were due, in order', async () => {
    await using server = await openPaymentsServer()
    await server.subscription(1)
    const before = server.sandbox.payments.events().length
    server.pass(70)
    const times = server.sandbox.payments
      .events()
      .slice(before)
      .map(({ created }) => created)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(new Date((times[0] ?? 0) * 1000).toISOString()).toBe('2026-02-28T12:00:00.000Z')
  })

  it('does not run backwards', async () => {
    await using server = await openPaymentsServer()
    server.pass(2)
    expect(() => server.pass(1)).toThrow('only moves forward')
  })

  it.each([
    ['unpaid', 'unpaid'],
    ['canceled', 'canceled'],
    ['past_due', 'past_due'],
  ] as const)(
    'tries a declined card again and then leaves the subscription %s',
    async (afterRetries, status) => {
      await using server = await openPaymentsServer({ afterRetries })
      const { stripe, pass, sandbox } = server
      const { id, customer } = await server.subscription(1)
      sandbox.payments.act({
        action: 'attach_card',
        customer: String(customer),
        card: 'pm_card_chargeCustomerFail',
      })
      pass(28, 1)
      expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' })
      const invoice = (await stripe.invoices.list({ customer: String(customer) })).data[0]
      expect(invoice).toMatchObject({ status: 'open', attempt_count: 1 })
      pass(28 + 3 + 5, 1)
      expect(await stripe.invoices.retrieve(invoice?.id ?? '')).toMatchObject({ attempt_count: 3 })
      expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'past_due' })
      pass(28 + 15, 1)
      expect(await stripe.invoices.retrieve(invoice?.id ?? '')).toMatchObject({
        attempt_count: 4,
        next_payment_attempt: null,
      })
      const after = await stripe.subscriptions.retrieve(id)
      expect(after.status).toBe(status)
      expect(after.cancellation_details?.reason).toBe(
        status === 'canceled' ? 'payment_failed' : null,
      )
    },
  )

  it('a new card that is charged brings it back', async () => {
    await using server = await openPaymentsServer()
    const { stripe, pass, sandbox } = server
    const { id, customer } = await server.subscription(1)
    sandbox.payments.act({
      action: 'attach_card',
      customer: String(customer),
      card: 'pm_card_chargeCustomerFail',
    })
    pass(43, 1)
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'unpaid' })
    sandbox.payments.act({
      action: 'attach_card',
      customer: String(customer),
      card: 'pm_card_visa',
    })
    await stripe.invoices.pay(
      (await stripe.invoices.list({ customer: String(customer) })).data[0]?.id ?? '',
    )
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
  })

  it('lets a first payment that never comes expire after 23 hours', async () => {
    await using server = await openPaymentsServer()
    const made = await server.subscription(1, { payment_behavior: 'default_incomplete' }, '')
    expect(made.status).toBe('incomplete')
    server.pass(0, 22)
    expect(await server.stripe.subscriptions.retrieve(made.id)).toMatchObject({
      status: 'incomplete',
    })
    server.pass(0, 23)
    expect(await server.stripe.subscriptions.retrieve(made.id)).toMatchObject({
      status: 'incomplete_expired',
    })
    expect(await server.stripe.invoices.retrieve(String(made.latest_invoice))).toMatchObject({
      status: 'void',
    })
  })

  it('drops a change that was not paid in 23 hours', async () => {
    await using server = await openPaymentsServer()
    const { stripe, sandbox } = server
    const { id, customer, items } = await server.subscription(1)
    sandbox.payments.act({
      action: 'attach_card',
      customer: String(customer),
      card: 'pm_card_chargeCustomerFail',
    })
    const waiting = await stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]?.id ?? '', quantity: 4 }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
      metadata: { plan: 'other' },
    })
    expect(waiting.pending_update).toMatchObject({
      metadata: { plan: 'other' },
      subscription_items: [{ quantity: 4 }],
    })
    server.pass(0, 23)
    const after = await stripe.subscriptions.retrieve(id)
    expect(after).toMatchObject({
      pending_update: null,
      metadata: {},
      items: { data: [{ quantity: 1 }] },
    })
    expect(await stripe.invoices.retrieve(String(waiting.latest_invoice))).toMatchObject({
      status: 'void',
    })
    expect(server.eventTypes()).toContain('customer.subscription.pending_update_expired')
  })

  it.each([
    ['pause', '', 'paused'],
    ['cancel', '', 'canceled'],
    ['pause', 'pm_card_visa', 'active'],
    ['create_invoice', '', 'past_due'],
  ] as const)('ends a trial that says %s with card "%s" as %s', async (missing, card, status) => {
    await using server = await openPaymentsServer()
    const trial = {
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: missing } },
    }
    const { id } = await server.subscription(1, trial, card)
    server.pass(11)
    expect(server.eventTypes()).toContain('customer.subscription.trial_will_end')
    server.pass(14, 2)
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({ status })
  })

  it('resumes a paused subscription with a period of its own', async () => {
    await using server = await openPaymentsServer()
    const trial = {
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' as const } },
    }
    const { id, customer } = await server.subscription(1, trial, '')
    server.pass(20)
    expect(
      (await server.stripe.subscriptions.retrieve(id)).status_details?.paused?.subscription.type,
    ).toBe('trial_end_without_payment_method')
    server.sandbox.payments.act({
      action: 'attach_card',
      customer: String(customer),
      card: 'pm_card_visa',
    })
    expect(await server.stripe.subscriptions.resume(id)).toMatchObject({ status: 'active' })
    expect(server.eventTypes()).toContain('customer.subscription.resumed')
  })

  it('ends what was to end with its period', async () => {
    await using server = await openPaymentsServer()
    const { id } = await server.subscription(1)
    await server.stripe.subscriptions.update(id, { cancel_at_period_end: true })
    server.pass(28)
    expect(await server.stripe.subscriptions.retrieve(id)).toMatchObject({
      status: 'canceled',
      ended_at: Date.UTC(2026, 1, 28, 12) / 1000,
    })
    expect(server.eventTypes().at(-1)).toBe('customer.subscription.deleted')
  })

  it('holds invoices of a paused collection back until it goes on', async () => {
    await using server = await openPaymentsServer()
    const { id, customer } = await server.subscription(1)
    const resumes = Date.UTC(2026, 3, 1) / 1000
    await server.stripe.subscriptions.update(id, {
      pause_collection: { behavior: 'void', resumes_at: resumes },
    })
    server.pass(28, 2)
    expect(
      (await server.stripe.invoices.list({ customer: String(customer) })).data[0]?.status,
    ).toBe('void')
    server.pass(90)
    const after = await server.stripe.subscriptions.retrieve(id)
    expect(after).toMatchObject({ status: 'active', pause_collection: null })
  })

  it('puts what is given back down for the next invoice', async () => {
    await using server = await openPaymentsServer()
    const { stripe } = server
    const { id, customer, items } = await server.subscription(10)
    await stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]?.id ?? '', quantity: 5 }],
      proration_behavior: 'always_invoice',
    })
    expect(await stripe.customers.retrieve(String(customer))).toMatchObject({ balance: -4_000 })
    server.pass(28, 1)
    const [renewal] = (await stripe.invoices.list({ customer: String(customer) })).data
    expect(renewal).toMatchObject({
      total: 4_000,
      amount_due: 0,
      status: 'paid',
      starting_balance: -4_000,
      ending_balance: 0,
    })
    expect(await stripe.customers.retrieve(String(customer))).toMatchObject({ balance: 0 })
  })
})
