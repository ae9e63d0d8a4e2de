import { nextPayouts, payOut } from './balance.ts'
import {
  collect,
  dropPendingUpdate,
  endSubscription,
  methodFor,
  nextPeriod,
  settlePaid,
  tellSubscription,
} from './collection.ts'
import { draftInvoice, finalizeInvoice, markUncollectible, voidInvoice } from './invoicing.ts'
import { afterAnchor, type Seconds } from './periods.ts'
import type { Invoice, Subscription } from './records.ts'
import { enterNextPhase, nextPhaseTurn } from './schedules.ts'
import { periodLine } from './subscription-lines.ts'
import type { PaymentsWorld } from './world.ts'

const hour = 3_600
const day = 24 * hour
/**
 * More than ten years of one subscription by the month, so that a wrong date cannot hold the
 * process.
 */
const mostSteps = 50_000

interface Due {
  readonly at: Seconds
  readonly run: () => void
}

/**
 * Carries out what became due since the last time, in the order in which it was due and each at its
 * own moment: trials that end, periods that begin, drafts that become final, tries to charge again,
 * first payments that were never made.
 */
export function catchUp(world: PaymentsWorld): void {
  for (let step = 0; step < mostSteps; step += 1) {
    const now = world.now()
    const due = earliest(world)
    if (!due || due.at > now) return
    world.at(due.at, due.run)
    world.changed()
  }
  throw new Error('The clock of the payments was moved further than the sandbox can follow.')
}

function earliest(world: PaymentsWorld): Due | undefined {
  let first: Due | undefined
  const consider = (due: Due | undefined) => {
    if (due && (!first || due.at < first.at)) first = due
  }
  for (const subscription of world.store.subscriptions.all())
    for (const due of dueOf(world, subscription)) consider(due)
  for (const invoice of world.store.invoices.all()) consider(dueOfInvoice(world, invoice))
  for (const { at, currency } of nextPayouts(world))
    consider({ at, run: () => payOut(world, currency) })
  return first
}

function dueOf(world: PaymentsWorld, subscription: Subscription): Due[] {
  const { status, trialEnd, periodEnd, cancelAt, pendingUpdate, pauseCollection } = subscription
  if (status === 'canceled' || status === 'incomplete_expired') return []
  if (status === 'incomplete')
    return [{ at: subscription.created + 23 * hour, run: () => expire(world, subscription) }]
  const tasks: Due[] = []
  const turn = nextPhaseTurn(world, subscription)
  // Before the renewal of the same moment, which has the new terms then.
  if (turn !== undefined) tasks.push({ at: turn, run: () => enterNextPhase(world, subscription) })
  if (pendingUpdate)
    tasks.push({ at: pendingUpdate.expiresAt, run: () => dropPendingUpdate(world, subscription) })
  if (cancelAt !== null)
    tasks.push({
      at: cancelAt,
      run: () => endSubscription(world, subscription, 'cancellation_requested'),
    })
  if (pauseCollection?.resumesAt)
    tasks.push({ at: pauseCollection.resumesAt, run: () => resumeCollection(world, subscription) })
  if (status === 'trialing' && trialEnd !== null) {
    if (!subscription.trialEndNotified) {
      tasks.push({
        at: Math.max(subscription.created, trialEnd - 3 * day),
        run: () => tellTrialEnd(world, subscription),
      })
    }
    tasks.push({ at: trialEnd, run: () => endTrial(world, subscription) })
  } else if (status !== 'paused') {
    tasks.push({ at: periodEnd, run: () => renew(world, subscription) })
  }
  return tasks
}

function dueOfInvoice(world: PaymentsWorld, invoice: Invoice): Due | undefined {
  if (invoice.status === 'draft' && invoice.finalizesAt !== null) {
    return { at: invoice.finalizesAt, run: () => finalizeAndCharge(world, invoice) }
  }
  if (invoice.status === 'open' && invoice.nextPaymentAttempt !== null) {
    return {
      at: invoice.nextPaymentAttempt,
      run: () => {
        invoice.nextPaymentAttempt = null
        collect(world, invoice)
      },
    }
  }
  return undefined
}

/** The first payment was never made: the one way out of `incomplete` that nobody has to take. */
function expire(world: PaymentsWorld, subscription: Subscription): void {
  const invoice =
    subscription.latestInvoice === null
      ? undefined
      : world.store.invoices.find(subscription.latestInvoice)
  if (invoice?.status === 'open') voidInvoice(world, invoice)
  Object.assign(subscription, { status: 'incomplete_expired', endedAt: world.now() })
  tellSubscription(world, 'customer.subscription.updated', subscription)
}

function tellTrialEnd(world: PaymentsWorld, subscription: Subscription): void {
  subscription.trialEndNotified = true
  tellSubscription(world, 'customer.subscription.trial_will_end', subscription)
}

/** Paid from now on, paused or ended where there is nothing to charge. */
export function endTrial(world: PaymentsWorld, subscription: Subscription): void {
  const now = world.now()
  subscription.trialEnd = now
  if (!methodFor(world, { customer: subscription.customer, subscription: subscription.id })) {
    if (subscription.missingPaymentMethod === 'cancel') {
      endSubscription(world, subscription, 'payment_failed')
      return
    }
    if (subscription.missingPaymentMethod === 'pause') {
      Object.assign(subscription, {
        status: 'paused',
        pausedAt: now,
        pauseReason: 'trial_end_without_payment_method',
      })
      tellSubscription(world, 'customer.subscription.paused', subscription)
      return
    }
  }
  const { interval } = world.store.prices.get(subscription.price, 'price')
  Object.assign(subscription, {
    status: 'active',
    anchor: now,
    periodStart: now,
    periodEnd: afterAnchor(now, interval, 1),
  })
  invoicePeriod(world, subscription)
}

function renew(world: PaymentsWorld, subscription: Subscription): void {
  const { start, end } = nextPeriod(world, subscription)
  Object.assign(subscription, { periodStart: start, periodEnd: end })
  invoicePeriod(world, subscription)
}

/**
 * A draft for an hour, then final and charged; of an unpaid subscription it stays a draft, of a
 * paused collection what that says.
 */
function invoicePeriod(world: PaymentsWorld, subscription: Subscription): void {
  const price = world.store.prices.get(subscription.price, 'price')
  const lines = [
    periodLine(
      world,
      price,
      subscription.quantity,
      subscription.periodStart,
      subscription.periodEnd,
    ),
  ]
  const { customer, id, currency } = subscription
  const invoice = draftInvoice(
    world,
    { customer, subscription: id, tax: subscription.tax, reason: 'subscription_cycle', lines },
    currency,
  )
  subscription.latestInvoice = invoice.id
  const held =
    subscription.status === 'unpaid' || subscription.pauseCollection?.behavior === 'keep_as_draft'
  if (held) invoice.autoAdvance = false
  else invoice.finalizesAt = world.now() + hour
  tellSubscription(world, 'customer.subscription.updated', subscription)
}

function finalizeAndCharge(world: PaymentsWorld, invoice: Invoice): void {
  finalizeInvoice(world, invoice)
  const subscription =
    invoice.subscription === null ? undefined : world.store.subscriptions.find(invoice.subscription)
  if (invoice.status === 'paid') {
    settlePaid(world, invoice)
    return
  }
  if (subscription?.pauseCollection?.behavior === 'void') {
    voidInvoice(world, invoice)
    return
  }
  if (subscription?.pauseCollection?.behavior === 'mark_uncollectible') {
    markUncollectible(world, invoice)
    return
  }
  collect(world, invoice)
}

function resumeCollection(world: PaymentsWorld, subscription: Subscription): void {
  subscription.pauseCollection = null
  tellSubscription(world, 'customer.subscription.updated', subscription)
}
