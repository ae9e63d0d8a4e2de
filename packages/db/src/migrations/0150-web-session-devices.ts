import { type Kysely, sql } from 'kysely'

/**
 * With which browser and from where a session of a portal began, so that people recognize their own
 * sessions. Null for sessions that began before.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table web_sessions
    add column user_agent text,
    add column address text,
    add column country text`.execute(db)
}
