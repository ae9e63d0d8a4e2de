import { type Kysely, sql } from 'kysely'

/**
 * `stripe_schedule_id`: the schedule at the payment processor that is attached to a subscription. A
 * change that waits for the end of the period (`pending`) is carried out by it. Waiting changes
 * from before have none yet; the job that applies due changes schedules them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table subscriptions add column stripe_schedule_id text`.execute(db)
}
