import { type Kysely, sql } from 'kysely'

/**
 * `bookings_per_visitor`: upcoming bookings of one address with a host; null for any number.
 * `limits_scope`: whether the limits of a round robin hold for each host (`host`) or for all of
 * them together (`event_type`). The defaults are what was fixed before. No checks: they would be
 * validated under the lock of this change; the API checks input.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table event_types
      add column bookings_per_visitor integer default 5,
      add column limits_scope text not null default 'host'`.execute(db)
}
