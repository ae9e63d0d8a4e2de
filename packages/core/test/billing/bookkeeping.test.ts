import {
  accountsOf,
  type BookedDocument,
  type BookedTransaction,
  documentRows,
  transactionRows,
} from '@atrium/core/billing/bookkeeping'
import { datevColumns, datevHead, datevLine } from '@atrium/core/billing/datev'
import { describe, expect, it } from 'vitest'

const accounts = accountsOf('skr04', { revenueStandard: { number: '4200', taxKey: '3' } })

const invoice = (document: BookedDocument['document'], changes: Partial<BookedDocument> = {}) => ({
  kind: 'invoice' as const,
  date: '2026-02-01',
  number: 'A_1 2',
  tenantSlug: 'acme',
  reference: 'in_1',
  currency: 'eur',
  netMinor: 1_000,
  grossMinor: 1_190,
  document,
  ...changes,
})
const taxed = (ratePercent: number, taxMinor: number, category: 'S' | 'AE' | 'E' | 'O' = 'S') => ({
  category,
  ratePercent,
  netMinor: 1_000,
  taxMinor,
})
const sold = (country: string, tax: ReturnType<typeof taxed>) =>
  documentRows(
    invoice(
      { credit: false, currency: 'eur', taxes: [tax], country, vatNumber: `${country}123` },
      { grossMinor: 1_000 + tax.taxMinor },
    ),
    accounts,
    'DE',
  )

/** The fields of a line by the name of their column. */
const fields = (line: string) => {
  const cells = line.trimEnd().split(';')
  return Object.fromEntries(datevColumns.map((name, index) => [name, cells[index]]))
}

describe('the revenue account', () => {
  it.each([
    ['DE', taxed(19, 190), '4200'],
    ['DE', taxed(7, 70), '4300'],
    ['DE', taxed(16, 160), '4200'],
    ['FR', taxed(20, 200), '4331'],
    ['FR', taxed(0, 0, 'AE'), '4336'],
    ['US', taxed(0, 0, 'O'), '4338'],
    ['DE', taxed(0, 0, 'E'), '4185'],
    ['CH', taxed(19, 190), '4200'],
  ])('of %s with %o is %s', (country, tax, account) => {
    expect(sold(country, tax)).toMatchObject([{ credit: { number: account } }])
  })
})

describe('a document', () => {
  it('has a row per tax, which add up to it', () => {
    const taxes = [
      { ...taxed(19, 114), netMinor: 600 },
      { ...taxed(7, 28), netMinor: 400 },
    ]
    const rows = documentRows(
      invoice(
        { credit: false, currency: 'eur', taxes, country: 'DE', vatNumber: null },
        { grossMinor: 1_142 },
      ),
      accounts,
      'DE',
    )
    expect(rows.map(({ grossMinor }) => grossMinor)).toEqual([714, 428])
  })

  it('that does not agree with the books is one row without a rate', () => {
    const wrong = {
      credit: false,
      currency: 'eur',
      taxes: [taxed(19, 189)],
      country: 'DE',
      vatNumber: null,
    }
    expect(documentRows(invoice(wrong), accounts, 'DE')).toMatchObject([
      { grossMinor: 1_190, taxMinor: 190, taxPercent: null, taxCategory: null },
    ])
  })

  it('that gives back is negative', () => {
    const given = {
      credit: true,
      currency: 'eur',
      taxes: [taxed(19, 190)],
      country: 'DE',
      vatNumber: null,
    }
    const note = invoice(given, { kind: 'credit_note', netMinor: -1_000, grossMinor: -1_190 })
    const [row] = documentRows(note, accounts, 'DE')
    expect(row).toMatchObject({ netMinor: -1_000, taxMinor: -190, taxPercent: 19 })
    expect(fields(row ? datevLine(row) : '')).toMatchObject({
      'Soll/Haben-Kennzeichen': '"H"',
      'Umsatz (ohne Soll/Haben-Kz)': '11,90',
      'BU-Schlüssel': '"3"',
      Belegdatum: '0102',
      'Belegfeld 1': '"A-1-2"',
    })
  })

  it('has the country and rate of a sale by the One Stop Shop, and the VAT number of a buyer who owes the tax', () => {
    const [abroad] = sold('FI', taxed(25.5, 255))
    expect(fields(abroad ? datevLine(abroad) : '')).toMatchObject({
      'EU-Land u. UStID (Bestimmung)': '"FI"',
      'EU-Steuersatz (Bestimmung)': '25,50',
    })
    const [reverse] = sold('FR', taxed(0, 0, 'AE'))
    expect(fields(reverse ? datevLine(reverse) : '')).toMatchObject({
      'EU-Land u. UStID (Bestimmung)': '"FR123"',
      'EU-Steuersatz (Bestimmung)': '',
    })
    const [home] = sold('DE', taxed(19, 190))
    expect(fields(home ? datevLine(home) : '')['EU-Land u. UStID (Bestimmung)']).toBe('')
  })
})

describe('a movement of the balance', () => {
  const moved = (changes: Partial<BookedTransaction>): BookedTransaction => ({
    id: 'txn_1',
    type: 'charge',
    category: 'charge',
    date: '2026-02-01',
    currency: 'eur',
    amountMinor: 1_000,
    feeMinor: 40,
    exchangeRate: null,
    sourceCurrency: 'eur',
    sourceMinor: 1_000,
    document: '1',
    tenantSlug: 'acme',
    ours: true,
    ...changes,
  })

  it.each([
    moved({}),
    moved({ type: 'refund', amountMinor: -300, feeMinor: 0, sourceMinor: 300 }),
    moved({ type: 'adjustment', category: 'dispute', amountMinor: -1_000, feeMinor: 2_000 }),
    moved({ type: 'payout', category: 'payout', amountMinor: -960, feeMinor: 0 }),
    moved({ type: 'payout', category: 'payout', amountMinor: -1_000, feeMinor: 10 }),
    moved({ type: 'stripe_fee', category: 'fee', amountMinor: -99, feeMinor: 0 }),
    moved({ type: 'reserve_hold', category: 'risk_reserved_funds', sourceCurrency: null }),
    moved({ sourceCurrency: 'jpy', sourceMinor: 160_000, exchangeRate: '0.00625' }),
    moved({ sourceCurrency: 'kwd', sourceMinor: 3_360, amountMinor: -1_000, feeMinor: 0 }),
    moved({ ours: false }),
  ])('moves the clearing account by its net: %o', (transaction) => {
    const { currency, amountMinor, feeMinor } = transaction
    const clearing = transactionRows(transaction, accounts)
      .filter((row) => row.currency === currency)
      .reduce(
        (sum, { debit, credit, grossMinor }) =>
          sum +
          (debit === accounts.clearing ? grossMinor : 0) -
          (credit === accounts.clearing ? grossMinor : 0),
        0,
      )
    expect(clearing).toBe(amountMinor - feeMinor)
  })

  it('of none of our invoices stays off the receivables', () => {
    expect(
      transactionRows(moved({ ours: false }), accounts).map(({ credit }) => credit.number),
    ).toEqual(['1370', '1460'])
  })
})

describe('the head of a DATEV batch', () => {
  it('names the month and the financial year that it is in', () => {
    const batch = {
      createdAt: new Date('2026-03-01T10:11:12.345Z'),
      consultant: 1_234,
      client: 5,
      chart: '04' as const,
      accountLength: 4,
      firstMonth: 7,
      month: '2028-02',
      currency: 'eur',
      label: 'February',
    }
    const [head = '', columns = ''] = datevHead(batch).split('\r\n')
    expect(head).toBe(
      '"EXTF";700;21;"Buchungsstapel";13;20260301101112345;;"RE";"";"";1234;5;20270701;4;20280201;20280229;"February";"";1;0;0;"EUR";;"";;;"04";;;"";""',
    )
    expect(columns.split(';')).toHaveLength(125)
    expect(datevHead({ ...batch, month: '2028-07' })).toContain(';20280701;4;20280701;20280731;')
  })
})
