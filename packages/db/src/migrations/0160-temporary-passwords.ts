import { type Kysely, sql } from 'kysely'

/**
 * Passwords that were shown to another person and have to be replaced by their own. A row is
 * deleted once the person has done so; `ended_at` tells that the password expired before. The
 * password itself is stored nowhere.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table temporary_passwords (
      user_id uuid primary key references users on delete cascade,
      issued_at timestamptz not null,
      expires_at timestamptz not null,
      ended_at timestamptz,
      constraint temporary_passwords_order check (issued_at < expires_at)
    )`.execute(db)
  await sql`create index temporary_passwords_due on temporary_passwords (expires_at) where ended_at is null`.execute(
    db,
  )
  await sql`grant select, insert, update, delete on temporary_passwords to atrium_app`.execute(db)
}
