import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * The owner, unless that is staff of the tenant's own partner, who makes and owns tenants for
 * others.
 */
const ownerOf = (tenantId: string) => sql`
  select m.tenant_id, m.user_id from memberships m join users u on u.id = m.user_id join tenants t on t.id = m.tenant_id
  where m.tenant_id = ${tenantId} and m.role = 'owner' and (t.partner_id is null or u.partner_id is distinct from t.partner_id)`

/**
 * Whether the owner of the tenant, or someone with one of its verified domains, had a trial in
 * another tenant.
 */
export async function hadTrialElsewhere(db: Db | Trx, tenantId: string): Promise<boolean> {
  const { rows } = await sql<{ had: boolean }>`
    select exists (select from trial_uses u where u.tenant_id <> ${tenantId} and (
      u.user_id in (select o.user_id from (${ownerOf(tenantId)}) o)
      or u.domain in (select d.name from domains d where d.tenant_id = ${tenantId} and d.verified_at is not null))) as had`.execute(
    db,
  )
  return rows[0]?.had === true
}

/**
 * One start of a trial at a time for the same owner, so that two tenants do not both find that
 * there was none.
 */
export async function lockTrialsOfOwner(trx: Trx, tenantId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('trials'), hashtext(m.user_id::text)) from memberships m
    where m.tenant_id = ${tenantId} and m.role = 'owner'`.execute(trx)
}

/**
 * Records that owner and proven domains of the tenant had their trial. A second time it changes
 * nothing.
 */
export async function recordTrialUse(trx: Trx, tenantId: string): Promise<void> {
  await sql`
    insert into trial_uses (tenant_id, user_id) ${ownerOf(tenantId)}
    on conflict do nothing`.execute(trx)
  await sql`
    insert into trial_uses (tenant_id, domain)
    select d.tenant_id, d.name from domains d where d.tenant_id = ${tenantId} and d.verified_at is not null
    on conflict do nothing`.execute(trx)
}
