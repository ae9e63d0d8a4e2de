import type { ProvisioningStep } from '@atrium/core/tenants/tenants'
import { reopenSteps } from '@atrium/db/provisioning/provisioning'
import { lockTenantById } from '@atrium/db/tenants/tenants'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'

/**
 * A step of a tenant is done again as soon as possible: what it made in an upstream system is gone.
 */
export async function reopenTenant(
  services: Services,
  tenantId: string,
  step: ProvisioningStep,
): Promise<void> {
  await tenantTransaction(services, tenantId, async (trx) => {
    await lockTenantById(trx, tenantId)
    await reopenSteps(trx, tenantId, [step])
  })
  await services.jobs.enqueueProvisioning(tenantId, 0)
}
