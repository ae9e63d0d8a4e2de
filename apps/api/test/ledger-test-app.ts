import { randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import { personClaims, startIssuer } from '@atrium/testing/issuer'
import { startTestApp, type TestApp, type TestAppOptions } from '@atrium/testing/test-app'
import { settleInvoiceLedger } from '../src/billing/payouts/settle.ts'

interface Person {
  email: string
  app: 'portal' | 'operator'
}

export interface LedgerTestApp extends AsyncDisposable {
  testApp: TestApp
  /** Two operators, and staff of the partner `north` who own it. */
  olive: Person
  gero: Person
  pia: Person
  acme: string
  north: string
  /** Sets the clock. */
  goTo(instant: string): void
  partner(fields?: { consent?: boolean; marginPct?: number }): Promise<{ id: string; slug: string }>
  invoice(fields?: InvoiceFields): Promise<string>
  settle(invoiceId: string): Promise<void>
  reversal(invoiceId: string, fields: ReversalFields): Promise<string>
  /** A paid invoice with its share in the ledger. */
  earn(fields?: InvoiceFields): Promise<string>
  entries(invoiceId: string): Promise<{ type: string; amount: number }[]>
  /** Of a person, as of the clock's time. */
  token(person: Person): Promise<string>
  post(path: string, person: Person, body?: unknown): ReturnType<TestApp['request']>
  read(path: string, person: Person): ReturnType<TestApp['request']>
}

export interface InvoiceFields {
  partnerId?: string | null
  marginPct?: number
  /** Without tax, in minor units; 19 % are added. */
  net?: number
  currency?: string
  status?: 'open' | 'paid'
  paidAt?: string
}

export interface ReversalFields {
  kind?: 'refund' | 'credit_note' | 'dispute'
  /** With tax. */
  amount: number
  id?: string
  effective?: boolean
  createdAt?: string
}

const word = () => randomBytes(6).toString('hex')

/** A test app whose invoices are written as the payment processor's events would leave them. */
export async function startLedgerTestApp(
  options: Pick<TestAppOptions, 'env' | 'integrations'> = {},
): Promise<LedgerTestApp> {
  let now = new Date('2026-03-10T12:00:00Z')
  const issuer = await startIssuer(() => now)
  const testApp = await startTestApp({
    ...options,
    provisioned: false,
    clock: { now: () => now },
    env: { ...options.env, IDP_ISSUER: issuer.url },
  })
  // Signed for each call: a token lives for minutes of a clock that tests set.
  const token = ({ email, app }: Person) =>
    issuer.sign({ ...personClaims(email), aud: demoClients[app].clientId })
  const { db } = testApp.database
  const idOf = async (table: 'tenants' | 'partners', slug: string) =>
    (await db.selectFrom(table).select('id').where('slug', '=', slug).executeTakeFirstOrThrow()).id
  const [acme, north] = [await idOf('tenants', 'acme'), await idOf('partners', 'north')]
  await db
    .updateTable('users')
    .set({ platform_admin: true })
    .where('email', '=', 'owner@globex.test')
    .execute()
  const settle = (id: string) =>
    db.transaction().execute((trx) => settleInvoiceLedger(trx, testApp.app.services, id))

  async function invoice(fields: InvoiceFields = {}): Promise<string> {
    const net = fields.net ?? 10_000
    const total = net + Math.round(net * 0.19)
    const paidAt = fields.paidAt ?? now.toISOString()
    const paid = (fields.status ?? 'paid') === 'paid'
    const { id } = await db
      .insertInto('invoices')
      .values({
        tenant_id: acme,
        stripe_invoice_id: `in_${word()}`,
        number: `A-${word()}`,
        status: paid ? 'paid' : 'open',
        currency: fields.currency ?? 'eur',
        subtotal: net,
        total,
        total_excluding_tax: net,
        amount_due: total,
        tax: total - net,
        amount_paid: paid ? total : 0,
        amount_remaining: paid ? 0 : total,
        created_at: paidAt,
        finalized_at: paidAt,
        paid_at: paid ? paidAt : null,
        partner_id: fields.partnerId === undefined ? north : fields.partnerId,
        margin_pct: fields.partnerId === null ? null : (fields.marginPct ?? 20),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }

  return {
    testApp,
    olive: { email: 'operator@atrium.test', app: 'operator' },
    gero: { email: 'owner@globex.test', app: 'operator' },
    pia: { email: 'partner@north.test', app: 'portal' },
    acme,
    north,
    goTo: (instant) => {
      now = new Date(instant)
    },
    async partner({ consent = true, marginPct = 20 } = {}) {
      const slug = `p-${word()}`
      const { id } = await db
        .insertInto('partners')
        .values({
          slug,
          name: slug,
          margin_pct: marginPct,
          self_billing_consent_at: consent ? now : null,
          billing_email: `money@${slug}.test`,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return { id, slug }
    },
    invoice,
    settle,
    async reversal(
      invoiceId,
      {
        kind = 'refund',
        amount,
        id = `re_${word()}`,
        effective = true,
        createdAt = now.toISOString(),
      },
    ) {
      const row = { kind, amount, effective, status: effective ? 'succeeded' : 'failed' }
      await db
        .insertInto('invoice_reversals')
        .values({
          ...row,
          id,
          invoice_id: invoiceId,
          amount_excluding_tax: null,
          created_at: createdAt,
        })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
      return id
    },
    async earn(fields) {
      const id = await invoice(fields)
      await settle(id)
      return id
    },
    async entries(invoiceId) {
      const rows = await db
        .selectFrom('partner_ledger')
        .select(['type', 'amount'])
        .where('invoice_id', '=', invoiceId)
        .orderBy('id')
        .execute()
      return rows.map(({ type, amount }) => ({ type, amount: Number(amount) }))
    },
    token,
    post: async (path, person, body = {}) =>
      testApp.request('POST', path, { token: await token(person), body }),
    read: async (path, person) => testApp.request('GET', path, { token: await token(person) }),
    async [Symbol.asyncDispose]() {
      await testApp[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}
