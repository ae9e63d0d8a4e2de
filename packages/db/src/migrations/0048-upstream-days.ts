import { type Kysely, sql } from 'kysely'

/** Calls to each upstream system by day (UTC), and those that failed on its side. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table upstream_days (
      system text not null,
      day date not null,
      calls bigint not null,
      failures bigint not null,
      last_failed_at timestamptz,
      last_failure text,
      primary key (system, day)
    )`.execute(db)
  await sql`grant select, insert, update, delete on upstream_days to atrium_app`.execute(db)
}
