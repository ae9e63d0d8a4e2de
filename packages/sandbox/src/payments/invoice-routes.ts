import { settlePaid } from './collection.ts'
import { addressOf } from './customer-routes.ts'
import { invalid, StripeFault } from './faults.ts'
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
import {
  creditNoteLinesView,
  creditNoteView,
  disputeView,
  invoicePaymentView,
  invoiceView,
  linesView,
  refundView,
} from './invoice-views.ts'
import { markPaid, markUncollectible, sketchInvoice, voidInvoice } from './invoicing.ts'
import { afterAnchor, periodEnd } from './periods.ts'
import type { Buyer, Invoice, Subscription } from './records.ts'
import { firstId, type Handlers, insideData, pageOf } from './request.ts'
import { creditNote } from './reversals.ts'
import { termsAfter } from './schedules.ts'
import { payNow } from './subscription-changes.ts'
import { changeLines, periodLine, trialLine } from './subscription-lines.ts'
import { onlyItem } from './subscription-routes.ts'
import { buyerOf, noTax, requireComputable, taxSettingsOf } from './taxes.ts'
import type { PaymentsWorld } from './world.ts'

export const invoiceRoutes: Handlers = {
  'GET /v1/invoices/:id': (world, { ids, expand }) =>
    invoiceView(world.store, world.store.invoices.get(ids[0] ?? ''), expand, world.origin()),
  'GET /v1/invoices': (world, request) => {
    const requested = (name: string, value: string | null) => {
      const provided = text(request.form, name)
      return provided === undefined || provided === value
    }
    const rows = world.store.invoices
      .all()
      .filter(
        (one) =>
          requested('customer', one.customer) &&
          requested('subscription', one.subscription) &&
          requested('status', one.status),
      )
    const expand = insideData(request.expand)
    return pageOf(rows, request, '/v1/invoices', (one) =>
      invoiceView(world.store, one, expand, world.origin()),
    )
  },
  'GET /v1/invoices/:id/lines': (world, request) => {
    const invoice = world.store.invoices.get(firstId(request))
    const { rows, more } = linesPage(invoice.lines, request.form)
    return linesView(world.store, invoice, rows, more)
  },
  'POST /v1/invoices/:id/pay': (world, { ids, form, expand }) => {
    const invoice = world.store.invoices.get(ids[0] ?? '')
    if (flag(form, 'paid_out_of_band')) payOutOfBand(world, invoice)
    else payNow(world, invoice, text(form, 'payment_method'))
    return invoiceView(world.store, invoice, expand, world.origin())
  },
  'POST /v1/invoices/:id/void': (world, { ids, expand }) => {
    const invoice = world.store.invoices.get(ids[0] ?? '')
    voidInvoice(world, invoice)
    return invoiceView(world.store, invoice, expand, world.origin())
  },
  'POST /v1/invoices/:id/mark_uncollectible': (world, { ids, expand }) => {
    const invoice = world.store.invoices.get(ids[0] ?? '')
    markUncollectible(world, invoice)
    return invoiceView(world.store, invoice, expand, world.origin())
  },
  'POST /v1/credit_notes': (world, { form }) => {
    const amount = whole(form, 'amount')
    if (amount === undefined)
      throw invalid('One of `amount`, `lines`, or `shipping_cost` must be provided.')
    const reasons = ['duplicate', 'fraudulent', 'order_change', 'product_unsatisfactory'] as const
    const note = creditNote(world, world.store.invoices.get(required(form, 'invoice'), 'invoice'), {
      amount,
      refund: notNegative(form, 'refund_amount'),
      balance: notNegative(form, 'credit_amount'),
      outside: notNegative(form, 'out_of_band_amount'),
      reason: oneOf(form, 'reason', reasons) ?? null,
      memo: text(form, 'memo') ?? null,
      metadata: mergedMetadata(form),
    })
    return creditNoteView(note, world.origin())
  },
  'POST /v1/invoices/create_preview': (world, { form, expand }) => preview(world, form, expand),
  'GET /v1/invoice_payments': (world, request) => {
    const payment = group(request.form, 'payment')
    const intent = payment && text(payment, 'payment_intent')
    const invoice = text(request.form, 'invoice')
    const rows = world.store.invoices
      .all()
      .flatMap((one) =>
        one.payment
          ? [{ id: one.id, created: one.created, invoice: one, payment: one.payment }]
          : [],
      )
      .filter(
        (one) =>
          (intent === undefined || one.payment.id === intent) &&
          (invoice === undefined || one.id === invoice),
      )
    return pageOf(rows, request, '/v1/invoice_payments', (one) =>
      invoicePaymentView(one.invoice, one.payment),
    )
  },
  'GET /v1/refunds/:id': (world, request) =>
    refundView(world.store, world.store.refunds.get(firstId(request))),
  'GET /v1/credit_notes/:id': (world, request) =>
    creditNoteView(world.store.creditNotes.get(firstId(request)), world.origin()),
  'GET /v1/credit_notes/:id/lines': (world, request) => {
    const note = world.store.creditNotes.get(firstId(request))
    const { rows, more } = linesPage(note.lines, request.form)
    return creditNoteLinesView(note, rows, more)
  },
  'GET /v1/credit_notes': (world, request) => {
    const invoice = text(request.form, 'invoice')
    const customer = text(request.form, 'customer')
    const rows = world.store.creditNotes
      .all()
      .filter(
        (one) =>
          (invoice === undefined || one.invoice === invoice) &&
          (customer === undefined || one.customer === customer),
      )
    return pageOf(rows, request, '/v1/credit_notes', (one) => creditNoteView(one, world.origin()))
  },
  'GET /v1/disputes/:id': (world, request) =>
    disputeView(world.store, world.store.disputes.get(firstId(request))),
}

/** A page of the lines of a document, oldest first. */
function linesPage<T extends { id: string }>(lines: readonly T[], form: Form) {
  const limit = whole(form, 'limit') ?? 10
  const after = text(form, 'starting_after')
  const from = after === undefined ? 0 : lines.findIndex(({ id }) => id === after) + 1
  return { rows: lines.slice(from, from + limit), more: from + limit < lines.length }
}

function notNegative(form: Form, name: string): number {
  const value = whole(form, name) ?? 0
  if (value < 0)
    throw invalid('Invalid non-negative integer', {
      code: 'parameter_invalid_integer',
      param: name,
    })
  return value
}

function payOutOfBand(world: PaymentsWorld, invoice: Invoice): void {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalid(`This invoice is ${invoice.status} and cannot be paid.`)
  invoice.paidOutOfBand = true
  if (invoice.payment) invoice.payment.status = 'canceled'
  markPaid(world, invoice)
  settlePaid(world, invoice)
}

/**
 * What a change would cost now (`next`), or what every later period costs (`recurring`). Nothing is
 * kept.
 */
function preview(world: PaymentsWorld, form: Form, expand: readonly string[]): object {
  const schedule = text(form, 'schedule')
  if (schedule !== undefined && text(form, 'subscription') !== undefined)
    throw invalid('You can not pass both schedule and subscription.', { param: 'schedule' })
  if (schedule === undefined && text(form, 'subscription') === undefined)
    return startView(world, form, expand)
  const subscription = world.store.subscriptions.get(
    schedule === undefined
      ? required(form, 'subscription')
      : world.store.schedules.get(schedule, 'schedule').subscription,
    'subscription',
  )
  if (schedule !== undefined || form.subscription_details === undefined)
    return upcomingView(world, subscription, schedule !== undefined, expand)
  const details = group(form, 'subscription_details') ?? {}
  const item = details.items === undefined ? undefined : onlyItem(details)
  const price = world.store.prices.get(
    item?.price ?? subscription.price,
    'subscription_details[items][0][price]',
  )
  if (price.currency !== subscription.currency)
    throw invalid('The price has another currency than the subscription.')
  const quantity = item?.quantity ?? subscription.quantity
  const anchor = group(details, 'billing_cycle_anchor')
  const cycleChanges = price.interval !== world.store.prices.get(subscription.price).interval
  const anchorNow = cycleChanges || (anchor !== undefined && text(anchor, 'type') === 'now')
  const named = whole(details, 'proration_date')
  const at = named ?? world.now()
  if (named !== undefined && (at < subscription.periodStart || at > subscription.periodEnd)) {
    throw invalid('The proration date must be within the current billing period.', {
      param: 'subscription_details[proration_date]',
    })
  }
  const tax = taxSettingsOf(world, form, subscription.tax, details)
  requireComputable(world.store.customers.get(subscription.customer), tax, price)
  const recurring = oneOf(form, 'preview_mode', ['next', 'recurring']) === 'recurring'
  const prorated = text(details, 'proration_behavior') !== 'none'
  const waiting = world.store.waitingLines
    .filter((one) => one.subscription === subscription.id)
    .map(({ line }) => line)
  const lines = recurring
    ? [periodLine(world, price, quantity, subscription.periodStart, subscription.periodEnd)]
    : [
        ...waiting,
        ...changeLines(world, subscription, { price: price.id, quantity, anchorNow }, at, prorated),
      ]
  const { customer, id, currency } = subscription
  const invoice = sketchInvoice(
    world,
    { customer, subscription: id, tax, reason: 'subscription_update', lines },
    currency,
  )
  return {
    ...invoiceView(world.store, invoice, expand, world.origin()),
    id: `upcoming_${invoice.id}`,
  }
}

/**
 * The first invoice of a subscription that does not exist yet, of a customer or of details of one
 * (`recurring`: of every whole period).
 */
function startView(world: PaymentsWorld, form: Form, expand: readonly string[]): object {
  const details = group(form, 'subscription_details') ?? {}
  const item = onlyItem(details)
  const price = world.store.prices.get(item.price ?? '', 'subscription_details[items][0][price]')
  const id = text(form, 'customer')
  const stored = id === undefined ? undefined : world.store.customers.get(id, 'customer')
  const buyer = stored ? buyerOf(world.store, stored) : namedBuyer(form)
  const currency = text(form, 'currency')
  if (currency !== undefined && currency !== price.currency)
    throw invalid('The price has another currency than the preview.', { param: 'currency' })
  const tax = taxSettingsOf(world, form, noTax, details)
  requireComputable(buyer, tax, price)
  const now = world.now()
  const quantity = item.quantity ?? 1
  const trialEnd = whole(details, 'trial_end')
  const recurring = oneOf(form, 'preview_mode', ['next', 'recurring']) === 'recurring'
  const line =
    trialEnd === undefined || recurring
      ? periodLine(world, price, quantity, now, afterAnchor(now, price.interval, 1))
      : trialLine(world, price, quantity, now, trialEnd)
  const invoice = sketchInvoice(
    world,
    {
      customer: stored?.id ?? '',
      subscription: null,
      tax,
      reason: 'subscription_create',
      lines: [line],
    },
    price.currency,
    buyer,
  )
  return {
    ...invoiceView(world.store, invoice, expand, world.origin()),
    customer: stored?.id ?? null,
    id: `upcoming_${invoice.id}`,
  }
}

/** `customer_details` of a preview. */
function namedBuyer(form: Form): Buyer {
  const details = group(form, 'customer_details')
  if (!details)
    throw invalid('You must pass customer, customer_details, subscription or schedule.', {
      code: 'parameter_missing',
      param: 'customer',
    })
  return {
    name: null,
    email: null,
    address: addressOf(details, null),
    taxExempt: oneOf(details, 'tax_exempt', ['none', 'exempt', 'reverse']) ?? 'none',
    taxIds: list(details, 'tax_ids').flatMap((one) =>
      typeof one === 'string'
        ? []
        : [{ type: required(one, 'type'), value: required(one, 'value') }],
    ),
  }
}

/** The invoice of the next period, with the items that wait for it and the customer's balance. */
function upcomingView(
  world: PaymentsWorld,
  subscription: Subscription,
  scheduled: boolean,
  expand: readonly string[],
): object {
  const { customer, id, currency } = subscription
  const start = subscription.periodEnd
  if (subscription.cancelAtPeriodEnd || subscription.status === 'canceled')
    throw new StripeFault(404, {
      type: 'invalid_request_error',
      code: 'invoice_upcoming_none',
      message: `No upcoming invoices for customer: '${customer}'`,
    })
  const {
    price: priceId,
    quantity,
    anchor,
    tax,
  } = scheduled ? termsAfter(world, subscription) : subscription
  const price = world.store.prices.get(priceId, 'price')
  const waiting = world.store.waitingLines
    .filter((one) => one.subscription === id)
    .map(({ line }) => line)
  const invoice = sketchInvoice(
    world,
    {
      customer,
      subscription: id,
      tax,
      reason: 'subscription_cycle',
      lines: [
        ...waiting,
        periodLine(world, price, quantity, start, periodEnd(anchor, price.interval, start)),
      ],
    },
    currency,
  )
  const view = invoiceView(world.store, invoice, expand, world.origin())
  return { ...view, id: `upcoming_${invoice.id}`, next_payment_attempt: start + 3_600 }
}
