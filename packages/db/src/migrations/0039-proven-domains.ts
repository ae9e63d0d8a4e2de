import { type Kysely, sql } from 'kysely'

/**
 * Domains of the mail server that are to be removed there, because their domain is gone here. A row
 * stays until the mail server has removed it. The indexes that make a name unique among proven
 * domains, in the place of the constraint `domains_name_key`, are built beside the traffic
 * (packages/db/src/schema/online-indexes.ts).
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table mail_domain_removals (
      mail_domain_id text primary key,
      requested_at timestamptz not null default now(),
      next_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index mail_domain_removals_next on mail_domain_removals (next_at)`.execute(db)
  await sql`grant select, insert, update, delete on mail_domain_removals to atrium_app`.execute(db)
}
