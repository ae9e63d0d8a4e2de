import { completeDocument } from '@atrium/core/billing/documents/document'
import { documentTitle, notesOf } from '@atrium/core/billing/documents/document-wording'
import {
  crossIndustryInvoice,
  unrepresentable,
  xrechnungGaps,
} from '@atrium/core/billing/documents/e-invoice'
import {
  sampleBuyer,
  sampleDocument,
  sampleDocuments,
  sampleSeller,
} from '@atrium/testing/payments/billing-documents'
import { brokenRules } from '@atrium/testing/payments/e-invoice-rules'
import { describe, expect, it } from 'vitest'

const line = sampleDocument('invoice').lines[0]
if (!line) throw new Error('the sample has no line')

describe('the XML of a document', () => {
  it('follows the rules of EN 16931 and of XRechnung, whatever the document', () => {
    const broken = [...sampleDocuments()].flatMap(([name, document]) => {
      const both = xrechnungGaps(document).length === 0
      return [
        ...brokenRules(crossIndustryInvoice(document, 'en16931')),
        ...(both ? brokenRules(crossIndustryInvoice(document, 'xrechnung')) : []),
      ].map((rule) => `${name}: ${rule}`)
    })
    expect(broken).toEqual([])
  })

  it.each([
    ['BR-CO-10', '<ram:LineTotalAmount>200.00', '<ram:LineTotalAmount>200.01'],
    ['BR-CO-15', '<ram:GrandTotalAmount>238.00', '<ram:GrandTotalAmount>237.00'],
    ['BR-CO-16', '<ram:DuePayableAmount>238.00', '<ram:DuePayableAmount>0.00'],
    ['BR-S-09', '<ram:CalculatedAmount>38.00', '<ram:CalculatedAmount>34.00'],
    ['BR-14', '<ram:GrandTotalAmount>238.00', '<ram:GrandTotalAmount>238.000'],
    ['BR-02', '<ram:ID>ATR-0042</ram:ID>', '<ram:ID></ram:ID>'],
    ['BR-11', '<ram:CountryID>DE</ram:CountryID>', '<ram:CountryID></ram:CountryID>'],
    ['BR-27', '<ram:ChargeAmount>8.00', '<ram:ChargeAmount>-8.00'],
    ['BR-DE-15', 'mueller-soehne', ''],
    ['BR-DE-27', '+49 30 1234567', '+4'],
    ['PEPPOL-EN16931-R120', '<ram:ChargeAmount>8.00', '<ram:ChargeAmount>8.01'],
  ])('is found to break %s when it does', (rule, right, wrong) => {
    const xml = crossIndustryInvoice(sampleDocument('invoice'), 'xrechnung')
    expect(xml).toContain(right)
    expect(brokenRules(xml)).toEqual([])
    // The last one: the totals follow the lines, the buyer the seller.
    const place = xml.lastIndexOf(right)
    const changed = xml.slice(0, place) + wrong + xml.slice(place + right.length)
    expect(brokenRules(changed)).toContain(rule)
  })

  it.each([
    ['invoice', '380'],
    ['credit_note', '381'],
    ['self_billed_invoice', '389'],
    ['self_billed_credit_note', '261'],
  ] as const)('names a %s by the code %s', (kind, code) => {
    const xml = crossIndustryInvoice(sampleDocument(kind), 'en16931')
    expect(xml).toContain(`<ram:TypeCode>${code}</ram:TypeCode>`)
  })

  it('keeps every character that XML can hold and replaces the others', () => {
    const xml = crossIndustryInvoice(
      sampleDocument('invoice', { buyerReference: 'a & b <c> "d" 株 🙂\u0000\ud800' }),
      'en16931',
    )
    expect(xml).toContain('a &amp; b &lt;c&gt; &quot;d&quot; 株 🙂\ufffd\ufffd')
  })

  it('writes yen without decimals and dinars with two', () => {
    const yen = sampleDocument('invoice', {
      currency: 'jpy',
      lines: [{ ...line, netMinor: 20_000, taxMinor: 2_000, ratePercent: 10 }],
    })
    const dinar = sampleDocument('invoice', {
      currency: 'kwd',
      lines: [{ ...line, netMinor: 20_010, taxMinor: 2_000, ratePercent: 10 }],
    })
    expect(crossIndustryInvoice(yen, 'en16931')).toContain('GrandTotalAmount>22000<')
    expect(crossIndustryInvoice(dinar, 'en16931')).toContain('GrandTotalAmount>22.01<')
  })

  it('is not written when an amount has a third decimal', () => {
    const document = sampleDocument('invoice', {
      currency: 'kwd',
      lines: [{ ...line, netMinor: 20_011, taxMinor: 2_001, ratePercent: 10 }],
    })
    expect(unrepresentable(document)).toBe('decimals')
    expect(() => crossIndustryInvoice(document, 'en16931')).toThrow(RangeError)
  })

  it('is not written when rounding line by line left the tax a whole unit off', () => {
    const lines = Array.from({ length: 250 }, () => ({
      ...line,
      netMinor: 3,
      taxMinor: 1,
    }))
    expect(unrepresentable(sampleDocument('invoice', { lines }))).toBe('tax')
  })

  it('is no XRechnung without what XRechnung asks for', () => {
    const buyer = { ...sampleBuyer, email: null }
    const seller = { ...sampleSeller, contact: null }
    expect(xrechnungGaps(sampleDocument('invoice', { buyer, seller }))).toEqual([
      'seller.contact',
      'buyer.email',
    ])
    expect(xrechnungGaps(sampleDocument('self_billed_credit_note'))).toEqual(['kind'])
  })
})

describe('a document', () => {
  it('adds up its lines by category and rate', () => {
    const { taxes, totals } = sampleDocument('invoice', {
      lines: [
        line,
        { ...line, netMinor: -5_000, taxMinor: -950 },
        { ...line, netMinor: 1_000, taxMinor: 70, ratePercent: 7 },
      ],
      paidMinor: 1_000,
    })
    expect(taxes).toEqual([
      { category: 'S', ratePercent: 19, netMinor: 15_000, taxMinor: 2_850 },
      { category: 'S', ratePercent: 7, netMinor: 1_000, taxMinor: 70 },
    ])
    expect(totals).toEqual({
      netMinor: 16_000,
      taxMinor: 2_920,
      grossMinor: 18_920,
      paidMinor: 1_000,
      dueMinor: 17_920,
    })
  })

  it('rejects totals that a number does not hold exactly', () => {
    const lines = [line, line].map((one) => ({ ...one, netMinor: Number.MAX_SAFE_INTEGER }))
    expect(() => sampleDocument('invoice', { lines })).toThrow(RangeError)
  })

  it('needs a line', () => {
    const { version: _, taxes: __, totals: ___, ...draft } = sampleDocument('invoice')
    expect(() => completeDocument({ ...draft, lines: [], paidMinor: 0 })).toThrow('lines')
  })

  it('says Gutschrift in German when it is self-billed, as § 14 UStG asks', () => {
    const statement = sampleDocument('self_billed_invoice', {}, 'de')
    expect(documentTitle(statement)).toBe('Gutschrift')
    expect(notesOf(statement).join()).toContain('Gutschrift')
    expect(notesOf(sampleDocument('self_billed_invoice')).join()).toContain('Self-billing')
  })

  it('never calls a credit note Gutschrift, which would be a self-billed invoice', () => {
    const note = sampleDocument('credit_note', {}, 'de')
    expect([documentTitle(note), ...notesOf(note)].join()).not.toContain('Gutschrift')
  })
})
