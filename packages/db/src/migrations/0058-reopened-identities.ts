import { type Kysely, sql } from 'kysely'

/**
 * An identity that was made inactive for a moment, to end its tokens, has to be made active again.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table identity_dues add column reopen boolean not null default false`.execute(db)
}
