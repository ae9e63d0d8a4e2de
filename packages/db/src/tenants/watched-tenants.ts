import type { TenantRole } from '@atrium/core/members/memberships'
import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { isShut } from './access-conditions.ts'
import type { TenantRow } from './tenants.ts'

/** What a stream of provisioning progress shows of a tenant. */
export type WatchedTenant = Pick<TenantRow, 'id' | 'status' | 'steps' | 'running'> & {
  /** Another value after every change of the security policy; null until the first one. */
  policyChangedAt: string | null
}

/** The tenants with these ids, in one statement. Unknown ids are left out. */
export async function listWatchedTenants(db: Db, ids: readonly string[]): Promise<WatchedTenant[]> {
  // Plain SQL: times become numbers within the aggregated JSON.
  const { rows } = await sql<WatchedTenant>`
    select t.id, t.status, coalesce(t.provisioning_lease_until > now(), false) as running,
      (select sp.updated_at::text from security_policies sp where sp.tenant_id = t.id) as "policyChangedAt",
      (select json_agg(json_build_object('step', s.step, 'state', s.state, 'error', s.error,
          'changedAt', round(extract(epoch from s.changed_at) * 1000), 'attempt', s.attempt,
          'nextAt', round(extract(epoch from s.next_at) * 1000)))
        from provisioning_steps s where s.tenant_id = t.id) as steps
    from tenants t where t.id = any(${[...ids]}::uuid[])`.execute(db)
  return rows
}

export interface WatchRight {
  subject: string
  tenantId: string
  /** The person's role in the tenant; null for anyone who is not an active member. */
  role: TenantRole | null
  platformAdmin: boolean
}

/**
 * The rights of people in tenants, in one statement. Deactivated and unknown people are left out.
 */
export async function listWatchRights(
  db: Db,
  watchers: readonly { subject: string; tenantId: string }[],
): Promise<WatchRight[]> {
  // Plain SQL: the builder has no `unnest`.
  const { rows } = await sql<WatchRight>`
    select w.subject, w.tenant_id as "tenantId", m.role, u.platform_admin as "platformAdmin"
    from (select distinct * from unnest(${watchers.map(({ subject }) => subject)}::text[],
        ${watchers.map(({ tenantId }) => tenantId)}::uuid[]) as pair (subject, tenant_id)) w
      join users u on u.idp_subject_id = w.subject and u.deactivated_at is null
      left join memberships m on m.user_id = u.id and m.tenant_id = w.tenant_id and m.status in ('active', 'provisioning')
        and (m.role <> 'member' or not exists (select from tenants t where t.id = m.tenant_id and ${isShut('t')}))`.execute(
    db,
  )
  return rows
}
