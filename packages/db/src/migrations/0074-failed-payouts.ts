import { type Kysely, sql } from 'kysely'

/**
 * A payout that failed may stand beside the next one: a transfer comes back at any time, also while
 * the next payout is open.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create unique index payouts_one_under_way on payouts (partner_id, currency)
      where status in ('draft', 'held', 'approved', 'in_transit')`.execute(db)
  await sql`drop index payouts_one_open`.execute(db)
}
