import { AppError } from '@atrium/core/errors'
import type { TenantStatus } from '@atrium/core/tenants'
import type { Trx } from '@atrium/db/connect'
import { type LockedTenant, lockTenant } from '@atrium/db/tenants'

export interface OpenTenant extends LockedTenant {
  partnerSlug: string | null
  identityGroupId: string | null
}

/** Changes are refused while a tenant is suspended, and for ever once it is deleted. */
export function refuseClosed(status: TenantStatus): void {
  if (status === 'suspended') throw new AppError('tenant_suspended')
  if (status === 'deleted') throw new AppError('tenant_deleted')
}

/**
 * The tenant under a row lock, for a change of what it holds. Throws AppError `not_found`, `tenant_suspended` or `tenant_deleted`: only
 * an open tenant is changed (docs/contract.md, tenants).
 */
export async function lockOpenTenant(trx: Trx, slug: string): Promise<OpenTenant> {
  const tenant = await lockTenant(trx, slug)
  if (!tenant) throw new AppError('not_found')
  refuseClosed(tenant.status)
  const { partnerSlug, identityGroupId } = await trx
    .selectFrom('tenants as t')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select(['p.slug as partnerSlug', 't.identity_group_id as identityGroupId'])
    .where('t.id', '=', tenant.id)
    .executeTakeFirstOrThrow()
  return { ...tenant, partnerSlug, identityGroupId }
}
