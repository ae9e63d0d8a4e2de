import type { Plan, TenantStatus } from '@atrium/core/tenants/tenants'
import type { Database } from '../platform/connect.ts'
import { tenantPolicy } from '../users/callers.ts'
import { isShutText } from './access-conditions.ts'
import { type ListedTenantRow, tenantColumns, tenantJoins } from './tenants.ts'

export interface OwnTenantFilter {
  userId: string
  status?: TenantStatus | undefined
  plan?: Plan | undefined
  partnerSlug?: string | undefined
  before?: string | undefined
  limit: number
}

/**
 * One text whatever is asked, so that the server prepares it once: to plan it with each list takes
 * longer than to run it. Exported for a test of its plan.
 */
export const listOwnTenantsStatement = {
  name: 'list_own_tenants',
  text: `select ${tenantColumns('t.id')}, mine.role, ${tenantPolicy('t.id')} as policy
    from memberships mine join tenants t on t.id = mine.tenant_id ${tenantJoins('t.id')}
    where mine.user_id = $1 and mine.status in ('active', 'provisioning') and (mine.role <> 'member' or not ${isShutText('t')})
      and case when $2::text is null then t.status <> 'deleted' else t.status = $2 end
      and ($3::text is null or t.plan = $3)
      and ($4::text is null or t.partner_id = (select id from partners where slug = lower($4)))
      and ($5::uuid is null or t.id < $5)
    order by t.id desc limit $6`,
}

/**
 * The tenants that a person is a member of, found by key from the memberships. Newest first, one
 * row more than asked. Deleted tenants come only when the filter names that status.
 */
export function listOwnTenants(
  database: Database,
  { userId, status, plan, partnerSlug, before, limit }: OwnTenantFilter,
): Promise<ListedTenantRow[]> {
  return database.read(listOwnTenantsStatement, [
    userId,
    status ?? null,
    plan ?? null,
    partnerSlug ?? null,
    before ?? null,
    limit + 1,
  ])
}
