import { type Kysely, sql } from 'kysely'

/**
 * The life of a member: what became of the person in each outside system, the handles there, who is
 * at work on it, and imports. `users.home_tenant_id` names the tenant that made a person's sign-in
 * and may change it; nobody else's admins can.
 */
export async function up(db: Kysely<never>): Promise<void> {
  // All of them first, in the order in which requests come to them: one after the other, they would
  // meet a request that holds the next.
  await sql`lock table tenants in share row exclusive mode`.execute(db)
  await sql`lock table users, memberships in access exclusive mode`.execute(db)
  await sql`
    alter table memberships
      add column bootstrap_admin boolean not null default false,
      add column mail_account_id text,
      add column mail_vacant boolean not null default false,
      add column mail_frozen boolean not null default false,
      add column mail_permissions jsonb,
      add column file_account_id text,
      add column identity_state text not null default 'ok',
      add column identity_error text,
      add column identity_changed_at timestamptz,
      add column mail_state text not null default 'skipped',
      add column mail_error text,
      add column files_state text not null default 'skipped',
      add column files_error text,
      add column needs_password boolean not null default false,
      add column profile_due boolean not null default false,
      add column attempt integer not null default 0,
      add column next_at timestamptz,
      add column run uuid,
      add column lease_until timestamptz`.execute(db)
  // Added unchecked, which takes no scan under the lock that blocks writers, and checked in a
  // second statement, which lets them go on.
  await sql`
    alter table memberships
      drop constraint memberships_status_check,
      add constraint memberships_status_check check (status in ('provisioning', 'active', 'suspended', 'removing')) not valid,
      add constraint memberships_identity check (
        identity_state in ('pending', 'ok', 'skipped', 'error') and (identity_state = 'error') = (identity_error is not null)) not valid,
      add constraint memberships_mail check (
        mail_state in ('pending', 'ok', 'skipped', 'error') and (mail_state = 'error') = (mail_error is not null)) not valid,
      add constraint memberships_files check (
        files_state in ('pending', 'ok', 'skipped', 'error') and (files_state = 'error') = (files_error is not null)) not valid,
      add constraint memberships_owner_stays check (role <> 'owner' or status not in ('suspended', 'removing')) not valid`.execute(
    db,
  )
  for (const name of ['status_check', 'identity', 'mail', 'files', 'owner_stays']) {
    await sql`alter table memberships validate constraint ${sql.raw(`memberships_${name}`)}`.execute(
      db,
    )
  }
  // Nothing that follows changes an owner. The check would be made for each row at the end, and a
  // table with checks ahead takes no index.
  await sql`alter table memberships disable trigger membership_keeps_owner`.execute(db)
  await sql`update memberships set bootstrap_admin = true where role = 'owner' and mailbox_address is null`.execute(
    db,
  )
  await sql`update memberships set mail_state = 'ok', mail_vacant = true where mailbox_address is not null`.execute(
    db,
  )
  await sql`alter table memberships enable trigger membership_keeps_owner`.execute(db)
  await sql`create unique index memberships_mailbox on memberships (mailbox_address) where mailbox_address is not null`.execute(
    db,
  )
  await sql`
    create index memberships_unfinished on memberships (next_at)
      where identity_state in ('pending', 'error') or mail_state in ('pending', 'error') or files_state in ('pending', 'error')
        or status in ('provisioning', 'removing')`.execute(db)

  await sql`
    alter table users
      add column home_tenant_id uuid references tenants,
      add column removed_at timestamptz`.execute(db)
  await sql`
    update users u set home_tenant_id = m.tenant_id from memberships m
    where m.user_id = u.id and m.role <> 'owner' and not u.platform_admin and u.partner_id is null
      and not exists (select from memberships other where other.user_id = u.id and other.tenant_id <> m.tenant_id)`.execute(
    db,
  )
  await sql`create index users_removed on users (removed_at) where removed_at is not null`.execute(
    db,
  )
  await sql`create index users_home_tenant on users (home_tenant_id) where home_tenant_id is not null`.execute(
    db,
  )

  await sql`
    create table member_imports (
      id uuid primary key default new_id(),
      tenant_id uuid not null references tenants,
      requested_by text not null,
      run uuid,
      lease_until timestamptz,
      created_at timestamptz not null default now(),
      finished_at timestamptz
    )`.execute(db)
  await sql`create index member_imports_tenant on member_imports (tenant_id, id desc)`.execute(db)
  await sql`create index member_imports_unfinished on member_imports (lease_until) where finished_at is null`.execute(
    db,
  )
  await sql`
    create table member_import_rows (
      import_id uuid not null references member_imports on delete cascade,
      line integer not null check (line > 0),
      fields jsonb not null,
      state text not null check (state in ('ready', 'running', 'created', 'incomplete', 'refused')),
      code text,
      message text,
      issues jsonb not null default '[]',
      user_id uuid,
      primary key (import_id, line)
    )`.execute(db)
  await sql`create index member_import_rows_waiting on member_import_rows (import_id, line) where state in ('ready', 'running')`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on member_imports, member_import_rows to atrium_app`.execute(
    db,
  )
}
