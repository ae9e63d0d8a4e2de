import { type Kysely, sql } from 'kysely'

/**
 * `text`: what `message` says before it was written in English, so that it can be written in the
 * language of the reader. Null for rows of an earlier version, and where `message` is a failure of
 * an upstream system.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table member_import_rows add column text jsonb`.execute(db)
}
