import type { ProvisioningStep } from '@atrium/core/tenants'
import { reopenSteps } from '@atrium/db/provisioning'
import { lockTenantById } from '@atrium/db/tenants'
import type { House } from '../house.ts'

/** A step of a tenant is done again as soon as possible: what it made in an outside system is gone. */
export async function reopenTenant(house: House, tenantId: string, step: ProvisioningStep): Promise<void> {
  await house.database.db.transaction().execute(async (trx) => {
    await lockTenantById(trx, tenantId)
    await reopenSteps(trx, tenantId, [step])
  })
  await house.jobs.wakeProvisioning(tenantId, 0)
}
