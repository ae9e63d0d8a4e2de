import { type Kysely, sql } from 'kysely'

/** Feature flags, every change of them, and when code last asked for one by its name. */
export async function up(db: Kysely<never>): Promise<void> {
  // A removed flag keeps its row, so that its key cannot be used again.
  await sql`
    create table flags (
      id uuid primary key default new_id(),
      key text not null unique check (key ~ '^[a-z][a-z0-9_]{1,62}$'),
      description text,
      owner text,
      state text not null check (state in ('off', 'rollout', 'on')),
      percentage numeric(5, 2) not null default 0 check (percentage between 0 and 100),
      salt text,
      allow_tenants text[] not null default '{}',
      deny_tenants text[] not null default '{}',
      allow_partners text[] not null default '{}',
      allow_plans text[] not null default '{}',
      prerequisites jsonb not null default '[]' check (jsonb_typeof(prerequisites) = 'array'),
      enabled_from timestamptz,
      enabled_until timestamptz,
      stale_after date,
      killed_at timestamptz,
      note text not null,
      version integer not null default 1 check (version > 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      updated_by text,
      removed_at timestamptz,
      check (enabled_from < enabled_until),
      check (killed_at is null or state = 'off')
    )`.execute(db)

  await sql`
    create table flag_changes (
      id uuid primary key default new_id(),
      flag_key text not null references flags (key),
      version integer not null,
      kind text not null check (kind in ('created', 'updated', 'killed', 'removed')),
      at timestamptz not null default now(),
      actor_id text,
      actor_email text,
      note text not null,
      before jsonb,
      after jsonb,
      audit_id uuid not null default new_id(),
      unique (flag_key, version),
      check ((before is null) = (kind = 'created')),
      check ((after is null) = (kind = 'removed'))
    )`.execute(db)
  await sql`
    create function flag_changes_refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'the history of flags is append-only (% refused)', tg_op using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`
    create trigger flag_changes_refuse before update or delete or truncate on flag_changes
      for each statement execute function flag_changes_refuse()`.execute(db)

  // Apart from the flags, so that counting never waits for a change or is waited for.
  await sql`
    create table flag_uses (
      flag_key text primary key references flags (key),
      last_asked_at timestamptz not null
    )`.execute(db)

  await sql`grant select, insert, update on flags, flag_uses to atrium_app`.execute(db)
  await sql`grant select, insert on flag_changes to atrium_app`.execute(db)
  // The history names its entry of the audit log, whose id is therefore chosen before the entry is
  // written.
  await sql`grant insert (id) on audit_events to atrium_app`.execute(db)
}
