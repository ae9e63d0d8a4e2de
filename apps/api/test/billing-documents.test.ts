import { crossIndustryInvoice, type Specification } from '@atrium/core/billing/documents/e-invoice'
import type { DocumentView } from '@atrium/core/billing/documents/views'
import { listInvoiceDocuments } from '@atrium/db/billing/documents'
import { sellerEnvironment } from '@atrium/testing/payments/billing-documents'
import { brokenRules } from '@atrium/testing/payments/e-invoice-rules'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { issuePendingDocuments } from '../src/billing/documents/issue-pending.ts'
import { reconcileBilling } from '../src/billing/invoices/reconcile.ts'
import { processEvent } from '../src/billing/webhooks/process.ts'
import { type Billing, billingOf } from './billing-test-app.ts'

const address = { line1: 'Große Elbstraße 12', postalCode: '22767', city: 'Hamburg' }

interface Shop extends AsyncDisposable {
  testApp: TestApp
  billing: Billing
  owner: ReturnType<Billing['as']>
  invoiceId: string
  documents(): Promise<DocumentView[]>
  xml(id: string): Promise<string>
}

/** A tenant with one paid invoice of 5 seats and 19 % tax. */
async function shop(env: Record<string, string> = {}, taxPercent = 19): Promise<Shop> {
  const testApp = await startTestApp({
    provisioned: false,
    env: { ...sellerEnvironment, ...env },
  })
  testApp.sandbox.payments.act({ action: 'set_tax', percent: taxPercent })
  const billing = billingOf(testApp)
  const owner = billing.as('owner@acme.test')
  await owner.send('PATCH', '/tenants/acme/billing-info', {
    company: 'Acme AG',
    country: 'DE',
    vatNumber: 'DE129273398',
    email: 'bills@acme.test',
  })
  await owner.send('PUT', '/tenants/acme/billing-address', address)
  await billing.setCard('acme', 'pm_card_visa')
  await billing.subscribe('acme')
  await billing.settle()
  const { body } = await owner.get('/tenants/acme/invoices')
  const invoiceId: string = body.items[0].id
  return {
    testApp,
    billing,
    owner,
    invoiceId,
    documents: async () =>
      (await owner.get(`/tenants/acme/invoices/${invoiceId}/documents`)).body.items,
    xml: async (id) => (await owner.get(`/tenants/acme/documents/${id}?format=xml`)).body,
    [Symbol.asyncDispose]: () => testApp[Symbol.asyncDispose](),
  }
}

const act = (
  { testApp, billing }: Shop,
  action: Parameters<TestApp['sandbox']['payments']['act']>[0],
) => {
  const result = testApp.sandbox.payments.act(action)
  return billing.settle().then(() => result)
}
const processorInvoice = async ({ testApp, invoiceId }: Shop) =>
  (
    await testApp.database.db
      .selectFrom('invoices')
      .select('stripe_invoice_id as id')
      .where('id', '=', invoiceId)
      .executeTakeFirstOrThrow()
  ).id

/** More seats, which are invoiced at once. */
async function change({ owner, billing }: Shop, seats: number): Promise<void> {
  const preview = await owner.send('POST', '/tenants/acme/subscription/preview', { seats })
  await owner.send('POST', '/tenants/acme/subscription/change', {
    seats,
    quote: preview.body.quote,
  })
  await billing.settle()
}

describe('the document of a paid invoice', () => {
  let open: Shop
  beforeAll(async () => {
    open = await shop()
  })
  afterAll(() => open[Symbol.asyncDispose]())

  it('has the number of the payment processor and is issued when the invoice is known', async () => {
    const invoice = (await open.owner.get('/tenants/acme/invoices')).body.items[0]
    expect(await open.documents()).toMatchObject([
      { kind: 'invoice', cancels: false, number: invoice.number, problems: [], xml: true },
    ])
  })

  it('says what the law asks for, in the XML of XRechnung', async () => {
    const [document] = await open.documents()
    const xml = await open.xml(document?.id ?? '')
    expect(brokenRules(xml)).toEqual([])
    for (const said of [
      'xrechnung_3.0',
      '<ram:Name>Atrium Workplace GmbH</ram:Name>',
      '<ram:ID schemeID="VA">DE136695976</ram:ID>',
      'Amtsgericht Charlottenburg HRB 123456',
      '<ram:Name>Acme AG</ram:Name>',
      '<ram:LineOne>Große Elbstraße 12</ram:LineOne>',
      '<ram:ID schemeID="VA">DE129273398</ram:ID>',
      '<ram:RateApplicablePercent>19</ram:RateApplicablePercent>',
      '<ram:BilledQuantity unitCode="C62">5</ram:BilledQuantity>',
    ])
      expect(xml).toContain(said)
  })

  it('is where the receipt leads to', async () => {
    const { rows } = await sql<{ mail: unknown }>`
      select to_jsonb(o) as mail from outbox o where template = 'invoice.paid'`.execute(
      open.testApp.database.db,
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).toContain('https://portal.test/t/acme/billing')
  })

  it('is a PDF over REST', async () => {
    const [document] = await open.documents()
    const { testApp } = open
    const response = await testApp.request('GET', `/tenants/acme/documents/${document?.id}`, {
      token: await testApp.token('owner@acme.test'),
    })
    expect(response.headers.get('content-type')).toBe('application/pdf')
    expect(response.headers.get('content-disposition')).toContain('.pdf"')
    expect(String(response.body).slice(0, 5)).toBe('%PDF-')
  })

  it('is found by nobody but people of the tenant and operators', async () => {
    const [document] = await open.documents()
    const globex = open.billing.as('owner@globex.test')
    expect(await globex.get(`/tenants/globex/documents/${document?.id}`)).toMatchObject({
      status: 404,
    })
    expect(await globex.get(`/tenants/acme/documents/${document?.id}`)).toMatchObject({
      status: 403,
    })
  })

  it('is never changed or deleted once it is issued, not even by the owner of the tables', async () => {
    const { db } = open.testApp.database
    for (const statement of [
      sql`update billing_documents set number = 'X' where document is not null`,
      sql`update billing_documents set document = null, issued_at = null where document is not null`,
    ])
      await expect(statement.execute(db)).rejects.toThrow('never changed')
    await expect(sql`delete from billing_documents`.execute(db)).rejects.toThrow()
  })

  it('stays the same when the buyer moves and when the books are compared again', async () => {
    const [document] = await open.documents()
    const before = await open.xml(document?.id ?? '')
    await open.owner.send('PUT', '/tenants/acme/billing-address', { ...address, city: 'Kiel' })
    await reconcileBilling(open.testApp.app.services)
    await issuePendingDocuments(open.testApp.app.services)
    expect(await open.xml(document?.id ?? '')).toBe(before)
  })
})

describe('what corrects an invoice', () => {
  it('is a credit note with the number of the processor that names the invoice', async () => {
    await using open = await shop()
    const invoice = await processorInvoice(open)
    await act(open, { action: 'credit_note', invoice, amount: 1_190, to: 'outside' })
    const [first, note] = await open.documents()
    expect(note).toMatchObject({ kind: 'credit_note', cancels: false, problems: [] })
    const xml = await open.xml(note?.id ?? '')
    expect(brokenRules(xml)).toEqual([])
    expect(xml).toContain('<ram:TypeCode>381</ram:TypeCode>')
    expect(xml).toContain(`<ram:IssuerAssignedID>${first?.number}</ram:IssuerAssignedID>`)
    expect(xml).toContain('<ram:GrandTotalAmount>11.90</ram:GrandTotalAmount>')
  })

  it('is taken back by a document of its own when the credit note is voided', async () => {
    await using open = await shop()
    const invoice = await processorInvoice(open)
    const note = await act(open, { action: 'credit_note', invoice, amount: 1_190, to: 'balance' })
    const creditNote = String(Reflect.get(note, 'id'))
    await act(open, { action: 'void_credit_note', creditNote })
    const documents = await open.documents()
    expect(documents.map(({ kind, cancels }) => [kind, cancels])).toEqual([
      ['invoice', false],
      ['credit_note', false],
      ['invoice', true],
    ])
    expect(documents[2]?.number).toBe(`${documents[1]?.number}-VOID`)
    expect(brokenRules(await open.xml(documents[2]?.id ?? ''))).toEqual([])
  })
})

describe('an invoice that credit pays in part', () => {
  it('says what the credit paid and what is left to pay', async () => {
    await using open = await shop()
    const invoice = await processorInvoice(open)
    await act(open, { action: 'credit_note', invoice, amount: 1_000, to: 'balance' })
    await change(open, 10)
    const [{ id, amountDueMinor, balanceAppliedMinor }] = (
      await open.owner.get('/tenants/acme/invoices')
    ).body.items
    expect(balanceAppliedMinor).toBe(1_000)
    expect(amountDueMinor).toBeGreaterThan(0)
    const { items } = (await open.owner.get(`/tenants/acme/invoices/${id}/documents`)).body
    const xml = await open.xml(items[0].id)
    expect(brokenRules(xml)).toEqual([])
    expect(xml).toContain('<ram:TotalPrepaidAmount>10.00</ram:TotalPrepaidAmount>')
    expect(xml).toContain(
      `<ram:DuePayableAmount>${(amountDueMinor / 100).toFixed(2)}</ram:DuePayableAmount>`,
    )
  })
})

describe('an invoice that is voided', () => {
  it.each([
    ['as they happened', (ids: readonly string[]) => ids],
    ['the void first', (ids: readonly string[]) => [...ids].reverse()],
  ])(
    'gets a document that cancels what its credit notes have left, events %s',
    async (_, order) => {
      await using open = await shop()
      const { testApp, billing, owner } = open
      const { customerId } = billing
      const customer = await customerId('acme')
      testApp.sandbox.payments.act({
        action: 'attach_card',
        customer: customer ?? '',
        card: 'pm_card_chargeCustomerFail',
      })
      await change(open, 9)
      const invoices = (await owner.get('/tenants/acme/invoices')).body.items
      const unpaid = invoices.find((one: { status: string }) => one.status !== 'paid')
      const id: string = unpaid.id
      const stripe = await processorInvoice({ ...open, invoiceId: id })
      const { payments } = testApp.sandbox
      payments.act({ action: 'credit_note', invoice: stripe, amount: 119, to: 'balance' })
      payments.act({ action: 'void_invoice', invoice: stripe })
      for (const event of order(testApp.webhooks.pending())) {
        await testApp.webhooks.deliver([event])
        await processEvent(testApp.app.services, event)
      }
      const tenantId = await billing.tenantId('acme')
      const rows = await listInvoiceDocuments(testApp.database.db, tenantId, id)
      const [invoice, note, cancellation] = [stripe, 'cn_', `void:${stripe}`].map(
        (source) => rows.find((row) => row.source.startsWith(source))?.document,
      )
      expect(cancellation).toMatchObject({
        kind: 'credit_note',
        cancels: true,
        number: `${invoice?.number}-VOID`,
        preceding: { number: invoice?.number },
      })
      expect((note?.totals.grossMinor ?? 0) + (cancellation?.totals.grossMinor ?? 0)).toBe(
        invoice?.totals.grossMinor,
      )
      for (const document of [invoice, note, cancellation])
        for (const specification of ['en16931', 'xrechnung'] satisfies Specification[])
          expect(document && brokenRules(crossIndustryInvoice(document, specification))).toEqual([])
    },
  )
})

describe('a document that waits', () => {
  it('waits for the settings of the seller, and the operator is told', async () => {
    await using open = await shop({ SELLER_NAME: '', SELLER_VAT_NUMBER: '', SELLER_TAX_NUMBER: '' })
    const [document] = await open.documents()
    expect(document).toMatchObject({ issuedAt: null, problems: ['seller'], xml: false })
    expect(await open.owner.get(`/tenants/acme/documents/${document?.id}`)).toMatchObject({
      status: 409,
      body: { code: 'document_unavailable' },
    })
    const operator = open.billing.as('operator@atrium.test')
    expect((await operator.get('/billing/documents')).body).toMatchObject({
      missingSettings: ['SELLER_NAME', 'SELLER_VAT_NUMBER'],
      pending: [{ owner: 'tenant', slug: 'acme', kind: 'invoice', problems: ['seller'] }],
      gaps: [],
    })
  })

  it('is issued once its address is there, however many processes try', async () => {
    await using open = await shop()
    const { testApp } = open
    await testApp.database.db
      .updateTable('tenants')
      .set({ billing_address: null })
      .where('slug', '=', 'acme')
      .execute()
    // The payment processor is told too, and its invoice has no street either.
    await open.owner.send('PATCH', '/tenants/acme/billing-info', { email: 'books@acme.test' })
    await change(open, 8)
    const invoices = (await open.owner.get('/tenants/acme/invoices')).body.items
    const documentsOf = async (id: string) =>
      (await open.owner.get(`/tenants/acme/invoices/${id}/documents`)).body.items
    const second: string = invoices[0].id
    expect(await documentsOf(second)).toMatchObject([{ problems: ['buyer_address'] }])
    await open.owner.send('PUT', '/tenants/acme/billing-address', address)
    await Promise.all(Array.from({ length: 8 }, () => issuePendingDocuments(testApp.app.services)))
    expect(await documentsOf(second)).toMatchObject([{ problems: [], xml: true }])
  })

  it('waits on while the processor does not answer', async () => {
    await using open = await shop({}, 0)
    // Without any tax on its lines nobody knows how the sale is taxed.
    expect(await open.documents()).toMatchObject([{ problems: ['tax_unknown'] }])
    open.testApp.sandbox.fault({ system: 'payments', mode: 'error', status: 500 })
    await open.testApp.database.db
      .updateTable('billing_documents')
      .set({ checked_at: new Date(0) })
      .execute()
    await issuePendingDocuments(open.testApp.app.services)
    expect(await open.documents()).toMatchObject([{ problems: ['tax_unknown'] }])
  })

  it('is exempt when the seller says why', async () => {
    await using open = await shop({ SELLER_TAX_EXEMPTION: 'Kleinunternehmer, § 19 UStG' }, 0)
    const [document] = await open.documents()
    const xml = await open.xml(document?.id ?? '')
    expect(brokenRules(xml)).toEqual([])
    expect(xml).toContain('<ram:ExemptionReason>Kleinunternehmer, § 19 UStG</ram:ExemptionReason>')
  })
})

describe('the numbers of invoices', () => {
  let open: Shop
  beforeEach(async () => {
    open = await shop()
  })
  it('are reported when one is missing', async () => {
    const { testApp } = open
    for (const number of ['ATR-0007', 'ATR-0008', 'ATR-0011'])
      await sql`insert into invoices (tenant_id, stripe_invoice_id, number, status, currency, subtotal, total,
        total_excluding_tax, amount_due, amount_paid, amount_remaining, created_at, finalized_at)
        select id, ${`in_${number}`}, ${number}, 'paid', 'eur', 0, 0, 0, 0, 0, 0, now(), now()
        from tenants where slug = 'globex'`.execute(testApp.database.db)
    const operator = open.billing.as('operator@atrium.test')
    expect((await operator.get('/billing/documents')).body.gaps).toEqual([
      { prefix: 'ATR-', from: 9, to: 10 },
    ])
    await open[Symbol.asyncDispose]()
  })
})
