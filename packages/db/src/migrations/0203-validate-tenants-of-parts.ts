import { type Kysely, sql } from 'kysely'
import { parts } from './0200-tenants-of-parts.ts'

/**
 * Checks the rows that were there before 0202, without blocking writers. The primary keys with the
 * tenant, built online, need no scan for `not null` then.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const { table } of parts)
    await sql`alter table ${sql.table(table)} validate constraint ${sql.ref(`${table}_tenant`)}`.execute(
      db,
    )
}
