import { AppError } from '@atrium/core/platform/errors'
import type { ResumeTenant, SuspendTenant, TenantView } from '@atrium/core/tenants/tenants'
import type { Trx } from '@atrium/db/platform/connect'
import { transitionTenant } from '@atrium/db/tenants/tenant-access'
import type { LockedTenant } from '@atrium/db/tenants/tenants'
import { statusWithoutSuspension } from '../provisioning/follow-access.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { follow, recordTurn, type Turned, turn } from './turn.ts'

/**
 * Suspends a tenant, or changes the suspension's mode: from here on changes are rejected, and
 * identity provider, mail server and file storage follow (docs/reference/contract.md, suspension).
 * Failures are retried. 409 when it is already suspended in this mode or deleted.
 */
export async function suspendTenant(
  ctx: Context,
  access: Access,
  input: SuspendTenant,
): Promise<TenantView> {
  const { reason, mode } = input
  const apply = async (trx: Trx, tenant: LockedTenant) => {
    if (tenant.status === 'suspended' && tenant.suspension_mode === mode)
      throw new AppError('already_suspended')
    const by = access.caller.operator ? 'operator' : 'partner'
    await transitionTenant(trx, tenant.id, {
      status: 'suspended',
      reason: reason ?? null,
      mode,
      by,
    })
    return 'suspended' as const
  }
  const record = (trx: Trx, turned: Turned) =>
    recordTurn(ctx, trx, access, turned, { action: 'tenant.suspended', reason, mode })
  return follow(ctx, access, await turn(ctx, access, { apply, record }))
}

/**
 * Ends a suspension: `active` when every provisioning step was done, else `pending`. Who was
 * suspended alone stays so.
 */
export async function resumeTenant(
  ctx: Context,
  access: Access,
  input: ResumeTenant,
): Promise<TenantView> {
  const apply = async (trx: Trx, tenant: LockedTenant) => {
    if (tenant.status !== 'suspended') throw new AppError('not_suspended')
    const status = await statusWithoutSuspension(trx, tenant.id)
    await transitionTenant(trx, tenant.id, { status })
    return status
  }
  const { reason } = input
  const record = (trx: Trx, turned: Turned) =>
    recordTurn(ctx, trx, access, turned, { action: 'tenant.resumed', reason })
  return follow(ctx, access, await turn(ctx, access, { apply, record }))
}
