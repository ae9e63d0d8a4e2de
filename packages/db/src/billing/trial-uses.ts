import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * The owner, unless that is staff of the tenant's own partner, who makes and owns tenants for
 * others.
 */
const ownerOf = (db: Db | Trx, tenantId: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .where('m.tenant_id', '=', tenantId)
    .where('m.role', '=', 'owner')
    .where(({ eb, or }) =>
      or([
        eb('t.partner_id', 'is', null),
        eb('u.partner_id', 'is distinct from', eb.ref('t.partner_id')),
      ]),
    )

const provedDomains = (db: Db | Trx, tenantId: string) =>
  db.selectFrom('domains').where('tenant_id', '=', tenantId).where('verified_at', 'is not', null)

/**
 * Whether the owner of the tenant, or someone with one of its verified domains, had a trial in
 * another tenant.
 */
export async function hadTrialElsewhere(db: Db | Trx, tenantId: string): Promise<boolean> {
  const trial = await db
    .selectFrom('trial_uses')
    .select('tenant_id')
    .where('tenant_id', '<>', tenantId)
    .where(({ eb, or }) =>
      or([
        eb('user_id', 'in', ownerOf(db, tenantId).select('m.user_id')),
        eb('domain', 'in', provedDomains(db, tenantId).select('name')),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return trial !== undefined
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
  await trx
    .insertInto('trial_uses')
    .columns(['tenant_id', 'user_id'])
    .expression(ownerOf(trx, tenantId).select(['m.tenant_id', 'm.user_id']))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await trx
    .insertInto('trial_uses')
    .columns(['tenant_id', 'domain'])
    .expression(provedDomains(trx, tenantId).select(['tenant_id', 'name']))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
