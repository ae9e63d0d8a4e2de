import type { StepFailure } from '@atrium/core/platform/failure-text'
import { ownValue } from '@atrium/core/platform/own-value'
import type { ClaimedEvent } from '@atrium/db/billing/webhook-inbox'
import type { Services } from '../../rpc/services.ts'
import { cardChanged, cardFailed, cardSetUp } from './card-events.ts'
import { customerChanged, customerDeleted, taxIdChanged } from './customer-events.ts'
import {
  creditNoteChanged,
  disputeChanged,
  invoiceChanged,
  invoiceDeleted,
  refundChanged,
} from './invoice-events.ts'
import { type EventWork, type Outcome, skipped } from './outcome.ts'
import { priceChanged } from './price-events.ts'
import { subscriptionChanged } from './subscription-events.ts'

type Effect = (work: EventWork) => Promise<Outcome>

const noEffect =
  (reason: StepFailure): Effect =>
  async () =>
    skipped(reason)

/** What each kind of event does (docs/reference/contract.md, events of the payment processor). */
const effects: Readonly<Record<string, Effect>> = {
  'customer.subscription.created': subscriptionChanged,
  'customer.subscription.updated': subscriptionChanged,
  'customer.subscription.deleted': subscriptionChanged,
  'customer.subscription.paused': subscriptionChanged,
  'customer.subscription.resumed': subscriptionChanged,
  'customer.subscription.trial_will_end': subscriptionChanged,
  'customer.subscription.pending_update_applied': subscriptionChanged,
  'customer.subscription.pending_update_expired': subscriptionChanged,
  'invoice.created': invoiceChanged,
  'invoice.finalized': invoiceChanged,
  'invoice.finalization_failed': invoiceChanged,
  'invoice.paid': invoiceChanged,
  'invoice.payment_failed': invoiceChanged,
  'invoice.payment_action_required': invoiceChanged,
  'invoice.voided': invoiceChanged,
  'invoice.marked_uncollectible': invoiceChanged,
  'invoice.updated': invoiceChanged,
  'invoice.overpaid': invoiceChanged,
  'invoice.overdue': invoiceChanged,
  'invoice.will_be_due': invoiceChanged,
  'invoice.deleted': invoiceDeleted,
  'invoice.upcoming': noEffect('invoiceToCome'),
  'invoice.payment_succeeded': noEffect('paidSaysIt'),
  'credit_note.created': creditNoteChanged,
  'credit_note.updated': creditNoteChanged,
  'credit_note.voided': creditNoteChanged,
  'refund.created': refundChanged,
  'refund.updated': refundChanged,
  'refund.failed': refundChanged,
  'charge.refunded': noEffect('refundSaysIt'),
  'charge.dispute.created': disputeChanged,
  'charge.dispute.updated': disputeChanged,
  'charge.dispute.funds_withdrawn': disputeChanged,
  'charge.dispute.funds_reinstated': disputeChanged,
  'charge.dispute.closed': disputeChanged,
  'customer.updated': customerChanged,
  'customer.deleted': customerDeleted,
  'customer.tax_id.created': taxIdChanged,
  'customer.tax_id.updated': taxIdChanged,
  'customer.tax_id.deleted': taxIdChanged,
  'payment_method.attached': cardChanged,
  'payment_method.detached': cardChanged,
  'payment_method.updated': cardChanged,
  'payment_method.automatically_updated': cardChanged,
  'setup_intent.succeeded': cardSetUp,
  'setup_intent.setup_failed': cardFailed,
  'price.created': priceChanged,
  'price.updated': priceChanged,
  'price.deleted': priceChanged,
  'product.updated': noEffect('catalogIsOurs'),
  'payout.paid': noEffect('platformPayout'),
  'payout.failed': noEffect('platformPayout'),
}

/**
 * Acts on one event. Rejects with `UpstreamError` when the payment processor does not let its
 * object be read: it is retried then.
 */
export async function applyEvent(services: Services, event: ClaimedEvent): Promise<Outcome> {
  const effect = ownValue(effects, event.type)
  if (!effect) return skipped('eventWithoutEffect')
  const data = event.payload.data
  const object = typeof data === 'object' && data !== null ? Reflect.get(data, 'object') : undefined
  if (typeof object !== 'object' || object === null) return skipped('eventWithoutObject')
  return effect({ services, event, payments: services.systems.payments, object: { ...object } })
}
