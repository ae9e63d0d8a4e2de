import {
  type CardView,
  cardExpiry,
  type InvoiceView,
  invoiceDisplayStatusOf,
  type SubscriptionSummary,
} from '@atrium/core/billing/billing'
import { toMinorNumber, toShownNumber } from '@atrium/core/billing/money'
import type { PaymentCard } from '@atrium/core/billing/payment-records'
import type { SummaryRow } from '@atrium/db/billing/billing'
import type { InvoiceRow } from '@atrium/db/billing/invoices'

/**
 * An invoice as tenants read it. Asks for one that was finalized: drafts are nobody's business yet.
 */
export function toInvoiceView(row: InvoiceRow, now: Date): InvoiceView {
  if (row.finalizedAt === null) throw new Error(`the invoice ${row.id} is a draft`)
  return {
    id: row.id,
    number: row.number,
    status: invoiceDisplayStatusOf(
      {
        status: row.status,
        amountPaid: BigInt(row.amountPaid),
        refundedAmount: BigInt(row.refundedAmount),
        disputedAmount: BigInt(row.disputedAmount),
        dueDate: row.dueDate,
        attemptCount: row.attemptCount,
      },
      now,
    ),
    billingReason: row.billingReason,
    currency: row.currency,
    subtotalMinor: toMinorNumber(row.subtotal),
    discountMinor: toMinorNumber(row.discount),
    taxMinor: toMinorNumber(row.tax),
    totalMinor: toMinorNumber(row.total),
    balanceAppliedMinor: toMinorNumber(row.balanceApplied ?? 0n),
    amountDueMinor: toMinorNumber(row.amountDue),
    amountPaidMinor: toMinorNumber(row.amountPaid),
    amountRemainingMinor: toMinorNumber(row.amountRemaining),
    creditedMinor: toMinorNumber(row.creditedAmount),
    refundedMinor: toMinorNumber(row.refundedAmount),
    disputedMinor: toMinorNumber(row.disputedAmount),
    periodStart: row.periodStart?.toISOString() ?? null,
    periodEnd: row.periodEnd?.toISOString() ?? null,
    dueDate: row.dueDate?.toISOString() ?? null,
    nextPaymentAttempt: row.nextPaymentAttempt?.toISOString() ?? null,
    attemptCount: row.attemptCount,
    finalizedAt: row.finalizedAt.toISOString(),
    paidAt: row.paidAt?.toISOString() ?? null,
    lines: row.lines.map(({ amount, ...line }) => ({ ...line, amountMinor: amount })),
  }
}

/** Without the processor's id of the payment method, which no page needs. */
export function toCardView({ paymentMethodId: _, ...card }: PaymentCard, now: Date): CardView {
  return { ...card, ...cardExpiry(card, now) }
}

export function toSubscriptionSummary(row: SummaryRow): SubscriptionSummary {
  return {
    id: row.id,
    source: row.source,
    plan: row.plan,
    cycle: row.cycle,
    currency: row.currency,
    status: row.status,
    seats: row.seats,
    periodAmountMinor: toShownNumber(row.periodAmount),
    trialEnd: row.trialEnd?.toISOString() ?? null,
    currentPeriodEnd: row.currentPeriodEnd?.toISOString() ?? null,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cancelAt: row.cancelAt?.toISOString() ?? null,
    pastDueSince: row.pastDueSince?.toISOString() ?? null,
  }
}
