import {
  applyChange,
  collect,
  dropPendingUpdate,
  type ItemChange,
  methodFor,
  tellSubscription,
} from './collection.ts'
import { declined, invalid, StripeFault } from './faults.ts'
import { draftInvoice, finalizeInvoice, rejectionOf, sketchInvoice } from './invoicing.ts'
import { afterAnchor, type Seconds } from './periods.ts'
import type { Customer, Invoice, Price, Subscription, TaxSettings } from './records.ts'
import { newId } from './store.ts'
import { changeLines, periodLine, trialLine } from './subscription-lines.ts'
import { requireComputable } from './taxes.ts'
import type { PaymentsWorld } from './world.ts'

const hour = 3_600

export type PaymentBehavior =
  | 'allow_incomplete'
  | 'default_incomplete'
  | 'error_if_incomplete'
  | 'pending_if_incomplete'
export type ProrationBehavior = 'create_prorations' | 'always_invoice' | 'none'

export interface NewSubscription {
  readonly customer: Customer
  readonly price: Price
  readonly quantity: number
  readonly metadata: Record<string, string>
  readonly trialEnd: Seconds | null
  readonly missingPaymentMethod: Subscription['missingPaymentMethod']
  readonly behavior: PaymentBehavior
  readonly defaultPaymentMethod: string | null
  readonly billingMode: Subscription['billingMode']
  readonly tax: TaxSettings
}

export function createSubscription(world: PaymentsWorld, input: NewSubscription): Subscription {
  const { store } = world
  const { customer, price, quantity, trialEnd } = input
  rejectUnfit(world, input)
  const now = world.now()
  const id = newId('sub')
  const end = trialEnd ?? afterAnchor(now, price.interval, 1)
  const subscription: Subscription = {
    id,
    customer: customer.id,
    status: trialEnd === null ? 'incomplete' : 'trialing',
    currency: price.currency,
    item: `si_${id.slice(4)}`,
    price: price.id,
    quantity,
    metadata: input.metadata,
    created: now,
    anchor: trialEnd ?? now,
    periodStart: now,
    periodEnd: end,
    trialStart: trialEnd === null ? null : now,
    trialEnd,
    trialEndNotified: false,
    missingPaymentMethod: input.missingPaymentMethod,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    cancelReason: null,
    cancelFeedback: null,
    cancelComment: null,
    pauseCollection: null,
    pausedAt: null,
    pauseReason: null,
    latestInvoice: null,
    defaultPaymentMethod: input.defaultPaymentMethod,
    pendingUpdate: null,
    tax: input.tax,
    schedule: null,
    billingMode: input.billingMode,
  }
  store.subscriptions.add(subscription)
  customer.currency ??= price.currency
  const line =
    trialEnd === null
      ? periodLine(world, price, quantity, now, end)
      : trialLine(world, price, quantity, now, end)
  const invoice = draftInvoice(
    world,
    {
      customer: customer.id,
      subscription: id,
      tax: subscription.tax,
      reason: 'subscription_create',
      lines: [line],
    },
    price.currency,
  )
  subscription.latestInvoice = invoice.id
  tellSubscription(world, 'customer.subscription.created', subscription)
  payFirst(world, subscription, invoice, input.behavior)
  return subscription
}

function rejectUnfit(
  world: PaymentsWorld,
  { customer, price, trialEnd, behavior, defaultPaymentMethod, tax }: NewSubscription,
): void {
  requireComputable(customer, tax, price)
  if (!price.active)
    throw invalid(`The price specified is inactive. This field only accepts active prices.`, {
      param: 'items[0][price]',
    })
  if (customer.currency !== null && customer.currency !== price.currency) {
    throw invalid(
      `You cannot combine currencies on a single customer. This customer has had a subscription or invoice in ${customer.currency}.`,
    )
  }
  const method = defaultPaymentMethod ?? customer.defaultPaymentMethod
  if (trialEnd === null && method === null && behavior !== 'default_incomplete') {
    throw invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      {
        code: 'resource_missing',
      },
    )
  }
  const card = method === null ? undefined : world.store.paymentMethods.find(method)
  if (card && card.customer !== customer.id)
    throw invalid('The payment method does not belong to the customer.', {
      param: 'default_payment_method',
    })
}

function payFirst(
  world: PaymentsWorld,
  subscription: Subscription,
  invoice: Invoice,
  behavior: PaymentBehavior,
): void {
  finalizeInvoice(world, invoice)
  if (invoice.status === 'paid') {
    if (subscription.status !== 'incomplete') return
    subscription.status = 'active'
    tellSubscription(world, 'customer.subscription.updated', subscription)
    return
  }
  const method = methodFor(world, invoice)
  if (behavior === 'default_incomplete') {
    if (invoice.payment && method)
      Object.assign(invoice.payment, { status: 'requires_confirmation', paymentMethod: method.id })
    return
  }
  collect(world, invoice)
}

export interface UpdateInput {
  readonly change: ItemChange
  readonly metadata: Record<string, string>
  readonly proration: ProrationBehavior
  readonly prorationDate: Seconds
  readonly behavior: PaymentBehavior
}

/**
 * Changes price or seats. Throws 402 for `error_if_incomplete` when the card is declined, and
 * nothing is changed then.
 */
export function changeItem(
  world: PaymentsWorld,
  subscription: Subscription,
  input: UpdateInput,
): void {
  const { change, metadata, proration, prorationDate, behavior } = input
  rejectChange(world, subscription, change, prorationDate)
  // A newer change takes the place of one that still waits for its payment.
  dropPendingUpdate(world, subscription)
  const lines = changeLines(world, subscription, change, prorationDate, proration !== 'none')
  const apply = () => {
    applyChange(world, subscription, change)
    subscription.metadata = { ...subscription.metadata, ...metadata }
    tellSubscription(world, 'customer.subscription.updated', subscription)
  }
  const invoicedNow = lines.length > 0 && (proration === 'always_invoice' || change.anchorNow)
  if (!invoicedNow) {
    for (const line of lines) world.store.waitingLines.push({ subscription: subscription.id, line })
    apply()
    return
  }
  if (behavior === 'error_if_incomplete') rejectDeclined(world, subscription, lines)
  const { customer, id, currency } = subscription
  const invoice = draftInvoice(
    world,
    { customer, subscription: id, tax: subscription.tax, reason: 'subscription_update', lines },
    currency,
  )
  subscription.latestInvoice = invoice.id
  if (behavior !== 'pending_if_incomplete') apply()
  finalizeInvoice(world, invoice)
  if (behavior !== 'pending_if_incomplete') {
    if (invoice.status === 'open') collect(world, invoice)
    return
  }
  if (invoice.status === 'paid') {
    apply()
    return
  }
  const expiresAt = Math.min(subscription.periodEnd, world.now() + 23 * hour)
  subscription.pendingUpdate = { expiresAt, ...change, metadata, invoice: invoice.id }
  if (collect(world, invoice).outcome !== 'paid')
    tellSubscription(world, 'customer.subscription.updated', subscription)
}

function rejectChange(
  world: PaymentsWorld,
  subscription: Subscription,
  change: ItemChange,
  at: Seconds,
): void {
  if (subscription.status === 'canceled' || subscription.status === 'incomplete_expired') {
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
  }
  const price = world.store.prices.get(change.price, 'items[0][price]')
  if (!price.active && price.id !== subscription.price) {
    throw invalid('The price specified is inactive. This field only accepts active prices.', {
      param: 'items[0][price]',
    })
  }
  if (price.currency !== subscription.currency) {
    throw invalid(
      `The price specified has a currency of ${price.currency}, the subscription one of ${subscription.currency}.`,
      {
        param: 'items[0][price]',
      },
    )
  }
  if (change.quantity < 0)
    throw invalid('Invalid non-negative integer', {
      code: 'parameter_invalid_integer',
      param: 'items[0][quantity]',
    })
  if (subscription.status === 'paused') return
  if (at < subscription.periodStart || at > subscription.periodEnd) {
    throw invalid('The proration date must be within the current billing period.', {
      param: 'proration_date',
    })
  }
}

function rejectDeclined(
  world: PaymentsWorld,
  subscription: Subscription,
  lines: Invoice['lines'],
): void {
  const { customer, id, currency } = subscription
  const invoice = sketchInvoice(
    world,
    { customer, subscription: id, tax: subscription.tax, reason: 'subscription_update', lines },
    currency,
  )
  if (invoice.amountDue > 0 && !methodFor(world, invoice)) throw declined('generic_decline')
}

/**
 * Pays an invoice as the API is asked to. Throws 402 when the card is declined; the try stays on
 * record.
 */
export function payNow(world: PaymentsWorld, invoice: Invoice, method: string | undefined): void {
  if (invoice.status === 'paid') throw invalid('Invoice is already paid')
  if (invoice.status === 'draft') {
    finalizeInvoice(world, invoice)
    invoice.autoAdvance = true
  }
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalid(`This invoice is ${invoice.status} and cannot be paid.`)
  const chosen =
    method === undefined
      ? methodFor(world, invoice)
      : world.store.paymentMethods.get(method, 'payment_method')
  if (!chosen) {
    throw new StripeFault(400, {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: 'This customer has no attached payment source or default payment method.',
    })
  }
  const attempt = collect(world, invoice, { method: chosen })
  if (attempt.outcome !== 'paid') throw rejectionOf(attempt)
}
