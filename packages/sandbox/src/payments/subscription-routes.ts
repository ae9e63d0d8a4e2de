import { collect, endSubscription, settlePaid, tellSubscription } from './collection.ts'
import { invalid, missing } from './faults.ts'
import {
  type Form,
  flag,
  group,
  list,
  mergedMetadata,
  oneOf,
  required,
  text,
  whole,
} from './form.ts'
import { draftInvoice, finalizeInvoice } from './invoicing.ts'
import { afterAnchor } from './periods.ts'
import type { Line, Subscription } from './records.ts'
import { firstId, type Handlers, insideData, pageOf } from './request.ts'
import { changeItem, createSubscription, type PaymentBehavior } from './subscription-changes.ts'
import { periodLine, unusedLines } from './subscription-lines.ts'
import { subscriptionView } from './subscription-views.ts'
import { noTax, requireComputable, taxSettingsOf } from './taxes.ts'
import { endTrial } from './time.ts'
import type { PaymentsWorld } from './world.ts'

const behaviors = [
  'allow_incomplete',
  'default_incomplete',
  'error_if_incomplete',
  'pending_if_incomplete',
] as const
const prorations = ['create_prorations', 'always_invoice', 'none'] as const
const day = 86_400

export const subscriptionRoutes: Handlers = {
  'POST /v1/subscriptions': (world, { form, expand }) => {
    const customer = world.store.customers.get(required(form, 'customer'), 'customer')
    if (customer.deleted) throw missing('customer', customer.id, 'customer')
    const { price, quantity } = onlyItem(form)
    if (price === undefined)
      throw invalid('Missing required param: items[0][price].', {
        code: 'parameter_missing',
        param: 'items[0][price]',
      })
    const mode = group(form, 'billing_mode')
    const method = text(form, 'default_payment_method') || null
    if (method !== null) world.store.paymentMethods.get(method, 'default_payment_method')
    const subscription = createSubscription(world, {
      customer,
      price: world.store.prices.get(price, 'items[0][price]'),
      quantity: quantity ?? 1,
      metadata: mergedMetadata(form),
      trialEnd: trialEndOf(world, form),
      missingPaymentMethod: missingMethodOf(form) ?? 'create_invoice',
      behavior: oneOf(form, 'payment_behavior', behaviors) ?? 'allow_incomplete',
      defaultPaymentMethod: method,
      tax: taxSettingsOf(world, form, noTax),
      billingMode: (mode && oneOf(mode, 'type', ['classic', 'flexible'])) ?? 'flexible',
    })
    return subscriptionView(world.store, subscription, expand, world.origin())
  },
  'GET /v1/subscriptions/:id': (world, { ids, expand }) =>
    subscriptionView(
      world.store,
      world.store.subscriptions.get(ids[0] ?? ''),
      expand,
      world.origin(),
    ),
  'GET /v1/subscriptions': (world, request) => {
    const customer = text(request.form, 'customer')
    const status = text(request.form, 'status')
    const rows = world.store.subscriptions
      .all()
      .filter((one) => customer === undefined || one.customer === customer)
      // Ended ones only when asked for.
      .filter(
        (one) =>
          status === 'all' ||
          (status === undefined ? one.status !== 'canceled' : one.status === status),
      )
    const expand = insideData(request.expand)
    return pageOf(rows, request, '/v1/subscriptions', (one) =>
      subscriptionView(world.store, one, expand, world.origin()),
    )
  },
  'POST /v1/subscriptions/:id': (world, { ids, form, expand }) => {
    const subscription = world.store.subscriptions.get(ids[0] ?? '')
    update(world, subscription, form)
    return subscriptionView(world.store, subscription, expand, world.origin())
  },
  'DELETE /v1/subscriptions/:id': (world, request) => {
    const subscription = world.store.subscriptions.get(firstId(request))
    if (subscription.status === 'canceled') throw missing('subscription', subscription.id)
    applyDetails(subscription, request.form)
    const unused = flag(request.form, 'prorate') ? unusedLines(world, subscription) : []
    if (flag(request.form, 'invoice_now')) lastInvoice(world, subscription, unused)
    else
      for (const line of unused)
        world.store.waitingLines.push({ subscription: subscription.id, line })
    endSubscription(world, subscription, 'cancellation_requested')
    return subscriptionView(world.store, subscription, request.expand, world.origin())
  },
  'POST /v1/subscriptions/:id/resume': (world, request) => {
    const subscription = world.store.subscriptions.get(firstId(request))
    if (subscription.status !== 'paused')
      throw invalid('Only a paused subscription can be resumed.')
    resume(world, subscription)
    return subscriptionView(world.store, subscription, request.expand, world.origin())
  },
}

/**
 * All that is not invoiced yet, with what is given back; a negative sum becomes credit of the
 * customer.
 */
function lastInvoice(
  world: PaymentsWorld,
  subscription: Subscription,
  unused: readonly Line[],
): void {
  const { customer, id, currency } = subscription
  const waits = world.store.waitingLines.some((one) => one.subscription === id)
  if (unused.length === 0 && !waits) return
  const invoice = draftInvoice(
    world,
    {
      customer,
      subscription: id,
      tax: subscription.tax,
      reason: 'subscription_update',
      lines: unused,
    },
    currency,
  )
  subscription.latestInvoice = invoice.id
  finalizeInvoice(world, invoice)
  if (invoice.status === 'open') collect(world, invoice)
}

/** A period begins now; the subscription stays paused until its invoice is paid. */
function resume(world: PaymentsWorld, subscription: Subscription): void {
  const price = world.store.prices.get(subscription.price, 'price')
  const start = world.now()
  const end = afterAnchor(start, price.interval, 1)
  Object.assign(subscription, { anchor: start, periodStart: start, periodEnd: end })
  const { customer, id, currency, quantity } = subscription
  const lines = [periodLine(world, price, quantity, start, end)]
  const invoice = draftInvoice(
    world,
    { customer, subscription: id, tax: subscription.tax, reason: 'subscription_cycle', lines },
    currency,
  )
  subscription.latestInvoice = invoice.id
  finalizeInvoice(world, invoice)
  if (invoice.status === 'paid') settlePaid(world, invoice)
  else collect(world, invoice)
}

function update(world: PaymentsWorld, subscription: Subscription, form: Form): void {
  const behavior = oneOf(form, 'payment_behavior', behaviors) ?? 'allow_incomplete'
  rejectBesidePending(form, behavior)
  const item = form.items === undefined ? undefined : onlyItem(form)
  if (item) {
    change(world, subscription, form, item, behavior)
    return
  }
  const ended = subscription.status === 'canceled' || subscription.status === 'incomplete_expired'
  const allowedWhenEnded = Object.keys(form).every((name) =>
    ['metadata', 'cancellation_details', 'expand'].includes(name),
  )
  if (ended && !allowedWhenEnded)
    throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
  subscription.metadata = mergedMetadata(form, subscription.metadata)
  applyDetails(subscription, form)
  applyCancellation(world, subscription, form)
  applyMethod(world, subscription, form)
  applyTax(world, subscription, form)
  applyPause(subscription, form)
  subscription.missingPaymentMethod = missingMethodOf(form) ?? subscription.missingPaymentMethod
  const trialEnd = text(form, 'trial_end')
  if (trialEnd === 'now' && subscription.status === 'trialing') {
    endTrial(world, subscription)
    return
  }
  if (trialEnd !== undefined && trialEnd !== 'now') {
    const end = whole(form, 'trial_end') ?? null
    Object.assign(subscription, {
      status: 'trialing',
      trialEnd: end,
      periodEnd: end,
      anchor: end,
      trialEndNotified: false,
    })
  }
  tellSubscription(world, 'customer.subscription.updated', subscription)
}

/** What waits for a payment can only be what the payment is about. */
function rejectBesidePending(form: Form, behavior: PaymentBehavior): void {
  const taken = [
    'items',
    'metadata',
    'expand',
    'payment_behavior',
    'proration_behavior',
    'proration_date',
    'billing_cycle_anchor',
    'trial_end',
  ]
  const other = Object.keys(form).find((name) => !taken.includes(name))
  if (behavior !== 'pending_if_incomplete' || other === undefined) return
  throw invalid(`When payment_behavior is \`pending_if_incomplete\` you cannot pass ${other}.`, {
    param: other,
  })
}

function change(
  world: PaymentsWorld,
  subscription: Subscription,
  form: Form,
  item: ReturnType<typeof onlyItem>,
  behavior: PaymentBehavior,
): void {
  if (item.id === undefined)
    throw invalid('A subscription of the sandbox has one item; name its id.', {
      param: 'items[0][id]',
    })
  if (item.id !== subscription.item) throw missing('subscription_item', item.id, 'items[0][id]')
  const price = item.price ?? subscription.price
  const anchor = group(form, 'billing_cycle_anchor')
  const requested = anchor && oneOf(anchor, 'type', ['now', 'unchanged'])
  const cycleChanges =
    world.store.prices.get(price, 'items[0][price]').interval !==
    world.store.prices.get(subscription.price).interval
  changeItem(world, subscription, {
    change: {
      price,
      quantity: item.quantity ?? subscription.quantity,
      anchorNow: requested === 'now' || cycleChanges,
    },
    metadata: mergedMetadata(form),
    proration: oneOf(form, 'proration_behavior', prorations) ?? 'create_prorations',
    prorationDate: whole(form, 'proration_date') ?? world.now(),
    behavior,
  })
}

export function onlyItem(form: Form): {
  id: string | undefined
  price: string | undefined
  quantity: number | undefined
} {
  const [item, ...more] = list(form, 'items')
  if (item === undefined)
    throw invalid('Missing required param: items.', { code: 'parameter_missing', param: 'items' })
  if (typeof item === 'string' || more.length > 0)
    throw invalid('A subscription of the sandbox has one item.', { param: 'items' })
  const quantity = whole(item, 'quantity', 'items[0][quantity]')
  if (quantity !== undefined && quantity < 0) {
    throw invalid('Invalid non-negative integer', {
      code: 'parameter_invalid_integer',
      param: 'items[0][quantity]',
    })
  }
  return { id: text(item, 'id'), price: text(item, 'price'), quantity }
}

function trialEndOf(world: PaymentsWorld, form: Form): number | null {
  const days = whole(form, 'trial_period_days')
  if (days !== undefined && days < 1)
    throw invalid('Invalid positive integer', { param: 'trial_period_days' })
  if (days !== undefined) return world.now() + days * day
  return text(form, 'trial_end') === 'now' ? null : (whole(form, 'trial_end') ?? null)
}

function missingMethodOf(form: Form): Subscription['missingPaymentMethod'] | undefined {
  const end = group(group(form, 'trial_settings') ?? {}, 'end_behavior')
  return end && oneOf(end, 'missing_payment_method', ['cancel', 'create_invoice', 'pause'])
}

function applyDetails(subscription: Subscription, form: Form): void {
  const details = group(form, 'cancellation_details')
  if (!details) return
  const comment = text(details, 'comment')
  const feedback = text(details, 'feedback')
  if (comment !== undefined) subscription.cancelComment = comment || null
  if (feedback !== undefined) subscription.cancelFeedback = feedback || null
}

function applyCancellation(world: PaymentsWorld, subscription: Subscription, form: Form): void {
  const requested = flag(form, 'cancel_at_period_end')
  if (requested === undefined || requested === subscription.cancelAtPeriodEnd) return
  if (subscription.schedule !== null) {
    throw invalid(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    )
  }
  Object.assign(subscription, {
    cancelAtPeriodEnd: requested,
    cancelAt: requested ? subscription.periodEnd : null,
    canceledAt: requested ? world.now() : null,
    cancelReason: requested ? 'cancellation_requested' : null,
  })
}

function applyMethod(world: PaymentsWorld, subscription: Subscription, form: Form): void {
  const method = text(form, 'default_payment_method')
  if (method === undefined) return
  if (
    method !== '' &&
    world.store.paymentMethods.get(method, 'default_payment_method').customer !==
      subscription.customer
  ) {
    throw invalid('The payment method does not belong to the customer.', {
      param: 'default_payment_method',
    })
  }
  subscription.defaultPaymentMethod = method || null
}

function applyTax(world: PaymentsWorld, subscription: Subscription, form: Form): void {
  const tax = taxSettingsOf(world, form, subscription.tax)
  const { customer, price } = subscription
  requireComputable(world.store.customers.get(customer), tax, world.store.prices.get(price))
  subscription.tax = tax
}

function applyPause(subscription: Subscription, form: Form): void {
  if (text(form, 'pause_collection') === '') subscription.pauseCollection = null
  const pause = group(form, 'pause_collection')
  if (!pause) return
  const behavior = oneOf(pause, 'behavior', ['keep_as_draft', 'mark_uncollectible', 'void'])
  if (behavior === undefined)
    throw invalid('Missing required param: pause_collection[behavior].', {
      code: 'parameter_missing',
    })
  subscription.pauseCollection = { behavior, resumesAt: whole(pause, 'resumes_at') ?? null }
}
