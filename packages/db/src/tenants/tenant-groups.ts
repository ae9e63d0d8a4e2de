import { sql } from 'kysely'
import { reopened } from '../members/reopened.ts'
import type { Db, Trx } from '../platform/connect.ts'

/** The name of the group of `tenants t`; as the index `tenants_identity_group` has it. */
export const groupNameOf = sql<string>`coalesce(t.identity_group_name, t.slug)`

export type TenantGroup = Awaited<ReturnType<typeof listTenantGroups>>[number]

/**
 * Tenants by slug after `after`, with the provider's key of their group. Deleted tenants are
 * included: their groups are still at the provider. `unfinished`: a rename began and its end was
 * not recorded.
 */
export function listTenantGroups(db: Db, after: string, limit: number) {
  return db
    .selectFrom('tenants as t')
    .select([
      't.id as tenantId',
      't.slug',
      't.identity_group_id as groupId',
      groupNameOf.as('name'),
      sql<boolean>`coalesce(t.identity_group_changed_at = 'infinity', false)`.as('unfinished'),
    ])
    .where('t.slug', '>', after)
    .orderBy('t.slug')
    .limit(limit)
    .execute()
}

/**
 * From here on the tenant's group has this name. Until `endGroupRename`, no token removes anyone
 * from the tenant.
 */
export async function beginGroupRename(
  db: Db | Trx,
  tenantId: string,
  name: string,
): Promise<void> {
  await db
    .updateTable('tenants')
    .set({ identity_group_name: name, identity_group_changed_at: sql<Date>`'infinity'` })
    .where('id', '=', tenantId)
    .execute()
}

export async function endGroupRename(db: Db | Trx, tenantId: string): Promise<void> {
  await db
    .updateTable('tenants')
    .set({ identity_group_changed_at: sql<Date>`now()` })
    .where('id', '=', tenantId)
    .execute()
}

/**
 * The provider's keys of the platform administrators who are members of the tenant, where they are
 * known.
 */
export async function listAdministratorsInTenant(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('u.idp_user_id as idpUserId')
    .where('m.tenant_id', '=', tenantId)
    .where('u.platform_admin', '=', true)
    .where('u.idp_user_id', 'is not', null)
    .execute()
  return rows.flatMap(({ idpUserId }) => idpUserId ?? [])
}

/**
 * The memberships of a person who is no longer a platform administrator: the person has to be added
 * to the tenants' groups.
 */
export async function putIntoGroupsAgain(db: Db | Trx, userId: string): Promise<void> {
  await db
    .updateTable('memberships')
    .set(({ ref }) => reopened(ref('version'), ['identity']))
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .where('identity_state', 'in', ['ok', 'skipped'])
    .execute()
}
