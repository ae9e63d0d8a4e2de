import { type Kysely, sql } from 'kysely'

/**
 * Plans and seats that were given without a subscription, and when a tenant's plan and seats change
 * by the clock.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table plan_grants (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      plan text not null check (plan in ('free', 'starter', 'business', 'enterprise')),
      -- 0: no limit.
      seats integer not null check (seats >= 0),
      given_by text not null check (given_by in ('operator', 'partner', 'upgrade')),
      given_by_user uuid references users on delete set null,
      created_at timestamptz not null default now(),
      -- In force until then; null: until it is revoked.
      ends_at timestamptz,
      revoked_at timestamptz
    )`.execute(db)
  await sql`create unique index plan_grants_one_in_force on plan_grants (tenant_id) where revoked_at is null`.execute(
    db,
  )
  await sql`create index plan_grants_given_by_user on plan_grants (given_by_user) where given_by_user is not null`.execute(
    db,
  )
  await sql`grant select, insert, update on plan_grants to atrium_app`.execute(db)
  await sql`alter table tenants add column entitlements_due_at timestamptz`.execute(db)
}
