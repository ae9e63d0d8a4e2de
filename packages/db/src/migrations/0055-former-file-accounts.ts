import { type Kysely, sql } from 'kysely'

/**
 * File accounts that were removed with their person. Whoever still holds an access token of before
 * has the file storage create another account under the same name: until no such token can be valid
 * any more, somebody has to look.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table former_file_accounts (
      user_id uuid primary key,
      username text not null,
      subject text not null,
      removed_at timestamptz not null,
      disabled text[] not null default '{}',
      next_at timestamptz not null
    )`.execute(db)
  await sql`create index former_file_accounts_next on former_file_accounts (next_at)`.execute(db)
  await sql`grant select, insert, update, delete on former_file_accounts to atrium_app`.execute(db)
}
