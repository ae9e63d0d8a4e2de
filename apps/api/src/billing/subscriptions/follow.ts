import { findSubscription, type SubscriptionRow } from '@atrium/db/billing/subscriptions'
import { recordTrialUse } from '@atrium/db/billing/trial-uses'
import type { Trx } from '@atrium/db/platform/connect'
import type { InTransaction } from '../../rpc/services.ts'
import { followEntitlements } from '../entitlements/follow.ts'

/**
 * Lets the tenant follow its subscription: plan and seats while it runs, and what is left of them
 * afterwards (docs/reference/contract.md, entitlements). Returns the subscription as it is now.
 */
export async function followSubscription(
  trx: Trx,
  services: InTransaction,
  subscriptionId: string,
): Promise<SubscriptionRow> {
  const row = await findSubscription(trx, subscriptionId)
  if (!row) throw new Error(`the subscription ${subscriptionId} is gone`)
  if (row.trialStart !== null) await recordTrialUse(trx, row.tenantId)
  // One that waits for its first payment, or never got it, gives nothing and takes nothing away.
  if (row.status !== 'incomplete' && row.status !== 'incomplete_expired')
    await followEntitlements(trx, services, row.tenantId)
  return row
}
