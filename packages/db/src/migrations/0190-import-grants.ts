import { type Kysely, sql } from 'kysely'

/**
 * The access grant under which an import was started; null for one in the requester's own right.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table member_imports add column grant_id uuid`.execute(db)
}
