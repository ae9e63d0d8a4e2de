import type { AllowedCorrections, CorrectionView } from '@atrium/core/billing/invoice-corrections'
import { toShownNumber } from '@atrium/core/billing/money'
import type {
  InvoiceReversalView,
  InvoiceTotals,
  OperatorInvoice,
  OperatorInvoiceDetail,
} from '@atrium/core/billing/operator-invoices'
import { creditDestinations } from '@atrium/core/platform/choices'
import type { CorrectionRow } from '@atrium/db/billing/invoice-corrections'
import type {
  InvoiceTotalsRow,
  OperatorInvoiceRow,
  ShareEntry,
  StoredReversal,
} from '@atrium/db/billing/operator-invoices'
import { readFailure } from '../../rpc/reader-language.ts'
import { toInvoiceView } from '../invoices/view.ts'

const time = (date: Date | null) => date?.toISOString() ?? null

export function toOperatorInvoice(row: OperatorInvoiceRow, now: Date): OperatorInvoice {
  const { lines: _, ...invoice } = toInvoiceView(row, now)
  const { tenantSlug, tenantName, partnerSlug } = row
  return { ...invoice, tenantSlug, tenantName, partnerSlug }
}

export function toInvoiceTotals(row: InvoiceTotalsRow): InvoiceTotals {
  return {
    currency: row.currency,
    invoices: row.invoices,
    totalMinor: toShownNumber(row.total),
    taxMinor: toShownNumber(row.tax),
    paidMinor: toShownNumber(row.paid),
    dueMinor: toShownNumber(row.due),
    refundedMinor: toShownNumber(row.refunded),
    creditedMinor: toShownNumber(row.credited),
  }
}

export function toCorrectionView(row: CorrectionRow): CorrectionView {
  return {
    id: row.id,
    invoiceId: row.invoiceId,
    invoiceNumber: row.invoiceNumber,
    tenantSlug: row.tenantSlug,
    tenantName: row.tenantName,
    kind: row.kind,
    destination: row.destination,
    category: row.category,
    currency: row.currency,
    amountMinor: toShownNumber(row.amount),
    reason: row.reason,
    reference: row.reference,
    paidOn: row.paidOn,
    state: row.state,
    error: readFailure(row.error),
    creditNoteNumber: row.creditNoteNumber,
    requestedBy: row.requestedBy,
    decidedBy: row.decidedBy,
    createdAt: row.createdAt.toISOString(),
    decidedAt: time(row.decidedAt),
    finishedAt: time(row.finishedAt),
  }
}

function toReversalView(row: StoredReversal): InvoiceReversalView {
  return {
    id: row.id,
    kind: row.kind,
    number: row.number,
    amountMinor: toShownNumber(row.total ?? row.amount),
    balanceMinor: toShownNumber(row.balance),
    outsideMinor: toShownNumber(row.outside),
    status: row.status,
    effective: row.effective,
    createdAt: row.createdAt.toISOString(),
  }
}

export interface InvoiceParts {
  reversals: readonly StoredReversal[]
  corrections: readonly CorrectionRow[]
  entries: readonly ShareEntry[]
  allowed: AllowedCorrections
}

export function toOperatorInvoiceDetail(
  row: OperatorInvoiceRow,
  { reversals, corrections, entries, allowed }: InvoiceParts,
  now: Date,
): OperatorInvoiceDetail {
  const { lines } = toInvoiceView(row, now)
  return {
    ...toOperatorInvoice(row, now),
    lines,
    stripeInvoiceId: row.stripeInvoiceId,
    voidedAt: time(row.voidedAt),
    uncollectibleAt: time(row.uncollectibleAt),
    reversals: reversals.map(toReversalView),
    corrections: corrections.map(toCorrectionView),
    share: toShare(row, entries),
    allowedCorrections: {
      dueReductionMinor: toShownNumber(allowed.dueReduction),
      destinations: creditDestinations.map((destination) => ({
        destination,
        maxMinor: toShownNumber(allowed[destination]),
      })),
      writeOff: allowed.writeOff,
      void: allowed.void,
      transferMinor: toShownNumber(allowed.transfer),
    },
  }
}

function toShare(
  { partnerSlug, partnerName, marginPct }: OperatorInvoiceRow,
  entries: readonly ShareEntry[],
): OperatorInvoiceDetail['share'] {
  if (partnerSlug === null || partnerName === null) return null
  const sum = entries.reduce((total, { amount }) => total + BigInt(amount), 0n)
  return {
    partnerSlug,
    partnerName,
    marginPct: marginPct === null ? null : Number(marginPct),
    amountMinor: toShownNumber(sum),
    entries: entries.map(({ type, amount, createdAt }) => ({
      type,
      amountMinor: toShownNumber(amount),
      createdAt: createdAt.toISOString(),
    })),
  }
}
