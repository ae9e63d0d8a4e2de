import type Stripe from 'stripe'
import type { Call, StripeCalls } from './client.ts'
import { lineOf } from './invoice-shape.ts'
import { everyPage, listOf } from './pages.ts'
import type { ChangePreview, Payments, ProcessorSubscription, UpcomingInvoice } from './port.ts'
import { idOf, Misshapen, objectOf, seconds, whole } from './shapes.ts'
import { subscriptionOf } from './subscription-shape.ts'

type SubscriptionCalls = Pick<
  Payments,
  | 'createSubscription'
  | 'findSubscription'
  | 'listSubscriptions'
  | 'previewChange'
  | 'changeSubscription'
  | 'setSubscriptionItem'
  | 'scheduleChange'
  | 'releaseSchedule'
  | 'previewNextInvoice'
  | 'setCancelAtPeriodEnd'
  | 'cancelNow'
  | 'resumeSubscription'
>

/** What the shape of a subscription is read from beside its own fields. */
const parts = ['items.data.price.tiers', 'schedule']

export function subscriptionCalls({ call }: StripeCalls): SubscriptionCalls {
  const update = (
    { send }: Call,
    id: string,
    parameters: Stripe.SubscriptionUpdateParams,
    idempotencyKey: string,
  ) =>
    send(
      'POST /v1/subscriptions/:id',
      (stripe) =>
        stripe.subscriptions.update(id, { ...parameters, expand: parts }, { idempotencyKey }),
      subscriptionOf,
    )

  const find = (current: Call, id: string) =>
    current.find(
      'GET /v1/subscriptions/:id',
      (stripe) => stripe.subscriptions.retrieve(id, { expand: parts }),
      subscriptionOf,
    )

  return {
    createSubscription: (
      { customerId, tenantId, plan, priceId, seats, trialDays },
      { idempotencyKey, ...options },
    ) =>
      call('createSubscription', options, async (current) => {
        const charged = await hasDefaultMethod(current, customerId)
        return current.send(
          'POST /v1/subscriptions',
          (stripe) =>
            stripe.subscriptions.create(
              {
                customer: customerId,
                items: [{ price: priceId, quantity: seats }],
                billing_mode: { type: 'flexible' },
                payment_behavior: charged ? 'allow_incomplete' : 'default_incomplete',
                payment_settings: { save_default_payment_method: 'off' },
                metadata: { tenantId, plan },
                expand: [...parts, 'latest_invoice.confirmation_secret'],
                ...(trialDays > 0 && {
                  trial_period_days: trialDays,
                  trial_settings: { end_behavior: { missing_payment_method: 'pause' as const } },
                }),
              },
              { idempotencyKey },
            ),
          (response) => ({
            subscription: subscriptionOf(response),
            clientSecret: waitingSecret(response),
          }),
        )
      }),

    findSubscription: (id, options) =>
      call('findSubscription', options, (current) => find(current, id)),

    listSubscriptions: (customerId, options) =>
      call('listSubscriptions', options, ({ send }) =>
        everyPage(
          (after) =>
            send(
              'GET /v1/subscriptions',
              (stripe) =>
                stripe.subscriptions.list({
                  customer: customerId,
                  status: 'all',
                  limit: 100,
                  expand: parts.map((part) => `data.${part}`),
                  ...(after !== undefined && { starting_after: after }),
                }),
              listOf,
            ),
          subscriptionOf,
        ),
      ),

    previewChange: (input, options) =>
      call('previewChange', options, (current) => previewChange(current, input)),

    changeSubscription: (
      { subscriptionId, itemId, priceId, plan, seats, prorationDate, cycleChanges },
      { idempotencyKey, ...options },
    ) =>
      call('changeSubscription', options, (current) =>
        update(
          current,
          subscriptionId,
          {
            items: [{ id: itemId, price: priceId, quantity: seats }],
            proration_behavior: 'always_invoice',
            proration_date: seconds(prorationDate),
            payment_behavior: 'pending_if_incomplete',
            metadata: { plan },
            ...(cycleChanges && { billing_cycle_anchor: { type: 'now' as const } }),
          },
          idempotencyKey,
        ),
      ),

    setSubscriptionItem: (
      { subscriptionId, itemId, priceId, plan, seats, credit },
      { idempotencyKey, ...options },
    ) =>
      call('setSubscriptionItem', options, (current) =>
        update(
          current,
          subscriptionId,
          {
            items: [{ id: itemId, price: priceId, quantity: seats }],
            proration_behavior: credit ? 'create_prorations' : 'none',
            metadata: { plan },
          },
          idempotencyKey,
        ),
      ),

    scheduleChange: (
      { subscriptionId, priceId, plan, seats, cycle, cycleChanges },
      { idempotencyKey, ...options },
    ) =>
      call('scheduleChange', options, async (current) => {
        const schedule = await scheduleOf(current, subscriptionId, idempotencyKey)
        const { start_date, end_date, items } = runningPhase(schedule)
        await current.send(
          'POST /v1/subscription_schedules/:id',
          (stripe) =>
            stripe.subscriptionSchedules.update(
              schedule.id,
              {
                end_behavior: 'release',
                proration_behavior: 'none',
                phases: [
                  {
                    start_date,
                    end_date,
                    items: items.map(({ price, quantity }) => ({
                      price: idOf(price, 'price'),
                      ...(quantity !== undefined && { quantity }),
                    })),
                    proration_behavior: 'none',
                  },
                  {
                    start_date: end_date,
                    duration: { interval: cycle, interval_count: 1 },
                    items: [{ price: priceId, quantity: seats }],
                    metadata: { plan },
                    proration_behavior: 'none',
                    ...(cycleChanges && { billing_cycle_anchor: 'phase_start' as const }),
                  },
                ],
              },
              { idempotencyKey },
            ),
          (response) => objectOf(response, 'subscription_schedule'),
        )
        return existing(await find(current, subscriptionId))
      }),

    releaseSchedule: (subscriptionId, { idempotencyKey, ...options }) =>
      call('releaseSchedule', options, async (current) => {
        const before = existing(await find(current, subscriptionId))
        const { scheduleId } = before
        if (scheduleId === null) return before
        await current.send(
          'POST /v1/subscription_schedules/:id/release',
          (stripe) => stripe.subscriptionSchedules.release(scheduleId, {}, { idempotencyKey }),
          (response) => objectOf(response, 'subscription_schedule'),
        )
        return existing(await find(current, subscriptionId))
      }),

    previewNextInvoice: ({ subscriptionId, scheduleId }, options) =>
      call('previewNextInvoice', options, ({ find: findInvoice }) =>
        findInvoice(
          'POST /v1/invoices/create_preview',
          (stripe) =>
            stripe.invoices.createPreview(
              scheduleId === null ? { subscription: subscriptionId } : { schedule: scheduleId },
            ),
          upcomingOf,
        ),
      ),

    setCancelAtPeriodEnd: (id, cancel, comment, { idempotencyKey, ...options }) =>
      call('setCancelAtPeriodEnd', options, (current) =>
        update(
          current,
          id,
          { cancel_at_period_end: cancel, cancellation_details: { comment: comment ?? '' } },
          idempotencyKey,
        ),
      ),

    cancelNow: (id, credit, { idempotencyKey, ...options }) =>
      call('cancelNow', options, async ({ send, find: findEnded }) => {
        const cancel = (stripe: Stripe) =>
          stripe.subscriptions.cancel(
            id,
            { invoice_now: credit, prorate: credit, expand: parts },
            { idempotencyKey },
          )
        const ended = await findEnded('DELETE /v1/subscriptions/:id', cancel, subscriptionOf)
        // One that has ended already cannot be cancelled, but still be read.
        const read = (stripe: Stripe) => stripe.subscriptions.retrieve(id, { expand: parts })
        return ended ?? send('GET /v1/subscriptions/:id', read, subscriptionOf)
      }),

    resumeSubscription: (id, { idempotencyKey, ...options }) =>
      call('resumeSubscription', options, ({ send }) =>
        send(
          'POST /v1/subscriptions/:id/resume',
          (stripe) =>
            stripe.subscriptions.resume(
              id,
              { billing_cycle_anchor: { type: 'now' }, expand: parts },
              { idempotencyKey },
            ),
          subscriptionOf,
        ),
      ),
  }
}

/**
 * Charging at once is rejected where there is nothing to charge, and `default_incomplete` never
 * charges by itself.
 */
function hasDefaultMethod({ send }: Call, customerId: string): Promise<boolean> {
  return send(
    'GET /v1/customers/:id',
    (stripe) => stripe.customers.retrieve(customerId),
    (response) => {
      const customer = objectOf(response, 'customer')
      return !customer.deleted && customer.invoice_settings.default_payment_method !== null
    },
  )
}

/**
 * The secret of the payment that the person must confirm. A subscription that needs no confirmation
 * has a secret too; it is not returned.
 */
function waitingSecret(subscription: Stripe.Subscription): string | null {
  const { status, latest_invoice: invoice } = subscription
  if (status !== 'incomplete' || typeof invoice !== 'object' || invoice === null) return null
  return invoice.confirmation_secret?.client_secret ?? null
}

/** The schedule that is attached to a subscription; makes one of its current period if none is. */
async function scheduleOf(
  { send }: Call,
  subscriptionId: string,
  idempotencyKey: string,
): Promise<Stripe.SubscriptionSchedule> {
  const attached = await send(
    'GET /v1/subscriptions/:id',
    (stripe) => stripe.subscriptions.retrieve(subscriptionId, { expand: ['schedule'] }),
    (response) => objectOf(response, 'subscription').schedule,
  )
  if (attached !== null && typeof attached === 'object') return attached
  return send(
    'POST /v1/subscription_schedules',
    (stripe) =>
      stripe.subscriptionSchedules.create(
        { from_subscription: subscriptionId },
        { idempotencyKey: `${idempotencyKey}:schedule` },
      ),
    (response) => objectOf(response, 'subscription_schedule'),
  )
}

function runningPhase(schedule: Stripe.SubscriptionSchedule): Stripe.SubscriptionSchedule.Phase {
  const start = schedule.current_phase?.start_date
  const phase = schedule.phases.find(({ start_date }) => start_date === start)
  if (!phase) throw new Misshapen('the current phase of the schedule')
  return phase
}

/** A subscription that a call has just worked on. */
function existing(subscription: ProcessorSubscription | undefined): ProcessorSubscription {
  if (!subscription) throw new Misshapen('the subscription')
  return subscription
}

function upcomingOf(response: Stripe.Invoice): UpcomingInvoice {
  const invoice = objectOf(response, 'invoice')
  const amountDue = whole(invoice.amount_due, 'amount_due')
  const total = whole(invoice.total, 'total')
  return {
    currency: invoice.currency,
    lines: invoice.lines.data.map(lineOf),
    tax: (invoice.total_taxes ?? []).reduce((sum, tax) => sum + whole(tax.amount, 'tax'), 0),
    total,
    creditApplied: Math.max(0, total - amountDue),
    amountDue,
  }
}

async function previewChange(
  { send }: Call,
  input: Parameters<Payments['previewChange']>[0],
): Promise<ChangePreview> {
  const { customerId, subscriptionId, itemId, priceId, seats, prorationDate, cycleChanges } = input
  const preview = (mode: 'next' | 'recurring') =>
    send(
      'POST /v1/invoices/create_preview',
      (stripe) =>
        stripe.invoices.createPreview({
          customer: customerId,
          subscription: subscriptionId,
          preview_mode: mode,
          subscription_details: {
            items: [{ id: itemId, price: priceId, quantity: seats }],
            ...(mode === 'next' && {
              proration_behavior: 'always_invoice' as const,
              proration_date: seconds(prorationDate),
            }),
            ...(mode === 'next' &&
              cycleChanges && { billing_cycle_anchor: { type: 'now' as const } }),
          },
        }),
      (response) => {
        const invoice = objectOf(response, 'invoice')
        return {
          currency: invoice.currency,
          lines: invoice.lines.data.map(lineOf),
          tax: (invoice.total_taxes ?? []).reduce((sum, tax) => sum + whole(tax.amount, 'tax'), 0),
          total: whole(invoice.total, 'total'),
        }
      },
    )
  const [now, later] = await Promise.all([preview('next'), preview('recurring')])
  return { ...now, prorationDate: new Date(seconds(prorationDate) * 1000), nextAmount: later.total }
}
