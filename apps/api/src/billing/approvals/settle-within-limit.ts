import { isEnded } from '@atrium/core/billing/subscription-life'
import { findUnsettledApprovals, settleApproval } from '@atrium/db/billing/approvals'
import type { SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { ProcessorSubscription } from '@atrium/integrations/payments/port'

/**
 * Settles orders within the owner's limit once no payment is pending: an order is paid when the
 * subscription has its terms, or gets them at the end of the period. An unpaid order does not count
 * against the limit; one with a pending payment does. Requires `lockSubscriptionsOf`.
 */
export async function settleWithinLimit(
  trx: Trx,
  row: SubscriptionRow,
  read: ProcessorSubscription,
  now: Date,
): Promise<void> {
  if (row.status === 'incomplete' || read.pendingUpdate !== null) return
  const { tenantId } = row
  for (const { id, after } of await findUnsettledApprovals(trx, tenantId)) {
    const becomes = { ...row, ...row.pending }
    const reached = [row, becomes].some(
      ({ plan, cycle, seats }) =>
        plan === after.plan && cycle === after.cycle && seats === after.seats,
    )
    const paid = reached && !isEnded(row.status)
    await settleApproval(trx, { tenantId, id }, paid ? 'within_limit' : 'unpaid', now)
  }
}
