import { type Kysely, sql } from 'kysely'

/** Groups of mails that a person switched off; see `@atrium/core/account/notifications`. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table users add column muted_mails text[] not null default '{}'`.execute(db)
}
