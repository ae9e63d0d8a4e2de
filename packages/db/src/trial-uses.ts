import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

/**
 * Whether the owner of the tenant, or somebody with one of its proven domains, had a trial in another tenant. Domains that other people
 * proved later count too.
 */
export async function hadTrialElsewhere(db: Db | Trx, tenantId: string): Promise<boolean> {
  const { rows } = await sql<{ had: boolean }>`
    select exists (select from trial_uses u where u.tenant_id <> ${tenantId} and (
      u.user_id in (select m.user_id from memberships m where m.tenant_id = ${tenantId} and m.role = 'owner')
      or u.domain in (select d.name from domains d where d.tenant_id = ${tenantId} and d.verified_at is not null))) as had`.execute(db)
  return rows[0]?.had === true
}

/** One start of a trial at a time for the same owner, so that two tenants do not both find that there was none. */
export async function lockTrialsOfOwner(trx: Trx, tenantId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('trials'), hashtext(m.user_id::text)) from memberships m
    where m.tenant_id = ${tenantId} and m.role = 'owner'`.execute(trx)
}

/** Records that owner and proven domains of the tenant had their trial. A second time it changes nothing. */
export async function recordTrialUse(trx: Trx, tenantId: string): Promise<void> {
  await sql`
    insert into trial_uses (tenant_id, user_id)
    select m.tenant_id, m.user_id from memberships m where m.tenant_id = ${tenantId} and m.role = 'owner'
    on conflict do nothing`.execute(trx)
  await sql`
    insert into trial_uses (tenant_id, domain)
    select d.tenant_id, d.name from domains d where d.tenant_id = ${tenantId} and d.verified_at is not null
    on conflict do nothing`.execute(trx)
}
