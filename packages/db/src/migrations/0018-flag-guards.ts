import { type Kysely, sql } from 'kysely'

/**
 * Guard rules of flags, what broke them, and how many requests about each tenant failed on our
 * side.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table flags
      add column guards jsonb not null default '[]' check (jsonb_typeof(guards) = 'array'),
      add column rollback jsonb,
      add constraint flags_rollback_check check (rollback is null or killed_at is not null)`.execute(
    db,
  )

  // Counts of the last two days. A crash of the server may empty it: a guard then waits for new
  // events.
  await sql`
    create unlogged table tenant_request_counts (
      tenant_id uuid not null references tenants on delete cascade,
      minute timestamptz not null,
      requests integer not null check (requests > 0),
      failures integer not null check (failures between 0 and requests),
      primary key (tenant_id, minute)
    )`.execute(db)
  await sql`create index tenant_request_counts_minute on tenant_request_counts (minute)`.execute(db)

  await sql`create index provisioning_steps_finished on provisioning_steps (finished_at) where finished_at is not null`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on tenant_request_counts to atrium_app`.execute(db)
}
