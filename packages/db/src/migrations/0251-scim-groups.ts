import { type Kysely, sql } from 'kysely'

/** What the directory of a tenant calls the group that a list is. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table mail_lists add column scim_external_id text`.execute(db)
}
