import { type Kysely, sql } from 'kysely'

/**
 * What programs read of each change: one row per successful entry of the audit log, written by a
 * trigger within the statement that writes the entry. The API may only read them; whole days are
 * dropped when they are old enough. `tenant_id` is the nil UUID for events of no tenant, so that it
 * can be in the key. Partitioned by day of the database's clock; a default partition takes what has
 * no day.
 *
 * Readers take events in the order of `(transaction_id, sequence)` and only those of transactions
 * older than every one that still runs (`pg_snapshot_xmin`): an event that commits later than a
 * younger one would otherwise be skipped by a reader who has passed it. A change that begins after
 * another one was committed has the higher transaction id, so the order is that of commits. No
 * counter is locked for it: a lock per tenant would make its writers wait for each other's commits,
 * and one for all would do that to the platform.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create sequence events_sequence as bigint`.execute(db)
  await sql`
    create table events (
      tenant_id uuid not null,
      transaction_id xid8 not null default pg_current_xact_id(),
      sequence bigint not null default nextval('events_sequence'),
      recorded_at timestamptz not null default now(),
      id uuid not null,
      partner_id uuid,
      at timestamptz not null,
      type text not null,
      actor_type text not null,
      actor_id text,
      actor_email text,
      resource_type text not null,
      resource_id text,
      resource_name text,
      tenant_slug text,
      partner_slug text,
      changes jsonb not null,
      details jsonb not null,
      primary key (tenant_id, transaction_id, sequence, recorded_at)
    ) partition by range (recorded_at)`.execute(db)
  await sql`create index events_in_order on events (transaction_id, sequence)`.execute(db)
  await sql`create index events_of_partner on events (partner_id, transaction_id, sequence) where partner_id is not null`.execute(
    db,
  )
  await sql`create index events_by_id on events (id)`.execute(db)
  await sql`create table events_default partition of events default`.execute(db)

  // Runs with the owner's rights: the API may call it. A day that cannot be locked at once waits
  // for the next call.
  await sql`
    create function events_prepare_days(kept_days integer) returns integer
      language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
    declare
      today date := (now() at time zone 'UTC')::date;
      day date;
      partition text;
      made integer := 0;
    begin
      perform pg_advisory_xact_lock(hashtext('events_prepare_days'));
      for day in select generate_series(today, today + 7, '1 day')::date loop
        partition := 'events_' || to_char(day, 'YYYYMMDD');
        if to_regclass(partition) is null and not exists (
          select from events_default where recorded_at >= day::timestamp at time zone 'UTC'
            and recorded_at < (day + 1)::timestamp at time zone 'UTC') then
          execute format('create table %I partition of events for values from (%L) to (%L)',
            partition, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
          made := made + 1;
        end if;
      end loop;
      for partition in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{8}$'
          and to_date(right(c.relname, 8), 'YYYYMMDD') < today - kept_days
      loop
        execute format('drop table %I', partition);
      end loop;
      delete from events_default where recorded_at < now() - make_interval(days => kept_days);
      return made;
    end $$`.execute(db)
  await sql`revoke all on function events_prepare_days(integer) from public`.execute(db)
  await sql`grant execute on function events_prepare_days(integer) to atrium_app`.execute(db)
  await sql`select events_prepare_days(30)`.execute(db)

  // Addresses of the network stay in the audit log.
  await sql`
    create function audit_event_published() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into events (id, at, type, actor_type, actor_id, actor_email, resource_type, resource_id, resource_name,
        tenant_slug, partner_slug, tenant_id, partner_id, changes, details)
      values (new.id, new.at, new.action, new.actor_type, new.actor_id, new.actor_email, new.resource_type,
        new.resource_id, new.resource_name, new.tenant_slug, new.partner_slug,
        coalesce((select t.id from tenants t where t.slug = new.tenant_slug), '00000000-0000-0000-0000-000000000000'),
        (select p.id from partners p where p.slug = new.partner_slug),
        coalesce(new.metadata -> 'changes', '{}'),
        new.metadata - '{changes,requestId,actorIpTrusted,peerIp}'::text[]);
      return null;
    end $$`.execute(db)
  await sql`revoke all on function audit_event_published() from public`.execute(db)
  await sql`
    create trigger audit_event_published after insert on audit_events for each row
      when (new.outcome = 'success') execute function audit_event_published()`.execute(db)
  await sql`grant select on events to atrium_app`.execute(db)
}
