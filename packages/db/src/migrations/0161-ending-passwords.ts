import { type Kysely, sql } from 'kysely'

/**
 * `ending_at`: when a process began to replace an expired temporary password. A later one then goes
 * on without asking whether the person has replaced it.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table temporary_passwords add column ending_at timestamptz`.execute(db)
}
