import {
  type BillingDocument,
  completeDocument,
  type DocumentDraft,
  type DocumentKind,
  type DocumentLine,
  type DocumentParty,
  documentKinds,
} from '@atrium/core/billing/documents/document'

export const sampleSeller: DocumentParty = {
  name: 'Atrium Workplace GmbH',
  address: {
    line1: 'Torstraße 1',
    line2: null,
    city: 'Berlin',
    postalCode: '10119',
    region: null,
    country: 'DE',
  },
  vatNumber: 'DE136695976',
  taxNumber: '37/123/45678',
  register: 'Amtsgericht Charlottenburg HRB 123456',
  email: 'billing@atrium.example',
  contact: { name: 'Accounting', phone: '+49 30 1234567', email: 'billing@atrium.example' },
  bank: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
}

export const sampleBuyer: DocumentParty = {
  name: 'Müller & Söhne <Verwaltung> "Nord" AG',
  address: {
    line1: 'Große Elbstraße 12',
    line2: 'Hinterhaus',
    city: 'Hamburg',
    postalCode: '22767',
    region: null,
    country: 'DE',
  },
  vatNumber: 'DE129273398',
  taxNumber: null,
  register: null,
  email: 'einkauf@mueller.example',
  contact: null,
  bank: null,
}

const line: DocumentLine = {
  description: '25 × Business (at €8.00 / month)',
  quantity: 25,
  netMinor: 20_000,
  discountMinor: 0,
  taxMinor: 3_800,
  category: 'S',
  ratePercent: 19,
  period: { from: '2027-01-01', to: '2027-01-31' },
}

const buyerIn = (country: string, vatNumber: string | null, more: Partial<DocumentParty> = {}) => ({
  ...sampleBuyer,
  ...more,
  vatNumber,
  address: { ...sampleBuyer.address, country, city: 'Lyon', postalCode: '69001' },
})

/** Lines and buyers of every tax treatment, in currencies with two, no and three decimals. */
const treatments: Readonly<Record<string, Partial<DocumentDraft>>> = {
  domestic: {},
  'two rates and a proration': {
    lines: [
      line,
      { ...line, description: 'Unused time', quantity: 20, netMinor: -5_161, taxMinor: -981 },
      {
        ...line,
        description: 'Handbook',
        quantity: 3,
        netMinor: 1_000,
        taxMinor: 70,
        ratePercent: 7,
      },
      { ...line, quantity: 7, netMinor: 9_000, discountMinor: 1_003, taxMinor: 1_710 },
    ],
  },
  'paid by credit in part': { paidMinor: 10_000 },
  'paid by credit': { paidMinor: 23_800 },
  'nothing to pay': { lines: [{ ...line, netMinor: 0, taxMinor: 0 }] },
  'reverse charge': {
    buyer: buyerIn('FR', 'FR40303265045'),
    lines: [{ ...line, taxMinor: 0, category: 'AE', ratePercent: 0 }],
  },
  'consumer in another country': {
    buyer: buyerIn('FR', null),
    lines: [{ ...line, taxMinor: 4_000, ratePercent: 20 }],
  },
  'outside of the union': {
    buyer: buyerIn('US', null, { register: '12-3456789' }),
    lines: [{ ...line, taxMinor: 0, category: 'O', ratePercent: 0 }],
  },
  'outside of the union, seller without register': {
    seller: { ...sampleSeller, register: null },
    buyer: buyerIn('CH', 'CHE116281710'),
    lines: [{ ...line, taxMinor: 0, category: 'O', ratePercent: 0 }],
  },
  'small enterprise': {
    exemptionReason: 'Kleinunternehmer, § 19 UStG',
    lines: [{ ...line, taxMinor: 0, category: 'E', ratePercent: 0 }],
  },
  'zero rate': { lines: [{ ...line, taxMinor: 0, category: 'Z', ratePercent: 0 }] },
  yen: {
    currency: 'jpy',
    lines: [{ ...line, quantity: 3, netMinor: 4_001, taxMinor: 400, ratePercent: 10 }],
  },
  dinar: {
    currency: 'kwd',
    buyer: buyerIn('KW', null),
    lines: [{ ...line, quantity: 7, netMinor: 51_250, taxMinor: 0, category: 'O', ratePercent: 0 }],
  },
  'rate with three decimals': {
    currency: 'usd',
    buyer: buyerIn('US', null),
    lines: [{ ...line, netMinor: 12_345, taxMinor: 1_096, ratePercent: 8.875 }],
  },
  'large amounts': {
    lines: [{ ...line, quantity: 1_000_000, netMinor: 9_007_199_254_00, taxMinor: 171136785826 }],
  },
  'many lines': {
    lines: Array.from({ length: 90 }, (_, index) => ({
      ...line,
      description: `Line ${index + 1} of a long invoice with a description that needs two rows`,
      quantity: index + 1,
      netMinor: 1_234 + index,
      taxMinor: Math.round((1_234 + index) * 0.19),
    })),
  },
  'tax contained in the prices': {
    lines: [2_999, 1_001, -500, ...Array.from({ length: 40 }, () => 1_237)].map((grossMinor) => {
      const taxMinor = Math.round((grossMinor * 19) / 119)
      return { ...line, netMinor: grossMinor - taxMinor, taxMinor }
    }),
  },
  'long names and other scripts': {
    buyer: {
      ...sampleBuyer,
      name: `Ångström Œuvre Łódź Ελλάδα Компания 株式会社 ${'Grundstücksverwaltungs'.repeat(6)}`,
      address: { ...sampleBuyer.address, line1: 'x'.repeat(200) },
    },
    buyerReference: 'Zażółć gęślą jaźń 🙂',
    reason: 'A reason with\nseveral lines,\ttabs and \u0007 a bell & <tags>',
    lines: [{ ...line, description: `${'Ωmega ☕ '.repeat(60)}\u0000` }],
  },
}

/**
 * Documents of every kind, language, currency and tax treatment, with short and long names, which
 * must pass every rule. By name.
 */
export function sampleDocuments(): ReadonlyMap<string, BillingDocument> {
  const documents = new Map<string, BillingDocument>()
  for (const kind of documentKinds) {
    for (const [treatment, about] of Object.entries(treatments)) {
      for (const language of ['en', 'de'] as const) {
        documents.set(`${kind}, ${treatment}, ${language}`, sampleDocument(kind, about, language))
      }
    }
  }
  return documents
}

export function sampleDocument(
  kind: DocumentKind,
  about: Partial<DocumentDraft> = {},
  language: 'en' | 'de' = 'en',
): BillingDocument {
  const credit = kind.endsWith('credit_note')
  const transfer = kind.startsWith('self_billed')
  return completeDocument({
    kind,
    language,
    currency: 'eur',
    cancels: transfer && credit,
    number: 'ATR-0042',
    issueDate: '2027-01-31',
    seller: sampleSeller,
    buyer: sampleBuyer,
    buyerReference: 'mueller-soehne',
    period: { from: '2027-01-01', to: '2027-01-31' },
    preceding: credit ? { number: 'ATR-0041', issueDate: '2027-01-01' } : null,
    reason: null,
    exemptionReason: null,
    lines: [line],
    paidMinor: 0,
    payment: {
      means: transfer ? 'transfer' : credit ? 'returned' : 'online',
      dueDate: transfer || credit ? null : '2027-02-14',
    },
    ...about,
  })
}

/** The settings that make `sampleSeller` the issuer of an installation. */
export const sellerEnvironment = {
  SELLER_NAME: sampleSeller.name,
  SELLER_ADDRESS_LINE1: 'Torstraße 1',
  SELLER_POSTAL_CODE: '10119',
  SELLER_CITY: 'Berlin',
  SELLER_COUNTRY: 'DE',
  SELLER_VAT_NUMBER: 'DE136695976',
  SELLER_TAX_NUMBER: '37/123/45678',
  SELLER_REGISTER: 'Amtsgericht Charlottenburg HRB 123456',
  SELLER_EMAIL: 'billing@atrium.example',
  SELLER_CONTACT_NAME: 'Accounting',
  SELLER_CONTACT_PHONE: '+49 30 1234567',
  SELLER_IBAN: 'DE89 3704 0044 0532 0130 00',
  SELLER_BIC: 'COBADEFFXXX',
  SELLER_VAT_PERCENT: '19',
}
