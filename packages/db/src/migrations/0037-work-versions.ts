import { type Kysely, sql } from 'kysely'

/**
 * Counts the changes of what outside systems have to follow: the outcome of work counts for the
 * version that it was done for alone. Programs of before neither count nor compare.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`lock table provisioning_steps, memberships in access exclusive mode`.execute(db)
  await sql`alter table provisioning_steps add column version integer not null default 0`.execute(
    db,
  )
  await sql`alter table memberships add column version integer not null default 0`.execute(db)
}
