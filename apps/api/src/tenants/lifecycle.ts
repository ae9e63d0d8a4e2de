import type { AuditAction } from '@atrium/core/audit'
import { AppError } from '@atrium/core/errors'
import { type SuspendTenant, statusAfterResume, type TenantStatus, type TenantView } from '@atrium/core/tenants'
import type { Trx } from '@atrium/db/connect'
import { type LockedTenant, lockTenant, notifyTenant, setTenantStatus } from '@atrium/db/tenants'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { refuseFormerStaff } from '../partners/act.ts'
import { inTurn } from '../subscriptions/at-processor.ts'
import { type EndedSubscription, endForDeletion } from '../subscriptions/end-for-deletion.ts'
import { auditSubscription } from '../subscriptions/record.ts'
import { readTenant } from './get.ts'

/** Suspends a tenant: its people keep reading, changes are refused. 409 when it is suspended or deleted already. */
export function suspendTenant(ctx: Context, access: Access, input: SuspendTenant): Promise<TenantView> {
  const apply = async (trx: Trx, tenant: LockedTenant) => {
    if (tenant.status === 'suspended') throw new AppError('already_suspended')
    await setTenantStatus(trx, tenant.id, 'suspended', input.reason ?? null)
    return 'suspended' as const
  }
  return change(ctx, access, 'tenant.suspended', input.reason, { apply })
}

/** Ends a suspension: `active` when every provisioning step is done, else `pending`. */
export function resumeTenant(ctx: Context, access: Access, input: SuspendTenant): Promise<TenantView> {
  const apply = async (trx: Trx, tenant: LockedTenant) => {
    if (tenant.status !== 'suspended') throw new AppError('not_suspended')
    const rows = await trx.selectFrom('provisioning_steps').select(['step', 'state']).where('tenant_id', '=', tenant.id).execute()
    const states = { identity: 'pending', mail: 'pending', files: 'pending' } as const
    const status = statusAfterResume({ ...states, ...Object.fromEntries(rows.map((row) => [row.step, row.state])) })
    await setTenantStatus(trx, tenant.id, status)
    return status
  }
  return change(ctx, access, 'tenant.resumed', input.reason, { apply })
}

/**
 * Soft delete: the record and its slug stay, nothing outside is destroyed. A running subscription ends in the same act, also while billing
 * is closed; what was paid for the rest of its period becomes credit. When the payment processor does not end it, nothing is deleted: throws
 * AppError `upstream_failed` or `payments_not_configured`, which say so. 409 `already_deleted` the second time.
 */
export async function deleteTenant(ctx: Context, access: Access): Promise<void> {
  const { house } = ctx
  let ended: EndedSubscription | undefined
  await inTurn(house, () =>
    change(ctx, access, 'tenant.deleted', undefined, {
      before: async (trx) => {
        ended = await endForDeletion(trx, house, access.tenant)
      },
      apply: async (trx, tenant) => {
        await setTenantStatus(trx, tenant.id, 'deleted')
        return 'deleted'
      },
    }),
  )
  if (ended) await auditSubscription(ctx, access.caller, 'subscription.canceled', ended.before, ended.after, { when: 'now' })
}

interface Change {
  /** Runs before the tenant is locked, in the same transaction. */
  before?: (trx: Trx) => Promise<void>
  apply: (trx: Trx, tenant: LockedTenant) => Promise<TenantStatus>
}

async function change(
  ctx: Context,
  access: Access,
  action: AuditAction,
  reason: string | undefined,
  { before, apply }: Change,
): Promise<TenantView> {
  const { house } = ctx
  const changed = await house.database.db.transaction().execute(async (trx) => {
    await before?.(trx)
    const tenant = await lockTenant(trx, access.tenant.slug)
    if (!tenant) throw new AppError('not_found')
    await refuseFormerStaff(trx, access, tenant.partner_id)
    if (tenant.status === 'deleted') throw new AppError(action === 'tenant.deleted' ? 'already_deleted' : 'tenant_deleted')
    const status = await apply(trx, tenant)
    await notifyTenant(trx, tenant.id)
    return { id: tenant.id, name: tenant.name, before: tenant.status, status }
  })
  const view = await readTenant(house, access.tenant.slug, access.tenant.role)
  await house.audit.record(ctx, access.caller, {
    action,
    resourceType: 'tenant',
    resourceId: changed.id,
    resourceName: changed.name,
    tenantSlug: access.tenant.slug,
    partnerSlug: view.partnerSlug,
    metadata: { changes: { status: [changed.before, changed.status] }, ...(reason === undefined ? {} : { reason }) },
  })
  return view
}
