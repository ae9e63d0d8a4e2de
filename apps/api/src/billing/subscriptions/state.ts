import { snapshotOf } from '@atrium/core/billing/prices'
import { type SubscriptionStatus, toSubscriptionStatus } from '@atrium/core/billing/subscriptions'
import { withoutTax } from '@atrium/core/billing/taxes'
import { type Plan, plan as planOf } from '@atrium/core/tenants/tenants'
import { findPriceByStripeId, type PriceRow } from '@atrium/db/billing/prices'
import { findNextStateEvent, recordObservedState } from '@atrium/db/billing/subscription-history'
import { lockSubscriptionsOf, type SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { ProcessorSubscription } from '@atrium/integrations/payments/port'
import type { InTransaction } from '../../rpc/services.ts'

/** The columns of a subscription that its history keeps. `price` is null for one not of ours. */
export function stateOf(
  read: ProcessorSubscription,
  status: SubscriptionStatus,
  price: PriceRow | undefined,
  before: SubscriptionRow | undefined,
) {
  return {
    plan: price?.plan ?? planIn(read) ?? before?.plan ?? ('free' as const),
    cycle: read.cycle,
    currency: read.currency,
    ...amountsOf(read, price, before),
    seats: read.seats,
    status,
    cancel_at_period_end: read.cancelAtPeriodEnd,
  }
}

/** Whether the history has the same for both. */
export function isSameState(one: ProcessorSubscription, other: ProcessorSubscription): boolean {
  return (
    one.priceId === other.priceId &&
    one.perSeatAmount === other.perSeatAmount &&
    one.periodAmount === other.periodAmount &&
    one.taxBehavior === other.taxBehavior &&
    one.cycle === other.cycle &&
    one.currency === other.currency &&
    one.seats === other.seats &&
    one.status === other.status &&
    one.cancelAtPeriodEnd === other.cancelAtPeriodEnd
  )
}

/**
 * Writes into the history what an event showed of its moment: what is read when the event comes may
 * be of a later one. A later event or reading ends it.
 */
export async function recordShownState(
  trx: Trx,
  { clock }: Pick<InTransaction, 'clock'>,
  row: SubscriptionRow,
  shown: ProcessorSubscription,
  at: Date,
): Promise<void> {
  await lockSubscriptionsOf(trx, row.tenantId)
  const price = await findPriceByStripeId(trx, shown.priceId)
  const state = netStateOf(
    shown,
    stateOf(shown, toSubscriptionStatus(shown.status), price, row),
    row,
  )
  const next = await findNextStateEvent(trx, shown.id, at)
  const now = clock.now()
  const until = next && next < now ? next : now
  if (at < until) await recordObservedState(trx, row.id, state, { from: at, until })
}

/** The history has amounts without tax: that of the subscription's last invoice is taken out. */
function netStateOf(
  { taxBehavior }: ProcessorSubscription,
  state: ReturnType<typeof stateOf>,
  { containedTaxPercent }: SubscriptionRow,
) {
  if (taxBehavior !== 'inclusive') return state
  const perSeat = BigInt(state.per_seat_amount)
  const period = BigInt(state.period_amount ?? perSeat * BigInt(state.seats))
  return {
    ...state,
    per_seat_amount: withoutTax(perSeat, containedTaxPercent),
    period_amount: withoutTax(period, containedTaxPercent),
  }
}

function planIn({ metadata }: ProcessorSubscription): Plan | undefined {
  const parsed = planOf.safeParse(metadata.plan)
  return parsed.success ? parsed.data : undefined
}

/** As the processor says it; where it says nothing, as the catalog computes it. */
function amountsOf(
  read: ProcessorSubscription,
  price: PriceRow | undefined,
  before: SubscriptionRow | undefined,
) {
  const amount = price?.amounts.find(({ currency }) => currency === read.currency)
  const computed =
    price &&
    amount &&
    snapshotOf(
      { scheme: price.scheme, unitAmount: amount.unitAmount, tiers: amount.tiers },
      read.seats,
    )
  if (read.perSeatAmount === null && read.periodAmount === null && computed) {
    return { per_seat_amount: computed.perSeatAmount, period_amount: computed.periodAmount }
  }
  return {
    per_seat_amount: read.perSeatAmount ?? computed?.perSeatAmount ?? before?.perSeatAmount ?? 0n,
    period_amount: read.periodAmount,
  }
}
