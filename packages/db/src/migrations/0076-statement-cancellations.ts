import { type Kysely, sql } from 'kysely'

/**
 * `cancellation_number`: the document that cancels the statement of a canceled payout. It is in the
 * partner's series of statement numbers. The index that keeps it unique is built online.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table payouts add column cancellation_number text`.execute(db)
}
