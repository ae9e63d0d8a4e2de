import { type Kysely, sql } from 'kysely'

/**
 * How healthy each tenant is, as the hourly run found it, and how it was at the end of each day.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table tenant_health (
      tenant_id uuid primary key references tenants on delete cascade,
      score integer check (score between 0 and 100),
      band text not null check (band in ('healthy', 'watch', 'at_risk', 'new', 'inactive', 'unknown')),
      factors jsonb not null,
      -- The signals that are too dear to be read with every tenant.
      gathered jsonb not null,
      -- Something changed that the score should show before the next full run.
      due boolean not null default false,
      computed_at timestamptz not null
    )`.execute(db)
  await sql`create index tenant_health_oldest on tenant_health (computed_at)`.execute(db)
  await sql`create index tenant_health_due on tenant_health (tenant_id) where due`.execute(db)
  await sql`
    create function tenant_health_falls_due() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      update tenant_health set due = true where tenant_id = new.tenant_id and not due;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger tenant_health_of_new_subscription after insert on subscriptions
      for each row execute function tenant_health_falls_due()`.execute(db)
  await sql`
    create trigger tenant_health_of_subscription after update on subscriptions for each row
      when ((old.status, old.past_due_since, old.cancel_at_period_end) is distinct from (new.status, new.past_due_since, new.cancel_at_period_end))
      execute function tenant_health_falls_due()`.execute(db)
  await sql`
    create trigger tenant_health_of_card after update on payment_customers for each row when (old.card is distinct from new.card)
      execute function tenant_health_falls_due()`.execute(db)
  await sql`
    create trigger tenant_health_of_domain after update on domains for each row when (old.state is distinct from new.state)
      execute function tenant_health_falls_due()`.execute(db)

  await sql`
    create table tenant_health_days (
      day date not null,
      tenant_id uuid not null references tenants on delete cascade,
      score integer check (score between 0 and 100),
      band text not null check (band in ('healthy', 'watch', 'at_risk', 'new', 'inactive', 'unknown')),
      primary key (tenant_id, day)
    )`.execute(db)

  // What the health report says, ready to be read; of the whole platform where there is no partner.
  // The last run of a day stays.
  await sql`
    create table health_summaries (
      day date not null,
      partner_id uuid references partners,
      band text not null check (band in ('healthy', 'watch', 'at_risk', 'new', 'inactive', 'unknown')),
      tenants integer not null,
      mrr jsonb not null,
      computed_at timestamptz not null,
      unique nulls not distinct (day, partner_id, band)
    )`.execute(db)

  await sql`grant select, insert, update, delete on tenant_health, tenant_health_days, health_summaries to atrium_app`.execute(
    db,
  )
}
