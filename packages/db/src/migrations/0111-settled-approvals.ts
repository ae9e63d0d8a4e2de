import { type Kysely, sql } from 'kysely'

/** Orders from before 0110 count as settled. Validates the constraints of 0107 and 0110. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`update partner_approvals set settled_at = decided_at where status = 'within_limit'`.execute(
    db,
  )
  for (const [table, constraint] of [
    ['prices', 'prices_tax_behavior'],
    ['subscriptions', 'subscriptions_tax_behavior'],
    ['subscriptions', 'subscriptions_contained_tax'],
    ['partner_approvals', 'partner_approvals_status_check'],
  ] as const)
    await sql`alter table ${sql.table(table)} validate constraint ${sql.ref(constraint)}`.execute(
      db,
    )
}
