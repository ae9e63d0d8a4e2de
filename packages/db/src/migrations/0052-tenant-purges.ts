import { type Kysely, sql } from 'kysely'

/**
 * The purge of deleted tenants: what became of each part of it. A tenant whose purge has begun
 * keeps no owner, because its people leave every system one by one.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table tenants add column purge_started_at timestamptz, add column purged_at timestamptz`.execute(
    db,
  )
  await sql`
    create table tenant_purges (
      tenant_id uuid not null references tenants,
      part text not null check (part in ('files', 'members', 'mail', 'identity', 'records')),
      state text not null default 'pending' check (state in ('pending', 'ok', 'error')),
      error text,
      attempt integer not null default 0,
      next_at timestamptz,
      finished_at timestamptz,
      primary key (tenant_id, part),
      check ((state = 'error') = (error is not null))
    )`.execute(db)
  await sql`create index tenant_purges_unfinished on tenant_purges (next_at) where state <> 'ok'`.execute(
    db,
  )
  await sql`grant select, insert, update on tenant_purges to atrium_app`.execute(db)
  await sql`
    create or replace function tenant_keeps_owner() returns trigger language plpgsql as $$
    declare tenant uuid;
    begin
      if tg_table_name = 'tenants' then
        tenant := new.id;
      else
        tenant := old.tenant_id;
      end if;
      if exists (select from tenants where id = tenant and purge_started_at is null)
        and not exists (select from memberships where tenant_id = tenant and role = 'owner') then
        raise exception 'tenant % has no owner', tenant using errcode = 'check_violation', constraint = 'tenant_keeps_owner';
      end if;
      return null;
    end $$`.execute(db)
}
