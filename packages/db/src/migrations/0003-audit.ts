import { type Kysely, sql } from 'kysely'

/**
 * The audit log: append-only by right (the API may select and insert named columns) and by trigger
 * (nobody updates, deletes or truncates, the owner included). Partitioned by month; a default
 * partition takes what comes before a month's partition exists.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`
    create table audit_events (
      id uuid not null default new_id(),
      at timestamptz not null,
      actor_type text not null,
      actor_id text,
      actor_email text,
      actor_ip inet,
      action text not null,
      outcome text not null,
      resource_type text not null,
      resource_id text,
      resource_name text,
      tenant_slug text,
      partner_slug text,
      source text not null,
      metadata jsonb not null default '{}',
      prev_hash text,
      hash text,
      primary key (id, at)
    ) partition by range (at)`.execute(db)
  await sql`create index audit_events_at on audit_events (at desc, id desc)`.execute(db)
  await sql`create index audit_events_action on audit_events (action text_pattern_ops, at desc, id desc)`.execute(
    db,
  )
  await sql`create index audit_events_tenant on audit_events (tenant_slug, at desc, id desc) where tenant_slug is not null`.execute(
    db,
  )
  await sql`create index audit_events_partner on audit_events (partner_slug, at desc, id desc) where partner_slug is not null`.execute(
    db,
  )
  await sql`create index audit_events_actor on audit_events (lower(actor_email), at desc, id desc)`.execute(
    db,
  )
  await sql`create index audit_events_refused on audit_events (outcome, at desc, id desc) where outcome <> 'success'`.execute(
    db,
  )
  await sql`
    create index audit_events_text on audit_events using gin (
      (coalesce(action, '') || ' ' || coalesce(resource_name, '') || ' ' || coalesce(actor_email, '') || ' ' || coalesce(tenant_slug, ''))
      gin_trgm_ops)`.execute(db)

  await sql`
    create function audit_refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'audit entries are append-only (% refused)', tg_op using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`
    create trigger audit_refuse before update or delete on audit_events for each row execute function audit_refuse()`.execute(
    db,
  )
  await sql`
    create trigger audit_refuse_truncate before truncate on audit_events
      for each statement execute function audit_refuse()`.execute(db)

  await sql`create table audit_events_default partition of audit_events default`.execute(db)
  await sql`
    create trigger audit_refuse_truncate before truncate on audit_events_default
      for each statement execute function audit_refuse()`.execute(db)

  // Truncate triggers are not inherited, so each partition gets its own. Runs with the owner's
  // rights: the API may call it.
  await sql`
    create function audit_ensure_partitions(until_month date) returns integer
      language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      month date := date_trunc('month', now() - interval '1 month')::date;
      made integer := 0;
      partition text;
    begin
      perform pg_advisory_xact_lock(hashtext('audit_ensure_partitions'));
      while month <= least(until_month, (date_trunc('month', now()) + interval '24 months')::date) loop
        partition := 'audit_events_' || to_char(month, 'YYYYMM');
        if to_regclass(partition) is null
          and not exists (select from audit_events_default where at >= month and at < month + interval '1 month') then
          execute format('create table %I partition of audit_events for values from (%L) to (%L)',
            partition, month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
          execute format('create trigger audit_refuse_truncate before truncate on %I for each statement execute function audit_refuse()',
            partition);
          made := made + 1;
        end if;
        month := (month + interval '1 month')::date;
      end loop;
      return made;
    end $$`.execute(db)
  await sql`revoke all on function audit_ensure_partitions(date) from public`.execute(db)
  await sql`grant execute on function audit_ensure_partitions(date) to atrium_app`.execute(db)
  await sql`select audit_ensure_partitions((now() + interval '3 months')::date)`.execute(db)

  await sql`grant select on audit_events to atrium_app`.execute(db)
  await sql`
    grant insert (at, actor_type, actor_id, actor_email, actor_ip, action, outcome, resource_type, resource_id, resource_name,
      tenant_slug, partner_slug, source, metadata) on audit_events to atrium_app`.execute(db)
}
