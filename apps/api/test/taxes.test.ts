import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { terms } from './subscriptions-test-app.ts'

const viesOff = { VIES_API_URL: 'http://127.0.0.1:1' }

/** A tenant in that country, with a card at the payment processor. */
async function newTenantIn(
  world: PaidSubscriptionsTestApp,
  country: string | null,
  vatNumber: string | null = null,
) {
  const tenant = await world.newTenant('pm_card_visa')
  await world.testApp.database.db
    .updateTable('tenants')
    .set({ billing_country: country, billing_vat_number: vatNumber })
    .where('id', '=', tenant.id)
    .execute()
  return tenant
}

/** What was previewed for the start, and the invoice that was charged for it. */
async function startIn(world: PaidSubscriptionsTestApp, country: string, vatNumber?: string) {
  const tenant = await newTenantIn(world, country, vatNumber ?? null)
  const preview = await world.call(tenant.slug, '/start-preview', terms)
  expect(preview.status, JSON.stringify(preview.body)).toBe(200)
  const started = await world.call(tenant.slug, '', terms)
  expect(started.status, JSON.stringify(started.body)).toBe(201)
  const [invoice] = await world.processor().listInvoices(tenant.customerId)
  return { tenant, preview: preview.body, invoice }
}

describe('with Stripe Tax', () => {
  let world: PaidSubscriptionsTestApp
  beforeAll(async () => {
    world = await openPaidSubscriptions({ env: { TAX_MODE: 'stripe_tax', ...viesOff } })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it('a start costs what its preview said, tax included', async () => {
    const { preview, invoice } = await startIn(world, 'FR')
    const tax = { percent: 20, country: 'FR', amountMinor: 1_600, taxableMinor: 8_000 }
    expect(preview).toMatchObject({
      trialEnd: null,
      netMinor: 8_000,
      taxMinor: 1_600,
      totalMinor: 9_600,
      creditMinor: 0,
      amountDueMinor: 9_600,
      taxes: [{ ...tax, behavior: 'exclusive', reason: 'standard_rated' }],
      recurring: { netMinor: 8_000, taxMinor: 1_600, totalMinor: 9_600 },
    })
    expect(invoice).toMatchObject({ amountPaid: preview.amountDueMinor, status: 'paid' })
  })

  it('a change costs what its preview said, tax included', async () => {
    const { tenant } = await startIn(world, 'DE')
    const { preview, answer } = await world.change(tenant.slug, { seats: 14 })
    expect(answer.status).toBe(200)
    expect(preview).toMatchObject({ taxes: [{ percent: 19 }], next: { netMinor: 11_200 } })
    expect(preview.nextAmountMinor).toBe(preview.next.totalMinor)
    const [invoice] = await world.processor().listInvoices(tenant.customerId)
    expect(invoice).toMatchObject({ total: preview.totalMinor, tax: preview.taxMinor })
  })

  it('a change at the end of the period shows the next amount with tax', async () => {
    const { tenant } = await startIn(world, 'DE')
    const { body } = await world.call(tenant.slug, '/preview', { seats: 5 })
    expect(body).toMatchObject({
      effect: 'period_end',
      exact: true,
      totalMinor: 0,
      nextAmountMinor: 4_760,
      next: { netMinor: 4_000, taxMinor: 760, totalMinor: 4_760 },
    })
  })

  it('follows a tenant that has moved before it changes', async () => {
    const { tenant } = await startIn(world, 'DE')
    await world.testApp.database.db
      .updateTable('tenants')
      .set({ billing_country: 'FR' })
      .where('id', '=', tenant.id)
      .execute()
    const { answer } = await world.change(tenant.slug, { seats: 14 })
    expect(answer.status).toBe(200)
    const [invoice] = await world.processor().listInvoices(tenant.customerId)
    expect(invoice?.taxes).toMatchObject([{ rate: { percent: 20, country: 'FR' } }])
  })

  it('asks for the billing address first', async () => {
    const { slug, customerId } = await newTenantIn(world, null)
    const rejected = {
      status: 409,
      body: { code: 'billing_address_incomplete', issues: [{ path: 'country' }] },
    }
    expect(await world.call(slug, '/start-preview', terms)).toMatchObject(rejected)
    expect(await world.call(slug, '', terms)).toMatchObject(rejected)
    expect(await world.atProcessor(customerId)).toEqual([])
  })

  it('passes on that the processor cannot place an address', async () => {
    const { slug } = await newTenantIn(world, 'US')
    expect(await world.call(slug, '/start-preview', terms)).toMatchObject({
      status: 409,
      body: { code: 'billing_address_incomplete' },
    })
  })

  it('is previewed for nobody who has a subscription', async () => {
    const { tenant } = await startIn(world, 'DE')
    expect(await world.call(tenant.slug, '/start-preview', terms)).toMatchObject({
      status: 409,
      body: { code: 'subscription_exists' },
    })
  })
})

describe('with fixed rates', () => {
  let world: PaidSubscriptionsTestApp
  beforeAll(async () => {
    const env = {
      TAX_MODE: 'fixed_rates',
      TAX_SELLER_COUNTRY: 'DE',
      TAX_RATES: 'DE=19',
      ...viesOff,
    }
    world = await openPaidSubscriptions({ env })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each([
    ['at home', 'DE', 1_520, { percent: 19, country: 'DE', reason: 'standard_rated' }],
    [
      'in France without OSS',
      'FR',
      1_520,
      { percent: 19, country: 'DE', reason: 'standard_rated' },
    ],
    ['in Switzerland', 'CH', 0, { percent: 0, country: 'CH', reason: 'not_subject_to_tax' }],
  ])('a buyer %s pays what was shown', async (_, country, taxMinor, tax) => {
    const { preview, invoice } = await startIn(world, country)
    expect(preview).toMatchObject({ taxMinor, totalMinor: 8_000 + taxMinor, taxes: [tax] })
    expect(invoice).toMatchObject({ total: preview.totalMinor, tax: taxMinor })
  })
})

describe('without tax', () => {
  it('a start is previewed net, also without an address', async () => {
    await using world = await openPaidSubscriptions()
    const { slug } = await newTenantIn(world, null)
    expect((await world.call(slug, '/start-preview', terms)).body).toMatchObject({
      taxes: [],
      taxMinor: 0,
      totalMinor: 8_000,
    })
  })
})
