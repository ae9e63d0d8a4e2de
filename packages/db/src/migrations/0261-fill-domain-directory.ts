import { type Kysely, sql } from 'kysely'

/**
 * Names that were proven before 0260. The rows are locked, so that none is entered that was removed
 * meanwhile.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    insert into proven_domains (name, tenant_id)
    select name, tenant_id from domains where verified_at is not null for share
    on conflict (name) do nothing`.execute(db)
}
