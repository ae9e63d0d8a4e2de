import { randomBytes, randomUUID } from 'node:crypto'
import { insertCorrection, type NewCorrection } from '@atrium/db/billing/invoice-corrections'
import { operatorsOnly, type Rows, type World } from './rows.ts'

/** An invoice of the tenant under test that only we know, so what it asks for is rejected there. */
async function invoice({ testApp, tenantId }: World): Promise<string> {
  const now = new Date()
  const { id } = await testApp.database.db
    .insertInto('invoices')
    .values({
      tenant_id: tenantId,
      stripe_invoice_id: `in_${randomBytes(8).toString('hex')}`,
      number: `A-${randomBytes(4).toString('hex')}`,
      status: 'open',
      currency: 'eur',
      subtotal: 1_000,
      total: 1_000,
      total_excluding_tax: 1_000,
      amount_due: 1_000,
      amount_paid: 0,
      amount_remaining: 1_000,
      created_at: now,
      finalized_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function waiting(world: World) {
  const invoiceId = await invoice(world)
  const correction: NewCorrection = {
    requestId: randomUUID(),
    invoiceId,
    tenantId: world.tenantId,
    kind: 'write_off',
    destination: null,
    category: null,
    currency: 'eur',
    amount: 1_000n,
    reason: 'Nobody pays it.',
    reference: null,
    paidOn: null,
    state: 'pending',
    requestedBy: 'somebody',
    now: new Date(),
  }
  const id = await world.testApp.database.db
    .transaction()
    .execute((trx) => insertCorrection(trx, correction))
  return { id }
}

export const operatorInvoicesRows: Rows = {
  'bookkeeping.get': [{ input: () => ({ month: '2026-01' }), expected: operatorsOnly }],
  'bookkeeping.export': [{ input: () => ({ month: '2026-01' }), expected: operatorsOnly }],
  'operatorInvoices.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'operatorInvoices.totals': [{ input: () => ({ currency: 'eur' }), expected: operatorsOnly }],
  'operatorInvoices.export': [{ input: () => ({ currency: 'usd' }), expected: operatorsOnly }],
  'operatorInvoices.get': [
    { input: async (world) => ({ id: await invoice(world) }), expected: operatorsOnly },
  ],
  'operatorInvoices.correct': [
    {
      input: async (world) => ({
        id: await invoice(world),
        requestId: randomUUID(),
        kind: 'write_off',
        reason: 'Nobody pays it.',
      }),
      expected: operatorsOnly,
    },
  ],
  'operatorInvoices.corrections': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'operatorInvoices.approve': [{ input: waiting, expected: operatorsOnly }],
  'operatorInvoices.reject': [{ input: waiting, expected: operatorsOnly }],
}
