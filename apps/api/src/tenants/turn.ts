import type { AuditAction } from '@atrium/core/audit/audit'
import { AppError, type ErrorCode } from '@atrium/core/platform/errors'
import type { SuspensionMode, TenantStatus, TenantView } from '@atrium/core/tenants/tenants'
import type { Trx } from '@atrium/db/platform/connect'
import { type LockedTenant, lockTenant } from '@atrium/db/tenants/tenants'
import { followAccess } from '../provisioning/follow-access.ts'
import { recoverAfterSeconds } from '../provisioning/jobs.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { rejectFormerStaff } from '../rpc/partner-lock.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { readTenant } from './get.ts'

interface Turn {
  /** Runs before the tenant is locked, in the same transaction. */
  before?: (trx: Trx) => Promise<void>
  apply: (trx: Trx, tenant: LockedTenant) => Promise<TenantStatus>
  whenDeleted?: ErrorCode
  evenDeleted?: true
}

export interface Turned {
  id: string
  name: string
  before: TenantStatus
  status: TenantStatus
}

/** Writes the turn, and queues the work that it makes, in one transaction. */
export function turn(
  { services }: Context,
  access: Access,
  { before, apply, evenDeleted, whenDeleted = 'tenant_deleted' }: Turn,
): Promise<Turned> {
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    await before?.(trx)
    const tenant = await lockTenant(trx, access.tenant.slug)
    if (!tenant) throw new AppError('not_found')
    await rejectFormerStaff(trx, access, tenant.partner_id)
    if (tenant.status === 'deleted' && !evenDeleted) throw new AppError(whenDeleted)
    const status = await apply(trx, tenant)
    await services.jobs.enqueueProvisioning(tenant.id, recoverAfterSeconds, trx)
    return { id: tenant.id, name: tenant.name, before: tenant.status, status }
  })
}

interface Entry {
  action: AuditAction
  reason?: string | undefined
  mode?: SuspensionMode
  lostDomains?: string[]
}

/**
 * Has the upstream systems follow what was turned, records it, and returns the tenant as it is
 * then.
 */
export async function follow(
  ctx: Context,
  access: Access,
  turned: Turned,
  { action, reason, ...more }: Entry,
): Promise<TenantView> {
  const { services } = ctx
  await followAccess(services, turned.id)
  const view = await readTenant(services, access.tenant.slug, access.tenant.role)
  await services.audit.record(ctx, access.caller, {
    action,
    resourceType: 'tenant',
    resourceId: turned.id,
    resourceName: turned.name,
    tenantSlug: access.tenant.slug,
    partnerSlug: view.partnerSlug,
    metadata: {
      changes: { status: [turned.before, turned.status] },
      ...(reason === undefined ? {} : { reason }),
      ...more,
    },
  })
  return view
}
