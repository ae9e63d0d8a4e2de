import type Stripe from 'stripe'
import type { ProcessorSubscription } from './port.ts'
import {
  idOf,
  Misshapen,
  moment,
  objectOf,
  optionalId,
  optionalMoment,
  text,
  whole,
} from './shapes.ts'

/** Our subscriptions have one item; the period is on the item (API 2025-03-31 and later). */
export function subscriptionOf(response: Stripe.Subscription): ProcessorSubscription {
  const subscription = objectOf(response, 'subscription')
  const item = subscription.items?.data[0]
  if (!item) throw new Misshapen('the list of items')
  const details = subscription.cancellation_details
  return {
    id: text(subscription.id, 'id'),
    customerId: idOf(subscription.customer, 'customer'),
    status: text(subscription.status, 'status'),
    itemId: text(item.id, 'item id'),
    priceId: idOf(item.price, 'price'),
    currency: text(subscription.currency, 'currency'),
    cycle: cycleOf(item.price),
    ...amountsOf(item),
    taxBehavior: item.price.tax_behavior === 'inclusive' ? 'inclusive' : 'exclusive',
    seats: whole(item.quantity ?? 0, 'quantity'),
    metadata: { ...subscription.metadata },
    created: moment(subscription.created, 'created'),
    trialStart: optionalMoment(subscription.trial_start, 'trial_start'),
    trialEnd: optionalMoment(subscription.trial_end, 'trial_end'),
    currentPeriodStart: optionalMoment(item.current_period_start, 'current_period_start'),
    currentPeriodEnd: optionalMoment(item.current_period_end, 'current_period_end'),
    cancelAtPeriodEnd: subscription.cancel_at_period_end === true,
    cancelAt: optionalMoment(subscription.cancel_at, 'cancel_at'),
    canceledAt: optionalMoment(subscription.canceled_at, 'canceled_at'),
    endedAt: optionalMoment(subscription.ended_at, 'ended_at'),
    cancelReason: details?.reason ?? null,
    cancelFeedback: details?.feedback ?? null,
    cancelComment: details?.comment ?? null,
    pauseCollection: pauseCollectionOf(subscription.pause_collection),
    pausedAt: optionalMoment(subscription.status_details?.paused?.transitioned_at, 'paused at'),
    pauseReason: subscription.status_details?.paused?.subscription?.type ?? null,
    latestInvoiceId: optionalId(subscription.latest_invoice, 'latest_invoice'),
    defaultPaymentMethodId: optionalId(
      subscription.default_payment_method,
      'default_payment_method',
    ),
    tax: {
      automatic: subscription.automatic_tax?.enabled === true,
      rateIds: (subscription.default_tax_rates ?? []).map((rate) => idOf(rate, 'tax rate')),
    },
    ...scheduleOf(subscription.schedule),
    pendingUpdate: pendingUpdateOf(subscription.pending_update),
  }
}

function cycleOf(price: Stripe.Price): 'month' | 'year' {
  const { interval, interval_count: count } = price.recurring ?? {}
  if (interval === 'month' && count === 12) return 'year'
  if (interval === 'month' && count === 1) return 'month'
  if (interval === 'year' && count === 1) return 'year'
  throw new Misshapen('the billing cycle')
}

/** Per seat for per-seat prices; for tiered prices the sum of the tiers for the whole period. */
function amountsOf(
  item: Stripe.SubscriptionItem,
): Pick<ProcessorSubscription, 'perSeatAmount' | 'periodAmount'> {
  const { price, quantity = 0 } = item
  if (price.billing_scheme === 'per_unit') {
    // A price in fractions of a cent has no whole unit amount.
    return price.unit_amount === null
      ? { perSeatAmount: null, periodAmount: null }
      : { perSeatAmount: whole(price.unit_amount, 'unit_amount'), periodAmount: null }
  }
  return {
    perSeatAmount: null,
    periodAmount: price.tiers ? tieredTotal(price.tiers, price.tiers_mode, quantity) : null,
  }
}

function tieredTotal(
  tiers: readonly Stripe.Price.Tier[],
  mode: string | null,
  quantity: number,
): number {
  const cost = (tier: Stripe.Price.Tier, seats: number) =>
    (tier.unit_amount ?? 0) * seats + (tier.flat_amount ?? 0)
  if (mode === 'volume') {
    const tier = tiers.find(({ up_to: upTo }) => upTo === null || quantity <= upTo)
    return whole(tier ? cost(tier, quantity) : 0, 'tiers')
  }
  let before = 0
  let total = 0
  for (const tier of tiers) {
    if (quantity <= before) break
    total += cost(tier, Math.min(quantity, tier.up_to ?? quantity) - before)
    before = tier.up_to ?? quantity
  }
  return whole(total, 'tiers')
}

const pauseBehaviors = ['keep_as_draft', 'mark_uncollectible', 'void'] as const

function pauseCollectionOf(
  pause: Stripe.Subscription.PauseCollection | null,
): ProcessorSubscription['pauseCollection'] {
  if (!pause) return null
  // A word that came later still means that nothing is collected.
  const behavior = pauseBehaviors.find((known) => known === pause.behavior) ?? 'keep_as_draft'
  return { behavior, resumesAt: optionalMoment(pause.resumes_at, 'resumes_at') }
}

function pendingUpdateOf(
  update: Stripe.Subscription.PendingUpdate | null,
): ProcessorSubscription['pendingUpdate'] {
  if (!update) return null
  const item = update.subscription_items?.[0]
  return {
    expiresAt: moment(update.expires_at, 'expires_at'),
    seats: item?.quantity ?? null,
    priceId: item ? optionalId(item.price, 'price') : null,
  }
}

/**
 * The phase after the one that runs. A schedule without one has done its work and stays attached
 * until its last phase is over.
 */
function scheduleOf(
  schedule: string | Stripe.SubscriptionSchedule | null | undefined,
): Pick<ProcessorSubscription, 'scheduleId' | 'scheduled'> {
  if (!schedule) return { scheduleId: null, scheduled: null }
  if (typeof schedule === 'string') return { scheduleId: schedule, scheduled: undefined }
  const now = schedule.current_phase?.end_date
  const next = schedule.phases.find(({ start_date: start }) => start === now)
  const item = next?.items[0]
  return {
    scheduleId: text(schedule.id, 'schedule'),
    scheduled:
      next && item
        ? {
            priceId: idOf(item.price, 'scheduled price'),
            seats: whole(item.quantity ?? 0, 'scheduled quantity'),
            at: moment(next.start_date, 'start of a phase'),
          }
        : null,
  }
}
