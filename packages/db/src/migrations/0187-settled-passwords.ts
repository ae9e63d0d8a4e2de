import { type Kysely, sql } from 'kysely'

/**
 * `next_at`: when the identity provider is asked again whether the person has replaced the
 * temporary password. The index for it is built online.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table temporary_passwords
      add column next_at timestamptz not null default now()`.execute(db)
}
