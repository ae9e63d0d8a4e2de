import { type Kysely, sql } from 'kysely'

/**
 * Orders within an owner's limit that were never paid: `unpaid` ones do not count against it.
 * `settled_at` is null while the payment is waited for.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table partner_approvals add column settled_at timestamptz`.execute(db)
  await sql`update partner_approvals set settled_at = decided_at where status = 'within_limit'`.execute(
    db,
  )
  await sql`
    alter table partner_approvals
      drop constraint partner_approvals_status_check,
      add constraint partner_approvals_status_check check (status in
        ('pending', 'approved', 'declined', 'expired', 'replaced', 'within_limit', 'unpaid')) not valid`.execute(
    db,
  )
  await sql`alter table partner_approvals validate constraint partner_approvals_status_check`.execute(
    db,
  )
  await sql`create index partner_approvals_unsettled on partner_approvals (tenant_id)
    where status = 'within_limit' and settled_at is null`.execute(db)
}
