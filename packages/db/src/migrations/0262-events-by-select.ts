import { type Kysely, sql } from 'kysely'

/**
 * The triggers of 0253 with `insert … select` in the place of `values` with subqueries, which a
 * database that is distributed by tenant rejects. The rows are the same.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create or replace function prepared_event_published() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into events (id, at, type, actor_type, actor_id, actor_email, resource_type, resource_id, resource_name,
        tenant_slug, partner_slug, tenant_id, partner_id, changes, details)
      select new.id, (new.event ->> 'at')::timestamptz, new.event ->> 'action', new.event ->> 'actorType',
        new.event ->> 'actorId', new.event ->> 'actorEmail', new.event ->> 'resourceType',
        new.event ->> 'resourceId', new.event ->> 'resourceName', new.event ->> 'tenantSlug',
        new.event ->> 'partnerSlug',
        coalesce((select t.id from tenants t where t.slug = new.event ->> 'tenantSlug'), '00000000-0000-0000-0000-000000000000'),
        (select p.id from partners p where p.slug = new.event ->> 'partnerSlug'),
        coalesce(new.event -> 'metadata' -> 'changes', '{}'),
        (new.event -> 'metadata') - '{changes,requestId,actorIpTrusted,peerIp}'::text[];
      return null;
    end $$`.execute(db)
  await sql`
    create or replace function audit_event_published() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if current_setting('atrium.event_published', true) = 'on' then return null; end if;
      insert into events (id, at, type, actor_type, actor_id, actor_email, resource_type, resource_id, resource_name,
        tenant_slug, partner_slug, tenant_id, partner_id, changes, details)
      select new.id, new.at, new.action, new.actor_type, new.actor_id, new.actor_email, new.resource_type,
        new.resource_id, new.resource_name, new.tenant_slug, new.partner_slug,
        coalesce((select t.id from tenants t where t.slug = new.tenant_slug), '00000000-0000-0000-0000-000000000000'),
        (select p.id from partners p where p.slug = new.partner_slug),
        coalesce(new.metadata -> 'changes', '{}'),
        new.metadata - '{changes,requestId,actorIpTrusted,peerIp}'::text[];
      return null;
    end $$`.execute(db)
}
