import { type Kysely, sql } from 'kysely'

/**
 * A domain whose ownership was not shown yet stands in the mail server under a name that nobody
 * writes to: its keys are there to be published, and mail to the real domain goes where it went
 * before. `mail_pending_id` is that one; `mail_domain_id` only one that takes mail.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table domains add column mail_pending_id text`.execute(db)
  await sql`
    alter table domains add constraint domains_one_in_mail_server check (mail_domain_id is null or mail_pending_id is null) not valid`.execute(
    db,
  )
  await sql`alter table domains validate constraint domains_one_in_mail_server`.execute(db)
}
