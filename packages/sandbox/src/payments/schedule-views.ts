import type Stripe from 'stripe'
import { taxRateView } from './catalog-views.ts'
import type { Schedule, SchedulePhase } from './records.ts'
import type { PaymentsStore } from './store.ts'

export function scheduleView(
  store: PaymentsStore,
  schedule: Schedule,
): Stripe.SubscriptionSchedule {
  const [current] = schedule.phases
  const released = schedule.status === 'released'
  return {
    id: schedule.id,
    object: 'subscription_schedule',
    application: null,
    billing_mode: { flexible: {}, type: 'flexible' },
    canceled_at: schedule.canceledAt,
    completed_at: null,
    created: schedule.created,
    current_phase:
      schedule.status === 'active' && current
        ? { start_date: current.start, end_date: current.end }
        : null,
    customer: schedule.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: 'charge_automatically',
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: 'release',
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases: schedule.phases.map((phase) => phaseView(store, phase, schedule.currency)),
    released_at: schedule.releasedAt,
    released_subscription: released ? schedule.subscription : null,
    status: schedule.status,
    subscription: schedule.status === 'active' ? schedule.subscription : null,
    test_clock: null,
  }
}

function phaseView(
  store: PaymentsStore,
  phase: SchedulePhase,
  currency: string,
): Stripe.SubscriptionSchedule.Phase {
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    automatic_tax: {
      disabled_reason: null,
      enabled: phase.tax.automatic,
      liability: phase.tax.automatic ? { type: 'self' } : null,
    },
    billing_cycle_anchor: phase.anchorAtStart ? 'phase_start' : null,
    billing_thresholds: null,
    collection_method: null,
    currency,
    default_payment_method: null,
    default_tax_rates: phase.tax.rates.map((id) => taxRateView(store.taxRates.get(id))),
    description: null,
    discounts: [],
    end_date: phase.end,
    invoice_settings: null,
    items: [
      {
        billing_thresholds: null,
        discounts: [],
        metadata: {},
        plan: phase.price,
        price: phase.price,
        quantity: phase.quantity,
        tax_rates: [],
      },
    ],
    metadata: phase.metadata,
    on_behalf_of: null,
    proration_behavior: 'none',
    start_date: phase.start,
    transfer_data: null,
    trial_end: null,
  }
}
