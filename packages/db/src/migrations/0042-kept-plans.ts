import { type Kysely, sql } from 'kysely'

/**
 * Plan and seats of every tenant without a running subscription are kept as a grant, so that the
 * upgrade takes nothing away from anybody. Those whose subscription ended, is paused or unpaid keep
 * them for 30 more days.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    insert into plan_grants (tenant_id, plan, seats, given_by, ends_at)
    select t.id, t.plan, t.seats, 'upgrade',
      case when exists (select from subscriptions s where s.tenant_id = t.id and s.status in ('canceled', 'unpaid', 'paused'))
        then now() + interval '30 days' end
    from tenants t
    where not exists (
      select from subscriptions s where s.tenant_id = t.id and s.status in ('trialing', 'active', 'past_due', 'unknown'))`.execute(
    db,
  )
  await sql`
    update tenants t set entitlements_due_at = g.ends_at from plan_grants g
    where g.tenant_id = t.id and g.ends_at is not null`.execute(db)
}
