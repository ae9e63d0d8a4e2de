import { languages } from '@atrium/messages/languages'
import { z } from 'zod'
import { minorAmount } from '../money.ts'

export const documentKinds = [
  'invoice',
  'credit_note',
  'self_billed_invoice',
  'self_billed_credit_note',
] as const
export const documentKind = z.enum(documentKinds)
export type DocumentKind = z.infer<typeof documentKind>

/** BT-3, the document's code of UNTDID 1001. */
export const documentTypeCodes: Readonly<Record<DocumentKind, string>> = {
  invoice: '380',
  credit_note: '381',
  self_billed_invoice: '389',
  self_billed_credit_note: '261',
}

export const isSelfBilled = (kind: DocumentKind) => kind.startsWith('self_billed')
export const isCredit = (kind: DocumentKind) => kind.endsWith('credit_note')

/**
 * VAT categories of UNTDID 5305: standard rate, zero rate, exempt, reverse charge, outside the
 * scope of VAT.
 */
export const vatCategories = ['S', 'Z', 'E', 'AE', 'O'] as const
export const vatCategory = z.enum(vatCategories)
export type VatCategory = z.infer<typeof vatCategory>

export const DocumentAddress = z.object({
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  city: z.string().nullable(),
  postalCode: z.string().nullable(),
  region: z.string().nullable(),
  /** ISO 3166-1 alpha-2, upper-case. */
  country: z.string().nullable(),
})
export type DocumentAddress = z.infer<typeof DocumentAddress>

export const DocumentParty = z.object({
  /** Legal name. */
  name: z.string(),
  address: DocumentAddress,
  vatNumber: z.string().nullable(),
  /** Number of the local tax office, where there is no VAT number or beside it. */
  taxNumber: z.string().nullable(),
  /** Register and number, such as `Amtsgericht Berlin HRB 1234`. */
  register: z.string().nullable(),
  email: z.string().nullable(),
  contact: z.object({ name: z.string(), phone: z.string(), email: z.string() }).nullable(),
  bank: z.object({ iban: z.string(), bic: z.string().nullable() }).nullable(),
})
export type DocumentParty = z.infer<typeof DocumentParty>

/** Two days, both included. */
export const DocumentPeriod = z.object({ from: z.iso.date(), to: z.iso.date() })
export type DocumentPeriod = z.infer<typeof DocumentPeriod>

/** Amounts are without tax, in minor units; those of a credit note are what it gives back. */
export const DocumentLine = z.object({
  description: z.string().min(1),
  /** Never 0; of the other sign than usual in a line that takes away. */
  quantity: z.number(),
  /** After the discount. */
  netMinor: minorAmount,
  /** What was taken off; 0 or more. */
  discountMinor: minorAmount.min(0),
  taxMinor: minorAmount,
  category: vatCategory,
  /** Percent; 0 where no tax is charged. */
  ratePercent: z.number().min(0).max(100),
  period: DocumentPeriod.nullable(),
})
export type DocumentLine = z.infer<typeof DocumentLine>

/** The tax of all lines of one category and rate. */
export const DocumentTax = z.object({
  category: vatCategory,
  ratePercent: z.number(),
  netMinor: minorAmount,
  taxMinor: minorAmount,
})
export type DocumentTax = z.infer<typeof DocumentTax>

export const DocumentPayment = z.object({
  /**
   * `online`: through the payment processor, by card. `transfer`: to the supplier's account.
   * `returned`: a credit note is paid back as the invoice was paid, or set off against it.
   */
  means: z.enum(['online', 'transfer', 'returned']),
  dueDate: z.iso.date().nullable(),
})

/**
 * An issued invoice, credit note or self-billed document: everything that its PDF and its XML say.
 * Kept as it is from the day it is issued; both are rendered from it.
 */
export const BillingDocument = z.object({
  version: z.literal(1),
  kind: documentKind,
  /** It takes back the whole of the document that it names. */
  cancels: z.boolean(),
  number: z.string().min(1),
  issueDate: z.iso.date(),
  language: z.enum(languages),
  /** Lower-cased ISO 4217. */
  currency: z.string().length(3),
  /** Who supplies: the platform, or the partner of a self-billed document. */
  seller: DocumentParty,
  buyer: DocumentParty,
  /** What the buyer finds it by (BT-10): the workplace, or the payout. */
  buyerReference: z.string().min(1),
  period: DocumentPeriod.nullable(),
  /** The document that this one corrects. */
  preceding: z.object({ number: z.string(), issueDate: z.iso.date().nullable() }).nullable(),
  /** Why it was issued, as typed by a person. */
  reason: z.string().nullable(),
  /** The seller's reason for category `E`, such as the rule for small enterprises. */
  exemptionReason: z.string().nullable(),
  lines: z.array(DocumentLine).min(1),
  taxes: z.array(DocumentTax).min(1),
  totals: z.object({
    netMinor: minorAmount,
    taxMinor: minorAmount,
    grossMinor: minorAmount,
    /** Credit of the customer that was used up when it was issued, or a transfer made before. */
    paidMinor: minorAmount,
    dueMinor: minorAmount,
  }),
  payment: DocumentPayment,
})
export type BillingDocument = z.infer<typeof BillingDocument>

/** A document before it has its taxes and totals, which `completeDocument` adds. */
export type DocumentDraft = Omit<BillingDocument, 'version' | 'taxes' | 'totals'> & {
  paidMinor: number
}

/** RangeError for amounts that a number does not hold exactly. */
export function completeDocument({ paidMinor, ...draft }: DocumentDraft): BillingDocument {
  const taxes = taxesOf(draft.lines)
  const netMinor = sum(draft.lines.map((line) => line.netMinor))
  const taxMinor = sum(taxes.map((tax) => tax.taxMinor))
  const grossMinor = sum([netMinor, taxMinor])
  const totals = {
    netMinor,
    taxMinor,
    grossMinor,
    paidMinor,
    dueMinor: sum([grossMinor, -paidMinor]),
  }
  return BillingDocument.parse({ version: 1, ...draft, taxes, totals })
}

/** By category and rate, in the order of the lines. */
function taxesOf(lines: readonly DocumentLine[]): DocumentTax[] {
  const groups = Map.groupBy(lines, (line) => `${line.category} ${line.ratePercent}`)
  return [...groups.values()].flatMap((group) => {
    const first = group[0]
    return first === undefined
      ? []
      : {
          category: first.category,
          ratePercent: first.ratePercent,
          netMinor: sum(group.map((line) => line.netMinor)),
          taxMinor: sum(group.map((line) => line.taxMinor)),
        }
  })
}

function sum(amounts: readonly number[]): number {
  const total = amounts.reduce((before, amount) => before + amount, 0)
  if (!Number.isSafeInteger(total)) throw new RangeError('The total is too large to be exact.')
  return total
}
