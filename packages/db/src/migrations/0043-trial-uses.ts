import { type Kysely, sql } from 'kysely'

/**
 * Who had a trial: one per person and one per proven domain. What was used up before is recorded
 * from the subscriptions.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table trial_uses (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      user_id uuid references users on delete cascade,
      domain text,
      used_at timestamptz not null default now(),
      check ((user_id is null) <> (domain is null))
    )`.execute(db)
  await sql`create unique index trial_uses_user on trial_uses (user_id, tenant_id) where user_id is not null`.execute(
    db,
  )
  await sql`create unique index trial_uses_domain on trial_uses (domain, tenant_id) where domain is not null`.execute(
    db,
  )
  await sql`create index trial_uses_tenant on trial_uses (tenant_id)`.execute(db)
  await sql`grant select, insert on trial_uses to atrium_app`.execute(db)
  await sql`
    insert into trial_uses (tenant_id, user_id, used_at)
    select s.tenant_id, m.user_id, min(s.trial_start) from subscriptions s
      join memberships m on m.tenant_id = s.tenant_id and m.role = 'owner'
    where s.trial_start is not null group by s.tenant_id, m.user_id`.execute(db)
}
