import { type Kysely, sql } from 'kysely'

/**
 * The name of a tenant's group at the identity provider; null is the slug, as programs of before
 * name it. `identity_group_changed_at` is when it got its present name, `infinity` while it is
 * being renamed: tokens of before then say nothing about who left the group.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table tenants
      add column identity_group_name text,
      add column identity_group_changed_at timestamptz`.execute(db)
}
