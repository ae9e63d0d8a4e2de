import { type Kysely, sql } from 'kysely'

/** What the directory of a tenant calls a member: its own id, and the name as it writes it. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table memberships
      add column scim_external_id text,
      add column scim_user_name text`.execute(db)
}
