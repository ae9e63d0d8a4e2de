import { toSubscriptionStatus } from '@atrium/core/billing/subscriptions'
import type { StripeSubscriptionRow } from '@atrium/db/billing/billing'
import type { InvoiceRow } from '@atrium/db/billing/invoices'
import type { ProcessorInvoice, ProcessorSubscription } from '@atrium/integrations/payments/port'

type Fields = Record<string, [unknown, unknown]>

/** What differs between a subscription here and at the processor, `[ours, theirs]`. */
export function subscriptionDifferences(
  ours: StripeSubscriptionRow,
  theirs: ProcessorSubscription,
): Fields {
  return differing(
    {
      status: ours.status,
      currency: ours.currency,
      cycle: ours.cycle,
      seats: ours.seats,
      priceId: ours.stripePriceId,
      currentPeriodEnd: ours.currentPeriodEnd?.toISOString() ?? null,
      cancelAtPeriodEnd: ours.cancelAtPeriodEnd,
    },
    {
      status: toSubscriptionStatus(theirs.status),
      currency: theirs.currency,
      cycle: theirs.cycle,
      seats: theirs.seats,
      priceId: theirs.priceId,
      currentPeriodEnd: theirs.currentPeriodEnd?.toISOString() ?? null,
      cancelAtPeriodEnd: theirs.cancelAtPeriodEnd,
    },
  )
}

/** The same of an invoice. */
export function invoiceDifferences(ours: InvoiceRow, theirs: ProcessorInvoice): Fields {
  return differing(
    {
      status: ours.status,
      number: ours.number,
      total: String(ours.total),
      amountPaid: String(ours.amountPaid),
      amountRemaining: String(ours.amountRemaining),
      creditedAmount: String(ours.creditedAmount),
      balanceApplied: String(ours.balanceApplied ?? 0),
      attemptCount: String(ours.attemptCount),
    },
    {
      status: theirs.status,
      number: theirs.number,
      total: String(theirs.total),
      amountPaid: String(theirs.amountPaid),
      amountRemaining: String(theirs.amountRemaining),
      creditedAmount: String(theirs.creditedAmount),
      balanceApplied: String(theirs.balanceApplied ?? 0),
      attemptCount: String(theirs.attemptCount),
    },
  )
}

function differing(ours: Record<string, unknown>, theirs: Record<string, unknown>): Fields {
  return Object.fromEntries(
    Object.entries(ours).flatMap(([field, our]) =>
      our === theirs[field] ? [] : [[field, [our, theirs[field]] satisfies [unknown, unknown]]],
    ),
  )
}
