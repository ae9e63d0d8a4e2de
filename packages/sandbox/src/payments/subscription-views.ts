import type Stripe from 'stripe'
import { planView, priceView, taxRateView } from './catalog-views.ts'
import { invoiceView } from './invoice-views.ts'
import type { Price, Subscription } from './records.ts'
import { scheduleView } from './schedule-views.ts'
import type { PaymentsStore } from './store.ts'

/**
 * `expand` as Stripe's parameter: `latest_invoice`, `latest_invoice.confirmation_secret`,
 * `items.data.price.tiers`, `schedule`.
 */
export function subscriptionView(
  store: PaymentsStore,
  subscription: Subscription,
  expand: readonly string[],
  origin: string,
): Stripe.Subscription {
  const price = store.prices.get(subscription.price, 'price')
  const withTiers = expand.includes('items.data.price.tiers')
  const includesInvoice = expand.find(
    (path) => path === 'latest_invoice' || path.startsWith('latest_invoice.'),
  )
  const invoice =
    subscription.latestInvoice === null
      ? undefined
      : store.invoices.find(subscription.latestInvoice)
  const schedule =
    subscription.schedule === null ? undefined : store.schedules.find(subscription.schedule)
  const inside = expand
    .filter((path) => path.startsWith('latest_invoice.'))
    .map((path) => path.slice('latest_invoice.'.length))
  return {
    id: subscription.id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: {
      disabled_reason: null,
      enabled: subscription.tax.automatic,
      liability: subscription.tax.automatic ? { type: 'self' } : null,
    },
    billing_cycle_anchor: subscription.anchor,
    billing_cycle_anchor_config: null,
    billing_mode: {
      flexible: subscription.billingMode === 'flexible' ? {} : null,
      type: subscription.billingMode,
    },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: subscription.cancelAt,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    canceled_at: subscription.canceledAt,
    cancellation_details: {
      comment: subscription.cancelComment,
      feedback: subscription.cancelFeedback,
      feedback_option: null,
      reason: subscription.cancelReason,
    },
    collection_method: 'charge_automatically',
    created: subscription.created,
    currency: subscription.currency,
    customer: subscription.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: subscription.defaultPaymentMethod,
    default_source: null,
    default_tax_rates: subscription.tax.rates.map((id) => taxRateView(store.taxRates.get(id))),
    description: null,
    discounts: [],
    ended_at: subscription.endedAt,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: {
      object: 'list',
      data: [itemView(subscription, price, subscription.quantity, withTiers)],
      has_more: false,
      url: `/v1/subscription_items?subscription=${subscription.id}`,
    },
    latest_invoice: invoice
      ? includesInvoice === undefined
        ? invoice.id
        : invoiceView(store, invoice, inside, origin)
      : null,
    livemode: false,
    managed_payments: null,
    metadata: subscription.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: subscription.pauseCollection && {
      behavior: subscription.pauseCollection.behavior,
      resumes_at: subscription.pauseCollection.resumesAt,
    },
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: pendingUpdateView(store, subscription),
    schedule:
      schedule && expand.includes('schedule')
        ? scheduleView(store, schedule)
        : subscription.schedule,
    start_date: subscription.created,
    status: subscription.status,
    ...(subscription.status === 'paused' && {
      status_details: {
        paused: {
          subscription: { type: subscription.pauseReason ?? 'system' },
          transitioned_at: subscription.pausedAt ?? subscription.created,
          type: 'subscription',
        },
      },
    }),
    test_clock: null,
    transfer_data: null,
    trial_end: subscription.trialEnd,
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method: subscription.missingPaymentMethod,
      },
    },
    trial_start: subscription.trialStart,
  }
}

function pendingUpdateView(
  store: PaymentsStore,
  subscription: Subscription,
): Stripe.Subscription.PendingUpdate | null {
  const update = subscription.pendingUpdate
  if (!update) return null
  return {
    billing_cycle_anchor: update.anchorNow ? update.expiresAt : null,
    cancel_at_period_end: null,
    discount: null,
    discounts: null,
    expires_at: update.expiresAt,
    metadata: update.metadata,
    subscription_items: [
      itemView(subscription, store.prices.get(update.price, 'price'), update.quantity, false),
    ],
    trial_end: null,
    trial_from_plan: null,
  }
}

function itemView(
  subscription: Subscription,
  price: Price,
  quantity: number,
  withTiers: boolean,
): Stripe.SubscriptionItem {
  return {
    id: subscription.item,
    object: 'subscription_item',
    billing_thresholds: null,
    created: subscription.created,
    current_period_end: subscription.periodEnd,
    current_period_start: subscription.periodStart,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planView(price),
    price: priceView(price, withTiers),
    quantity,
    subscription: subscription.id,
    tax_rates: [],
  }
}
