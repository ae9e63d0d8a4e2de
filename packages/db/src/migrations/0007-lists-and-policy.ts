import { type Kysely, sql } from 'kysely'

/**
 * Distribution lists with the state of their copy in the mail server, and how people of a tenant
 * may sign in.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table mail_lists (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      address text not null unique check (address = lower(address) and address like '_%@_%'),
      name text not null,
      mail_list_id text,
      address_vacant boolean not null default false,
      state text not null default 'pending' check (state in ('pending', 'ok', 'error', 'removing')),
      error text,
      version integer not null default 1,
      attempt integer not null default 0,
      next_at timestamptz,
      push_run uuid,
      push_lease_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check (state <> 'error' or error is not null),
      check (state <> 'ok' or (mail_list_id is not null and error is null))
    )`.execute(db)
  await sql`create index mail_lists_tenant on mail_lists (tenant_id, id desc)`.execute(db)
  await sql`create index mail_lists_unfinished on mail_lists (next_at) where state <> 'ok'`.execute(
    db,
  )

  await sql`
    create table mail_list_recipients (
      list_id uuid not null references mail_lists on delete cascade,
      address text not null check (address = lower(address) and address like '_%@_%'),
      primary key (list_id, address)
    )`.execute(db)
  await sql`create index mail_list_recipients_address on mail_list_recipients (address)`.execute(db)

  await sql`
    create table security_policies (
      tenant_id uuid primary key references tenants,
      mfa_mode text not null check (mfa_mode in ('off', 'optional', 'required')),
      session_idle_minutes integer check (session_idle_minutes > 0),
      session_absolute_minutes integer check (session_absolute_minutes > 0),
      allowed_countries text[] not null,
      ip_allowlist text[] not null,
      updated_at timestamptz not null default now(),
      check (session_idle_minutes <= session_absolute_minutes)
    )`.execute(db)

  await sql`grant select, insert, update, delete on mail_lists, mail_list_recipients to atrium_app`.execute(
    db,
  )
  await sql`grant select, insert, update on security_policies to atrium_app`.execute(db)
}
