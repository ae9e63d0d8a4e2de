import { type Kysely, sql } from 'kysely'

/**
 * The language that people chose, and the one that a tenant chose for its people. Null: not set. No
 * check: it would be validated under the lock of this change; the API checks input.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table users add column language text`.execute(db)
  await sql`alter table tenants add column language text`.execute(db)
}
