import { AppError } from '@atrium/core/platform/errors'
import type { ReconcileResult } from '@atrium/core/tenants/tenants'
import { runProvisioning } from '../provisioning/run.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { readTenant } from './get.ts'
import { toStepResults } from './view.ts'

/**
 * Runs every provisioning step again. 200 whenever the run took place, also when steps failed; 409
 * while another run is under way.
 */
export async function reconcileTenant(ctx: Context, access: Access): Promise<ReconcileResult> {
  const { services } = ctx
  if (access.tenant.status === 'deleted') throw new AppError('tenant_deleted')
  if (!(await runProvisioning(services, access.tenant.id, 'all')))
    throw new AppError('provisioning_in_progress')
  const tenant = await readTenant(services, access.tenant.slug, access.tenant.role)
  const results = toStepResults(tenant)
  await services.audit.record(ctx, access.caller, {
    action: 'tenant.reconciled',
    outcome: Object.values(results).some((result) => result.state === 'error')
      ? 'failure'
      : 'success',
    resourceType: 'tenant',
    resourceId: tenant.id,
    resourceName: tenant.name,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: { results },
  })
  return { tenant, results }
}
