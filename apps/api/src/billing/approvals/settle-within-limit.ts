import { isEnded } from '@atrium/core/billing/subscription-life'
import {
  findUnsettledApprovals,
  saveApprovalInvoice,
  settleApproval,
} from '@atrium/db/billing/approvals'
import type { SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments, ProcessorSubscription } from '@atrium/integrations/payments/port'
import type { InTransaction } from '../../rpc/services.ts'
import { askProcessor } from '../subscriptions/at-processor.ts'

type Outcome = 'within_limit' | 'unpaid' | 'pending'

/**
 * Settles orders within the owner's limit once no payment is pending. The invoice that an order
 * waited for decides: its terms may have been replaced since. An order without one was charged at
 * once: it is paid when the subscription has its terms, or gets them at the end of the period. An
 * unpaid order does not count against the limit; one with a pending payment does. Requires
 * `lockSubscriptionsOf`. Throws AppError `upstream_failed`.
 */
export async function settleWithinLimit(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  read: ProcessorSubscription,
): Promise<void> {
  const { tenantId } = row
  if (row.status === 'incomplete' || read.pendingUpdate !== null) {
    if (read.latestInvoiceId !== null)
      await saveApprovalInvoice(trx, tenantId, read.latestInvoiceId)
    return
  }
  const { payments } = services.systems
  for (const { id, after, stripeInvoiceId } of await findUnsettledApprovals(trx, tenantId)) {
    const outcome =
      (payments && stripeInvoiceId && (await outcomeOfInvoice(payments, row, stripeInvoiceId))) ||
      outcomeOfTerms(row, after)
    if (outcome !== 'pending')
      await settleApproval(trx, { tenantId, id }, outcome, services.clock.now())
  }
}

/** Undefined where the processor has no such invoice. */
async function outcomeOfInvoice(
  payments: Payments,
  row: SubscriptionRow,
  invoiceId: string,
): Promise<Outcome | undefined> {
  const invoice = await askProcessor((signal) => payments.findInvoice(invoiceId, { signal }))
  if (invoice === undefined) return undefined
  if (invoice.status === 'paid') return 'within_limit'
  const over = isEnded(row.status) && invoice.subscriptionId === row.stripeSubscriptionId
  return over || ['void', 'uncollectible'].includes(invoice.status) ? 'unpaid' : 'pending'
}

/** A subscription that has ended says nothing about an order for the one that comes after it. */
function outcomeOfTerms(
  row: SubscriptionRow,
  after: Pick<SubscriptionRow, 'plan' | 'cycle' | 'seats'>,
): Outcome {
  if (isEnded(row.status)) return 'pending'
  const reached = [row, { ...row, ...row.pending }].some(
    ({ plan, cycle, seats }) =>
      plan === after.plan && cycle === after.cycle && seats === after.seats,
  )
  return reached ? 'within_limit' : 'unpaid'
}
