import { z } from 'zod'
import { findCard } from './cards.ts'
import { collect, tellSubscription } from './collection.ts'
import { paymentMethodView, setupIntentView, taxIdView } from './customer-views.ts'
import { invalid, missing } from './faults.ts'
import { creditNoteView, disputeView, invoiceView, refundView } from './invoice-views.ts'
import { markUncollectible, voidInvoice } from './invoicing.ts'
import { attachCard, confirmSetup, removeCustomer, tellCustomer } from './people.ts'
import { subscriptionStatuses } from './records.ts'
import {
  closeDispute,
  creditNote,
  dispute,
  refund,
  settleRefund,
  voidCreditNote,
} from './reversals.ts'
import { subscriptionView } from './subscription-views.ts'
import type { PaymentsWorld } from './world.ts'

const id = z.string().min(1)
/** With tax, in the currency's minor unit. */
const amount = z.int().min(1)

/**
 * Actions outside of the served API: at the bank, at the card form, in Stripe's dashboard.
 */
export const PaymentAction = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('attach_card'),
    customer: id,
    card: id,
    makeDefault: z.boolean().default(true),
  }),
  z.strictObject({
    action: z.literal('confirm_setup'),
    setupIntent: id,
    card: id,
    confirmed: z.boolean().default(true),
  }),
  z.strictObject({ action: z.literal('pay'), invoice: id, card: id.optional() }),
  z.strictObject({ action: z.literal('try_to_charge'), invoice: id }),
  z.strictObject({ action: z.literal('void_invoice'), invoice: id }),
  z.strictObject({ action: z.literal('mark_uncollectible'), invoice: id }),
  z.strictObject({
    action: z.literal('refund'),
    invoice: id,
    amount: amount.optional(),
    status: z.enum(['pending', 'succeeded']).default('succeeded'),
  }),
  z.strictObject({
    action: z.literal('settle_refund'),
    refund: id,
    status: z.enum(['succeeded', 'failed']),
  }),
  z.strictObject({
    action: z.literal('credit_note'),
    invoice: id,
    amount,
    to: z.enum(['balance', 'card', 'outside']).default('balance'),
  }),
  z.strictObject({ action: z.literal('void_credit_note'), creditNote: id }),
  z.strictObject({ action: z.literal('dispute'), invoice: id, amount: amount.optional() }),
  z.strictObject({
    action: z.literal('close_dispute'),
    dispute: id,
    outcome: z.enum(['won', 'lost']),
  }),
  z.strictObject({
    action: z.literal('verify_tax_id'),
    taxId: id,
    status: z.enum(['verified', 'unverified', 'unavailable', 'pending']),
  }),
  z.strictObject({ action: z.literal('delete_customer'), customer: id }),
  z.strictObject({ action: z.literal('set_tax'), percent: z.number().min(0).max(100) }),
  z.strictObject({
    action: z.literal('set_status'),
    subscription: id,
    status: z.enum(subscriptionStatuses),
  }),
  z.strictObject({ action: z.literal('announce_renewal'), subscription: id }),
  /** Stripe removes idempotency keys when they are at least 24 hours old. */
  z.strictObject({ action: z.literal('forget_keys') }),
  z.strictObject({
    action: z.literal('emit'),
    type: z.string().min(1).max(100),
    object: z.looseObject({ id: z.string().optional() }),
  }),
])
export type PaymentAction = z.input<typeof PaymentAction>

/** Runs an action and returns its object, as the API shows it. Throws `StripeFault`. */
export function act(world: PaymentsWorld, input: PaymentAction): object {
  const { store } = world
  const action = PaymentAction.parse(input)
  const invoiceShown = (invoice: string) =>
    invoiceView(store, store.invoices.get(invoice), [], world.origin())
  switch (action.action) {
    case 'attach_card': {
      const customer = store.customers.get(action.customer, 'customer')
      const method = attachCard(world, customer, cardOf(action.card))
      if (action.makeDefault) {
        customer.defaultPaymentMethod = method.id
        tellCustomer(world, 'customer.updated', customer)
      }
      return paymentMethodView(method)
    }
    case 'confirm_setup': {
      const intent = store.setupIntents.get(action.setupIntent)
      confirmSetup(world, intent, cardOf(action.card), undefined, action.confirmed)
      return setupIntentView(store, intent)
    }
    case 'pay': {
      payWithCard(world, action.invoice, action.card)
      return invoiceShown(action.invoice)
    }
    case 'try_to_charge':
      collect(world, openInvoice(world, action.invoice))
      return invoiceShown(action.invoice)
    case 'void_invoice':
      voidInvoice(world, store.invoices.get(action.invoice))
      return invoiceShown(action.invoice)
    case 'mark_uncollectible':
      markUncollectible(world, store.invoices.get(action.invoice))
      return invoiceShown(action.invoice)
    case 'refund':
      return refundView(
        store,
        refund(world, store.invoices.get(action.invoice), action.amount, action.status),
      )
    case 'settle_refund': {
      const made = store.refunds.get(action.refund)
      settleRefund(world, made, action.status)
      return refundView(store, made)
    }
    case 'credit_note': {
      const invoice = store.invoices.get(action.invoice)
      const returned = invoice.status === 'paid' ? action.amount : 0
      const parts = {
        refund: action.to === 'card' ? returned : 0,
        balance: action.to === 'balance' ? returned : 0,
        outside: action.to === 'outside' ? returned : 0,
      }
      return creditNoteView(
        creditNote(world, invoice, { amount: action.amount, ...parts }),
        world.origin(),
      )
    }
    case 'void_credit_note': {
      const note = store.creditNotes.get(action.creditNote)
      voidCreditNote(world, note)
      return creditNoteView(note, world.origin())
    }
    case 'dispute':
      return disputeView(store, dispute(world, store.invoices.get(action.invoice), action.amount))
    case 'close_dispute': {
      const made = store.disputes.get(action.dispute)
      closeDispute(world, made, action.outcome)
      return disputeView(store, made)
    }
    case 'verify_tax_id': {
      const taxId = store.taxIds.get(action.taxId)
      taxId.status = action.status
      world.emit('customer.tax_id.updated', taxIdView(taxId))
      return taxIdView(taxId)
    }
    case 'delete_customer':
      removeCustomer(world, store.customers.get(action.customer, 'customer'))
      return { id: action.customer, object: 'customer', deleted: true }
    case 'set_tax':
      store.taxPercent = action.percent
      return { taxPercent: action.percent }
    case 'set_status': {
      const subscription = store.subscriptions.get(action.subscription)
      subscription.status = action.status
      const ended = action.status === 'canceled' || action.status === 'incomplete_expired'
      subscription.endedAt = ended ? world.now() : null
      const type =
        action.status === 'canceled'
          ? 'customer.subscription.deleted'
          : 'customer.subscription.updated'
      tellSubscription(world, type, subscription)
      return subscriptionView(store, subscription, [], world.origin())
    }
    case 'announce_renewal': {
      const { id: subscription, customer, currency } = store.subscriptions.get(action.subscription)
      // The one event whose object has no id: the invoice does not exist yet.
      const upcoming = {
        object: 'invoice',
        billing_reason: 'upcoming',
        customer,
        currency,
        parent: { subscription_details: { subscription } },
      }
      world.emit('invoice.upcoming', upcoming)
      return upcoming
    }
    case 'forget_keys':
      store.replays.clear()
      return {}
    case 'emit':
      world.emit(action.type, action.object)
      return action.object
  }
}

function openInvoice(world: PaymentsWorld, id: string) {
  const invoice = world.store.invoices.get(id)
  if (invoice.status !== 'open')
    throw invalid(`This invoice is ${invoice.status} and cannot be paid.`)
  return invoice
}

/**
 * Pays an invoice as on Stripe's hosted page: with the given card, else with the default one, and
 * with every confirmation that the bank asks for.
 */
export function payWithCard(world: PaymentsWorld, id: string, card: string | undefined): void {
  const invoice = openInvoice(world, id)
  const customer = world.store.customers.get(invoice.customer, 'customer')
  if (card === undefined) {
    collect(world, invoice, { confirmed: true })
    return
  }
  const method = attachCard(world, customer, cardOf(card))
  customer.defaultPaymentMethod ??= method.id
  collect(world, invoice, { method, confirmed: true })
}

function cardOf(numberOrToken: string) {
  const card = findCard(numberOrToken)
  if (!card) throw missing('test card', numberOrToken, 'card')
  return card
}
