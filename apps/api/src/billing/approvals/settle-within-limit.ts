import { isEnded } from '@atrium/core/billing/subscription-life'
import { findUnsettledApprovals, settleApproval } from '@atrium/db/billing/approvals'
import type { SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { ProcessorSubscription } from '@atrium/integrations/payments/port'

/**
 * Decides about orders within the owner's limit once nothing waits for a payment any more: what the
 * subscription has become, or becomes at the end of the period, was paid; anything else was not,
 * and does not count against the limit. While a payment is waited for an order counts. Requires
 * `lockSubscriptionsOf`.
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
