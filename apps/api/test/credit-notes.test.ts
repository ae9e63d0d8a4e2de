import { findEarningPartner } from '@atrium/db/billing/billing'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Billing, billingOf } from './billing-test-app.ts'

let testApp: TestApp
let billing: Billing
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  billing = billingOf(testApp)
  await billing.setCard('acme', 'pm_card_visa')
  expect((await billing.subscribe('acme', { seats: 30 })).status).toBe(201)
  await billing.settle()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

/** The subscription's first one, and the smaller one of the added seats. */
const invoices = async () =>
  (
    await testApp.database.db
      .selectFrom('invoices')
      .select(['stripe_invoice_id as id', 'amount_paid as paid', 'partner_id as partner'])
      .where('tenant_id', '=', await billing.tenantId('acme'))
      .orderBy('total', 'desc')
      .execute()
  ).map((invoice) => ({ ...invoice, paid: Number(invoice.paid) }))
const shares = async () =>
  (
    await testApp.database.db
      .selectFrom('partner_ledger')
      .select(['type', 'amount'])
      .where('tenant_id', '=', await billing.tenantId('acme'))
      .orderBy('id')
      .execute()
  ).map(({ type, amount }) => [type, Number(amount)])

it('an invoice of the second in which the tenant came to its partner is shared', async () => {
  const { db } = testApp.database
  const tenantId = await billing.tenantId('acme')
  const { from } = await db
    .selectFrom('tenant_partners')
    .select('valid_from as from')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const second = new Date(Math.floor(from.getTime() / 1000) * 1000)
  expect(await findEarningPartner(db, tenantId, second)).toEqual(expect.any(String))
  const before = new Date(second.getTime() - 1000)
  expect(await findEarningPartner(db, tenantId, before)).toBeUndefined()
})

it('credited to the customer for later invoices leaves the partner one share of each euro', async () => {
  const [first] = await invoices()
  expect(first).toMatchObject({ paid: 12_000, partner: expect.any(String) })
  expect(await shares()).toEqual([['accrual', 2_400]])
  testApp.sandbox.payments.act({
    action: 'credit_note',
    invoice: first?.id ?? '',
    amount: 4_000,
  })
  await billing.settle()
  expect(await shares()).toEqual([['accrual', 2_400]])

  const owner = billing.as('owner@acme.test')
  const seats = { seats: 40 }
  const preview = await owner.send('POST', '/tenants/acme/subscription/preview', seats)
  const change = await owner.send('POST', '/tenants/acme/subscription/change', {
    ...seats,
    quote: preview.body.quote,
  })
  expect(change.status, JSON.stringify(change.body)).toBe(200)
  await billing.settle()
  const [, second] = await invoices()
  expect(second).toMatchObject({ paid: 0 })
  expect(await shares()).toEqual([['accrual', 2_400]])
})

it('given back outside of the processor takes the share with it, until it is void', async () => {
  const [first] = await invoices()
  const note = testApp.sandbox.payments.act({
    action: 'credit_note',
    to: 'outside',
    invoice: first?.id ?? '',
    amount: 6_000,
  })
  await billing.settle()
  expect(await shares()).toEqual([
    ['accrual', 2_400],
    ['clawback', -1_200],
  ])
  testApp.sandbox.payments.act({
    action: 'void_credit_note',
    creditNote: String(Reflect.get(note, 'id')),
  })
  await billing.settle()
  expect(await shares()).toEqual([
    ['accrual', 2_400],
    ['clawback', -1_200],
    ['clawback_reversal', 1_200],
  ])
})
