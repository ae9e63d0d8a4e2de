import {
  type BillingDocument,
  completeDocument,
  type DocumentDraft,
  type DocumentLine,
  type DocumentParty,
  type VatCategory,
} from '@atrium/core/billing/documents/document'
import type { DocumentProblem } from '@atrium/core/billing/documents/problems'
import type { StoredAddress } from '@atrium/db/billing/documents'
import type { CustomerTenant } from '@atrium/db/billing/payment-customers'
import type {
  InvoiceCustomer,
  InvoiceTax,
  ProcessorCreditNote,
  ProcessorInvoice,
} from '@atrium/integrations/payments/port'
import { documentTexts } from '@atrium/messages/documents'
import type { Language } from '@atrium/messages/languages'
import type { Seller } from '../../platform/seller.ts'

/** Whom a document of a tenant is for, beside what the processor knows. */
export interface Recipient {
  tenant: CustomerTenant
  address: StoredAddress | null
  language: Language
}

/** A document, or everything that keeps it from being issued. */
export type Drafted =
  | { document: BillingDocument; problems: readonly [] }
  | { document: null; problems: readonly DocumentProblem[] }

/**
 * The document of a finalized invoice. The processor's number and figures are taken as they are; an
 * invoice below zero is a credit note, because an invoice with a negative total has no meaning in
 * law.
 */
export function invoiceDocument(
  invoice: ProcessorInvoice,
  seller: Seller,
  recipient: Recipient,
): Drafted {
  const sign = invoice.total < 0 ? -1 : 1
  const paid = (invoice.balanceApplied ?? 0) * sign
  return drafted(seller, recipient, {
    kind: sign < 0 ? 'credit_note' : 'invoice',
    number: invoice.number ?? '',
    at: invoice.effectiveAt ?? invoice.finalizedAt ?? invoice.created,
    sign,
    currency: invoice.currency,
    customer: invoice.customer,
    lines: invoice.lines.map((line) => ({
      ...line,
      period: periodOf(line.periodStart, line.periodEnd),
    })),
    period:
      invoice.periodStart && invoice.periodEnd
        ? periodOf(invoice.periodStart, invoice.periodEnd)
        : null,
    totals: { net: invoice.totalExcludingTax, tax: invoice.tax, gross: invoice.total },
    paidMinor: sign < 0 ? -invoice.total : Math.max(0, paid),
    preceding: null,
    reason: null,
    dueDate: invoice.dueDate,
  })
}

/** The document of a credit note. `corrected` is the issued invoice. */
export function creditNoteDocument(
  note: ProcessorCreditNote,
  corrected: BillingDocument,
  customer: InvoiceCustomer,
  seller: Seller,
  recipient: Recipient,
): Drafted {
  const draft = drafted(seller, recipient, {
    kind: 'credit_note',
    number: note.number,
    at: note.effectiveAt,
    sign: 1,
    currency: note.currency,
    customer,
    lines: note.lines.map((line) => ({ ...line, period: null })),
    period: corrected.period,
    totals: { net: note.totalExcludingTax, tax: note.tax, gross: note.total },
    paidMinor: 0,
    preceding: { number: corrected.number, issueDate: corrected.issueDate },
    reason: note.memo?.trim() || null,
    dueDate: null,
  })
  // It speaks of the same two parties and in the same language as the invoice that it corrects.
  return draft.document === null
    ? draft
    : {
        ...draft,
        document: {
          ...draft.document,
          seller: corrected.seller,
          buyer: corrected.buyer,
          language: corrected.language,
        },
      }
}

/**
 * The document that takes back what is left of an issued one: all of it, or what its credit notes
 * have not credited back yet. Null where they gave back everything.
 */
export function cancellationDocument(
  issued: BillingDocument,
  credits: readonly BillingDocument[],
  at: Date,
): BillingDocument | null {
  const lines = credits.length === 0 ? issued.lines : remainingLines(issued, credits)
  if (lines.length === 0) return null
  const { version: _, taxes: __, totals: ___, ...same } = issued
  return completeDocument({
    ...same,
    kind: issued.kind === 'invoice' ? 'credit_note' : 'invoice',
    cancels: true,
    number: `${issued.number}-VOID`,
    issueDate: dayOf(at),
    preceding: { number: issued.number, issueDate: issued.issueDate },
    reason: null,
    lines,
    payment: {
      ...issued.payment,
      means: issued.kind === 'invoice' ? 'returned' : 'online',
      dueDate: null,
    },
    paidMinor: 0,
  })
}

/** One line for each tax that is left. */
function remainingLines(
  issued: BillingDocument,
  credits: readonly BillingDocument[],
): DocumentLine[] {
  const texts = documentTexts(issued.language)
  return issued.taxes.flatMap(({ category, ratePercent, netMinor, taxMinor }) => {
    const credited = credits
      .flatMap((credit) => credit.taxes)
      .filter((tax) => tax.category === category && tax.ratePercent === ratePercent)
    const net = credited.reduce((left, tax) => left - tax.netMinor, netMinor)
    const tax = credited.reduce((left, one) => left - one.taxMinor, taxMinor)
    if (net === 0 && tax === 0) return []
    const line: DocumentLine = {
      description: texts('lines.credit', { invoice: issued.number }),
      quantity: 1,
      netMinor: net,
      discountMinor: 0,
      taxMinor: tax,
      category,
      ratePercent,
      period: null,
    }
    return [line]
  })
}

interface Facts {
  kind: 'invoice' | 'credit_note'
  number: string
  at: Date
  /** -1 where the processor's amounts are below zero. */
  sign: 1 | -1
  currency: string
  customer: InvoiceCustomer
  lines: readonly {
    description: string | null
    amount: number
    discount: number
    quantity: number | null
    taxes: readonly InvoiceTax[]
    period: DocumentLine['period']
  }[]
  period: BillingDocument['period']
  totals: { net: number; tax: number; gross: number }
  paidMinor: number
  preceding: BillingDocument['preceding']
  reason: string | null
  dueDate: Date | null
}

function drafted(seller: Seller, recipient: Recipient, facts: Facts): Drafted {
  const buyer = buyerOf(facts.customer, recipient)
  const lines = facts.lines.map((line) => toLine(line, facts, seller, recipient.language))
  const known = lines.filter((line) => line !== 'tax_unknown' && line !== 'processor')
  const problems = new Set<DocumentProblem>([
    ...(seller.party === null ? (['seller'] as const) : []),
    ...buyerProblems(buyer),
    ...lines.filter((line) => typeof line === 'string'),
  ])
  if (known.some(({ category }) => category === 'AE') && buyer.vatNumber === null)
    problems.add('buyer_vat_number')
  const [first] = known
  if (seller.party === null || problems.size > 0 || first === undefined) {
    if (first === undefined && problems.size === 0) problems.add('totals')
    return { document: null, problems: [...problems] }
  }
  const document = completeDocument({
    kind: facts.kind,
    cancels: false,
    number: facts.number,
    issueDate: dayOf(facts.at),
    language: recipient.language,
    currency: facts.currency,
    seller: seller.party,
    buyer,
    buyerReference: recipient.tenant.slug,
    period: facts.period,
    preceding: facts.preceding,
    reason: facts.reason,
    exemptionReason: seller.exemption,
    lines: known,
    paidMinor: facts.paidMinor,
    payment: {
      means: facts.kind === 'credit_note' ? 'returned' : 'online',
      dueDate: facts.kind === 'credit_note' || !facts.dueDate ? null : dayOf(facts.dueDate),
    },
  } satisfies DocumentDraft)
  const { totals } = document
  const { net, tax, gross } = facts.totals
  const same =
    totals.netMinor === net * facts.sign &&
    totals.taxMinor === tax * facts.sign &&
    totals.grossMinor === gross * facts.sign
  return same ? { document, problems: [] } : { document: null, problems: ['totals'] }
}

function toLine(
  line: Facts['lines'][number],
  { sign, customer }: Facts,
  seller: Seller,
  language: Language,
): DocumentLine | 'tax_unknown' | 'processor' {
  const tax = taxOf(line.taxes, customer, seller)
  if (typeof tax === 'string') return tax
  const inclusive = line.taxes
    .filter(({ behavior }) => behavior === 'inclusive')
    .reduce((sum, { amount }) => sum + amount, 0)
  const netMinor = (line.amount - line.discount - inclusive) * sign
  return {
    description: line.description?.trim() || documentTexts(language)('lines.subscription'),
    quantity: line.quantity || 1,
    netMinor,
    // A discount that is contained in a price with tax, or on what is taken back, is in the amount.
    discountMinor: inclusive === 0 && netMinor >= 0 ? Math.max(0, line.discount * sign) : 0,
    taxMinor: tax.amount * sign,
    category: tax.category,
    ratePercent: tax.percent,
    period: line.period,
  }
}

interface LineTax {
  category: VatCategory
  percent: number
  amount: number
}

/** Several taxes of one line are added up: EN 16931 has one category and rate per line. */
function taxOf(
  taxes: readonly InvoiceTax[],
  { taxExempt }: InvoiceCustomer,
  { exemption }: Seller,
): LineTax | 'tax_unknown' | 'processor' {
  const [first] = taxes
  // With rates of one's own, the processor writes the exemption on the customer and no tax at all.
  if (first === undefined && taxExempt !== 'none')
    return { category: taxExempt === 'reverse' ? 'AE' : 'E', percent: 0, amount: 0 }
  if (first === undefined)
    return exemption === null ? 'tax_unknown' : { category: 'E', percent: 0, amount: 0 }
  const amount = taxes.reduce((sum, tax) => sum + tax.amount, 0)
  if (taxes.some(({ reason }) => reason === 'reverse_charge'))
    return { category: 'AE', percent: 0, amount }
  if (amount === 0 && taxes.every(({ rate }) => rate === null || rate.percent === 0))
    return { category: untaxed(first), percent: 0, amount }
  if (taxes.some(({ rate, rateId }) => rate === null && rateId !== null)) return 'processor'
  const percent = taxes.reduce((sum, tax) => sum + (tax.rate?.percent ?? 0), 0)
  return { category: 'S', percent: Math.round(percent * 10_000) / 10_000, amount }
}

function untaxed({ reason }: InvoiceTax): VatCategory {
  if (reason === 'zero_rated') return 'Z'
  const exempt: readonly string[] = ['customer_exempt', 'product_exempt', 'portion_product_exempt']
  return exempt.includes(reason) ? 'E' : 'O'
}

function buyerOf(customer: InvoiceCustomer, { tenant, address }: Recipient): DocumentParty {
  const theirs = customer.address
  const country = theirs?.country ?? tenant.country
  const full = theirs?.line1 && theirs.city
  return {
    name: customer.name?.trim() || tenant.company || tenant.name,
    address: full
      ? {
          line1: theirs.line1,
          line2: theirs.line2,
          city: theirs.city,
          postalCode: theirs.postalCode,
          region: theirs.state,
          country,
        }
      : {
          line1: address?.line1 ?? null,
          line2: address?.line2 ?? null,
          city: address?.city ?? null,
          postalCode: address?.postalCode ?? null,
          region: address?.region ?? null,
          country,
        },
    vatNumber:
      customer.taxIds.find(({ type }) => type === 'eu_vat')?.value ??
      customer.taxIds.find(({ type }) => type.endsWith('_vat'))?.value ??
      tenant.vatNumber,
    taxNumber: null,
    register: null,
    email: customer.email ?? tenant.email ?? tenant.ownerEmail,
    contact: null,
    bank: null,
  }
}

/** VAT directive, article 226 (5): the full name and address. */
function buyerProblems({ name, address }: DocumentParty): DocumentProblem[] {
  const complete = address.line1 !== null && address.city !== null && address.country !== null
  return [
    ...(name === '' ? (['buyer_name'] as const) : []),
    ...(complete ? [] : (['buyer_address'] as const)),
  ]
}

/** A day in UTC, as reports count days. */
export const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** The processor's period ends at the moment at which the next one begins. */
function periodOf(start: Date, end: Date): { from: string; to: string } {
  const last = end > start ? new Date(end.getTime() - 1) : end
  return { from: dayOf(start), to: dayOf(last) }
}
