import { type Kysely, sql } from 'kysely'

/**
 * Whose IPv6 /48 holds a start: one customer is given a whole one. Null for IPv4, and for what
 * programs before this version hold.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table slot_locks add column network text`.execute(db)
}
