import { type Kysely, sql } from 'kysely'

/**
 * Access of partner staff and operators to a workplace, and requests for it. Rows are never deleted
 * but with their tenant. A person has at most one request or access per tenant.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table access_grants (
      tenant_id uuid not null references tenants,
      id uuid not null default new_id(),
      kind text not null check (kind in ('requested', 'break_glass')),
      status text not null check (status in ('pending', 'active', 'declined', 'expired', 'withdrawn', 'ended')),
      user_id uuid references users on delete set null,
      -- Null for operators.
      partner_id uuid references partners,
      role text not null check (role in ('reader', 'admin')),
      scopes text[] not null check (cardinality(scopes) > 0),
      reason text not null,
      requested_at timestamptz not null,
      expires_at timestamptz not null,
      ends_at timestamptz not null,
      decided_by uuid references users on delete set null,
      decided_at timestamptz,
      decline_reason text,
      ended_by uuid references users on delete set null,
      ended_at timestamptz,
      ending text check (ending in ('time', 'owner', 'holder', 'partner', 'operator', 'replaced',
        'not_staff', 'deactivated', 'partner_closed', 'partner_changed', 'tenant_deleted')),
      -- Whether the audit log has the end. The triggers below end without recording it.
      end_recorded boolean not null default false,
      acknowledged_by uuid references users on delete set null,
      acknowledged_at timestamptz,
      primary key (tenant_id, id),
      check (kind = 'requested' or (partner_id is null and status in ('active', 'ended'))),
      check ((status in ('pending', 'active')) = (ended_at is null))
    )`.execute(db)
  await sql`create unique index access_grants_one_open on access_grants (tenant_id, user_id) where status in ('pending', 'active')`.execute(
    db,
  )
  await sql`create index access_grants_open_person on access_grants (user_id) where status in ('pending', 'active')`.execute(
    db,
  )
  await sql`create index access_grants_due on access_grants (least(expires_at, ends_at)) where status in ('pending', 'active')`.execute(
    db,
  )
  await sql`create index access_grants_unrecorded on access_grants (ended_at) where ended_at is not null and not end_recorded`.execute(
    db,
  )
  await sql`create index access_grants_break_glass on access_grants (tenant_id) where kind = 'break_glass' and (status = 'active' or acknowledged_at is null)`.execute(
    db,
  )
  await sql`create index access_grants_id on access_grants (id)`.execute(db)
  await sql`create index access_grants_partner on access_grants (partner_id, id) where partner_id is not null`.execute(
    db,
  )
  for (const column of ['user_id', 'decided_by', 'ended_by', 'acknowledged_by']) {
    await sql`create index ${sql.id(`access_grants_${column}`)} on access_grants (${sql.id(column)}) where ${sql.id(column)} is not null`.execute(
      db,
    )
  }
  // No delete: what was accessed stays visible.
  await sql`grant select, insert, update on access_grants to atrium_app`.execute(db)

  // What takes away the ground of an access ends it for good, whichever statement does it: somebody
  // who returns to the staff, or a tenant that returns to the partner, has no access again.
  await sql`
    create function end_access_grants(person uuid, partner uuid, tenant uuid, why text)
      returns void language sql set search_path = public, pg_temp as $$
      update access_grants g
        set status = case g.status when 'pending' then 'withdrawn' else 'ended' end,
          ended_at = greatest(clock_timestamp(), g.requested_at), ending = why
        where g.status in ('pending', 'active')
          and (person is null or g.user_id = person)
          and (partner is null or g.partner_id = partner)
          and (tenant is null or g.tenant_id = tenant) $$`.execute(db)
  await sql`
    create function access_grants_of_person() returns trigger language plpgsql set search_path = public, pg_temp as $$
    begin
      if tg_op = 'DELETE' then
        perform end_access_grants(old.id, null, null, 'deactivated');
        return old;
      end if;
      if new.deactivated_at is not null and old.deactivated_at is null then
        perform end_access_grants(new.id, null, null, 'deactivated');
      end if;
      if old.partner_id is not null and new.partner_id is distinct from old.partner_id then
        perform end_access_grants(new.id, old.partner_id, null, 'not_staff');
      end if;
      if old.platform_admin and not new.platform_admin then
        update access_grants g
          set status = case g.status when 'pending' then 'withdrawn' else 'ended' end,
            ended_at = greatest(clock_timestamp(), g.requested_at), ending = 'not_staff'
          where g.user_id = new.id and g.partner_id is null and g.status in ('pending', 'active');
      end if;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger access_grants_of_person after update of deactivated_at, partner_id, platform_admin on users
      for each row when ((old.deactivated_at, old.partner_id, old.platform_admin) is distinct from (new.deactivated_at, new.partner_id, new.platform_admin))
      execute function access_grants_of_person()`.execute(db)
  await sql`
    create trigger access_grants_of_deleted_person before delete on users
      for each row execute function access_grants_of_person()`.execute(db)
  await sql`
    create function access_grants_of_partner() returns trigger language plpgsql set search_path = public, pg_temp as $$
    begin
      perform end_access_grants(null, new.id, null, 'partner_closed');
      return null;
    end $$`.execute(db)
  await sql`
    create trigger access_grants_of_partner after update of status on partners
      for each row when (old.status = 'active' and new.status <> 'active') execute function access_grants_of_partner()`.execute(
    db,
  )
  await sql`
    create function access_grants_of_tenant() returns trigger language plpgsql set search_path = public, pg_temp as $$
    begin
      if new.status = 'deleted' then
        perform end_access_grants(null, null, new.id, 'tenant_deleted');
      elsif old.partner_id is not null then
        perform end_access_grants(null, old.partner_id, new.id, 'partner_changed');
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger access_grants_of_tenant after update of status, partner_id on tenants
      for each row when (new.partner_id is distinct from old.partner_id or (new.status = 'deleted' and old.status <> 'deleted'))
      execute function access_grants_of_tenant()`.execute(db)
  for (const name of [
    'end_access_grants(uuid, uuid, uuid, text)',
    'access_grants_of_person()',
    'access_grants_of_partner()',
    'access_grants_of_tenant()',
  ])
    await sql.raw(`revoke execute on function ${name} from public`).execute(db)
  await sql`grant execute on function end_access_grants(uuid, uuid, uuid, text) to atrium_app`.execute(
    db,
  )
}
