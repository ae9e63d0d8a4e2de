import { statusAfterResume } from '@atrium/core/tenants'
import type { Trx } from '@atrium/db/connect'
import { notifyTenant, setTenantStatus } from '@atrium/db/tenants'

/** What a suspension says that dunning began; by it the suspension is known again when the payment comes. */
export const overdueReason = 'A payment is overdue.'

/** Ends a suspension that dunning began. False when the tenant is not suspended, or for a reason of somebody else's. */
export async function liftSuspension(trx: Trx, tenantId: string): Promise<boolean> {
  const tenant = await trx
    .selectFrom('tenants')
    .select(['status', 'suspended_reason as reason'])
    .where('id', '=', tenantId)
    .forUpdate()
    .executeTakeFirst()
  if (tenant?.status !== 'suspended' || tenant.reason !== overdueReason) return false
  const rows = await trx.selectFrom('provisioning_steps').select(['step', 'state']).where('tenant_id', '=', tenantId).execute()
  const states = { identity: 'pending', mail: 'pending', files: 'pending' } as const
  await setTenantStatus(trx, tenantId, statusAfterResume({ ...states, ...Object.fromEntries(rows.map((row) => [row.step, row.state])) }))
  await notifyTenant(trx, tenantId)
  return true
}
