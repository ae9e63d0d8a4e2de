import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensureCustomer } from '../src/billing/invoices/customer.ts'
import { type Billing, billingOf } from './billing-test-app.ts'

let testApp: TestApp
let billing: Billing
const env = { PORTAL_URL: 'http://portal.test' }

beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false, env })
  billing = billingOf(testApp)
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
afterEach(() => testApp.sandbox.clearFaults())

async function fresh(
  options: Parameters<typeof startTestApp>[0] = {},
): Promise<{ testApp: TestApp; billing: Billing } & AsyncDisposable> {
  const opened = await startTestApp({
    provisioned: false,
    ...options,
    env: { ...env, ...options.env },
  })
  return {
    testApp: opened,
    billing: billingOf(opened),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

async function setFlag(of: TestApp, state: 'on' | 'off'): Promise<void> {
  await of.database.db
    .updateTable('flags')
    .set({ state })
    .where('key', '=', 'new_billing_engine')
    .execute()
  of.app.services.flags.forget()
}

const moneyCalls = [
  ['POST', '/tenants/acme/billing/setup-intent', undefined],
  ['PUT', '/tenants/acme/billing/payment-method', { paymentMethodId: 'pm_1' }],
  ['DELETE', '/tenants/acme/billing/payment-method', undefined],
  ['GET', '/tenants/acme/billing/portal', undefined],
] as const

describe('the gates of billing', () => {
  it.each([
    ['off', 'true', true, 409, 'billing_disabled', 'disabled'],
    ['off', 'false', false, 409, 'billing_disabled', 'disabled'],
    ['on', 'false', true, 409, 'billing_disabled', 'disabled'],
    ['on', 'true', false, 503, 'payments_not_configured', 'not_configured'],
  ] as const)(
    'flag %s, switch %s, keys %s: money calls answer %d %s, reading works',
    async (flag, enabled, keys, status, code, gate) => {
      await using closed = await fresh({
        env: { BILLING_PAYMENTS_ENABLED: enabled, ...(keys ? {} : { STRIPE_SECRET_KEY: '' }) },
      })
      await setFlag(closed.testApp, flag)
      const owner = closed.billing.as('owner@acme.test')
      for (const [method, path, body] of moneyCalls) {
        expect(await owner.send(method, path, body)).toMatchObject({ status, body: { code } })
      }
      expect(await owner.get('/tenants/acme/billing')).toMatchObject({
        status: 200,
        body: { gate, card: null, state: 'ok' },
      })
      expect(await owner.get('/tenants/acme/invoices')).toMatchObject({
        status: 200,
        body: { items: [], nextCursor: null },
      })
      expect(closed.testApp.sandbox.payments.events()).toEqual([])
    },
  )
  it('all on: open', async () => {
    expect(await billing.as('owner@acme.test').get('/tenants/acme/billing')).toMatchObject({
      status: 200,
      body: { gate: 'open' },
    })
  })
  it('open per tenant: the flag decides for one and not for another', async () => {
    await using split = await fresh()
    await split.testApp.database.db
      .updateTable('flags')
      .set({ state: 'rollout', percentage: 0, allow_tenants: ['acme'] })
      .where('key', '=', 'new_billing_engine')
      .execute()
    split.testApp.app.services.flags.forget()
    expect((await split.billing.as('owner@acme.test').get('/tenants/acme/billing')).body.gate).toBe(
      'open',
    )
    expect(
      (await split.billing.as('owner@globex.test').get('/tenants/globex/billing')).body.gate,
    ).toBe('disabled')
  })
})

describe('the customer at the payment processor', () => {
  it('is made on demand, once, also by many at once', async () => {
    await using own = await fresh()
    const owner = own.billing.as('owner@acme.test')
    expect(await own.billing.customerId('acme')).toBeUndefined()
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => owner.send('POST', '/tenants/acme/billing/setup-intent')),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200))
    const created = own.testApp.sandbox.payments
      .events()
      .filter(({ type }) => type === 'customer.created')
    expect(created).toHaveLength(1)
    expect(await own.billing.customerId('acme')).toMatch(/^cus_/)
    expect(
      (await own.testApp.auditActions()).filter((action) => action === 'billing.customer_created'),
    ).toHaveLength(1)
  })
  it('is made once by several processes at once', async () => {
    await using own = await fresh()
    const { payments } = own.testApp.app.services.systems
    if (!payments) throw new Error('payments are on')
    const tenantId = await own.billing.tenantId('globex')
    // Each with what a process of its own would know: nothing of the others.
    const made = await Promise.all(
      Array.from({ length: 5 }, () =>
        ensureCustomer({ ...own.testApp.app.services }, payments, tenantId),
      ),
    )
    expect(new Set(made).size).toBe(1)
    expect(
      own.testApp.sandbox.payments.events().filter(({ type }) => type === 'customer.created'),
    ).toHaveLength(1)
  })
  it('is not made twice when the answer was lost after it was made', async () => {
    await using own = await fresh()
    own.testApp.sandbox.fault({
      system: 'payments',
      match: 'POST /v1/customers',
      mode: 'reset',
      after: true,
      times: 10,
    })
    const { status, body } = await own.billing
      .as('owner@acme.test')
      .send('POST', '/tenants/acme/billing/setup-intent')
    expect([status, body.code]).toEqual([502, 'upstream_failed'])
    expect(await own.billing.customerId('acme')).toBeUndefined()
    own.testApp.sandbox.clearFaults()
    expect(
      (await own.billing.as('owner@acme.test').send('POST', '/tenants/acme/billing/setup-intent'))
        .status,
    ).toBe(200)
    expect(
      own.testApp.sandbox.payments.events().filter(({ type }) => type === 'customer.created'),
    ).toHaveLength(1)
  })
  it('that was deleted there is forgotten, and made again on the next need', async () => {
    await using own = await fresh()
    await own.billing.setCard('acme', 'pm_card_visa')
    const first = await own.billing.customerId('acme')
    own.testApp.sandbox.payments.act({ action: 'delete_customer', customer: first ?? '' })
    await own.billing.settle()
    expect(await own.billing.customerId('acme')).toBeUndefined()
    expect(
      (await own.billing.as('owner@acme.test').get('/tenants/acme/billing')).body.card,
    ).toBeNull()
    const { payments } = own.testApp.app.services.systems
    if (!payments) throw new Error('payments are on')
    const second = await ensureCustomer(
      own.testApp.app.services,
      payments,
      await own.billing.tenantId('acme'),
    )
    expect(second).not.toBe(first)
    expect(await own.testApp.auditActions()).toContain('billing.customer_removed')
  })
})

describe('the card', () => {
  it('is entered at the processor, set here, shown without its id, and told in the audit log by brand and last four digits', async () => {
    await using own = await fresh()
    const owner = own.billing.as('owner@acme.test')
    const intent = await owner.send('POST', '/tenants/acme/billing/setup-intent')
    expect(intent.body).toEqual({
      clientSecret: expect.stringMatching(/^seti_\w+_secret_\w+$/),
      publishableKey: expect.stringMatching(/^pk_test_/),
      cardFormUrl: expect.stringContaining(`/elements?client_secret=${intent.body.clientSecret}`),
    })
    const { status, body } = await own.billing.setCard('acme', 'pm_card_mastercard')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      card: { brand: 'mastercard', last4: '4444', expired: false },
      payment: null,
    })
    expect(JSON.stringify(body)).not.toContain('pm_')
    expect((await owner.get('/tenants/acme/billing')).body.card).toEqual(body.card)
    const entry = await own.testApp.database.db
      .selectFrom('audit_events')
      .select('metadata')
      .where('action', '=', 'billing.card_set')
      .executeTakeFirstOrThrow()
    expect(entry.metadata).toMatchObject({ brand: 'mastercard', last4: '4444' })
    expect(own.testApp.logLines.join('\n')).not.toMatch(/_secret_|4444/)
  })
  it('is set also by the event alone, for those who close the page too early', async () => {
    await using own = await fresh()
    await own.billing.enterCard('acme', 'pm_card_visa')
    expect(
      (await own.billing.as('owner@acme.test').get('/tenants/acme/billing')).body.card,
    ).toBeNull()
    await own.billing.settle()
    expect(
      (await own.billing.as('owner@acme.test').get('/tenants/acme/billing')).body.card,
    ).toMatchObject({ brand: 'visa', last4: '4242' })
  })
  it('that was chosen later is not replaced by the late event of one that was chosen earlier', async () => {
    await using own = await fresh()
    await own.billing.enterCard('acme', 'pm_card_visa')
    await own.billing.setCard('acme', 'pm_card_mastercard')
    await own.testApp.database.db
      .updateTable('payment_customers')
      .set({ card_chosen_at: new Date(Date.now() + 5_000) })
      .execute()
    await own.billing.settle()
    expect(
      (await own.billing.as('owner@acme.test').get('/tenants/acme/billing')).body.card.last4,
    ).toBe('4444')
  })
  it('of another tenant is rejected, and so is an unknown one', async () => {
    const foreign = await billing.enterCard('globex', 'pm_card_visa')
    const owner = billing.as('owner@acme.test')
    for (const paymentMethodId of [foreign, 'pm_unknown']) {
      const { status, body } = await owner.send('PUT', '/tenants/acme/billing/payment-method', {
        paymentMethodId,
      })
      expect([status, body.code, body.issues?.[0]?.path]).toEqual([
        400,
        'invalid_input',
        'paymentMethodId',
      ])
    }
    expect(
      (await owner.send('PUT', '/tenants/acme/billing/payment-method', { paymentMethodId: '../x' }))
        .body.issues,
    ).toHaveLength(1)
  })
  it('is shown with the reason when its entry failed, until one succeeds', async () => {
    await using own = await fresh()
    const owner = own.billing.as('owner@acme.test')
    await own.billing.enterCard('acme', 'pm_card_chargeDeclinedExpiredCard').catch(() => undefined)
    await own.billing.settle()
    expect((await owner.get('/tenants/acme/billing')).body.cardFailure).toMatchObject({
      reason: 'The card has expired. Use another card.',
    })
    await own.billing.setCard('acme', 'pm_card_visa')
    expect((await owner.get('/tenants/acme/billing')).body.cardFailure).toBeNull()
  })
  it('is taken away, but not while a subscription is charged to it', async () => {
    await using own = await fresh()
    const owner = own.billing.as('owner@acme.test')
    expect(await owner.send('DELETE', '/tenants/acme/billing/payment-method')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
    await own.billing.setCard('acme', 'pm_card_visa')
    expect((await owner.send('DELETE', '/tenants/acme/billing/payment-method')).status).toBe(204)
    expect((await owner.get('/tenants/acme/billing')).body.card).toBeNull()
    await own.billing.setCard('acme', 'pm_card_visa')
    expect((await own.billing.subscribe('acme')).status).toBe(201)
    await own.billing.settle()
    const rejected = await owner.send('DELETE', '/tenants/acme/billing/payment-method')
    expect([rejected.status, rejected.body.code]).toEqual([409, 'payment_method_in_use'])
  })
  it('is shown as it was when the processor does not answer, and says so', async () => {
    await using own = await fresh()
    await own.billing.setCard('acme', 'pm_card_visa')
    await own.testApp.database.db
      .updateTable('payment_customers')
      .set({ card_read_at: new Date(0) })
      .execute()
    own.testApp.sandbox.fault({ system: 'payments', mode: 'error', status: 500 })
    const { status, body } = await own.billing.as('owner@acme.test').get('/tenants/acme/billing')
    expect(status).toBe(200)
    expect(body.card.last4).toBe('4242')
    expect(body.stale).toContain('payment processor')
  })
  it.each(['error', 'reset', 'garbage'] as const)(
    'changes nothing when the processor fails by %s, and the answer says which system',
    async (mode) => {
      await using own = await fresh()
      const paymentMethodId = await own.billing.enterCard('acme', 'pm_card_visa')
      own.testApp.sandbox.fault({
        system: 'payments',
        mode,
        ...(mode === 'error' ? { status: 500 } : {}),
      })
      const { status, body } = await own.billing
        .as('owner@acme.test')
        .send('PUT', '/tenants/acme/billing/payment-method', { paymentMethodId })
      expect([status, body.code]).toEqual([502, 'upstream_failed'])
      expect(body.detail).toContain('payment processor')
      own.testApp.sandbox.clearFaults()
      expect(
        (await own.billing.as('owner@acme.test').get('/tenants/acme/billing')).body.card,
      ).toBeNull()
    },
  )
})

describe('the deadline', () => {
  it('is one for all requests to the processor that a call makes', async () => {
    await using own = await fresh()
    const { systems } = own.testApp.app.services
    const signals = new Map<string, unknown[]>()
    let call = ''
    const { payments } = systems
    systems.payments =
      payments &&
      new Proxy(payments, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          return (...given: unknown[]) => {
            signals.set(call, [
              ...(signals.get(call) ?? []),
              (given.at(-1) as { signal?: unknown } | undefined)?.signal,
            ])
            return method.apply(target, given)
          }
        },
      })
    const owner = own.billing.as('owner@acme.test')
    const calls: [string, () => Promise<unknown>][] = [
      ['setup intent', () => owner.send('POST', '/tenants/acme/billing/setup-intent')],
      ['card', () => own.billing.setCard('acme', 'pm_card_visa')],
      ['pages of the processor', () => owner.get('/tenants/acme/billing/portal')],
      ['purchase', () => own.billing.subscribe('acme')],
      [
        'billing data',
        () =>
          owner.send('PATCH', '/tenants/acme/billing-info', {
            company: 'Acme AG',
            country: 'DE',
            vatNumber: 'DE136695976',
          }),
      ],
      ['removal', () => owner.send('DELETE', '/tenants/acme/billing/payment-method')],
    ]
    for (const [name, act] of calls) {
      call = name
      await act()
    }
    call = 'card'
    const intent = signals.get('card') ?? []
    expect(
      Object.fromEntries(
        [...signals].map(([name, of]) => [name, of.every((one) => one instanceof AbortSignal)]),
      ),
    ).toEqual(Object.fromEntries([...signals.keys()].map((name) => [name, true])))
    // Entering a card is a call of its own before the card is set.
    expect(new Set(intent).size).toBe(2)
    for (const name of ['setup intent', 'billing data'])
      expect([name, new Set(signals.get(name)).size]).toEqual([name, 1])
    expect(signals.get('setup intent')).toHaveLength(2)
  })
})

describe('invoices', () => {
  it('are listed with what became of them, read back by page, and open by links of the moment', async () => {
    await using own = await fresh()
    const owner = own.billing.as('owner@acme.test')
    await own.billing.setCard('acme', 'pm_card_visa')
    expect((await own.billing.subscribe('acme')).status).toBe(201)
    await own.billing.settle()
    const { body } = await owner.get('/tenants/acme/invoices')
    expect(body.items).toEqual([
      expect.objectContaining({
        status: 'paid',
        currency: 'eur',
        totalMinor: 2_000,
        amountPaidMinor: 2_000,
        amountRemainingMinor: 0,
      }),
    ])
    const [invoice] = body.items
    const links = await owner.get(`/tenants/acme/invoices/${invoice.id}/document`)
    expect(links).toMatchObject({
      status: 200,
      body: { hostedUrl: expect.stringMatching(/^http/), pdfUrl: expect.stringMatching(/^http/) },
    })
    expect(
      (
        await own.billing
          .as('owner@globex.test')
          .get(`/tenants/globex/invoices/${invoice.id}/document`)
      ).status,
    ).toBe(404)
    expect(
      (await owner.get('/tenants/acme/invoices/not-an-id/document')).body.issues?.[0]?.path,
    ).toBe('invoiceId')
    expect((await owner.get('/tenants/acme/billing')).body).toMatchObject({
      state: 'ok',
      subscription: { status: 'active', seats: 5, periodAmountMinor: 2_000 },
      due: [],
    })
    expect((await owner.get('/tenants/acme/billing/next-invoice')).body).toMatchObject({
      exact: true,
      currency: 'eur',
      totalMinor: 2_000,
      creditMinor: 0,
      amountDueMinor: 2_000,
      balanceMinor: 0,
    })
    expect(await owner.send('POST', `/tenants/acme/invoices/${invoice.id}/pay`)).toMatchObject({
      status: 409,
      body: { code: 'invoice_state' },
    })
    await setFlag(own.testApp, 'off')
    expect((await owner.get('/tenants/acme/invoices')).body.items).toHaveLength(1)
    const mails = await own.testApp.database.db.selectFrom('outbox').select('template').execute()
    expect(mails.map(({ template }) => template)).toEqual(['invoice.paid'])
  })

  it('that are declined are tried again by hand and by a new card, and the second lifts everything', async () => {
    await using own = await fresh()
    const owner = own.billing.as('owner@acme.test')
    await own.billing.setCard('acme', 'pm_card_visa')
    await own.billing.subscribe('acme')
    await own.billing.settle()
    await own.billing.setCard('acme', 'pm_card_chargeCustomerFail')
    const { payments } = own.testApp.sandbox
    payments.setNow(new Date(payments.now().getTime() + 33 * 86_400_000))
    await own.billing.settle()
    const behind = (await owner.get('/tenants/acme/billing')).body
    expect(behind).toMatchObject({
      subscription: { status: 'past_due' },
      due: [{ currency: 'eur', amountMinor: 2_000, invoices: 1, overdue: true }],
    })
    const open = (await owner.get('/tenants/acme/invoices')).body.items[0]
    expect(open.status).toBe('overdue')
    const declined = await owner.send('POST', `/tenants/acme/invoices/${open.id}/pay`)
    expect([declined.status, declined.body.code]).toEqual([409, 'payment_failed'])
    expect(declined.body.detail).toContain('declined')
    const set = await own.billing.setCard('acme', 'pm_card_visa')
    expect(set.body.payment).toEqual({
      invoiceId: open.id,
      number: open.number,
      outcome: 'paid',
      message: null,
    })
    expect((await owner.get('/tenants/acme/billing')).body).toMatchObject({
      state: 'ok',
      subscription: { status: 'active' },
      due: [],
    })
    await own.billing.settle()
    expect((await owner.get('/tenants/acme/billing')).body).toMatchObject({
      state: 'ok',
      subscription: { status: 'active' },
    })
    const tried = await own.testApp.database.db
      .selectFrom('audit_events')
      .select('outcome')
      .where('action', '=', 'invoice.payment_attempted')
      .execute()
    expect(tried).toEqual([{ outcome: 'failure' }])
  })

  it.each([
    ['pay', { status: 200, body: { status: 'paid' } }],
    ['void_invoice', { status: 409, body: { code: 'invoice_state' } }],
  ] as const)(
    'that the processor settled unnoticed (%s) are not failures of it',
    async (action, expected) => {
      await using own = await fresh()
      const owner = own.billing.as('owner@acme.test')
      await own.billing.setCard('acme', 'pm_card_visa')
      await own.billing.subscribe('acme')
      await own.billing.settle()
      const customer = await own.testApp.database.db
        .selectFrom('payment_customers')
        .select('customer_id')
        .executeTakeFirstOrThrow()
      const { payments } = own.testApp.sandbox
      const card = (name: string) =>
        payments.act({ action: 'attach_card', customer: customer.customer_id ?? '', card: name })
      card('pm_card_chargeCustomerFail')
      payments.setNow(new Date(payments.now().getTime() + 33 * 86_400_000))
      await own.billing.settle()
      const { id } = (await owner.get('/tenants/acme/invoices')).body.items[0]
      const { stripe_invoice_id: invoice } = await own.testApp.database.db
        .selectFrom('invoices')
        .select('stripe_invoice_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      card('pm_card_visa')
      payments.act({ action, invoice })
      expect(await owner.send('POST', `/tenants/acme/invoices/${id}/pay`)).toMatchObject(expected)
    },
  )
})

describe('the pages of the payment processor', () => {
  it('are linked to with the way back', async () => {
    const { status, body } = await billing.as('admin@acme.test').get('/tenants/acme/billing/portal')
    expect(status).toBe(200)
    expect(body.url).toMatch(/^http/)
  })
})

describe('the VAT number', () => {
  it('goes to the processor, and what the authority says comes back by event', async () => {
    await using own = await fresh()
    const owner = own.billing.as('owner@acme.test')
    await own.billing.setCard('acme', 'pm_card_visa')
    const saved = await owner.send('PATCH', '/tenants/acme/billing-info', {
      country: 'DE',
      vatNumber: 'DE 136 695 976',
      company: 'Acme GmbH',
    })
    expect(saved).toMatchObject({ status: 200, body: { vatStatus: 'pending' } })
    const { taxIds } = own.testApp.sandbox.payments.save() as {
      taxIds: { id: string; value: string }[]
    }
    expect(taxIds.map(({ value }) => value)).toEqual(['DE136695976'])
    own.testApp.sandbox.payments.act({
      action: 'verify_tax_id',
      taxId: taxIds[0]?.id ?? '',
      status: 'verified',
    })
    await own.billing.settle()
    expect((await owner.get('/tenants/acme/billing-info')).body.vatStatus).toBe('valid')
    expect((await owner.get('/tenants/acme/billing')).body.contact).toMatchObject({
      vatNumber: 'DE136695976',
      vatStatus: 'valid',
    })
    await owner.send('PATCH', '/tenants/acme/billing-info', { vatNumber: null })
    expect((own.testApp.sandbox.payments.save() as { taxIds: unknown[] }).taxIds).toEqual([])
  })
  it('is saved also when the processor does not answer', async () => {
    await using own = await fresh()
    await own.billing.setCard('acme', 'pm_card_visa')
    own.testApp.sandbox.fault({ system: 'payments', mode: 'error', status: 500 })
    const saved = await own.billing
      .as('owner@acme.test')
      .send('PATCH', '/tenants/acme/billing-info', { country: 'DE', vatNumber: 'DE136695976' })
    expect(saved).toMatchObject({
      status: 200,
      body: { vatStatus: 'unverified', billingInfo: { vatNumber: 'DE136695976' } },
    })
  })
})
