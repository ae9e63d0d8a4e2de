import { AppError } from '@atrium/core/platform/errors'
import type { TenantStatus } from '@atrium/core/tenants/tenants'
import { holdActiveGrant } from '@atrium/db/access-grants/access-grants'
import type { Trx } from '@atrium/db/platform/connect'
import {
  findCustodian,
  type LockedTenant,
  lockTenant,
  type TenantTrx,
} from '@atrium/db/tenants/tenants'
import { currentRole } from './current-role.ts'
import type { Access } from './guards.ts'
import { rejectFormerStaff } from './partner-lock.ts'

export type OpenTenant = LockedTenant

/** Changes are rejected while a tenant is suspended, and for ever once it is deleted. */
export function rejectClosed(status: TenantStatus): void {
  if (status === 'suspended') throw new AppError('tenant_suspended')
  if (status === 'deleted') throw new AppError('tenant_deleted')
}

/**
 * The tenant under a row lock, for a change of what it holds. Throws AppError `not_found`,
 * `tenant_suspended` or `tenant_deleted`: only an open tenant is changed
 * (docs/reference/contract.md, tenants), or one in a state that `even` names.
 */
export async function lockOpenTenant(
  trx: TenantTrx,
  slug: string,
  even: readonly TenantStatus[] = [],
): Promise<OpenTenant> {
  const tenant = await lockTenant(trx, slug)
  if (!tenant) throw new AppError('not_found')
  if (!even.includes(tenant.status)) rejectClosed(tenant.status)
  return tenant
}

/**
 * For what takes access away from a member or protects an account: it stays possible while the
 * tenant is suspended.
 */
export const evenSuspended: readonly TenantStatus[] = ['suspended']

/** The owner may have handed the tenant over since the guard ran. */
export async function rejectFormerOwner(trx: Trx, { caller, tenant }: Access): Promise<void> {
  if (caller.operator) return
  if ((await currentRole(trx, caller, tenant.id)) !== 'owner') throw new AppError('not_owner')
}

/**
 * The caller's role, or the custody of the caller's partner, may have ended since the guard ran,
 * and so may an access grant. Throws AppError `not_member`, `not_admin`, and what
 * `rejectFormerStaff` throws.
 */
export async function rejectFormerAdmin(trx: Trx, access: Access): Promise<void> {
  const { caller, tenant } = access
  if (caller.operator) return
  if (caller.onBehalf) return rejectFormerDelegate(trx, access)
  const role = await currentRole(trx, caller, tenant.id)
  if (role === 'admin' || role === 'owner') return
  if (await isStillCustodian(trx, access)) return
  throw new AppError(role === undefined ? 'not_member' : 'not_admin')
}

/**
 * For changes that members and admins make alike, and `rejectFormerAdmin` for those of admins: who
 * acts under an access grant must still have it, and who acts as custodian must still be that. The
 * grant stays locked until the transaction ends, so that an end waits for it or comes first. A
 * change that began before the grant's time was over is completed. Throws AppError `not_member`,
 * and what `rejectFormerStaff` throws.
 */
export async function rejectFormerDelegate(trx: Trx, access: Access): Promise<void> {
  const { caller, tenant } = access
  if (caller.operator) return
  if (caller.onBehalf) {
    if (await holdActiveGrant(trx, tenant.id, caller.onBehalf.grantId)) return
    throw new AppError('not_member')
  }
  if (caller.service && tenant.role !== null) {
    if ((await currentRole(trx, caller, tenant.id)) === undefined) throw new AppError('not_member')
    return
  }
  if (tenant.role === null && !(await isStillCustodian(trx, access)))
    throw new AppError('not_member')
}

/**
 * Whether the caller's partner looks after the tenant, which still awaits its owner. Under the
 * tenant's lock an acceptance of the owner waits, or came first. Throws what `rejectFormerStaff`
 * throws for staff that may no longer manage customers.
 */
export async function isStillCustodian(trx: Trx, access: Access): Promise<boolean> {
  const { caller, tenant } = access
  const partnerId = caller.partner?.id
  if (partnerId === undefined || (await findCustodian(trx, tenant.id)) !== partnerId) return false
  await rejectFormerStaff(trx, access, partnerId, { evenAdmins: true })
  return true
}
