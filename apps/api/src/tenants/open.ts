import { AppError } from '@atrium/core/errors'
import type { Trx } from '@atrium/db/connect'
import { type LockedTenant, lockTenant } from '@atrium/db/tenants'

export interface OpenTenant extends LockedTenant {
  partnerSlug: string | null
  identityGroupId: string | null
}

/**
 * The tenant under a row lock, for a change of what it holds. Throws AppError `not_found`, `tenant_suspended` or `tenant_deleted`: only
 * an open tenant is changed (docs/contract.md, tenants).
 */
export async function lockOpenTenant(trx: Trx, slug: string): Promise<OpenTenant> {
  const tenant = await lockTenant(trx, slug)
  if (!tenant) throw new AppError('not_found')
  if (tenant.status === 'deleted') throw new AppError('tenant_deleted')
  if (tenant.status === 'suspended') throw new AppError('tenant_suspended')
  const { partnerSlug, identityGroupId } = await trx
    .selectFrom('tenants as t')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select(['p.slug as partnerSlug', 't.identity_group_id as identityGroupId'])
    .where('t.id', '=', tenant.id)
    .executeTakeFirstOrThrow()
  return { ...tenant, partnerSlug, identityGroupId }
}
