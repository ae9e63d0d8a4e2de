import { type Kysely, sql } from 'kysely'

/**
 * Orders within an owner's limit that were never paid: `unpaid` ones do not count against it.
 * `settled_at` is null while the payment is pending.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table partner_approvals
      add column settled_at timestamptz,
      drop constraint partner_approvals_status_check,
      add constraint partner_approvals_status_check check (status in
        ('pending', 'approved', 'declined', 'expired', 'replaced', 'within_limit', 'unpaid')) not valid`.execute(
    db,
  )
}
