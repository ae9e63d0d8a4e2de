import { type Kysely, sql } from 'kysely'
import { parts } from './0200-tenants-of-parts.ts'

/** `tenant_id` of the rows that were there before 0200. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const { table, column, whole } of parts)
    await sql`
      update ${sql.table(table)} part set tenant_id = whole.tenant_id from ${sql.table(whole)} whole
      where whole.id = part.${sql.ref(column)} and part.tenant_id is null`.execute(db)
}
