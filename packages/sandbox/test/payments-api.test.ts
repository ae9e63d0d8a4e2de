import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { business, openPaymentsServer, type PaymentsServer, start } from './payments-server.ts'

let server: PaymentsServer
beforeAll(async () => {
  server = await openPaymentsServer()
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the API rejects', () => {
  it.each([
    ['no key', { authorization: '' }, 401],
    ['another key', { authorization: 'Bearer sk_test_other' }, 401],
    ['another key by Basic', { authorization: `Basic ${btoa('sk_test_other:')}` }, 401],
    ['another version', { 'stripe-version': '2020-08-27' }, 400],
  ])('%s', async (_case, headers, status) => {
    expect(await server.raw('GET', '/v1/balance', undefined, headers)).toMatchObject({
      status,
      body: { error: { type: 'invalid_request_error' } },
    })
  })

  it('takes the key by Basic too', async () => {
    const headers = { authorization: `Basic ${btoa('sk_test_sandboxlocaluse:')}` }
    expect(await server.raw('GET', '/v1/balance', undefined, headers)).toMatchObject({
      status: 200,
      body: { object: 'balance' },
    })
  })

  it.each([
    ['POST /v1/setup_intents', 'payment_method_types[0]=card', 'payment_method_types[0]'],
    ['POST /v1/subscriptions', 'customer=cus_1&items[0][plan]=x', 'items[0][plan]'],
    ['POST /v1/subscriptions/sub_1', 'billing_cycle_anchor=now', 'billing_cycle_anchor'],
    ['POST /v1/subscriptions/sub_1', 'coupon=x', 'coupon'],
    ['POST /v1/prices/price_1', 'unit_amount=1', 'unit_amount'],
    ['POST /v1/customers', 'metadata[a][b]=1', 'metadata[a][b]'],
  ])('what the call %s does not take: %s', async (call, form, param) => {
    const [method = '', path = ''] = call.split(' ')
    expect(await server.raw(method, path, form)).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_unknown', param } },
    })
  })

  it.each([
    ['GET', '/v1/customers/cus_unknown', undefined, 404, 'resource_missing'],
    ['GET', '/v1/customers/cus_1/subscriptions', undefined, 404, undefined],
    ['DELETE', '/v1/invoices/in_1', undefined, 404, undefined],
    [
      'POST',
      '/v1/subscriptions',
      'customer=cus_unknown&items[0][price]=x',
      404,
      'resource_missing',
    ],
    ['POST', '/v1/customers', 'name[a]=b&name=c', 400, undefined],
    ['POST', '/v1/customers', 'email=nobody', 400, 'email_invalid'],
    [
      'POST',
      '/v1/prices',
      'currency=eur&unit_amount=1.5&recurring[interval]=month&product=x',
      400,
      'parameter_invalid_integer',
    ],
    ['GET', '/v1/invoices?limit=0', undefined, 400, undefined],
  ])('%s %s %s', async (method, path, form, status, code) => {
    const answer = await server.raw(method, path, form)
    expect(answer.status).toBe(status)
    expect(answer.body.error?.code).toBe(code)
  })

  it('an inactive price, a wrong item and a fraction of a seat', async () => {
    const { stripe } = server
    const made = await server.subscription(1)
    const item = made.items.data[0]?.id ?? ''
    const old = await stripe.prices.create({
      currency: 'eur',
      unit_amount: 5,
      recurring: { interval: 'month' },
      product_data: { name: 'Old' },
    })
    await stripe.prices.update(old.id, { active: false })
    await expect(
      stripe.subscriptions.update(made.id, { items: [{ id: item, price: old.id }] }),
    ).rejects.toThrow(/inactive/)
    await expect(
      stripe.subscriptions.update(made.id, { items: [{ id: 'si_other', quantity: 2 }] }),
    ).rejects.toMatchObject({
      code: 'resource_missing',
    })
    await expect(
      stripe.subscriptions.update(made.id, { items: [{ id: item, quantity: 1.5 }] }),
    ).rejects.toMatchObject({
      code: 'parameter_invalid_integer',
    })
    await expect(
      stripe.subscriptions.update(made.id, {
        items: [{ id: item, quantity: 2 }],
        proration_date: start / 1000 - 1,
      }),
    ).rejects.toMatchObject({ param: 'proration_date' })
    await expect(
      stripe.subscriptions.update(made.id, {
        cancel_at_period_end: true,
        payment_behavior: 'pending_if_incomplete',
      }),
    ).rejects.toMatchObject({ param: 'cancel_at_period_end' })
  })

  it('a declined card with 402, by its code', async () => {
    const { stripe, sandbox } = server
    const made = await server.subscription(1, {}, 'pm_card_chargeCustomerFail')
    await expect(stripe.invoices.pay(String(made.latest_invoice))).rejects.toMatchObject({
      statusCode: 402,
      type: 'StripeCardError',
      code: 'card_declined',
      decline_code: 'generic_decline',
    })
    const { id } = await stripe.customers.create({})
    await expect(
      stripe.paymentMethods.attach('pm_card_chargeDeclinedInsufficientFunds', { customer: id }),
    ).rejects.toMatchObject({
      decline_code: 'insufficient_funds',
    })
    expect(sandbox.payments.events().some(({ type }) => type === 'invoice.payment_failed')).toBe(
      true,
    )
  })
})

describe('an idempotency key', () => {
  it('returns the first response to a retry', async () => {
    const { stripe } = server
    const options = { idempotencyKey: 'customer:1' }
    const first = await stripe.customers.create({ name: 'Once' }, options)
    const again = await stripe.customers.create({ name: 'Once' }, options)
    expect(again.id).toBe(first.id)
    expect(again.lastResponse.headers).toBeDefined()
    await expect(stripe.customers.create({ name: 'Other' }, options)).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    })
    await expect(stripe.products.create({ name: 'Once' }, options)).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    })
  })

  it('keeps a decline, but not a request that was rejected', async () => {
    const { stripe, sandbox } = server
    const made = await server.subscription(1, {}, 'pm_card_chargeCustomerFail')
    const pay = () =>
      stripe.invoices.pay(String(made.latest_invoice), {}, { idempotencyKey: 'pay:1' })
    await expect(pay()).rejects.toMatchObject({ statusCode: 402 })
    sandbox.payments.act({
      action: 'attach_card',
      customer: String(made.customer),
      card: 'pm_card_visa',
    })
    await expect(pay()).rejects.toMatchObject({ statusCode: 402 })
    await expect(
      stripe.customers.create({ email: 'nobody' }, { idempotencyKey: 'mended' }),
    ).rejects.toMatchObject({
      code: 'email_invalid',
    })
    expect(
      await stripe.customers.create({ email: 'somebody@acme.test' }, { idempotencyKey: 'mended' }),
    ).toMatchObject({
      object: 'customer',
    })
  })
})

describe('webhooks', () => {
  it('wait while they are held, and are sent in any order, twice, and again until they are taken', async () => {
    await using own = await openPaymentsServer()
    const { webhooks } = own.sandbox.payments
    const received: string[] = []
    let status = 200
    webhooks.hold()
    webhooks.sendBy(({ body, headers }) => {
      received.push(
        Stripe.webhooks.constructEvent(
          body,
          headers['stripe-signature'] ?? '',
          'whsec_sandboxlocaluse',
          300,
          undefined,
          start,
        ).id,
      )
      return Promise.resolve(status)
    })
    await own.customer()
    await webhooks.settled()
    expect(received).toEqual([])
    const ids = webhooks.pending()
    expect(ids).toHaveLength(3)
    const shuffled = [...ids].reverse()
    expect(await webhooks.deliver([...shuffled, ...ids])).toEqual([200, 200, 200, 200, 200, 200])
    expect(received).toEqual([...shuffled, ...ids])
    expect(webhooks.pending()).toEqual([])
    status = 500
    webhooks.release()
    own.sandbox.payments.act({ action: 'emit', type: 'test.event', object: { id: 'x_1' } })
    await webhooks.settled()
    expect(own.sandbox.payments.events().at(-1)).toMatchObject({
      deliveries: [{ status: 500 }],
      nextTry: start + 2_000,
    })
    expect(webhooks.pending()).toHaveLength(1)
  })

  it('go to the configured address, and are retried when it does not respond', async () => {
    let now = start
    await using own = await openPaymentsServer({
      webhookUrl: 'http://127.0.0.1:1/webhooks',
      now: () => now,
    })
    const { webhooks } = own.sandbox.payments
    own.sandbox.payments.act({ action: 'emit', type: 'test.event', object: { id: 'x_1' } })
    await webhooks.settled()
    expect(own.sandbox.payments.events()[0]?.deliveries).toMatchObject([{ status: 0 }])
    webhooks.sendBy(() => Promise.resolve(204))
    now += 2_000
    webhooks.retryDue()
    await webhooks.settled()
    expect(own.sandbox.payments.events()[0]?.deliveries).toMatchObject([
      { status: 0 },
      { status: 204 },
    ])
    expect(webhooks.pending()).toEqual([])
  })
})

describe('the control API', () => {
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${server.sandbox.controlUrl}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status: response.status, body: await response.json() }
  }

  it('moves the clock, acts, holds webhooks, and says what is wrong', async () => {
    expect(await post('/clock', { now: '2026-02-01T00:00:00Z' })).toEqual({
      status: 200,
      body: { now: '2026-02-01T00:00:00.000Z' },
    })
    expect(await post('/clock', { now: '2026-01-01T00:00:00Z' })).toMatchObject({
      status: 400,
      body: { error: /forward/ },
    })
    expect(await post('/clock', { now: 'soon' })).toMatchObject({ status: 400 })
    expect(await post('/payments/actions', { action: 'set_tax', percent: 0 })).toEqual({
      status: 200,
      body: { taxPercent: 0 },
    })
    expect(
      await post('/payments/actions', { action: 'refund', invoice: 'in_unknown' }),
    ).toMatchObject({
      status: 400,
      body: { error: /No such/ },
    })
    expect(await post('/payments/actions', { action: 'nothing' })).toMatchObject({ status: 400 })
    expect(await post('/payments/webhooks', { hold: true })).toMatchObject({
      status: 200,
      body: { statuses: [] },
    })
  })
})

describe('its records', () => {
  it('tell no secret in the state, and come back whole from what was saved', async () => {
    const { stripe, sandbox } = server
    const { id } = await stripe.customers.create({})
    const intent = await stripe.setupIntents.create({ customer: id })
    const made = await server.subscription(2)
    const shown = JSON.stringify(sandbox.state().payments)
    expect(shown).toContain(made.id)
    expect(shown).not.toContain('_secret_')
    const saved: unknown = JSON.parse(JSON.stringify(sandbox.payments.save()))
    const other = await startSandbox({ payments: { now: () => start } })
    try {
      other.payments.load(saved)
      expect(other.payments.save()).toEqual(saved)
      expect(other.payments.now()).toEqual(sandbox.payments.now())
      expect(JSON.stringify(saved)).toContain(intent.client_secret ?? 'missing')
      other.reset()
      expect(JSON.stringify(other.payments.save())).not.toContain(made.id)
      expect(JSON.stringify(other.payments.save())).toContain(business)
    } finally {
      await other.close()
    }
  })

  it('add tax to what comes later, and none for a customer that owes it itself', async () => {
    await using own = await openPaymentsServer()
    own.sandbox.payments.act({ action: 'set_tax', percent: 19 })
    const taxed = await own.subscription(3)
    expect(await own.stripe.invoices.retrieve(String(taxed.latest_invoice))).toMatchObject({
      subtotal: 2_400,
      total: 2_856,
      total_excluding_tax: 2_400,
    })
    const free = await own.customer()
    await own.stripe.customers.update(free.id, { tax_exempt: 'reverse' })
    const made = await own.stripe.subscriptions.create({
      customer: free.id,
      items: [{ price: business, quantity: 3 }],
    })
    expect(await own.stripe.invoices.retrieve(String(made.latest_invoice))).toMatchObject({
      total: 2_400,
      total_taxes: [],
    })
  })
})
