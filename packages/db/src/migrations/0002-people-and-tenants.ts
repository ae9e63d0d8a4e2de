import { type Kysely, sql } from 'kysely'

/**
 * Partners, tenants, their provisioning, domains, users and memberships. Slugs, domains and
 * addresses are stored lower-cased.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table partners (
      id uuid primary key default new_id(),
      slug text not null unique check (slug = lower(slug)),
      name text not null,
      status text not null default 'active' check (status in ('active', 'suspended', 'terminated')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db)

  await sql`
    create table tenants (
      id uuid primary key default new_id(),
      slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$'),
      name text not null,
      status text not null default 'pending' check (status in ('pending', 'active', 'suspended', 'deleted')),
      plan text not null default 'free' check (plan in ('free', 'starter', 'business', 'enterprise')),
      partner_id uuid references partners,
      seats integer not null default 0 check (seats >= 0),
      industry text,
      brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
      billing_company text,
      billing_vat_number text,
      billing_country text check (billing_country ~ '^[A-Z]{2}$'),
      billing_email text,
      identity_group_id text,
      file_space_id text,
      suspended_reason text,
      suspended_at timestamptz,
      deleted_at timestamptz,
      provisioning_run uuid,
      provisioning_lease_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((status = 'deleted') = (deleted_at is not null))
    )`.execute(db)
  await sql`create index tenants_partner on tenants (partner_id, id desc) where partner_id is not null`.execute(
    db,
  )
  await sql`create index tenants_status on tenants (status, id desc)`.execute(db)

  await sql`
    create table provisioning_steps (
      tenant_id uuid not null references tenants,
      step text not null check (step in ('identity', 'mail', 'files')),
      state text not null default 'pending' check (state in ('pending', 'ok', 'skipped', 'error')),
      error text,
      attempt integer not null default 0,
      next_at timestamptz,
      started_at timestamptz,
      finished_at timestamptz,
      changed_at timestamptz not null default now(),
      primary key (tenant_id, step),
      check ((state = 'error') = (error is not null))
    )`.execute(db)
  await sql`create index provisioning_steps_unfinished on provisioning_steps (next_at) where state in ('pending', 'error')`.execute(
    db,
  )

  await sql`
    create table domains (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      name text not null unique check (name = lower(name)),
      is_primary boolean not null default false,
      mail_domain_id text,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index domains_one_primary on domains (tenant_id) where is_primary`.execute(
    db,
  )
  await sql`create index domains_tenant on domains (tenant_id)`.execute(db)

  await sql`
    create table users (
      id uuid primary key default new_id(),
      idp_subject_id text not null unique,
      idp_user_id text,
      email text not null check (email = lower(email)),
      name text not null,
      first_name text,
      last_name text,
      phone text,
      alternative_email text,
      platform_admin boolean not null default false,
      platform_admin_changed_at timestamptz,
      partner_id uuid references partners,
      deactivated_at timestamptz,
      last_seen_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index users_email on users (email)`.execute(db)
  await sql`create index users_partner on users (partner_id) where partner_id is not null`.execute(
    db,
  )
  await sql`create index users_platform_admin on users (id) where platform_admin`.execute(db)

  await sql`
    create table memberships (
      tenant_id uuid not null references tenants,
      user_id uuid not null references users,
      role text not null check (role in ('member', 'admin', 'owner')),
      status text not null default 'active' check (status in ('active', 'suspended')),
      mailbox_address text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, user_id)
    )`.execute(db)
  await sql`create index memberships_user on memberships (user_id)`.execute(db)
  await sql`create unique index memberships_one_owner on memberships (tenant_id) where role = 'owner'`.execute(
    db,
  )

  // At most one owner is the index above; at least one is checked when the transaction commits, so
  // that a transfer may demote first.
  await sql`
    create function tenant_keeps_owner() returns trigger language plpgsql as $$
    declare tenant uuid;
    begin
      if tg_table_name = 'tenants' then
        tenant := new.id;
      else
        tenant := old.tenant_id;
      end if;
      if exists (select from tenants where id = tenant)
        and not exists (select from memberships where tenant_id = tenant and role = 'owner') then
        raise exception 'tenant % has no owner', tenant using errcode = 'check_violation', constraint = 'tenant_keeps_owner';
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create constraint trigger tenant_keeps_owner after insert on tenants
      deferrable initially deferred for each row execute function tenant_keeps_owner()`.execute(db)
  await sql`
    create constraint trigger membership_keeps_owner after update or delete on memberships
      deferrable initially deferred for each row execute function tenant_keeps_owner()`.execute(db)

  await sql`
    create table membership_revocations (
      tenant_id uuid not null references tenants,
      user_id uuid not null references users on delete cascade,
      revoked_at timestamptz not null default now(),
      primary key (tenant_id, user_id)
    )`.execute(db)

  await sql`grant select, insert, update on partners, tenants, provisioning_steps to atrium_app`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on domains, users, memberships, membership_revocations to atrium_app`.execute(
    db,
  )
}
