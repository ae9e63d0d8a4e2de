import { recordCharge } from './balance.ts'
import { findCard } from './cards.ts'
import { customerView } from './customer-views.ts'
import { declined, invalid } from './faults.ts'
import { totalOf } from './invoice-amounts.ts'
import { invoiceView } from './invoice-views.ts'
import type { Buyer, Customer, Invoice, Line, PaymentMethod, TaxSettings } from './records.ts'
import { newId, newSecret } from './store.ts'
import { buyerOf, hasLocation, noTax, withTaxes } from './taxes.ts'
import type { PaymentsWorld } from './world.ts'

export interface DraftInput {
  readonly customer: string
  readonly tax: TaxSettings
  readonly subscription: string | null
  readonly reason: Invoice['billingReason']
  readonly lines: readonly Line[]
}

export function tellInvoice(world: PaymentsWorld, type: string, invoice: Invoice): void {
  world.emit(type, invoiceView(world.store, invoice, [], world.origin()))
}

/**
 * What an invoice of these lines would be, without keeping it: for a preview. `buyer` stands in for
 * a customer that does not exist yet.
 */
export function sketchInvoice(
  world: PaymentsWorld,
  { customer, subscription, reason, lines, tax }: DraftInput,
  currency: string,
  buyer?: Buyer,
): Invoice {
  const { store } = world
  const taxed = buyer ?? buyerOf(store, store.customers.get(customer, 'customer'))
  const invoice: Invoice = {
    id: newId('in'),
    customer,
    subscription,
    number: null,
    status: 'draft',
    billingReason: reason,
    currency,
    lines: withTaxes(world, taxed, tax, lines),
    buyer: buyer ?? null,
    tax,
    taxDisabledReason: null,
    startingBalance: 0,
    endingBalance: null,
    amountDue: 0,
    amountPaid: 0,
    prePaymentCredit: 0,
    postPaymentCredit: 0,
    attemptCount: 0,
    nextPaymentAttempt: null,
    autoAdvance: true,
    created: world.now(),
    finalizesAt: null,
    finalizedAt: null,
    paidAt: null,
    voidedAt: null,
    uncollectibleAt: null,
    paidOutOfBand: false,
    payment: null,
  }
  return { ...invoice, ...balanced(world, invoice) }
}

/** What the customer's credit takes off, and what is left of it. */
function balanced(
  world: PaymentsWorld,
  invoice: Invoice,
): Pick<Invoice, 'startingBalance' | 'endingBalance' | 'amountDue'> {
  const balance = world.store.customers.find(invoice.customer)?.balance ?? 0
  const total = totalOf(invoice)
  const due = Math.max(0, total + Math.min(0, balance))
  const used = total - due
  return { startingBalance: balance, endingBalance: balance + used, amountDue: due }
}

/** A draft. What waits for the subscription's next invoice comes onto it. */
export function draftInvoice(
  world: PaymentsWorld,
  input: DraftInput,
  currency: string,
  withWaiting = true,
): Invoice {
  const { store } = world
  const waiting = withWaiting
    ? store.waitingLines.filter(({ subscription }) => subscription === input.subscription)
    : []
  store.waitingLines = store.waitingLines.filter((one) => !waiting.includes(one))
  const lines = [...waiting.map(({ line }) => line), ...input.lines]
  const invoice = store.invoices.add(sketchInvoice(world, { ...input, lines }, currency))
  tellInvoice(world, 'invoice.created', invoice)
  return invoice
}

/**
 * Computed tax is that of the day of finalization. Without a usable address Stripe switches it off
 * and says so on the invoice.
 */
function computeTaxes(world: PaymentsWorld, invoice: Invoice, buyer: Buyer): void {
  if (!hasLocation(buyer))
    Object.assign(invoice, {
      tax: noTax,
      taxDisabledReason: 'finalization_requires_location_inputs',
    })
  invoice.lines = withTaxes(world, buyer, invoice.tax, invoice.lines)
}

/** Open from now on, with a number; paid at once where nothing is due. */
export function finalizeInvoice(world: PaymentsWorld, invoice: Invoice): void {
  const { store } = world
  const customer = store.customers.get(invoice.customer, 'customer')
  store.invoiceCount += 1
  const buyer = buyerOf(store, customer)
  if (invoice.tax.automatic) computeTaxes(world, invoice, buyer)
  Object.assign(invoice, balanced(world, invoice))
  moveBalance(world, customer, appliedOf(invoice))
  invoice.number = `SANDBOX-${String(store.invoiceCount).padStart(4, '0')}`
  invoice.buyer = buyer
  invoice.status = 'open'
  invoice.finalizedAt = world.now()
  invoice.finalizesAt = null
  if (invoice.amountDue > 0) {
    const id = newId('pi')
    invoice.payment = {
      id,
      secret: newSecret(id),
      status: 'requires_payment_method',
      charge: null,
      paymentMethod: null,
    }
  }
  tellInvoice(world, 'invoice.finalized', invoice)
  if (invoice.amountDue === 0) markPaid(world, invoice)
}

export function markPaid(world: PaymentsWorld, invoice: Invoice): void {
  invoice.status = 'paid'
  invoice.paidAt = world.now()
  invoice.amountPaid = invoice.amountDue
  invoice.nextPaymentAttempt = null
  invoice.autoAdvance = false
  tellInvoice(world, 'invoice.paid', invoice)
  tellInvoice(world, 'invoice.payment_succeeded', invoice)
}

export type Attempt =
  | { readonly outcome: 'paid' }
  | { readonly outcome: 'declined' | 'needs_action'; readonly code: string }

/**
 * One try to charge an open invoice; `confirmed` says that the card's holder is there and has
 * confirmed it.
 */
export function attemptPayment(
  world: PaymentsWorld,
  invoice: Invoice,
  method: PaymentMethod | undefined,
  confirmed: boolean,
): Attempt {
  const { payment } = invoice
  if (!payment) throw invalid(`Invoice ${invoice.id} has nothing to pay.`)
  invoice.attemptCount += 1
  const charge = method ? (findCard(method.number)?.charge ?? 'ok') : undefined
  if (method && (charge === 'ok' || (charge === 'confirm' && confirmed))) {
    const id = newId('ch')
    Object.assign(payment, { status: 'succeeded', charge: id, paymentMethod: method.id })
    recordCharge(world, id, invoice.amountDue, invoice.currency)
    markPaid(world, invoice)
    return { outcome: 'paid' }
  }
  if (charge === 'confirm') {
    Object.assign(payment, { status: 'requires_action', paymentMethod: method?.id ?? null })
    tellInvoice(world, 'invoice.payment_failed', invoice)
    tellInvoice(world, 'invoice.payment_action_required', invoice)
    return { outcome: 'needs_action', code: 'authentication_required' }
  }
  Object.assign(payment, { status: 'requires_payment_method', paymentMethod: null })
  tellInvoice(world, 'invoice.payment_failed', invoice)
  return {
    outcome: 'declined',
    code: typeof charge === 'object' ? charge.declined : 'generic_decline',
  }
}

/** Moves the customer's balance, which is below 0 where there is credit. */
export function moveBalance(world: PaymentsWorld, customer: Customer, by: number): void {
  if (by === 0) return
  customer.balance += by
  world.emit('customer.updated', customerView(world.store, customer, []))
}

/** What the balance paid of a finalized invoice; below 0 for what was added to it. */
function appliedOf({ startingBalance, endingBalance }: Invoice): number {
  return (endingBalance ?? startingBalance) - startingBalance
}

/** The customer gets back what the balance paid (`unapplied_from_invoice`). */
export function voidInvoice(world: PaymentsWorld, invoice: Invoice): void {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalid('You can only void an open or uncollectible invoice.')
  invoice.status = 'void'
  invoice.voidedAt = world.now()
  invoice.nextPaymentAttempt = null
  invoice.autoAdvance = false
  if (invoice.payment) invoice.payment.status = 'canceled'
  tellInvoice(world, 'invoice.voided', invoice)
  moveBalance(world, world.store.customers.get(invoice.customer), 0 - appliedOf(invoice))
}

export function markUncollectible(world: PaymentsWorld, invoice: Invoice): void {
  if (invoice.status !== 'open') throw invalid('You can only mark an open invoice uncollectible.')
  invoice.status = 'uncollectible'
  invoice.uncollectibleAt = world.now()
  invoice.nextPaymentAttempt = null
  invoice.autoAdvance = false
  tellInvoice(world, 'invoice.marked_uncollectible', invoice)
}

/** The rejection that the API gives for a try that did not pay. */
export function rejectionOf(attempt: Exclude<Attempt, { outcome: 'paid' }>) {
  if (attempt.outcome === 'declined') return declined(attempt.code)
  return invalid(
    'Payment for this invoice requires additional user action before it can be completed successfully.',
    {
      code: 'invoice_payment_intent_requires_action',
    },
  )
}
