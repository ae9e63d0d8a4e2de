import type { TenantAccess } from '@atrium/core/tenants/tenants'
import { type SqlBool, sql } from 'kysely'

/**
 * Whether the tenant of this alias is shut: its members sign in nowhere. As text, for statements
 * that the server prepares by name.
 */
export const isShutText = (alias: string) =>
  `(${alias}.status = 'deleted' or ${alias}.status = 'suspended' and coalesce(${alias}.suspension_mode = 'no_sign_in', false))`

/** The same condition for the query builder. */
export const isShut = (alias: string) => sql.raw<SqlBool>(isShutText(alias))

/** What the people of the tenant of this alias may do in the upstream systems. */
export const accessOf = (alias: string) =>
  sql.raw<TenantAccess>(
    `case when ${isShutText(alias)} then 'shut' when ${alias}.status = 'suspended' and ${alias}.suspension_mode = 'read_only' then 'read_only' else 'open' end`,
  )

/**
 * Of `tenants t` and `provisioning_steps s`: of a deleted tenant the space alone is still brought
 * to what holds, which is disabled.
 */
export const followed = sql<boolean>`(t.status <> 'deleted' or s.step = 'files')`

/**
 * Whether `users u`, the person of this id, no longer needs to sign in: every tenant of the person
 * is suspended. Owners and admins of a suspended tenant still sign in to the portal, where they pay
 * and protect accounts; so do operators and partner staff.
 */
export const signInLocked = (
  userId: string,
) => sql<boolean>`(not u.platform_admin and u.partner_id is null and (
  select coalesce(bool_or(${isShut('lt')}), false)
    and not coalesce(bool_or(lm.status in ('active', 'provisioning') and (not ${isShut('lt')} or lm.role <> 'member')), false)
  from memberships lm join tenants lt on lt.id = lm.tenant_id where lm.user_id = ${userId} and lm.status <> 'removing'))`
