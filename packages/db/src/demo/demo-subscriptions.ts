import { periodAt } from '@atrium/core/billing/subscriptions'
import { demoPrices } from '@atrium/core/demo/demo'
import { insertSubscription } from '../billing/subscriptions.ts'
import type { Trx } from '../platform/connect.ts'

/**
 * The price catalog of a local workplace, on sale, with the ids under which the sandbox's payment
 * processor knows the prices.
 */
export async function seedPrices(trx: Trx): Promise<void> {
  for (const { plan, cycle } of demoPrices.filter(({ currency }) => currency === 'eur')) {
    const { id } = await trx
      .insertInto('prices')
      .values({ plan, cycle, version: 1, state: 'active' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const amounts = demoPrices.filter((price) => price.plan === plan && price.cycle === cycle)
    await trx
      .insertInto('price_amounts')
      .values(
        amounts.map(({ currency, unitAmount, stripePriceId }) => ({
          price_id: id,
          currency,
          unit_amount: unitAmount,
          stripe_price_id: stripePriceId,
        })),
      )
      .execute()
  }
}

/**
 * A running subscription without the payment processor, by month and in euros, on the terms of the
 * catalog.
 */
export async function seedManualSubscription(
  trx: Trx,
  tenantId: string,
  {
    plan,
    seats,
    soldAt,
    now,
  }: { plan: 'starter' | 'business'; seats: number; soldAt: Date; now: Date },
): Promise<void> {
  const price = await trx
    .selectFrom('prices as p')
    .innerJoin('price_amounts as a', 'a.price_id', 'p.id')
    .select(['p.id', 'a.unit_amount'])
    .where('p.plan', '=', plan)
    .where('p.cycle', '=', 'month')
    .where('a.currency', '=', 'eur')
    .executeTakeFirstOrThrow()
  const period = periodAt(soldAt, 'month', now)
  await insertSubscription(trx, {
    tenant_id: tenantId,
    source: 'manual',
    plan,
    cycle: 'month',
    currency: 'eur',
    seats,
    status: 'active',
    price_id: price.id,
    per_seat_amount: price.unit_amount,
    billing_anchor: soldAt,
    state_since: soldAt,
    current_period_start: period.start,
    current_period_end: period.end,
    created_at: soldAt,
  })
}
