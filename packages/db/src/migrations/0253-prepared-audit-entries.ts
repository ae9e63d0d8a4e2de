import { type Kysely, sql } from 'kysely'

/**
 * Entries of changes that are committed before the upstream systems have followed: written with the
 * change, and taken out when the entry is in the audit log. What is left of a process that was
 * killed in between is written from here.
 *
 * The event of such a change is written here, with the change. `atrium.event_published` tells the
 * trigger of the audit log that there is one.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table prepared_audit_entries (
      id uuid primary key default new_id(),
      prepared_at timestamptz not null default now(),
      event jsonb not null
    )`.execute(db)
  await sql`create index prepared_audit_entries_at on prepared_audit_entries (prepared_at)`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on prepared_audit_entries to atrium_app`.execute(
    db,
  )
  await sql`
    create function prepared_event_published() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into events (id, at, type, actor_type, actor_id, actor_email, resource_type, resource_id, resource_name,
        tenant_slug, partner_slug, tenant_id, partner_id, changes, details)
      values (new.id, (new.event ->> 'at')::timestamptz, new.event ->> 'action', new.event ->> 'actorType',
        new.event ->> 'actorId', new.event ->> 'actorEmail', new.event ->> 'resourceType',
        new.event ->> 'resourceId', new.event ->> 'resourceName', new.event ->> 'tenantSlug',
        new.event ->> 'partnerSlug',
        coalesce((select t.id from tenants t where t.slug = new.event ->> 'tenantSlug'), '00000000-0000-0000-0000-000000000000'),
        (select p.id from partners p where p.slug = new.event ->> 'partnerSlug'),
        coalesce(new.event -> 'metadata' -> 'changes', '{}'),
        (new.event -> 'metadata') - '{changes,requestId,actorIpTrusted,peerIp}'::text[]);
      return null;
    end $$`.execute(db)
  await sql`revoke all on function prepared_event_published() from public`.execute(db)
  await sql`
    create trigger prepared_event_published after insert on prepared_audit_entries for each row
      execute function prepared_event_published()`.execute(db)
  await sql`
    create or replace function audit_event_published() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if current_setting('atrium.event_published', true) = 'on' then return null; end if;
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
}
