import type { AuditAction } from '@atrium/core/audit/audit'
import { AppError, type ErrorCode } from '@atrium/core/platform/errors'
import type { SuspensionMode, TenantStatus, TenantView } from '@atrium/core/tenants/tenants'
import type { Trx } from '@atrium/db/platform/connect'
import { type LockedTenant, lockTenant } from '@atrium/db/tenants/tenants'
import { followAccess } from '../provisioning/follow-access.ts'
import { recoverAfterSeconds } from '../provisioning/jobs.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { rejectFormerStaff } from '../rpc/partner-lock.ts'
import type { TransactionContext } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { readTenant } from './get.ts'

interface Turn {
  /** Runs before the tenant is locked, in the same transaction. */
  before?: (trx: Trx) => Promise<void>
  apply: (trx: Trx, tenant: LockedTenant) => Promise<TenantStatus>
  /** Records the turn, last in the transaction. */
  record: (trx: Trx, turned: Turned) => Promise<void>
  whenDeleted?: ErrorCode
  evenDeleted?: true
}

export interface Turned {
  id: string
  name: string
  partnerSlug: string | null
  before: TenantStatus
  status: TenantStatus
}

/** Writes the turn, queues the work that it makes, and records it, in one transaction. */
export function turn(
  { services }: Context,
  access: Access,
  { before, apply, record, evenDeleted, whenDeleted = 'tenant_deleted' }: Turn,
): Promise<Turned> {
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    await before?.(trx)
    const tenant = await lockTenant(trx, access.tenant.slug)
    if (!tenant) throw new AppError('not_found')
    await rejectFormerStaff(trx, access, tenant.partner_id)
    if (tenant.status === 'deleted' && !evenDeleted) throw new AppError(whenDeleted)
    const status = await apply(trx, tenant)
    await services.jobs.enqueueProvisioning(tenant.id, recoverAfterSeconds, trx)
    const { id, name, partnerSlug } = tenant
    const turned = { id, name, partnerSlug, before: tenant.status, status }
    await record(trx, turned)
    return turned
  })
}

interface TurnAct {
  action: AuditAction
  reason?: string | undefined
  mode?: SuspensionMode
  lostDomains?: string[]
}

/** Has the upstream systems follow what was turned, and returns the tenant as it is then. */
export async function follow(
  { services }: Context,
  { tenant }: Access,
  turned: Turned,
): Promise<TenantView> {
  await followAccess(services, turned.id)
  return readTenant(services, tenant.slug, tenant.role)
}

/** Records a change of the tenant's status in its transaction. */
export function recordTurn(
  ctx: TransactionContext,
  trx: Trx,
  { caller, tenant }: Access,
  turned: Turned,
  { action, reason, ...more }: TurnAct,
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'tenant',
    resourceId: turned.id,
    resourceName: turned.name,
    tenantSlug: tenant.slug,
    partnerSlug: turned.partnerSlug,
    metadata: {
      changes: { status: [turned.before, turned.status] },
      ...(reason === undefined ? {} : { reason }),
      ...more,
    },
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}
