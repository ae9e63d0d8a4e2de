import { type Kysely, sql } from 'kysely'

/**
 * What a partner is and earns, who works there, which tenants it had when, and the reports its
 * staff keep.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table partners
      add column domain text check (domain = lower(domain)),
      add column margin_pct numeric(5,2) not null default 0 check (margin_pct between 0 and 100),
      add column contact_name text,
      add column contact_email text,
      add column contact_phone text,
      add column billing_company text,
      add column billing_vat_number text,
      add column billing_country text check (billing_country ~ '^[A-Z]{2}$'),
      add column billing_email text,
      add column settings jsonb not null default '{}',
      add column branding jsonb not null default '{}',
      add column self_billing_consent_at timestamptz,
      add column suspended_at timestamptz,
      add column suspended_reason text,
      add column terminated_at timestamptz`.execute(db)

  // A terminated partner keeps its record, and its domain may come back under another one.
  await sql`create unique index partners_domain on partners (domain) where status <> 'terminated'`.execute(
    db,
  )

  // Staff from before there were levels could do everything that staff could do.
  await sql`
    alter table users add column partner_access text check (partner_access in ('viewer', 'support', 'manager', 'owner'))`.execute(
    db,
  )
  await sql`update users set partner_access = 'owner' where partner_id is not null`.execute(db)
  await sql`
    alter table users add constraint users_partner_access check ((partner_id is null) = (partner_access is null)) not valid`.execute(
    db,
  )
  await sql`alter table users validate constraint users_partner_access`.execute(db)

  // Which partner a tenant belonged to at which time: who earns from an invoice is decided by the
  // day it was finalized.
  await sql`
    create table tenant_partners (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      partner_id uuid not null references partners,
      valid_from timestamptz not null default now(),
      valid_to timestamptz,
      check (valid_to is null or valid_to >= valid_from)
    )`.execute(db)
  await sql`create unique index tenant_partners_current on tenant_partners (tenant_id) where valid_to is null`.execute(
    db,
  )
  await sql`create index tenant_partners_tenant on tenant_partners (tenant_id, valid_from)`.execute(
    db,
  )
  await sql`create index tenant_partners_partner on tenant_partners (partner_id, valid_from)`.execute(
    db,
  )
  await sql`
    insert into tenant_partners (tenant_id, partner_id, valid_from)
    select id, partner_id, created_at from tenants where partner_id is not null`.execute(db)
  await sql`
    create function keep_tenant_partners() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if tg_op = 'UPDATE' and old.partner_id is not null then
        update tenant_partners set valid_to = now() where tenant_id = new.id and valid_to is null;
      end if;
      if new.partner_id is not null then
        insert into tenant_partners (tenant_id, partner_id) values (new.id, new.partner_id);
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger keep_tenant_partners_of_new after insert on tenants
      for each row when (new.partner_id is not null) execute function keep_tenant_partners()`.execute(
    db,
  )
  await sql`
    create trigger keep_tenant_partners after update of partner_id on tenants
      for each row when (old.partner_id is distinct from new.partner_id) execute function keep_tenant_partners()`.execute(
    db,
  )

  await sql`
    create table partner_margins (
      id uuid primary key default new_id(),
      partner_id uuid not null references partners,
      margin_pct numeric(5,2) not null check (margin_pct between 0 and 100),
      effective_from date not null,
      set_by text,
      reason text,
      created_at timestamptz not null default now(),
      unique (partner_id, effective_from)
    )`.execute(db)

  await sql`
    create table saved_reports (
      id uuid primary key default new_id(),
      partner_id uuid not null references partners,
      name text not null,
      kind text not null,
      params jsonb not null default '{}',
      created_by uuid references users on delete set null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index saved_reports_name on saved_reports (partner_id, lower(name))`.execute(
    db,
  )

  await sql`grant select on tenant_partners to atrium_app`.execute(db)
  await sql`grant select, insert, update, delete on partner_margins, saved_reports to atrium_app`.execute(
    db,
  )
}
