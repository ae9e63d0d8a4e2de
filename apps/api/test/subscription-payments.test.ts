import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { day, terms } from './subscriptions-test-app.ts'

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']
let operator: string
let started: Date

beforeAll(async () => {
  world = await openPaidSubscriptions()
  ;({ testApp, operator, started } = world)
})
afterEach(() => world.testApp.sandbox.clearFaults())
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('starting a subscription', () => {
  it('charges the card that is there, and the tenant follows', async () => {
    const { slug, subscription, stripeId, customerId } = await world.subscribed()
    expect(subscription).toMatchObject({
      source: 'stripe',
      status: 'active',
      plan: 'business',
      seats: 10,
      perSeatAmount: 800,
      totalMinor: 8_000,
    })
    expect(await world.tenantRow(slug)).toEqual({ plan: 'business', seats: 10 })
    expect(await world.atProcessor(customerId)).toMatchObject([
      { id: stripeId, status: 'active', seats: 10, metadata: { plan: 'business' } },
    ])
    expect(
      (
        await testApp.request('GET', `/audit?action=subscription.created&q=${slug}`, {
          token: operator,
        })
      ).body.items,
    ).toHaveLength(1)
  })

  it('without a card waits for its first payment, answers the same secret again, and can be called off', async () => {
    const { slug, customerId } = await world.newTenant()
    const first = await world.call(slug, '', terms)
    expect(first).toMatchObject({
      status: 201,
      body: {
        subscription: { status: 'incomplete' },
        clientSecret: expect.stringMatching(/_secret_/),
      },
    })
    expect(await world.tenantRow(slug)).toEqual({ plan: 'free', seats: 1 })
    const again = await world.call(slug, '', terms)
    expect(again.body.clientSecret).toBe(first.body.clientSecret)
    expect(await world.call(slug, '', { ...terms, seats: 11 })).toMatchObject({
      status: 409,
      body: { code: 'subscription_exists' },
    })
    expect(await world.atProcessor(customerId)).toHaveLength(1)
    expect((await world.call(slug, '/preview', { seats: 11 })).body.code).toBe('subscription_state')
    const [{ latestInvoiceId }] = await world.rows(slug)
    expect(await world.call(slug, '/cancel', {})).toMatchObject({
      status: 200,
      body: { status: expect.stringMatching(/canceled|incomplete_expired/) },
    })
    // Nothing is owed for what never began, and nobody can pay it.
    expect(
      (await testApp.request('GET', `/tenants/${slug}/billing`, { token: operator })).body.due,
    ).toEqual([])
    expect(await testApp.app.services.systems.payments?.findInvoice(latestInvoiceId)).toMatchObject(
      { status: 'void' },
    )
    expect(await world.call(slug, '', { ...terms, seats: 11 })).toMatchObject({
      status: 201,
      body: { subscription: { status: 'incomplete', seats: 11 } },
    })
  })

  it('that is paid later becomes active by its events, in any order', async () => {
    const { slug } = await world.newTenant()
    await world.call(slug, '', terms)
    const [made] = await world.rows(slug)
    testApp.sandbox.payments.act({
      action: 'pay',
      invoice: made.latestInvoiceId,
      card: 'pm_card_visa',
    })
    await testApp.webhooks.deliver([...testApp.webhooks.pending()].reverse())
    await drainWebhooks(testApp.app.services)
    expect(await world.rows(slug)).toMatchObject([{ status: 'active', seats: 10 }])
    expect(await world.tenantRow(slug)).toEqual({ plan: 'business', seats: 10 })
    expect((await world.call(slug, '', terms)).body.code).toBe('subscription_exists')
  })

  it.each([
    ['never came', { mode: 'timeout', times: 1 }],
    ['was cut off', { mode: 'reset', times: 1 }],
  ] as const)('whose answer %s makes one subscription at the second try', async (_, mode) => {
    const { slug, customerId } = await world.newTenant('pm_card_visa')
    // Every attempt of the first call loses its answer, after the processor has done its part.
    world.fault({ ...mode, match: 'POST /v1/subscriptions', times: 100, after: true })
    const lost = await world.call(slug, '', terms)
    expect(lost).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    expect(lost.body.detail).not.toMatch(/sk_|secret/)
    expect(await world.rows(slug)).toEqual([])
    testApp.sandbox.clearFaults()
    const second = await world.call(slug, '', terms)
    expect(second.body.code ?? second.status).toBe('subscription_exists')
    expect(await world.atProcessor(customerId)).toHaveLength(1)
    expect(await world.rows(slug)).toMatchObject([{ status: 'active', seats: 10 }])
  })

  it('whose answer was lost while it waits for payment gives its secret at the second try', async () => {
    const { slug, customerId } = await world.newTenant()
    world.fault({ mode: 'reset', match: 'POST /v1/subscriptions', times: 100, after: true })
    expect((await world.call(slug, '', terms)).status).toBe(502)
    testApp.sandbox.clearFaults()
    expect(await world.call(slug, '', terms)).toMatchObject({
      status: 201,
      body: { clientSecret: expect.stringMatching(/_secret_/) },
    })
    expect(await world.atProcessor(customerId)).toHaveLength(1)
  })

  it('twice at once makes one', async () => {
    const { slug, customerId } = await world.newTenant('pm_card_visa')
    const both = await Promise.all([world.call(slug, '', terms), world.call(slug, '', terms)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(await world.atProcessor(customerId)).toHaveLength(1)
  })

  it('gives the trial of the price once', async () => {
    const { db } = testApp.database
    const price = db
      .updateTable('prices')
      .where('plan', '=', 'enterprise')
      .where('cycle', '=', 'month')
    await price.set({ trial_days: 14 }).execute()
    const { slug } = await world.newTenant('pm_card_visa')
    const first = await world.call(slug, '', { ...terms, plan: 'enterprise' })
    expect(first.body.subscription).toMatchObject({
      status: 'trialing',
      trialEnd: new Date(started.getTime() + 14 * day).toISOString(),
    })
    const [{ id }] = await world.rows(slug)
    await testApp.request('DELETE', `/subscriptions/${id}`, { token: operator })
    const second = await world.call(slug, '', { ...terms, plan: 'enterprise' })
    expect(second.body.subscription).toMatchObject({ status: 'active', trialEnd: null })
    await price.set({ trial_days: 0 }).execute()
  })

  it('is rejected for what is not on sale', async () => {
    const { slug } = await world.newTenant('pm_card_visa')
    expect(await world.call(slug, '', { ...terms, currency: 'gbp' })).toMatchObject({
      status: 409,
      body: { code: 'price_unavailable' },
    })
    expect(await world.call(slug, '', { ...terms, plan: 'free' })).toMatchObject({
      status: 409,
      body: { code: 'price_unavailable' },
    })
    expect(await world.call(slug, '', { ...terms, seats: 0 })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'seats' }] },
    })
  })

  it('by an operator goes the same way', async () => {
    const { slug, customerId } = await world.newTenant('pm_card_visa')
    const body = { tenantSlug: slug, source: 'stripe', ...terms, trialDays: 7 }
    const made = await testApp.request('POST', '/subscriptions', { token: operator, body })
    expect(made).toMatchObject({ status: 201, body: { source: 'stripe', status: 'trialing' } })
    expect(await world.atProcessor(customerId)).toHaveLength(1)
    expect(
      (await testApp.request('POST', '/subscriptions', { token: operator, body })).body.code,
    ).toBe('subscription_exists')
  })
})

describe('changing a subscription', () => {
  it('costs exactly what was shown', async () => {
    testApp.sandbox.payments.act({ action: 'set_tax', percent: 19 })
    const { slug, customerId } = await world.subscribed()
    const later = new Date(started.getTime() + 4 * 60_000 + 12_345)
    const { preview, answer } = await world.at(later, () => world.change(slug, { seats: 14 }))
    expect(answer).toMatchObject({
      status: 200,
      body: { outcome: 'applied', subscription: { seats: 14, totalMinor: 11_200 } },
    })
    expect(preview).toMatchObject({
      exact: true,
      effect: 'now',
      before: { seats: 10 },
      after: { seats: 14, totalMinor: 11_200 },
    })
    const lines = preview.lines.reduce(
      (sum: number, { amountMinor }: { amountMinor: number }) => sum + amountMinor,
      0,
    )
    expect(lines + preview.taxMinor).toBe(preview.totalMinor)
    expect(preview.nextAmountMinor).toBe(Math.round(11_200 * 1.19))
    const [invoice] = await world.processor().listInvoices(customerId)
    expect(invoice).toMatchObject({ total: preview.totalMinor, status: 'paid' })
    expect(await world.tenantRow(slug)).toEqual({ plan: 'business', seats: 14 })
    testApp.sandbox.payments.act({ action: 'set_tax', percent: 0 })
  })

  it('twice at once goes once, and the second finds its quote void', async () => {
    const { slug, stripeId } = await world.subscribed()
    const quote = async (seats: number) =>
      (await world.call(slug, '/preview', { seats })).body.quote
    const [eleven, twelve] = [await quote(11), await quote(12)]
    const both = await Promise.all([
      world.call(slug, '/change', { seats: 11, quote: eleven }),
      world.call(slug, '/change', { seats: 12, quote: twelve }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = both[0].status === 200 ? 11 : 12
    expect((await world.read(stripeId)).seats).toBe(won)
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('quote_expired')
  })

  it('whose card is declined changes nothing', async () => {
    const { slug, customerId, stripeId } = await world.subscribed()
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_chargeCustomerFail',
    })
    const { answer } = await world.change(slug, { seats: 14 })
    expect(answer.status === 409 ? answer.body.code : answer.body.outcome).toMatch(
      /payment_failed|awaiting_payment/,
    )
    expect((await world.read(stripeId)).seats).toBe(10)
    expect(await world.rows(slug)).toMatchObject([{ seats: 10, status: 'active' }])
    expect(await world.tenantRow(slug)).toMatchObject({ seats: 10 })
  })

  it('whose answer was lost is the same change at the second try', async () => {
    const { slug, stripeId, customerId } = await world.subscribed()
    const { quote } = (await world.call(slug, '/preview', { seats: 14 })).body
    world.fault({ mode: 'reset', match: `POST /v1/subscriptions/`, times: 100, after: true })
    expect(await world.call(slug, '/change', { seats: 14, quote })).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    testApp.sandbox.clearFaults()
    expect(await world.rows(slug)).toMatchObject([{ seats: 10 }])
    expect(await world.call(slug, '/change', { seats: 14, quote })).toMatchObject({
      status: 200,
      body: { subscription: { seats: 14 } },
    })
    expect((await world.read(stripeId)).seats).toBe(14)
    expect(await world.processor().listInvoices(customerId)).toHaveLength(2)
  })

  it.each([
    ['is down', { mode: 'error', status: 503 }],
    ['answers nonsense', { mode: 'garbage' }],
    ['answers something else', { mode: 'shape' }],
  ] as const)('while the processor %s leaves everything as it was', async (_, mode) => {
    const { slug } = await world.subscribed()
    world.fault({ ...mode, times: 100 })
    expect(await world.call(slug, '/preview', { seats: 12 })).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed' },
    })
    testApp.sandbox.clearFaults()
    const { quote } = (await world.call(slug, '/preview', { seats: 12 })).body
    world.fault({ ...mode, match: 'POST /v1/subscriptions/', times: 100 })
    expect((await world.call(slug, '/change', { seats: 12, quote })).status).toBe(502)
    expect((await world.call(slug, '/cancel', {})).status).toBe(502)
    testApp.sandbox.clearFaults()
    expect(await world.rows(slug)).toMatchObject([
      { seats: 10, cancelAtPeriodEnd: false, status: 'active' },
    ])
  })

  it('by month to year begins a new period', async () => {
    const { slug } = await world.subscribed()
    const { preview, answer } = await world.change(slug, { cycle: 'year' })
    expect(preview).toMatchObject({ effect: 'now', exact: true, after: { totalMinor: 80_000 } })
    expect(answer.body.subscription).toMatchObject({ cycle: 'year', totalMinor: 80_000 })
    expect(
      Date.parse(answer.body.subscription.currentPeriodEnd) - started.getTime(),
    ).toBeGreaterThan(360 * day)
  })

  it('by an operator is credited or charged on the next invoice', async () => {
    const { slug, stripeId, customerId } = await world.subscribed()
    const [{ id }] = await world.rows(slug)
    const patched = await testApp.request('PATCH', `/subscriptions/${id}`, {
      token: operator,
      body: { seats: 4 },
    })
    expect(patched).toMatchObject({ status: 200, body: { seats: 4, totalMinor: 3_200 } })
    expect((await world.read(stripeId)).seats).toBe(4)
    expect(await world.processor().listInvoices(customerId)).toHaveLength(1)
    const rejected = await testApp.request('PATCH', `/subscriptions/${id}`, {
      token: operator,
      body: { status: 'paused', perSeatAmount: 1 },
    })
    expect(rejected.body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'perSeatAmount',
      'status',
    ])
  })

  it('is rejected while the gate is closed; reading and canceling go on', async () => {
    const { slug } = await world.subscribed()
    const { quote } = (await world.call(slug, '/preview', { seats: 12 })).body
    const { billing } = testApp.config
    const open = billing.paymentsEnabled
    Object.assign(billing, { paymentsEnabled: false })
    try {
      expect(await world.call(slug, '/preview', { seats: 12 })).toMatchObject({
        status: 409,
        body: { code: 'billing_disabled' },
      })
      expect(await world.call(slug, '/change', { seats: 12, quote })).toMatchObject({
        status: 409,
        body: { code: 'billing_disabled' },
      })
      expect(await world.call(slug)).toMatchObject({ status: 200, body: { status: 'active' } })
      expect(await world.call(slug, '/cancel', {}), 'nobody is kept').toMatchObject({
        status: 200,
        body: { cancelAtPeriodEnd: true },
      })
    } finally {
      Object.assign(billing, { paymentsEnabled: open })
    }
  })
})

describe('ending a subscription', () => {
  it('with its period, and keeping it', async () => {
    const { slug, stripeId, subscription } = await world.subscribed()
    expect(await world.call(slug, '/cancel', { comment: 'Too dear' })).toMatchObject({
      status: 200,
      body: {
        cancelAtPeriodEnd: true,
        cancelComment: 'Too dear',
        status: 'active',
        cancelAt: subscription.currentPeriodEnd,
      },
    })
    expect((await world.read(stripeId)).cancelAtPeriodEnd).toBe(true)
    expect((await world.call(slug, '/preview', { seats: 12 })).body.code).toBe('uncancel_first')
    expect(await world.call(slug, '/keep', {})).toMatchObject({
      status: 200,
      body: { cancelAtPeriodEnd: false },
    })
    expect((await world.read(stripeId)).cancelAtPeriodEnd).toBe(false)
  })

  it('now, by an operator, and a new one may begin', async () => {
    const { slug, stripeId } = await world.subscribed()
    const [{ id }] = await world.rows(slug)
    expect(
      (await testApp.request('DELETE', `/subscriptions/${id}`, { token: operator })).status,
    ).toBe(204)
    expect((await world.read(stripeId)).status).toBe('canceled')
    expect((await world.call(slug, '', terms)).status).toBe(201)
  })
})

describe('a subscription that changed at the processor before its event arrives', () => {
  const endThere = (subscription: string) =>
    testApp.sandbox.payments.act({ action: 'set_status', subscription, status: 'canceled' })

  it.each(['/cancel', '/keep'])('answers %s that it has ended', async (path) => {
    const { slug, stripeId } = await world.subscribed()
    if (path === '/keep') expect((await world.call(slug, '/cancel', {})).status).toBe(200)
    endThere(stripeId)
    expect(await world.call(slug, path, {})).toMatchObject({
      status: 409,
      body: { code: 'subscription_ended' },
    })
    expect(await world.rows(slug)).toMatchObject([{ status: 'canceled' }])
  })

  it('does not keep its tenant from choosing another card', async () => {
    const { slug, customerId, stripeId } = await world.subscribed()
    endThere(stripeId)
    const card = testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_mastercard',
      makeDefault: false,
    })
    const chosen = await testApp.request('PUT', `/tenants/${slug}/billing/payment-method`, {
      token: world.owner,
      body: { paymentMethodId: Reflect.get(card, 'id') },
    })
    expect(chosen).toMatchObject({ status: 200, body: { card: { brand: 'mastercard' } } })
  })
})
