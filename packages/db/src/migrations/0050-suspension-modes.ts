import { type Kysely, sql } from 'kysely'

/**
 * What a suspension takes away, and who ordered it; null for one by a program of before, which
 * changed nothing outside. `sign_in_ended_at` marks a person whose identity was made inactive
 * because of the tenants alone, so that a resume gives back no more than that.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table tenants
      add column suspension_mode text,
      add column suspended_by text,
      add constraint tenants_suspension_mode check (suspension_mode in ('read_only', 'no_sign_in')) not valid,
      add constraint tenants_suspended_by check (suspended_by in ('operator', 'partner', 'billing')) not valid`.execute(
    db,
  )
  await sql`alter table users add column sign_in_ended_at timestamptz`.execute(db)
}
