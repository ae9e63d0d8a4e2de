import { type Kysely, sql } from 'kysely'

/**
 * Rejected calls of a person in a minute. The first of an action is written to the audit log at
 * once; of the others only the number is kept here, which one more entry names when the minute is
 * over. So nobody fills a log that nobody can shorten.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table audit_denials (
      actor_id text not null,
      action text not null,
      place text not null,
      minute timestamptz not null,
      calls integer not null default 1,
      event jsonb not null,
      primary key (actor_id, action, place, minute)
    )`.execute(db)
  await sql`create index audit_denials_minute on audit_denials (minute)`.execute(db)
  await sql`grant select, insert, update, delete on audit_denials to atrium_app`.execute(db)
}
