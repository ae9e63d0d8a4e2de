import { type Kysely, sql } from 'kysely'

/**
 * Domains that a deleted tenant gave up. `released_name` is the name that such a domain had; it has
 * one below the platform's domain since. `mail_rename_due` says that the mail server may still have
 * the domain under another name, `mail_rename_until` that a process tells it now.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table domains add column released_name text, add column mail_rename_due boolean not null default false,
      add column mail_rename_until timestamptz`.execute(db)
}
