import { type Attempt, attemptPayment, tellInvoice, voidInvoice } from './invoicing.ts'
import { afterAnchor, periodEnd } from './periods.ts'
import type { Invoice, PaymentMethod, Subscription } from './records.ts'
import { cancelSchedule } from './schedules.ts'
import { subscriptionView } from './subscription-views.ts'
import type { PaymentsWorld } from './world.ts'

const day = 86_400

export function tellSubscription(
  world: PaymentsWorld,
  type: string,
  subscription: Subscription,
): void {
  world.emit(type, subscriptionView(world.store, subscription, [], world.origin()))
}

/** The subscription's own method, else the customer's. */
export function methodFor(
  world: PaymentsWorld,
  invoice: Pick<Invoice, 'customer' | 'subscription'>,
): PaymentMethod | undefined {
  const { store } = world
  const subscription =
    invoice.subscription === null ? undefined : store.subscriptions.find(invoice.subscription)
  const id =
    subscription?.defaultPaymentMethod ??
    store.customers.find(invoice.customer)?.defaultPaymentMethod
  return id ? store.paymentMethods.find(id) : undefined
}

/** One try to charge an open invoice, and what follows from it for the subscription. */
export function collect(
  world: PaymentsWorld,
  invoice: Invoice,
  {
    method = methodFor(world, invoice),
    confirmed = false,
  }: { method?: PaymentMethod | undefined; confirmed?: boolean } = {},
): Attempt {
  const attempt = attemptPayment(world, invoice, method, confirmed)
  if (attempt.outcome === 'paid') settlePaid(world, invoice)
  else settleFailed(world, invoice)
  return attempt
}

/**
 * What a paid invoice does: the first one starts, the missing one brings back, that of a waiting
 * change carries it out.
 */
export function settlePaid(world: PaymentsWorld, invoice: Invoice): void {
  const { store } = world
  const subscription =
    invoice.subscription === null ? undefined : store.subscriptions.find(invoice.subscription)
  if (!subscription) return
  if (subscription.pendingUpdate?.invoice === invoice.id) carryOut(world, subscription)
  const { status } = subscription
  const unpaid = store.invoices
    .all()
    .some((one) => one.subscription === subscription.id && one.status === 'open' && one.autoAdvance)
  const starts = status === 'incomplete' && invoice.billingReason === 'subscription_create'
  const recovers =
    (status === 'past_due' || status === 'unpaid') &&
    (!unpaid || subscription.latestInvoice === invoice.id)
  if (starts || recovers) {
    subscription.status = 'active'
    tellSubscription(world, 'customer.subscription.updated', subscription)
  }
  const resumes = status === 'paused' && subscription.latestInvoice === invoice.id
  if (resumes) {
    Object.assign(subscription, { status: 'active', pausedAt: null, pauseReason: null })
    tellSubscription(world, 'customer.subscription.resumed', subscription)
  }
}

function carryOut(world: PaymentsWorld, subscription: Subscription): void {
  const update = subscription.pendingUpdate
  if (!update) return
  const { price, quantity, metadata, anchorNow } = update
  subscription.pendingUpdate = null
  applyChange(world, subscription, { price, quantity, anchorNow })
  subscription.metadata = { ...subscription.metadata, ...metadata }
  tellSubscription(world, 'customer.subscription.pending_update_applied', subscription)
  tellSubscription(world, 'customer.subscription.updated', subscription)
}

export interface ItemChange {
  readonly price: string
  readonly quantity: number
  /** A new period begins with the change. */
  readonly anchorNow: boolean
}

export function applyChange(
  world: PaymentsWorld,
  subscription: Subscription,
  { price, quantity, anchorNow }: ItemChange,
): void {
  subscription.price = price
  subscription.quantity = quantity
  if (!anchorNow) return
  const { interval } = world.store.prices.get(price, 'price')
  const start = world.now()
  Object.assign(subscription, {
    anchor: start,
    periodStart: start,
    periodEnd: afterAnchor(start, interval, 1),
  })
}

/** The period after the current one. */
export function nextPeriod(
  world: PaymentsWorld,
  subscription: Subscription,
): { start: number; end: number } {
  const { interval } = world.store.prices.get(subscription.price, 'price')
  const start = subscription.periodEnd
  return { start, end: periodEnd(subscription.anchor, interval, start) }
}

function settleFailed(world: PaymentsWorld, invoice: Invoice): void {
  const { store, settings } = world
  const subscription =
    invoice.subscription === null ? undefined : store.subscriptions.find(invoice.subscription)
  if (
    !subscription ||
    subscription.status === 'incomplete' ||
    subscription.pendingUpdate?.invoice === invoice.id
  )
    return
  if (subscription.status === 'paused' || subscription.status === 'canceled') return
  const wait = settings.retryDays[invoice.attemptCount - 1]
  invoice.nextPaymentAttempt = wait === undefined ? null : world.now() + wait * day
  tellInvoice(world, 'invoice.updated', invoice)
  if (wait === undefined && settings.afterRetries !== 'past_due') {
    giveUp(world, subscription)
    return
  }
  if (subscription.status === 'active' || subscription.status === 'trialing') {
    subscription.status = 'past_due'
    tellSubscription(world, 'customer.subscription.updated', subscription)
  }
}

function giveUp(world: PaymentsWorld, subscription: Subscription): void {
  if (world.settings.afterRetries === 'canceled') {
    endSubscription(world, subscription, 'payment_failed')
    return
  }
  if (subscription.status === 'unpaid') return
  subscription.status = 'unpaid'
  tellSubscription(world, 'customer.subscription.updated', subscription)
}

export function endSubscription(
  world: PaymentsWorld,
  subscription: Subscription,
  reason: string,
): void {
  dropPendingUpdate(world, subscription)
  const now = world.now()
  cancelSchedule(world, subscription)
  subscription.status = 'canceled'
  subscription.endedAt = now
  subscription.canceledAt ??= now
  subscription.cancelReason = reason
  for (const invoice of world.store.invoices.all()) {
    if (
      invoice.subscription !== subscription.id ||
      (invoice.status !== 'open' && invoice.status !== 'draft')
    )
      continue
    Object.assign(invoice, { autoAdvance: false, nextPaymentAttempt: null, finalizesAt: null })
  }
  tellSubscription(world, 'customer.subscription.deleted', subscription)
}

/** Takes a change that waits for its payment away, and its invoice with it. */
export function dropPendingUpdate(world: PaymentsWorld, subscription: Subscription): void {
  const update = subscription.pendingUpdate
  if (!update) return
  subscription.pendingUpdate = null
  const invoice = world.store.invoices.find(update.invoice)
  if (invoice?.status === 'open') voidInvoice(world, invoice)
  tellSubscription(world, 'customer.subscription.pending_update_expired', subscription)
}
