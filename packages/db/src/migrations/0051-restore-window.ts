import { type Kysely, sql } from 'kysely'

/**
 * Until when a deleted tenant can be restored. Null for those that programs of before deleted: they
 * stay as they are until an operator acts. Also validates the constraints that 0050 added:
 * validating there would hold their strong lock while all rows are read.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const name of ['suspension_mode', 'suspended_by']) {
    await sql`alter table tenants validate constraint ${sql.raw(`tenants_${name}`)}`.execute(db)
  }
  // Last, because it takes the strong lock.
  await sql`alter table tenants add column restore_until timestamptz`.execute(db)
}
