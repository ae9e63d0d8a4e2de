import { type Kysely, sql } from 'kysely'

/** Checks the rows that were there before the constraint of 0185, without blocking writers. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table access_links validate constraint access_links_sender`.execute(db)
}
