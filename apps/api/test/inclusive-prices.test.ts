import { sellerEnvironment } from '@atrium/testing/payments/billing-documents'
import { brokenRules } from '@atrium/testing/payments/e-invoice-rules'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { day } from './subscriptions-test-app.ts'

const viesOff = { VIES_API_URL: 'http://127.0.0.1:1' }
const stripeTax = { ...sellerEnvironment, TAX_MODE: 'stripe_tax', ...viesOff }
const fixedRates = {
  ...sellerEnvironment,
  TAX_MODE: 'fixed_rates',
  TAX_SELLER_COUNTRY: 'DE',
  TAX_RATES: 'DE=19',
  ...viesOff,
}
/** Of a seat and month. Kuwaiti dinars have three decimals, yen none. */
const unitAmounts = { eur: 1_000, usd: 1_100, jpy: 1_234, kwd: 5_550 }
type Currency = keyof typeof unitAmounts

/** What is in an amount of German tax, in whole minor units. */
const germanTaxIn = (amount: number) => Math.round((amount * 19) / 119)

async function createPrice(world: PaidSubscriptionsTestApp, fields: Record<string, unknown>) {
  const { status, body } = await world.testApp.request('POST', '/prices', {
    token: world.operator,
    body: {
      plan: 'starter',
      cycle: 'month',
      state: 'active',
      amounts: Object.entries(unitAmounts).map(([currency, unitAmount]) => ({
        currency,
        unitAmount,
      })),
      ...fields,
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function newTenantIn(world: PaidSubscriptionsTestApp, country: string) {
  const tenant = await world.newTenant('pm_card_visa')
  await world.testApp.database.db
    .updateTable('tenants')
    .set({
      billing_country: country,
      billing_address: JSON.stringify({
        line1: 'Wall 1',
        line2: null,
        postalCode: '20095',
        city: 'Hamburg',
        region: null,
      }),
    })
    .where('id', '=', tenant.id)
    .execute()
  return tenant
}

const starter = (currency: Currency, seats = 3) => ({
  plan: 'starter',
  cycle: 'month',
  currency,
  seats,
})

async function settle({ testApp }: PaidSubscriptionsTestApp) {
  for (let rounds = 0; rounds < 20 && testApp.webhooks.pending().length > 0; rounds += 1) {
    await testApp.webhooks.deliver()
    await drainWebhooks(testApp.app.services)
  }
}

describe.each([
  ['Stripe Tax', stripeTax],
  ['fixed rates', fixedRates],
])('a price that contains tax, with %s', (_, env) => {
  let world: PaidSubscriptionsTestApp
  beforeAll(async () => {
    world = await openPaidSubscriptions({ env })
    await createPrice(world, { taxBehavior: 'inclusive' })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(['eur', 'jpy', 'kwd'] as const)('costs what it says in %s', async (currency) => {
    const { slug, customerId } = await newTenantIn(world, 'DE')
    const preview = await world.call(slug, '/start-preview', starter(currency))
    const totalMinor = 3 * unitAmounts[currency]
    const taxMinor = germanTaxIn(totalMinor)
    expect(preview).toMatchObject({
      status: 200,
      body: {
        netMinor: totalMinor - taxMinor,
        taxMinor,
        totalMinor,
        amountDueMinor: totalMinor,
        taxes: [{ percent: 19, behavior: 'inclusive', amountMinor: taxMinor }],
        recurring: { totalMinor, taxMinor },
      },
    })
    const started = await world.call(slug, '', starter(currency))
    expect(started, JSON.stringify(started.body)).toMatchObject({
      status: 201,
      body: { subscription: { taxBehavior: 'inclusive', totalMinor } },
    })
    const [invoice] = await world.processor().listInvoices(customerId)
    expect(invoice).toMatchObject({
      total: totalMinor,
      tax: taxMinor,
      amountPaid: totalMinor,
      status: 'paid',
    })
  })

  it('rounds the tax of each line, as its preview said', async () => {
    const { slug, customerId } = await newTenantIn(world, 'DE')
    expect(await world.call(slug, '', starter('eur', 1))).toMatchObject({ status: 201 })
    const { preview, answer } = await world.change(slug, { seats: 2 })
    expect(answer.status).toBe(200)
    const [invoice] = await world.processor().listInvoices(customerId)
    expect(invoice?.lines).toMatchObject([{ amount: -1_000 }, { amount: 2_000 }])
    // The tax of a line of 1,000 in all would be 160.
    expect(invoice).toMatchObject({ total: 1_000, tax: 319 - 160 })
    expect(preview).toMatchObject({ totalMinor: 1_000, taxMinor: 159, next: { totalMinor: 2_000 } })
  })

  it('counts without its tax as recurring revenue', async () => {
    const { slug } = await newTenantIn(world, 'DE')
    await world.call(slug, '', starter('kwd', 7))
    await settle(world)
    const total = 7 * unitAmounts.kwd
    const arr = (total - germanTaxIn(total)) * 12
    const { body } = await world.testApp.request('GET', `/subscriptions?tenantSlug=${slug}`, {
      token: world.operator,
    })
    expect(body.items).toMatchObject([{ totalMinor: total, arrMinor: arr }])
    const history = await world.testApp.database.db
      .selectFrom('subscription_history')
      .select(({ ref }) => ref('arr').$castTo<number>().as('arr'))
      .where('subscription_id', '=', body.items[0].id)
      .where('valid_to', 'is', null)
      .execute()
    expect(history).toEqual([{ arr }])
  })

  it.each(['eur', 'jpy', 'kwd'] as const)(
    'is net and tax on the document of its invoice in %s',
    async (currency) => {
      const { slug } = await newTenantIn(world, 'DE')
      await world.call(slug, '', starter(currency, 7))
      expect((await world.change(slug, { seats: 9 })).answer.status).toBe(200)
      await settle(world)
      const as = { token: world.owner }
      const get = (path: string) => world.testApp.request('GET', `/tenants/${slug}${path}`, as)
      const { items } = (await get('/invoices')).body
      expect(items).toHaveLength(2)
      for (const { id, totalMinor } of items) {
        const documents = (await get(`/invoices/${id}/documents`)).body.items
        // EN 16931 knows no amounts with three decimals.
        expect(documents).toMatchObject([{ problems: [], xml: currency !== 'kwd' }])
        if (currency === 'kwd') continue
        const xml = String((await get(`/documents/${documents[0].id}?format=xml`)).body)
        expect(brokenRules(xml)).toEqual([])
        const digits = currency === 'jpy' ? 0 : 2
        const gross = (totalMinor / 10 ** digits).toFixed(digits)
        expect(xml).toContain(`<ram:GrandTotalAmount>${gross}</ram:GrandTotalAmount>`)
      }
    },
  )

  it('follows a price without tax at the end of the period, and never in the middle', async () => {
    const { slug, customerId } = await newTenantIn(world, 'DE')
    const business = { plan: 'business', cycle: 'month', currency: 'eur', seats: 2 }
    expect(await world.call(slug, '', business)).toMatchObject({ status: 201 })
    const { preview, answer } = await world.change(slug, { plan: 'starter', seats: 9 })
    expect(answer).toMatchObject({ status: 200, body: { outcome: 'scheduled' } })
    const next = { totalMinor: 9_000, taxMinor: germanTaxIn(9_000) }
    expect(preview).toMatchObject({ effect: 'period_end', totalMinor: 0, next })
    const later = new Date(world.started.getTime() + 33 * day)
    world.testApp.sandbox.payments.setNow(later)
    const [renewal] = await world.processor().listInvoices(customerId)
    expect(renewal).toMatchObject({
      billingReason: 'subscription_cycle',
      total: 9_000,
      tax: germanTaxIn(9_000),
      taxes: [{ behavior: 'inclusive' }],
    })
  })
})

describe('the tax behavior of a price', () => {
  let world: PaidSubscriptionsTestApp
  beforeAll(async () => {
    world = await openPaidSubscriptions({ env: fixedRates })
  })
  afterAll(() => world[Symbol.asyncDispose]())
  const request = (method: string, path: string, body: object) =>
    world.testApp.request(method, path, { token: world.operator, body })

  it('is without tax unless the operator says otherwise', async () => {
    expect(await createPrice(world, { state: 'draft' })).toMatchObject({ taxBehavior: 'exclusive' })
  })

  it('never changes once the price is on sale: another one is a new version', async () => {
    const price = await createPrice(world, {})
    const { status, body } = await request('PATCH', `/prices/${price.id}`, {
      taxBehavior: 'inclusive',
      expectedVersion: price.editVersion,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ taxBehavior: 'inclusive', version: price.version + 1 })
    const before = await world.testApp.request('GET', `/prices/${price.id}`, {
      token: world.operator,
    })
    expect(before.body).toMatchObject({ taxBehavior: 'exclusive', state: 'archived' })
    const ids = (amounts: { stripePriceId: string }[]) => amounts.map((one) => one.stripePriceId)
    for (const id of ids(body.amounts)) expect(ids(before.body.amounts)).not.toContain(id)
  })

  it('keeps subscribers from being moved to a version that treats tax otherwise', async () => {
    const price = await createPrice(world, {})
    const { slug } = await newTenantIn(world, 'DE')
    expect(await world.call(slug, '', starter('eur'))).toMatchObject({ status: 201 })
    await request('PATCH', `/prices/${price.id}`, { taxBehavior: 'inclusive' })
    const from = new Date(world.started.getTime() + 100 * day).toISOString().slice(0, 10)
    expect(
      await request('POST', `/prices/${price.id}/migrations`, {
        from,
        mayKeep: true,
        reason: 'A price with tax',
      }),
    ).toMatchObject({ status: 409, body: { code: 'price_state' } })
  })

  it('keeps a price with tax from being agreed by hand', async () => {
    await createPrice(world, { taxBehavior: 'inclusive' })
    const { slug } = await newTenantIn(world, 'DE')
    const manual = { tenantSlug: slug, source: 'manual', ...starter('eur') }
    expect(await request('POST', '/subscriptions', manual)).toMatchObject({
      status: 409,
      body: { code: 'price_unavailable' },
    })
    expect(
      await request('POST', '/subscriptions', { ...manual, perSeatAmount: 840 }),
    ).toMatchObject({ status: 201, body: { taxBehavior: 'exclusive', totalMinor: 2_520 } })
  })

  it('keeps an operator from changing to it in the middle of a period', async () => {
    await createPrice(world, { taxBehavior: 'inclusive' })
    const { slug } = await newTenantIn(world, 'DE')
    const business = { plan: 'business', cycle: 'month', currency: 'eur', seats: 2 }
    await world.call(slug, '', business)
    const [row] = await world.rows(slug)
    expect(await request('PATCH', `/subscriptions/${row.id}`, { plan: 'starter' })).toMatchObject({
      status: 409,
      body: { code: 'price_unavailable' },
    })
  })
})
