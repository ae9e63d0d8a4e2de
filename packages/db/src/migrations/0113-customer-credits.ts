import { type Kysely, sql } from 'kysely'

/**
 * `payment_customers.credits`: the customer's balance at the payment processor, in minor units by
 * currency; below 0 for a debt. `invoices.balance_applied`: what the balance paid of an invoice.
 * Null where it was not read yet: the card's next reading and the nightly comparison fill them in.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table payment_customers add column credits jsonb`.execute(db)
  await sql`alter table invoices add column balance_applied bigint`.execute(db)
}
