import { z } from 'zod'
import { approvalKind } from '../../billing/approvals.ts'
import { vatStatus } from '../../billing/billing-info.ts'
import { correctionKind, correctionState } from '../../billing/invoice-corrections.ts'
import { adjustmentState, payoutStatus } from '../../billing/payout-states.ts'
import { priceState } from '../../billing/prices.ts'
import {
  billingCycle,
  subscriptionSource,
  subscriptionStatus,
} from '../../billing/subscriptions.ts'
import { plan } from '../../tenants/tenants.ts'
import {
  amountMinor,
  currency,
  type EventChanges,
  type EventType,
  eventType,
} from '../event-type.ts'

const reason = z.string()
const tenant = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType('tenant', details, changes)

/** Events of the payment processor say less than changes that were made here. */
const subscription = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType(
    'subscription',
    {
      source: subscriptionSource.optional(),
      plan: plan.optional(),
      seats: z.int().optional(),
      status: subscriptionStatus.optional(),
      currency: currency.optional(),
      /** What became of a change: applied, waiting for a payment or for the end of the period. */
      outcome: z.string().optional(),
      /** The approval of the owner that it used. */
      approval: z.uuid().optional(),
      ...details,
    },
    changes,
  )
const status = (before: string, after: string): EventChanges => ({ status: [before, after] })
const dunned = { pastDueSince: z.iso.datetime().optional() }

const terms = z.object({
  plan,
  cycle: billingCycle,
  seats: z.int(),
  totalMinor: amountMinor,
})
const approval = () =>
  eventType('approval', {
    kind: approvalKind,
    currency,
    before: terms.nullable(),
    after: terms,
    addedMinor: amountMinor,
    requestedBy: z.string().nullable(),
  })

const correction = () =>
  eventType('invoice', {
    correctionId: z.uuid(),
    kind: correctionKind,
    destination: z.string().optional(),
    category: z.string().optional(),
    currency,
    amountMinor,
    reason,
    reference: z.string().optional(),
    paidOn: z.string().optional(),
    state: correctionState,
    requestedBy: z.string().nullable(),
    creditNote: z.string().optional(),
    error: z.string().optional(),
  })

const price = (details: z.ZodRawShape = {}, changes: EventChanges = {}) =>
  eventType(
    'price',
    {
      plan,
      cycle: billingCycle,
      version: z.int(),
      state: priceState,
      /** What the payment processor failed at, by currency. */
      errors: z.record(z.string(), z.string()).optional(),
      ...details,
    },
    changes,
  )
const migration = (details: z.ZodRawShape = {}) =>
  eventType('price', {
    migrationId: z.uuid(),
    toVersion: z.int(),
    from: z.string(),
    mayKeep: z.boolean(),
    reason,
    /** Subscribers by the state of their move. */
    subscribers: z.record(z.string(), z.int()),
    ...details,
  })

/** Amounts of payouts are text: their sums may exceed what a number holds. */
const amount = { amountMinor: z.string(), currency }
const payout = (details: z.ZodRawShape = {}) =>
  eventType('payout', { ...amount, status: z.array(payoutStatus).length(2), ...details })

/** Subscriptions, invoices, prices and payouts. */
export const billingEventTypes = {
  'approval.approved': approval(),
  'approval.declined': approval(),
  'approval.expired': approval(),
  'approval.requested': approval(),
  'billing.card_removed': tenant({ brand: z.string().optional(), last4: z.string().optional() }),
  'billing.card_set': tenant({ brand: z.string().optional(), last4: z.string().optional() }),
  'billing.customer_created': tenant({ customerId: z.string() }),
  'billing.customer_removed': tenant({ customerId: z.string() }),
  'billing.exported': eventType('platform', {
    month: z.string(),
    format: z.string(),
    currency: z.string().nullable(),
  }),
  'billing.reconciled': eventType('platform', {
    tenants: z.int(),
    differences: z.int(),
    failed: z.int(),
    lostEvents: z.int(),
  }),
  'billing_info.updated': tenant(
    { vatStatus: vatStatus.optional() },
    { company: [null, 'Acme GmbH'] },
  ),
  'invoice.correction_approved': correction(),
  'invoice.correction_rejected': correction(),
  'invoice.correction_requested': correction(),
  'invoice.credited': correction(),
  'invoice.payment_attempted': eventType('invoice', { currency, amountMinor }),
  'invoice.payment_recorded': correction(),
  'invoice.refunded': correction(),
  'invoice.voided': correction(),
  'invoice.written_off': correction(),
  'ledger.adjusted': eventType('ledger_adjustment', { ...amount, reason, state: adjustmentState }),
  'payout.approved': payout(),
  'payout.canceled': payout({ reason }),
  'payout.failed': payout({ reason }),
  'payout.held': payout({ reason }),
  'payout.paid': payout({ reference: z.string() }),
  'payout.reopened': payout(),
  'payout.requested': eventType('payout', { ...amount, status: payoutStatus }),
  'payout.sent': payout(),
  'price.activated': price({ leaveOut: z.array(z.string()).optional() }),
  'price.archived': price(),
  'price.created': price(),
  'price.deleted': price(),
  'price.migration_started': migration(),
  'price.migration_stopped': migration({ stopReason: z.string() }),
  'price.move_stopped': subscription({ migrationId: z.uuid(), reason }),
  'price.updated': price({ replaces: z.int().optional() }, { note: [null, 'Spring'] }),
  'spending_limit.removed': tenant(),
  'spending_limit.set': tenant({ currency, amountMinor }),
  'subscription.canceled': subscription(
    { when: z.string().optional(), reason: z.string().nullable().optional() },
    { cancelAtPeriodEnd: [false, true] },
  ),
  'subscription.created': subscription(),
  'subscription.kept': subscription({}, { cancelAtPeriodEnd: [true, false] }),
  'subscription.past_due': subscription(
    { day: z.int().optional(), ...dunned },
    status('active', 'past_due'),
  ),
  'subscription.paused': subscription({}, status('active', 'paused')),
  'subscription.payment_reminded': subscription({ day: z.int(), ...dunned }),
  'subscription.plan_changed': subscription({}, { plan: ['starter', 'business'] }),
  'subscription.price_kept': subscription(),
  'subscription.recovered': subscription(dunned, status('past_due', 'active')),
  'subscription.resumed': subscription({}, status('paused', 'active')),
  'subscription.seats_changed': subscription({}, { seats: [10, 12] }),
  'subscription.updated': subscription({ reason: reason.optional() }, { cycle: ['month', 'year'] }),
} as const satisfies Record<string, EventType>
