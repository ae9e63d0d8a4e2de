import {
  type BillingDocument,
  completeDocument,
  type DocumentLine,
  type DocumentParty,
  type VatCategory,
} from '@atrium/core/billing/documents/document'
import type { DocumentProblem } from '@atrium/core/billing/documents/problems'
import { divideRounded, formatAmount, toBasisPoints } from '@atrium/core/billing/money'
import type { Statement, StatementLine } from '@atrium/core/billing/statements'
import { isEuCountry, vatCountry } from '@atrium/core/billing/taxes'
import {
  findPartnerAddress,
  listPayoutDocuments,
  savePartnerDocument,
} from '@atrium/db/billing/documents'
import {
  findPayout,
  findStatement,
  lockPayouts,
  type PayoutPartner,
  type PayoutRow,
} from '@atrium/db/billing/payouts'
import type { Trx } from '@atrium/db/platform/connect'
import { languageOfRecipient } from '@atrium/db/users/languages'
import { documentTexts } from '@atrium/messages/documents'
import { defaultLanguage, formatLocale, type Language } from '@atrium/messages/languages'
import type { Seller } from '../../platform/seller.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { dayOf } from '../documents/invoice-draft.ts'
import { writeStatement } from './statement.ts'

/**
 * Issues the self-billed invoice of a payout that has a statement number and, once it has a
 * cancellation number, the credit note that cancels it. What can't be issued yet waits with its
 * reasons. Requires `lockPayouts`. It may run any number of times.
 */
export async function documentStatement(
  trx: Trx,
  services: InTransaction,
  partner: PayoutPartner,
  payout: PayoutRow,
): Promise<void> {
  const { statementNumber, cancellationNumber, id: payoutId } = payout
  if (statementNumber === null) return
  const at = services.clock.now()
  const same = { partnerId: partner.id, payoutId, at }
  const stored = await listPayoutDocuments(trx, partner.id, payoutId)
  let issued = stored.find(({ cancels }) => !cancels)?.document ?? null
  if (issued === null) {
    const { document, problems } = await draft(trx, services.config.seller, partner, payout, at)
    const row = { ...same, cancels: false, number: statementNumber, document, problems }
    await savePartnerDocument(trx, row)
    issued = document
  }
  if (cancellationNumber === null || stored.some((row) => row.cancels && row.document)) return
  await savePartnerDocument(trx, {
    ...same,
    cancels: true,
    number: cancellationNumber,
    document: issued && cancellationOf(issued, cancellationNumber, payout.canceledAt ?? at),
    problems: issued === null ? ['corrected_document'] : [],
  })
}

/** The documents of one payout that wait. */
export async function documentPendingStatement(
  services: Services,
  partnerId: string,
  payoutId: string,
): Promise<void> {
  await services.database.db.transaction().execute(async (trx) => {
    const partner = await lockPayouts(trx, partnerId)
    const payout = await findPayout(trx, payoutId)
    if (partner && payout) await documentStatement(trx, services, partner, payout)
  })
}

type Drafted =
  | { document: BillingDocument; problems: readonly [] }
  | { document: null; problems: readonly DocumentProblem[] }

async function draft(
  trx: Trx,
  platform: Seller,
  partner: PayoutPartner,
  payout: PayoutRow,
  at: Date,
): Promise<Drafted> {
  // Written by us and by nobody else, so its shape is known.
  const kept = (await findStatement(trx, payout.id)) as Statement | null
  const statement = kept ?? (await writeStatement(trx, payout))
  const supplier = await supplierOf(trx, partner)
  const treatment = treatmentOf(platform, supplier)
  const problems: DocumentProblem[] = [
    ...(platform.party === null ? (['seller'] as const) : []),
    ...(supplier.address.line1 === null || supplier.address.country === null
      ? (['partner_address'] as const)
      : []),
    ...(typeof treatment === 'string' ? [treatment] : []),
  ]
  if (platform.party === null || typeof treatment === 'string' || problems.length > 0)
    return { document: null, problems }
  const language = await languageOfPartner(trx, partner)
  const document = completeDocument({
    kind: 'self_billed_invoice',
    cancels: false,
    number: payout.statementNumber ?? '',
    issueDate: dayOf(at),
    language,
    currency: payout.currency,
    seller: supplier,
    buyer: platform.party,
    buyerReference: payout.id,
    period: periodOf(statement),
    preceding: null,
    reason: null,
    exemptionReason: null,
    paidMinor: 0,
    lines: linesOf(statement, treatment, language),
    payment: { means: 'transfer', dueDate: null },
  })
  return { document, problems: [] }
}

async function supplierOf(trx: Trx, partner: PayoutPartner): Promise<DocumentParty> {
  const address = await findPartnerAddress(trx, partner.id)
  return {
    name: partner.billingCompany ?? partner.name,
    address: {
      line1: address?.line1 ?? null,
      line2: address?.line2 ?? null,
      city: address?.city ?? null,
      postalCode: address?.postalCode ?? null,
      region: address?.region ?? null,
      country: partner.billingCountry,
    },
    vatNumber: partner.billingVatNumber,
    taxNumber: null,
    register: null,
    contact: null,
    bank: null,
    email: partner.billingEmail ?? partner.contactEmail,
  }
}

interface Treatment {
  category: VatCategory
  ratePercent: number
}

/**
 * How the partner's service to the platform is taxed (VAT directive, articles 44 and 196): at home
 * with the rate of the country, which is part of the share; reverse charge from another country of
 * the Union; outside the scope from elsewhere.
 */
function treatmentOf(
  { party, vatPercent }: Seller,
  { address: { country }, vatNumber }: DocumentParty,
): Treatment | DocumentProblem {
  const home = party?.address.country
  if (!home || country === null) return party === null ? 'seller' : 'partner_address'
  const foreign = vatCountry(country) !== vatCountry(home)
  const union = isEuCountry(vatCountry(country)) && isEuCountry(vatCountry(home))
  if (foreign && !union) return { category: 'O', ratePercent: 0 }
  if (vatNumber === null) return 'partner_vat_number'
  if (foreign) return { category: 'AE', ratePercent: 0 }
  return vatPercent === null ? 'tax_rate' : { category: 'S', ratePercent: vatPercent }
}

/**
 * The entries with the tax that they contain. Cut from the running sum, so that rounding does not
 * add up: all of them together are the payout.
 */
function linesOf(
  { lines, currency }: Statement,
  { category, ratePercent }: Treatment,
  language: Language,
): DocumentLine[] {
  const whole = 10_000n + toBasisPoints(ratePercent)
  let gross = 0n
  let net = 0n
  return lines.map((line) => {
    const before = { gross, net }
    gross += BigInt(line.amountMinor)
    net = divideRounded(gross * 10_000n, whole)
    return {
      description: describe(line, currency, language),
      quantity: 1,
      netMinor: Number(net - before.net),
      discountMinor: 0,
      taxMinor: Number(gross - before.gross - (net - before.net)),
      category,
      ratePercent,
      period: null,
    }
  })
}

function describe(line: StatementLine, currency: string, language: Language): string {
  const texts = documentTexts(language)
  const unknown = texts('lines.unknown')
  const invoice = line.invoiceNumber ?? unknown
  const customer = line.tenantName ?? unknown
  switch (line.type) {
    case 'accrual':
      return texts('lines.accrual', {
        margin: ((line.marginPct ?? 0) / 100).toLocaleString(formatLocale(language), {
          style: 'percent',
          maximumFractionDigits: 2,
        }),
        base: formatAmount(BigInt(line.baseMinor ?? 0), currency, language),
        invoice,
        customer,
      })
    case 'clawback':
    case 'clawback_reversal':
    case 'dispute_hold':
    case 'dispute_release':
      return texts(`lines.${line.type}`, { invoice, customer })
    default:
      return texts('lines.adjustment', { reason: line.reason ?? unknown })
  }
}

function periodOf({ periodFrom, periodTo, lines }: Statement): BillingDocument['period'] {
  const to = periodTo.slice(0, 10)
  const from = (periodFrom ?? lines[0]?.createdAt ?? periodTo).slice(0, 10)
  return { from: from.localeCompare(to) < 0 ? from : to, to }
}

async function languageOfPartner(trx: Trx, partner: PayoutPartner): Promise<Language> {
  const to = partner.billingEmail ?? partner.contactEmail
  const language =
    to === null ? null : await languageOfRecipient(trx, { address: to, tenantId: null })
  return language ?? defaultLanguage
}

function cancellationOf(issued: BillingDocument, number: string, at: Date): BillingDocument {
  const { version: _, taxes: __, totals: ___, ...same } = issued
  return completeDocument({
    ...same,
    kind: 'self_billed_credit_note',
    cancels: true,
    number,
    issueDate: dayOf(at),
    preceding: { number: issued.number, issueDate: issued.issueDate },
    paidMinor: 0,
  })
}
