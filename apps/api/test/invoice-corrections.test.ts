import { randomUUID } from 'node:crypto'
import { connectIntegrations } from '@atrium/integrations/connect'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { carryOutCorrections } from '../src/billing/operator-invoices/carry-out.ts'
import { type Billing, billingOf } from './billing-test-app.ts'

let testApp: TestApp
let billing: Billing
let olive: string
let gero: string

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    integrations: async (connected, { payments }) => {
      const own = await connectIntegrations({
        identity: null,
        mail: null,
        files: null,
        smtp: null,
        payments,
        policy: {
          deadlineMs: 1_000,
          retries: 0,
          backoffMs: { initial: 5, max: 10 },
          circuit: { failures: 10_000, openMs: 1 },
        },
      })
      return { ...connected, payments: own.payments }
    },
  })
  billing = billingOf(testApp)
  olive = await testApp.token('operator@atrium.test')
  await testApp.database.db
    .updateTable('users')
    .set({ platform_admin: true })
    .where('email', '=', 'owner@globex.test')
    .execute()
  gero = await testApp.token('owner@globex.test', 'operator')
  await billing.setCard('acme', 'pm_card_visa')
  expect((await billing.subscribe('acme', { seats: 30 })).status).toBe(201)
  await billing.settle()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
afterEach(() => testApp.sandbox.clearFaults())

const get = async (path: string, token = olive) =>
  (await testApp.request('GET', path, { token })).body
const listed = async (query = '') => (await get(`/billing/invoices?${query}`)).items
const read = (id: string) => get(`/billing/invoices/${id}`)
const correct = (id: string, fields: Record<string, unknown>, token = olive) =>
  testApp.request('POST', `/billing/invoices/${id}/corrections`, {
    token,
    body: { requestId: randomUUID(), reason: 'Agreed with the customer.', ...fields },
  })
const shares = async (invoiceId: string) =>
  (
    await testApp.database.db
      .selectFrom('partner_ledger')
      .select(['type', 'amount'])
      .where('invoice_id', '=', invoiceId)
      .orderBy('id')
      .execute()
  ).map(({ type, amount }) => [type, Number(amount)])
const atProcessor = async (stripeInvoiceId: string) => {
  const { payments } = testApp.app.services.systems
  if (!payments) throw new Error('payments are on')
  return payments.listCreditNotes(stripeInvoiceId)
}

/** More seats make a further paid invoice; returns the newest one. */
let seats = 30
async function paidInvoice() {
  seats += 10
  const quote = await billing
    .as('owner@acme.test')
    .send('POST', '/tenants/acme/subscription/preview', { seats })
  const changed = await billing
    .as('owner@acme.test')
    .send('POST', '/tenants/acme/subscription/change', {
      seats,
      quote: quote.body.quote,
    })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  await billing.settle()
  const [newest] = await listed('tenantSlug=acme&limit=1')
  expect(newest).toMatchObject({ status: 'paid' })
  return newest
}

/** An invoice that is open, because the card is declined; the card works again afterwards. */
async function openInvoice() {
  await billing.setCard('acme', 'pm_card_chargeCustomerFail')
  const { payments } = testApp.sandbox
  payments.setNow(new Date(payments.now().getTime() + 32 * 86_400_000))
  await billing.settle()
  const [open] = await listed('tenantSlug=acme&status=overdue&limit=1')
  return open
}

describe('a refund', () => {
  it('is a credit note and its refund in one act, and the partner gives its share back', async () => {
    const [invoice] = await listed('tenantSlug=acme')
    expect(await shares(invoice.id)).toEqual([['accrual', 2_400]])
    const { status, body } = await correct(invoice.id, {
      kind: 'credit',
      destination: 'card',
      amountMinor: 3_000,
      category: 'order_change',
    })
    expect([status, body.state, body.error]).toEqual([201, 'done', null])
    expect(body).toMatchObject({
      amountMinor: 3_000,
      currency: 'eur',
      creditNoteNumber: expect.any(String),
      requestedBy: 'operator@atrium.test',
      decidedBy: null,
    })
    const after = await read(invoice.id)
    expect(after).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 3_000,
      creditedMinor: 3_000,
      allowedCorrections: {
        destinations: [
          { destination: 'card', maxMinor: 9_000 },
          { destination: 'balance', maxMinor: 9_000 },
          { destination: 'outside', maxMinor: 9_000 },
        ],
      },
      share: { partnerSlug: 'north', amountMinor: 1_800 },
      corrections: [{ id: body.id, state: 'done' }],
    })
    expect(after.reversals.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      ...['credit_note', 'refund'],
    ])
    expect(await shares(invoice.id)).toEqual([
      ['accrual', 2_400],
      ['clawback', -600],
    ])
    await billing.settle()
    expect(await shares(invoice.id)).toHaveLength(2)
    const { items } = await get('/audit?action=invoice.refunded&limit=5')
    expect(items).toMatchObject([
      {
        outcome: 'success',
        resourceType: 'invoice',
        resourceId: invoice.id,
        tenantSlug: 'acme',
        actorType: 'operator',
        metadata: {
          amountMinor: 3_000,
          currency: 'eur',
          reason: 'Agreed with the customer.',
        },
      },
    ])
  })

  it('is never more than was paid, also of eight operators at once', async () => {
    const invoice = await paidInvoice()
    const part = Math.floor(invoice.amountPaidMinor / 3)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        correct(invoice.id, { kind: 'credit', destination: 'card', amountMinor: part }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...[201, 201, 201, 400, 400, 400, 400, 400],
    ])
    const after = await read(invoice.id)
    expect(after.refundedMinor).toBe(3 * part)
    const more = await correct(invoice.id, {
      kind: 'credit',
      destination: 'outside',
      amountMinor: part,
    })
    expect(more).toMatchObject({ status: 400, body: { issues: [{ path: 'amountMinor' }] } })
  })

  it('is made once for one request, however often it is sent', async () => {
    const invoice = await paidInvoice()
    const requestId = randomUUID()
    const fields = { requestId, kind: 'credit', destination: 'card', amountMinor: 100 }
    const answers = await Promise.all(Array.from({ length: 4 }, () => correct(invoice.id, fields)))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await atProcessor((await read(invoice.id)).stripeInvoiceId)).toHaveLength(1)
    expect(await correct(invoice.id, { ...fields, amountMinor: 200 })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_mismatch' },
    })
  })

  it('above the limit needs a second operator, all small ones of a day counted', async () => {
    const { id, stripeInvoiceId } = await read((await paidInvoice()).id)
    // The limit is 1,000 units of any currency; what went before today is in the way of the rest.
    await testApp.database.db
      .updateTable('invoice_corrections')
      .set({ amount: 99_950 })
      .where('state', '=', 'done')
      .where('requested_by', 'is not', null)
      .where('invoice_id', '<>', id)
      .execute()
    const fields = { kind: 'credit', destination: 'card', amountMinor: 150 }
    const { body } = await correct(id, fields)
    expect(body).toMatchObject({ state: 'pending', creditNoteNumber: null })
    expect(await atProcessor(stripeInvoiceId)).toEqual([])
    const approve = (token: string) =>
      testApp.request('POST', `/billing/invoice-corrections/${body.id}/approve`, {
        token,
        body: {},
      })
    expect(await approve(olive)).toMatchObject({ status: 409, body: { code: 'self_approval' } })
    expect(await approve(gero)).toMatchObject({
      status: 200,
      body: { state: 'done', decidedBy: 'owner@globex.test' },
    })
    expect(await approve(gero)).toMatchObject({ status: 409, body: { code: 'invoice_state' } })
    expect(await atProcessor(stripeInvoiceId)).toHaveLength(1)
    const second = await correct(id, fields)
    const rejected = await testApp.request(
      'POST',
      `/billing/invoice-corrections/${second.body.id}/reject`,
      { token: gero, body: {} },
    )
    expect(rejected.body).toMatchObject({ state: 'rejected' })
    expect((await get('/billing/invoice-corrections?state=rejected')).items).toHaveLength(1)
    await testApp.database.db
      .updateTable('invoice_corrections')
      .set({ amount: 1 })
      .where('state', '=', 'done')
      .execute()
  })

  it('whose answer is lost is found at the processor, and not made a second time', async () => {
    const { id, stripeInvoiceId } = await read((await paidInvoice()).id)
    testApp.sandbox.fault({
      system: 'payments',
      match: 'POST /v1/credit_notes',
      mode: 'reset',
      after: true,
    })
    const { body } = await correct(id, { kind: 'credit', destination: 'card', amountMinor: 120 })
    expect(body).toMatchObject({ state: 'approved', error: expect.any(String) })
    const german = await testApp.request('GET', `/billing/invoices/${id}`, {
      token: olive,
      headers: { 'accept-language': 'de' },
    })
    expect(german.body.corrections[0].error).toMatch(/^Der Zahlungsdienstleister /)
    expect((await read(id)).allowedCorrections.destinations[0].maxMinor).toBe(
      (await read(id)).amountPaidMinor - 120,
    )
    testApp.sandbox.clearFaults()
    // The processor forgets keys after a day.
    await testApp.database.db
      .updateTable('invoice_corrections')
      .set({ next_at: new Date(0) })
      .execute()
    testApp.sandbox.payments.act({ action: 'forget_keys' })
    await carryOutCorrections(testApp.app.services)
    expect((await read(id)).corrections).toMatchObject([{ id: body.id, state: 'done' }])
    expect(await atProcessor(stripeInvoiceId)).toHaveLength(1)
    expect((await read(id)).refundedMinor).toBe(120)
  })

  it('that the processor rejects has failed, and reserves nothing', async () => {
    const { id, stripeInvoiceId } = await read((await paidInvoice()).id)
    testApp.sandbox.payments.act({ action: 'dispute', invoice: stripeInvoiceId, amount: 100 })
    const { body } = await correct(id, { kind: 'credit', destination: 'card', amountMinor: 100 })
    expect(body).toMatchObject({ state: 'failed', error: expect.stringContaining('disputed') })
    await billing.settle()
    const after = await read(id)
    expect(after).toMatchObject({ status: 'disputed', refundedMinor: 0 })
    expect(after.allowedCorrections.destinations[0]).toEqual({ destination: 'card', maxMinor: 0 })
  })
})

describe('a credit note on a paid invoice', () => {
  it('to the balance pays later invoices and leaves the share; outside takes it back', async () => {
    const invoice = await paidInvoice()
    const before = await shares(invoice.id)
    await correct(invoice.id, { kind: 'credit', destination: 'balance', amountMinor: 200 })
    expect(await shares(invoice.id)).toEqual(before)
    expect((await get('/tenants/acme/billing/next-invoice')).balanceMinor).toBeGreaterThanOrEqual(
      200,
    )
    await correct(invoice.id, { kind: 'credit', destination: 'outside', amountMinor: 100 })
    expect(await shares(invoice.id)).toEqual([...before, ['clawback', -20]])
    const { reversals, refundedMinor } = await read(invoice.id)
    expect(refundedMinor).toBe(0)
    const byAmount = (a: { amountMinor: number }, b: { amountMinor: number }) =>
      b.amountMinor - a.amountMinor
    expect(reversals.toSorted(byAmount)).toMatchObject([
      { kind: 'credit_note', amountMinor: 200, balanceMinor: 200, outsideMinor: 0 },
      { kind: 'credit_note', amountMinor: 100, balanceMinor: 0, outsideMinor: 100 },
    ])
  })

  it('says where the money goes', async () => {
    const invoice = await paidInvoice()
    expect(await correct(invoice.id, { kind: 'credit', amountMinor: 100 })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'destination' }] },
    })
    for (const kind of ['void', 'write_off'])
      expect(await correct(invoice.id, { kind })).toMatchObject({
        status: 409,
        body: { code: 'invoice_state' },
      })
    expect(await correct(invoice.id, { kind: 'void', amountMinor: 100 })).toMatchObject({
      status: 400,
    })
  })
})

describe('an open invoice', () => {
  it('is lowered by a credit note, and paid by a transfer of what is left', async () => {
    const open = await openInvoice()
    expect(open).toMatchObject({ status: 'overdue' })
    const due = open.amountRemainingMinor
    const wrong = await correct(open.id, { kind: 'credit', destination: 'card', amountMinor: 100 })
    expect(wrong).toMatchObject({ status: 400, body: { issues: [{ path: 'destination' }] } })
    const { body } = await correct(open.id, { kind: 'credit', amountMinor: 1_000 })
    expect(body).toMatchObject({ state: 'done' })
    expect(await read(open.id)).toMatchObject({
      amountRemainingMinor: due - 1_000,
      creditedMinor: 1_000,
      allowedCorrections: {
        dueReductionMinor: due - 1_000,
        transferMinor: due - 1_000,
        writeOff: true,
        void: true,
      },
    })
    const transfer = { kind: 'transfer', reference: 'RF18 5390', paidOn: '2026-01-05' }
    expect(await correct(open.id, { ...transfer, amountMinor: 5 })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'amountMinor', message: expect.stringContaining('€') }] },
    })
    expect(
      await correct(open.id, { ...transfer, paidOn: '2099-01-01', amountMinor: due - 1_000 }),
    ).toMatchObject({ status: 400, body: { issues: [{ path: 'paidOn' }] } })
    const paid = await correct(open.id, { ...transfer, amountMinor: due - 1_000 })
    expect(paid.body).toMatchObject({ state: 'done', reference: 'RF18 5390', paidOn: '2026-01-05' })
    const after = await read(open.id)
    expect(after).toMatchObject({ status: 'paid', amountRemainingMinor: 0 })
    await billing.settle()
    const receipts = await testApp.database.db
      .selectFrom('outbox')
      .select('values')
      .where('template', '=', 'invoice.paid')
      .where('key', 'like', `invoice.paid:${open.id}:%`)
      .execute()
    expect(receipts).toMatchObject([{ values: { 'invoice.number': after.number } }])
    expect(after.allowedCorrections.destinations[0]).toEqual({ destination: 'card', maxMinor: 0 })
    expect((await get('/tenants/acme/billing')).subscription).toMatchObject({ status: 'active' })
  })

  it('is written off, and can be voided after that', async () => {
    const open = await openInvoice()
    await testApp.database.db.updateTable('invoice_corrections').set({ amount: 1 }).execute()
    expect((await correct(open.id, { kind: 'write_off' })).body).toMatchObject({ state: 'done' })
    expect(await read(open.id)).toMatchObject({
      status: 'uncollectible',
      allowedCorrections: { writeOff: false, void: true },
    })
    await testApp.database.db.updateTable('invoice_corrections').set({ amount: 1 }).execute()
    expect((await correct(open.id, { kind: 'void' })).body).toMatchObject({ state: 'done' })
    expect(await read(open.id)).toMatchObject({
      status: 'void',
      allowedCorrections: { void: false },
    })
    const actions = (await get('/audit?tenantSlug=acme&action=invoice.*&limit=50')).items.map(
      ({ action }: { action: string }) => action,
    )
    expect(actions).toEqual(
      expect.arrayContaining(['invoice.written_off', 'invoice.voided', 'invoice.payment_recorded']),
    )
  })
})

describe('the list of invoices', () => {
  it('is filtered, paged by key, and added up per currency', async () => {
    const all = await listed('limit=200')
    const page = await get('/billing/invoices?limit=2')
    const rest = await get(`/billing/invoices?limit=200&cursor=${page.nextCursor}`)
    expect([...page.items, ...rest.items]).toEqual(all)
    for (const status of ['void', 'paid', 'disputed', 'partially_refunded', 'open', 'overdue']) {
      const found = await listed(`limit=200&status=${status}`)
      expect(found).toEqual(all.filter((one: { status: string }) => one.status === status))
    }
    expect(await listed(`number=${all[0].number.toLowerCase()}`)).toEqual([all[0]])
    expect(await listed('partnerSlug=nobody')).toEqual([])
    expect(await listed('currency=usd')).toEqual([])
    expect(await listed(`to=${all.at(-1).finalizedAt.slice(0, 10)}`)).toContainEqual(all.at(-1))
    expect(await listed('to=2020-01-01')).toEqual([])
    const { currencies } = await get('/billing/invoices/totals?status=paid')
    const paid = all.filter((one: { status: string }) => one.status === 'paid')
    expect(currencies).toMatchObject([
      {
        currency: 'eur',
        invoices: paid.length,
        totalMinor: paid.reduce(
          (sum: number, one: { totalMinor: number }) => sum + one.totalMinor,
          0,
        ),
      },
    ])
    const exported = await testApp.request('GET', '/billing/invoices/export?status=paid', {
      token: olive,
    })
    expect(exported.status).toBe(200)
    expect(String(exported.body)).toContain(paid[0].number)
  })
})
