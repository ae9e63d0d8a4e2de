import { type Kysely, sql } from 'kysely'

/**
 * Invitations of members, owners, partner staff and operators. Nobody becomes anything before the
 * invitation is accepted, so a tenant may be without an owner: `tenants.awaits_owner`, and then
 * `tenant_keeps_owner` accepts it. `users.invited` ends: `users_not_invited` keeps earlier versions
 * of the service from adding such rows while 0121 moves those that are there. `invited_by` and
 * `accepted_by` are no foreign keys: the invitation outlives the person's record. A closed
 * invitation keeps the hash of its link for as long as the link gives a password
 * (`access_links`).
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table invitations (
      id uuid primary key default new_id(),
      kind text not null check (kind in ('member', 'owner', 'staff', 'operator')),
      tenant_id uuid references tenants,
      partner_id uuid references partners,
      email text not null,
      name text not null,
      first_name text,
      last_name text,
      phone text,
      alternative_email text,
      role text check (role in ('member', 'admin', 'owner')),
      access text,
      list_ids uuid[] not null default '{}',
      language text,
      message text,
      token_hash bytea unique,
      invited_by uuid,
      inviter_name text not null,
      sends integer not null default 0,
      created_at timestamptz not null default now(),
      sent_at timestamptz,
      opened_at timestamptz,
      accepted_at timestamptz,
      accepted_by uuid,
      declined_at timestamptz,
      revoked_at timestamptz,
      expired_at timestamptz,
      expires_at timestamptz not null,
      check ((kind in ('member', 'owner')) = (tenant_id is not null)),
      check ((kind in ('member', 'owner')) = (role is not null)),
      check ((kind = 'owner') = (role is not distinct from 'owner')),
      check ((kind = 'staff') = (partner_id is not null)),
      check ((kind = 'staff') = (access is not null)),
      check (num_nonnulls(accepted_at, declined_at, revoked_at, expired_at) <= 1)
    )`.execute(db)
  const open = sql`accepted_at is null and declined_at is null and revoked_at is null and expired_at is null`
  await sql`create unique index invitations_open_in_tenant on invitations (tenant_id, email) where tenant_id is not null and ${open}`.execute(
    db,
  )
  await sql`create unique index invitations_open_owner on invitations (tenant_id) where kind = 'owner' and ${open}`.execute(
    db,
  )
  await sql`create unique index invitations_open_at_partner on invitations (partner_id, email) where partner_id is not null and ${open}`.execute(
    db,
  )
  await sql`create unique index invitations_open_operator on invitations (email) where kind = 'operator' and ${open}`.execute(
    db,
  )
  await sql`create index invitations_of_tenant on invitations (tenant_id, id) where tenant_id is not null`.execute(
    db,
  )
  await sql`create index invitations_of_partner on invitations (partner_id, id) where partner_id is not null`.execute(
    db,
  )
  await sql`create index invitations_open_email on invitations (email) where ${open}`.execute(db)
  await sql`create index invitations_open_until on invitations (expires_at) where ${open}`.execute(
    db,
  )
  await sql`create index invitations_ended on invitations ((coalesce(accepted_at, declined_at, revoked_at, expired_at)))`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on invitations to atrium_app`.execute(db)

  await sql`alter table tenants add column awaits_owner boolean not null default false`.execute(db)
  await sql`
    create or replace function tenant_keeps_owner() returns trigger language plpgsql as $$
    declare tenant uuid;
    begin
      if tg_table_name = 'tenants' then
        tenant := new.id;
      else
        tenant := old.tenant_id;
      end if;
      if exists (select from tenants where id = tenant and purge_started_at is null and not awaits_owner)
        and not exists (select from memberships where tenant_id = tenant and role = 'owner') then
        raise exception 'tenant % has no owner', tenant using errcode = 'check_violation', constraint = 'tenant_keeps_owner';
      end if;
      return null;
    end $$`.execute(db)

  await sql`
    alter table member_import_rows
      drop constraint member_import_rows_state_check,
      add constraint member_import_rows_state_check check (state in
        ('ready', 'running', 'created', 'invited', 'incomplete', 'refused')) not valid`.execute(db)
  await sql`alter table users add constraint users_not_invited check (not invited) not valid`.execute(
    db,
  )
}
