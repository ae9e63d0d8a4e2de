import { type Kysely, sql } from 'kysely'

/**
 * What of a person the identity provider has to follow, kind by kind: settling one must not take
 * off another. A program of before knows no kinds; what it notes counts as every one that it could
 * mean.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table identity_dues
      add column administrators boolean not null default true,
      add column staff boolean not null default true,
      add column profile boolean not null default false`.execute(db)
}
