import { type Kysely, sql } from 'kysely'

/**
 * What outside systems told of a person that is dear to ask for: one row per person and kind. A
 * cache; every row may be deleted.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table user_readings (
      user_id uuid not null references users on delete cascade,
      kind text not null check (kind in ('second_factors', 'file_usage')),
      value jsonb,
      failure text,
      read_at timestamptz,
      claimed_until timestamptz,
      primary key (user_id, kind),
      check (value is null or failure is null),
      check ((value is null and failure is null) = (read_at is null))
    )`.execute(db)
  await sql`grant select, insert, update, delete on user_readings to atrium_app`.execute(db)
}
