import { sql } from 'kysely'
import type { Trx } from '../platform/connect.ts'

/** The part of a subscription that its history keeps. */
export interface SubscriptionState {
  plan: string
  cycle: string
  currency: string
  status: string
  per_seat_amount: bigint | number
  period_amount: bigint | number | null
  seats: number
  cancel_at_period_end: boolean
}

/**
 * When the payment processor told of a later state of its subscription; undefined where the inbox
 * has no later event.
 */
export async function findNextStateEvent(
  trx: Trx,
  stripeSubscriptionId: string,
  after: Date,
): Promise<Date | undefined> {
  const row = await trx
    .selectFrom('webhook_inbox')
    .select('created')
    .where('object_id', '=', stripeSubscriptionId)
    .where('created', '>', after)
    .orderBy('created')
    .limit(1)
    .executeTakeFirst()
  return row?.created
}

/**
 * Writes a state that held from `from` on into the history: until `until`, or until the next change
 * of the state that is written there. A state that begins at the same moment there stays. Requires
 * `lockSubscriptionsOf`.
 */
export async function recordObservedState(
  trx: Trx,
  subscriptionId: string,
  state: SubscriptionState,
  { from, until }: { from: Date; until: Date },
): Promise<void> {
  await sql`select record_observed_state(${subscriptionId}::uuid, ${from}::timestamptz, ${until}::timestamptz,
    ${state.plan}, ${state.cycle}, ${state.currency}, ${state.status}, ${state.per_seat_amount}::bigint,
    ${state.period_amount}::bigint, ${state.seats}::integer, ${state.cancel_at_period_end}::boolean)`.execute(
    trx,
  )
}
