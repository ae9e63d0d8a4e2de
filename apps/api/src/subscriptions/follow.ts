import { grantingStatuses } from '@atrium/core/subscriptions'
import type { Trx } from '@atrium/db/connect'
import { findSubscription, lockTenantOfSubscription, reopenFilesStep, type SubscriptionRow } from '@atrium/db/subscriptions'
import { notifyTenant, updateTenant } from '@atrium/db/tenants'
import type { InTransaction } from '../house.ts'

/**
 * Lets the tenant follow its subscription: plan and seats while it runs (docs/contract.md, subscriptions). Another plan has its file space
 * provisioned anew. Answers the subscription as it stands now.
 */
export async function followSubscription(trx: Trx, house: InTransaction, subscriptionId: string): Promise<SubscriptionRow> {
  const row = await findSubscription(trx, subscriptionId)
  if (!row) throw new Error(`the subscription ${subscriptionId} is gone`)
  if (!grantingStatuses.includes(row.status)) return row
  const tenant = await lockTenantOfSubscription(trx, row.tenantId)
  if (!tenant || tenant.status === 'deleted' || (tenant.plan === row.plan && tenant.seats === row.seats)) return row
  await updateTenant(trx, tenant.id, { plan: row.plan, seats: row.seats })
  if (tenant.plan !== row.plan) {
    await reopenFilesStep(trx, tenant.id)
    await house.jobs.wakeProvisioning(tenant.id, 0, trx)
  }
  await notifyTenant(trx, tenant.id)
  return row
}
