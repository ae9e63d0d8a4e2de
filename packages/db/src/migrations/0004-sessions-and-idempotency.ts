import { type Kysely, sql } from 'kysely'

/**
 * Sessions of the portal and operator servers, and the stored answers of requests with an
 * Idempotency-Key.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table web_sessions (
      id uuid primary key default new_id(),
      app text not null check (app in ('portal', 'operator')),
      token_hash bytea not null unique,
      subject text not null,
      idp_session_id text,
      email text,
      tokens bytea not null,
      access_expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index web_sessions_idp_session on web_sessions (idp_session_id) where idp_session_id is not null`.execute(
    db,
  )
  await sql`create index web_sessions_subject on web_sessions (subject)`.execute(db)
  await sql`create index web_sessions_expires on web_sessions (expires_at)`.execute(db)

  await sql`
    create table idempotency_keys (
      scope text not null,
      key text not null,
      request_hash text not null,
      state text not null default 'running' check (state in ('running', 'done', 'withheld')),
      status integer,
      body text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (scope, key)
    )`.execute(db)
  await sql`create index idempotency_keys_expires on idempotency_keys (expires_at)`.execute(db)

  await sql`grant select, insert, update, delete on web_sessions, idempotency_keys to atrium_app`.execute(
    db,
  )
}
