import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkDueVatNumbers } from '../src/billing/taxes/check-vat-number.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { day, terms } from './subscriptions-test-app.ts'

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

  const street = { line1: '500 Main Street', line2: 'Suite 4', city: 'Springfield', region: 'IL' }
  const saveAddress = (slug: string, postalCode: string | null) =>
    world.testApp.request('PUT', `/tenants/${slug}/billing-address`, {
      token: world.owner,
      body: { ...street, postalCode },
    })

  it('asks a buyer in the United States for the postal code, on its field', async () => {
    const { slug, customerId } = await newTenantIn(world, 'US')
    const issues = [{ path: 'postalCode', message: expect.stringContaining('postal code') }]
    const rejected = { status: 409, body: { code: 'billing_address_incomplete', issues } }
    expect(await world.call(slug, '/start-preview', terms)).toMatchObject(rejected)
    expect(await world.call(slug, '', terms)).toMatchObject(rejected)
    for (const postalCode of [null, '1234', 'SW1A 1AA'])
      expect(await saveAddress(slug, postalCode)).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', issues },
      })
    expect(await world.atProcessor(customerId)).toEqual([])
  })

  it('tells the processor the whole billing address', async () => {
    const { slug, customerId } = await newTenantIn(world, 'US')
    expect(await saveAddress(slug, '62701-1234')).toMatchObject({ status: 200 })
    expect(await world.call(slug, '/start-preview', terms)).toMatchObject({ status: 200 })
    expect(await world.call(slug, '', terms)).toMatchObject({ status: 201 })
    const first = await world.processor().listInvoices(customerId)
    const { region: state, ...rest } = street
    const address = { ...rest, state, postalCode: '62701-1234', country: 'US' }
    expect(first).toMatchObject([
      { customer: { address }, automaticTax: { status: 'complete' }, tax: 0 },
    ])
  })

  it('tells the processor of an address that changes while a subscription runs', async () => {
    const { slug, customerId } = await newTenantIn(world, 'US')
    await saveAddress(slug, '62701')
    expect(await world.call(slug, '', terms)).toMatchObject({ status: 201 })
    expect(await saveAddress(slug, '60601')).toMatchObject({ status: 200 })
    const { answer } = await world.change(slug, { seats: 14 })
    expect(answer.status).toBe(200)
    const [invoice] = await world.processor().listInvoices(customerId)
    expect(invoice?.customer.address).toMatchObject({ postalCode: '60601', state: 'IL' })
  })

  it('passes on that the processor does not find an address', async () => {
    const { slug, customerId } = await newTenantIn(world, 'US')
    expect(await saveAddress(slug, '00000')).toMatchObject({ status: 200 })
    const rejected = {
      status: 409,
      body: { code: 'billing_address_incomplete', issues: [{ path: 'address' }] },
    }
    expect(await world.call(slug, '/start-preview', terms)).toMatchObject(rejected)
    expect(await world.call(slug, '', terms)).toMatchObject(rejected)
    expect(await world.atProcessor(customerId)).toEqual([])
  })

  it('keeps an address that the processor rejects for a running subscription', async () => {
    const { slug, customerId } = await newTenantIn(world, 'US')
    await saveAddress(slug, '62701')
    expect(await world.call(slug, '', terms)).toMatchObject({ status: 201 })
    expect(await saveAddress(slug, '00000')).toMatchObject({ status: 200 })
    const preview = await world.call(slug, '/preview', { seats: 14 })
    expect(preview.status, JSON.stringify(preview.body)).toBe(200)
    const { quote } = preview.body
    expect(await world.call(slug, '/change', { seats: 14, quote })).toMatchObject({
      status: 409,
      body: { code: 'billing_address_incomplete', issues: [{ path: 'address' }] },
    })
    expect(await world.processor().listInvoices(customerId)).toHaveLength(1)
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

describe('a VAT number', () => {
  const french = 'FR40303265045'
  let world: PaidSubscriptionsTestApp
  beforeAll(async () => {
    const env = { TAX_MODE: 'stripe_tax', TAX_SELLER_VAT_NUMBER: 'DE136695976' }
    world = await openPaidSubscriptions({ env })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const save = (slug: string, body: object) =>
    world.testApp.request('PATCH', `/tenants/${slug}/billing-info`, { token: world.owner, body })
  const read = async (slug: string) =>
    (await world.testApp.request('GET', `/tenants/${slug}/billing-info`, { token: world.operator }))
      .body
  const later = async (days: number) => {
    const then = new Date(world.started.getTime() + days * day)
    await world.at(then, () => checkDueVatNumbers(world.testApp.app.services))
  }

  it('is checked when it is saved, and the answer is kept with its proof', async () => {
    world.testApp.sandbox.vies.put(french, { valid: true, name: 'Acme SAS', address: 'Paris' })
    const { slug, customerId } = await newTenantIn(world, 'FR')
    expect(await save(slug, { vatNumber: french })).toMatchObject({
      status: 200,
      body: {
        vatStatus: 'valid',
        vatCheck: {
          result: {
            valid: true,
            name: 'Acme SAS',
            address: 'Paris',
            consultationNumber: expect.stringMatching(/^WAPIA/),
          },
          failure: null,
        },
      },
    })
    const preview = await world.call(slug, '/start-preview', terms)
    expect(preview.body).toMatchObject({
      taxMinor: 0,
      totalMinor: 8_000,
      taxes: [{ reason: 'reverse_charge', amountMinor: 0, taxableMinor: 8_000 }],
    })
    expect((await world.call(slug, '', terms)).status).toBe(201)
    const [invoice] = await world.processor().listInvoices(customerId)
    expect(invoice).toMatchObject({
      total: 8_000,
      customer: { taxIds: [{ type: 'eu_vat', value: french }] },
      taxes: [{ reason: 'reverse_charge' }],
    })
  })

  it('that the register does not know is charged as a consumer', async () => {
    world.testApp.sandbox.vies.put('FR61954506077', { valid: false })
    const { slug } = await newTenantIn(world, 'FR')
    expect((await save(slug, { vatNumber: 'FR61954506077' })).body.vatStatus).toBe('invalid')
    expect((await world.call(slug, '/start-preview', terms)).body).toMatchObject({
      taxMinor: 1_600,
      taxes: [{ percent: 20, reason: 'standard_rated' }],
    })
  })

  it('without an answer is asked about again, and charged with tax until then', async () => {
    world.testApp.sandbox.vies.put(french, { error: 'MS_UNAVAILABLE' })
    const { slug } = await newTenantIn(world, 'FR')
    const saved = await save(slug, { vatNumber: french })
    expect(saved.body).toMatchObject({
      vatStatus: 'unavailable',
      vatCheck: { result: null, failure: { message: expect.stringMatching(/VAT register/) } },
    })
    expect((await world.call(slug, '/start-preview', terms)).body.taxMinor).toBe(1_600)
    world.testApp.sandbox.vies.put(french, { valid: true })
    await later(1)
    expect(await read(slug)).toMatchObject({ vatStatus: 'valid', vatCheck: { failure: null } })
    expect((await world.call(slug, '/start-preview', terms)).body.taxMinor).toBe(0)
  })

  it('keeps its last answer while the register is down', async () => {
    world.testApp.sandbox.vies.put(french, { valid: true, name: 'Acme SAS' })
    const { slug } = await newTenantIn(world, 'FR')
    await save(slug, { vatNumber: french })
    world.testApp.sandbox.vies.put(french, { error: 'SERVICE_UNAVAILABLE' })
    await later(31)
    expect(await read(slug)).toMatchObject({
      vatStatus: 'valid',
      vatCheck: { result: { name: 'Acme SAS' }, failure: { message: expect.any(String) } },
    })
  })

  it('that loses its validity is charged from the next invoice on', async () => {
    world.testApp.sandbox.vies.put(french, { valid: true })
    const { slug, customerId } = await newTenantIn(world, 'FR')
    await save(slug, { vatNumber: french })
    expect((await world.call(slug, '', terms)).status).toBe(201)
    world.testApp.sandbox.vies.put(french, { valid: false })
    await later(31)
    expect(await read(slug)).toMatchObject({ vatStatus: 'invalid' })
    const [subscription] = await world.atProcessor(customerId)
    const next = await world.processor().previewNextInvoice({
      subscriptionId: subscription?.id ?? '',
      scheduleId: null,
    })
    expect(next).toMatchObject({ tax: 1_600, taxes: [{ reason: 'standard_rated' }] })
  })

  it('of a new tenant is checked by the job', async () => {
    world.testApp.sandbox.vies.put(french, { valid: true })
    const { slug } = await newTenantIn(world, 'FR', french)
    expect((await read(slug)).vatStatus).toBe('pending')
    await later(0)
    expect((await read(slug)).vatStatus).toBe('valid')
  })

  it('outside the Union is not asked about', async () => {
    const { slug } = await newTenantIn(world, 'CH')
    expect((await save(slug, { vatNumber: 'CHE-105.805.649 MWST' })).body).toMatchObject({
      vatCheck: null,
    })
  })
})
