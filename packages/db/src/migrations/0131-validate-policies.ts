import { type Kysely, sql } from 'kysely'

/** Checks the rows that were there before the constraint of 0130, without blocking writers. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table security_policies validate constraint security_policies_grace`.execute(db)
}
