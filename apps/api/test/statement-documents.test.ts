import { listPayoutDocuments } from '@atrium/db/billing/documents'
import { sellerEnvironment } from '@atrium/testing/payments/billing-documents'
import { brokenRules } from '@atrium/testing/payments/e-invoice-rules'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issuePendingDocuments } from '../src/billing/documents/issue-pending.ts'
import { type LedgerTestApp, startLedgerTestApp } from './ledger-test-app.ts'

let ledger: LedgerTestApp
beforeAll(async () => {
  ledger = await startLedgerTestApp({ env: sellerEnvironment })
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
})

const path = (id: string, act: string) => `/billing/payouts/${id}/${act}`
const address = { line1: 'Rue de la République 1', postalCode: '69001', city: 'Lyon' }

/** A partner with 59.99 in several entries, of which one takes away, and an approved payout. */
async function approved(country = 'DE', vatNumber: string | null = 'DE129273398') {
  const partner = await ledger.partner()
  const { db } = ledger.testApp.database
  await db
    .updateTable('partners')
    .set({
      billing_company: 'Reseller SAS',
      billing_country: country,
      billing_vat_number: vatNumber,
      billing_email: `${partner.slug}@reseller.test`,
    })
    .where('id', '=', partner.id)
    .execute()
  const invoice = await ledger.earn({
    partnerId: partner.id,
    net: 20_000,
    paidAt: '2026-01-10T00:00:00Z',
  })
  await ledger.earn({ partnerId: partner.id, net: 13_333, paidAt: '2026-01-11T00:00:00Z' })
  await ledger.reversal(invoice, { amount: 3_570 })
  await ledger.settle(invoice)
  const { body } = await ledger.post(`/partners/${partner.slug}/payouts`, ledger.olive, {
    currency: 'eur',
  })
  await ledger.post(path(body.id, 'approve'), ledger.gero, {})
  return { ...partner, payout: body.id as string, amount: body.amountMinor as number }
}
const pay = (payout: string) =>
  ledger.post(path(payout, 'pay'), ledger.gero, { reference: 'SEPA 1' })
const setAddress = (slug: string) =>
  ledger.testApp.database.db
    .updateTable('partners')
    .set({ billing_address: JSON.stringify({ line2: null, region: null, ...address }) })
    .where('slug', '=', slug)
    .execute()
const statement = async (payout: string, query: string) =>
  ledger.read(`/billing/payouts/${payout}/statement?${query}`, ledger.olive)
const documentsOf = ({ id, payout }: { id: string; payout: string }) =>
  listPayoutDocuments(ledger.testApp.database.db, id, payout)

describe('the statement of a paid payout', () => {
  it('is a self-billed invoice about exactly what is paid, with the tax that it contains', async () => {
    const one = await approved()
    await setAddress(one.slug)
    const { body } = await pay(one.payout)
    const [{ document } = { document: null }] = await documentsOf(one)
    expect(document).toMatchObject({
      kind: 'self_billed_invoice',
      number: body.statementNumber,
      seller: { name: 'Reseller SAS', vatNumber: 'DE129273398' },
      buyer: { name: 'Atrium Workplace GmbH' },
      totals: { grossMinor: one.amount, dueMinor: one.amount },
      taxes: [{ category: 'S', ratePercent: 19 }],
    })
    expect(document?.lines).toHaveLength(3)
    const { body: xml } = await statement(one.payout, 'format=xml')
    expect(xml).toContain('<ram:TypeCode>389</ram:TypeCode>')
    expect(brokenRules(xml)).toEqual([])
    const pdf = await statement(one.payout, 'format=pdf')
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
  })

  it.each([
    ['FR', 'FR40303265045', 'AE'],
    ['CH', 'CHE116281710', 'O'],
    ['US', null, 'O'],
  ] as const)(
    'has no tax for a partner in %s with the number %s: %s',
    async (country, vat, category) => {
      const one = await approved(country, vat)
      await setAddress(one.slug)
      await pay(one.payout)
      const [{ document } = { document: null }] = await documentsOf(one)
      expect(document?.taxes).toEqual([
        { category, ratePercent: 0, netMinor: one.amount, taxMinor: 0 },
      ])
      expect(brokenRules((await statement(one.payout, 'format=xml')).body)).toEqual([])
    },
  )

  it('waits for the address of the partner under its number, and is readable meanwhile', async () => {
    const one = await approved()
    const { body } = await pay(one.payout)
    expect(await statement(one.payout, 'format=pdf')).toMatchObject({
      status: 409,
      body: { code: 'document_unavailable' },
    })
    expect((await statement(one.payout, 'format=html')).body).toContain(body.statementNumber)
    expect(await documentsOf(one)).toMatchObject([
      { number: body.statementNumber, problems: ['partner_address'], document: null },
    ])
    const set = await ledger.testApp.request('PUT', `/partners/${one.slug}/billing-address`, {
      token: await ledger.token(ledger.olive),
      body: address,
    })
    expect(set).toMatchObject({ status: 200, body: { address } })
    await Promise.all([1, 2, 3].map(() => issuePendingDocuments(ledger.testApp.app.services)))
    expect(await documentsOf(one)).toMatchObject([
      { problems: [], document: { number: body.statementNumber } },
    ])
  })

  it('waits for the VAT number of a partner that must have one', async () => {
    const one = await approved('FR', null)
    await setAddress(one.slug)
    await pay(one.payout)
    expect(await documentsOf(one)).toMatchObject([{ problems: ['partner_vat_number'] }])
  })

  it('stays as it is when the payment comes back, and is canceled by a credit note', async () => {
    const one = await approved()
    await setAddress(one.slug)
    await pay(one.payout)
    const before = (await statement(one.payout, 'format=xml')).body
    await ledger.post(path(one.payout, 'fail'), ledger.gero, { reason: 'It came back.' })
    const { body } = await ledger.post(path(one.payout, 'void'), ledger.gero, {
      reason: 'Not wanted.',
    })
    const [invoice, cancellation] = await documentsOf(one)
    expect((await statement(one.payout, 'format=xml')).body).toBe(before)
    expect(cancellation?.document).toMatchObject({
      kind: 'self_billed_credit_note',
      cancels: true,
      number: body.cancellationNumber,
      preceding: { number: invoice?.number },
      totals: invoice?.document?.totals,
    })
    const { body: xml } = await statement(one.payout, 'format=xml&document=cancellation')
    expect(xml).toContain('<ram:TypeCode>261</ram:TypeCode>')
    expect(brokenRules(xml)).toEqual([])
  })

  it('is never changed once it is issued', async () => {
    const { db } = ledger.testApp.database
    await expect(
      sql`update partner_documents set number = 'X' where document is not null`.execute(db),
    ).rejects.toThrow('never changed')
  })
})
