import { type Kysely, sql } from 'kysely'

/**
 * The invoice that an order within an owner's limit waits for. It decides whether the order was
 * paid, also when the terms of the subscription have changed since. Null for orders that were
 * charged at once, and for those from before.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table partner_approvals add column stripe_invoice_id text`.execute(db)
}
