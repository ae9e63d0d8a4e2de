import type Stripe from 'stripe'
import { invoiceOf } from './invoice-shape.ts'
import type { ProcessorInvoice, ProcessorSubscription } from './port.ts'
import { subscriptionOf } from './subscription-shape.ts'

export type Snapshot =
  | { kind: 'subscription'; subscription: ProcessorSubscription }
  | { kind: 'invoice'; invoice: ProcessorInvoice }

/**
 * The object as an event showed it, for installations that have the secret of the webhooks and no
 * key to read objects again with. Undefined for events about other objects. Throws `Misshapen` for
 * an object that lacks what it must have.
 */
export function snapshotOf(payload: Readonly<Record<string, unknown>>): Snapshot | undefined {
  const event: Stripe.Event = JSON.parse(JSON.stringify(payload))
  switch (event.type) {
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'customer.subscription.trial_will_end':
    case 'customer.subscription.pending_update_applied':
    case 'customer.subscription.pending_update_expired':
      return { kind: 'subscription', subscription: subscriptionOf(event.data.object) }
    case 'invoice.created':
    case 'invoice.finalized':
    case 'invoice.finalization_failed':
    case 'invoice.paid':
    case 'invoice.payment_failed':
    case 'invoice.payment_action_required':
    case 'invoice.voided':
    case 'invoice.marked_uncollectible':
    case 'invoice.updated':
    case 'invoice.overpaid':
    case 'invoice.overdue':
    case 'invoice.will_be_due':
      return { kind: 'invoice', invoice: invoiceOf(event.data.object) }
    default:
      return undefined
  }
}
