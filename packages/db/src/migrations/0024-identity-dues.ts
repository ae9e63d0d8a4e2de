import { type Kysely, sql } from 'kysely'

/** People of whom the identity provider may not have followed yet what stands here. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table identity_dues (
      user_id uuid primary key references users on delete cascade,
      mark uuid not null default new_id(),
      everywhere boolean not null default false,
      attempts integer not null default 0,
      next_at timestamptz not null,
      error text,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index identity_dues_next on identity_dues (next_at)`.execute(db)
  await sql`grant select, insert, update, delete on identity_dues to atrium_app`.execute(db)
}
