import { type Kysely, sql } from 'kysely'

/**
 * The address that a person signs in with is due by itself: who never changed it here may have
 * another one at the provider by now. One process at a time tells the identity provider of a
 * person, so that no older record arrives after a newer one. An import knows who asked for it, and
 * in which right: it ends when the right does.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`lock table identity_dues, member_imports in access exclusive mode`.execute(db)
  await sql`
    alter table identity_dues
      add column address boolean not null default false,
      add column run uuid,
      add column lease_until timestamptz`.execute(db)
  await sql`
    alter table member_imports
      add column requester_id uuid,
      add column by_operator boolean not null default false`.execute(db)
}
