import { type Kysely, sql } from 'kysely'

/**
 * `price_migrations`: the subscribers of a price move to its newer version. `price_moves`: each
 * subscriber on the way; a subscription is moved by one migration at a time.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table price_migrations (
      id uuid primary key default new_id(),
      from_price_id uuid not null references prices,
      to_price_id uuid not null references prices,
      from_day date not null,
      may_keep boolean not null,
      reason text not null,
      state text not null check (state in ('running', 'stopped', 'finished')),
      requested_by text,
      created_at timestamptz not null default now(),
      stopped_at timestamptz
    )`.execute(db)
  await sql`create index price_migrations_price on price_migrations (from_price_id, id desc)`.execute(
    db,
  )
  await sql`
    create table price_moves (
      migration_id uuid not null references price_migrations,
      subscription_id uuid not null references subscriptions,
      tenant_id uuid not null references tenants,
      currency text not null,
      state text not null check (state in ('waiting', 'notified', 'scheduled', 'stopping', 'moved', 'kept', 'stopped', 'left')),
      old_amount bigint,
      new_amount bigint,
      effective_at timestamptz,
      notified_at timestamptz,
      subscription_version integer,
      attempts integer not null default 0,
      next_at timestamptz not null default now(),
      error text,
      primary key (migration_id, subscription_id)
    )`.execute(db)
  await sql`create unique index price_moves_open on price_moves (subscription_id) where state in ('waiting', 'notified', 'scheduled', 'stopping')`.execute(
    db,
  )
  await sql`create index price_moves_due on price_moves (next_at) where state in ('waiting', 'notified', 'scheduled', 'stopping')`.execute(
    db,
  )
  await sql`create index price_moves_tenant on price_moves (tenant_id)`.execute(db)
  await sql`grant select, insert, update on price_migrations, price_moves to atrium_app`.execute(db)
}
