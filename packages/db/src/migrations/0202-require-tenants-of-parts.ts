import { type Kysely, sql } from 'kysely'
import { parts } from './0200-tenants-of-parts.ts'

/** New rows have a tenant. Those that were there are checked by 0203. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const { table } of parts)
    await sql`
      alter table ${sql.table(table)}
        add constraint ${sql.ref(`${table}_tenant`)} check (tenant_id is not null) not valid`.execute(
      db,
    )
}
