import type Stripe from 'stripe'
import type { Call, StripeCalls } from './client.ts'
import { newAddress } from './customer-calls.ts'
import { previewOf } from './invoice-shape.ts'
import { everyPage, listOf } from './pages.ts'
import type {
  ChangePreview,
  InvoicePreview,
  Payments,
  ProcessorSubscription,
  StartPreview,
  SubscriptionTax,
} from './port.ts'
import { idOf, Misshapen, objectOf, seconds } from './shapes.ts'
import { subscriptionOf } from './subscription-shape.ts'
import type { TaxRates } from './tax-shape.ts'

type SubscriptionCalls = Pick<
  Payments,
  | 'createSubscription'
  | 'previewSubscription'
  | 'setSubscriptionTax'
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

export function subscriptionCalls({ call }: StripeCalls, rates: TaxRates): SubscriptionCalls {
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
      { customerId, tenantId, plan, priceId, seats, trialDays, tax },
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
                ...newTax(tax),
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

    previewSubscription: (input, options) =>
      call('previewSubscription', options, (current) => previewSubscription(current, rates, input)),

    setSubscriptionTax: ({ subscriptionId, tax, nextTax }, { idempotencyKey, ...options }) =>
      call('setSubscriptionTax', options, async (current) => {
        const schedule = await attachedSchedule(current, subscriptionId)
        if (schedule === undefined)
          return update(current, subscriptionId, changedTax(tax), idempotencyKey)
        await current.send(
          'POST /v1/subscription_schedules/:id',
          (stripe) =>
            stripe.subscriptionSchedules.update(
              schedule.id,
              {
                phases: runningPhases(schedule).map((phase, index) =>
                  samePhase(phase, index === 0 ? tax : nextTax),
                ),
              },
              { idempotencyKey },
            ),
          (response) => objectOf(response, 'subscription_schedule'),
        )
        return existing(await find(current, subscriptionId))
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
      call('previewChange', options, (current) => previewChange(current, rates, input)),

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
      { subscriptionId, itemId, priceId, plan, seats, prorates },
      { idempotencyKey, ...options },
    ) =>
      call('setSubscriptionItem', options, (current) =>
        update(
          current,
          subscriptionId,
          {
            items: [{ id: itemId, price: priceId, quantity: seats }],
            proration_behavior: prorates ? 'create_prorations' : 'none',
            metadata: { plan },
          },
          idempotencyKey,
        ),
      ),

    scheduleChange: (
      { subscriptionId, priceId, plan, seats, cycle, cycleChanges, tax, nextTax },
      { idempotencyKey, ...options },
    ) =>
      call('scheduleChange', options, async (current) => {
        const schedule = await scheduleOf(current, subscriptionId, idempotencyKey)
        const running = runningPhase(schedule)
        await current.send(
          'POST /v1/subscription_schedules/:id',
          (stripe) =>
            stripe.subscriptionSchedules.update(
              schedule.id,
              {
                end_behavior: 'release',
                proration_behavior: 'none',
                phases: [
                  samePhase(running, tax),
                  {
                    start_date: running.end_date,
                    duration: { interval: cycle, interval_count: 1 },
                    items: [{ price: priceId, quantity: seats }],
                    metadata: { plan },
                    proration_behavior: 'none',
                    ...phaseTax(nextTax, running),
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
      call('previewNextInvoice', options, async (current) => {
        const found = await current.find(
          'POST /v1/invoices/create_preview',
          (stripe) =>
            stripe.invoices.createPreview(
              scheduleId === null ? { subscription: subscriptionId } : { schedule: scheduleId },
            ),
          previewOf,
        )
        return found && rates.resolve(current, found)
      }),

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
  current: Call,
  subscriptionId: string,
  idempotencyKey: string,
): Promise<Stripe.SubscriptionSchedule> {
  return (
    (await attachedSchedule(current, subscriptionId)) ??
    current.send(
      'POST /v1/subscription_schedules',
      (stripe) =>
        stripe.subscriptionSchedules.create(
          { from_subscription: subscriptionId },
          { idempotencyKey: `${idempotencyKey}:schedule` },
        ),
      (response) => objectOf(response, 'subscription_schedule'),
    )
  )
}

async function attachedSchedule(
  { send }: Call,
  subscriptionId: string,
): Promise<Stripe.SubscriptionSchedule | undefined> {
  const attached = await send(
    'GET /v1/subscriptions/:id',
    (stripe) => stripe.subscriptions.retrieve(subscriptionId, { expand: ['schedule'] }),
    (response) => objectOf(response, 'subscription').schedule,
  )
  return attached !== null && typeof attached === 'object' ? attached : undefined
}

function runningPhase(schedule: Stripe.SubscriptionSchedule): Stripe.SubscriptionSchedule.Phase {
  const start = schedule.current_phase?.start_date
  const phase = schedule.phases.find(({ start_date }) => start_date === start)
  if (!phase) throw new Misshapen('the current phase of the schedule')
  return phase
}

/** The phase that runs and those that follow. Past ones cannot be sent again. */
function runningPhases(schedule: Stripe.SubscriptionSchedule): Stripe.SubscriptionSchedule.Phase[] {
  const { start_date: start } = runningPhase(schedule)
  return schedule.phases.filter(({ start_date }) => start_date >= start)
}

/** A phase as it is, with this tax. An update replaces all phases, and their tax with them. */
function samePhase(
  phase: Stripe.SubscriptionSchedule.Phase,
  tax: SubscriptionTax,
): Stripe.SubscriptionScheduleUpdateParams.Phase {
  return {
    start_date: phase.start_date,
    end_date: phase.end_date,
    items: phase.items.map(({ price, quantity }) => ({
      price: idOf(price, 'price'),
      ...(quantity !== undefined && { quantity }),
    })),
    ...(phase.metadata !== null && { metadata: phase.metadata }),
    ...(phase.billing_cycle_anchor !== null && {
      billing_cycle_anchor: phase.billing_cycle_anchor,
    }),
    proration_behavior: 'none',
    ...phaseTax(tax, phase),
  }
}

type PhaseTax = Pick<
  Stripe.SubscriptionScheduleUpdateParams.Phase,
  'automatic_tax' | 'default_tax_rates'
>

/** The tax of a phase; without one of ours, what the running phase has. */
function phaseTax(tax: SubscriptionTax, running: Stripe.SubscriptionSchedule.Phase): PhaseTax {
  if (tax.mode === 'automatic') return { automatic_tax: { enabled: true } }
  if (tax.mode === 'rates') return { default_tax_rates: [...tax.rateIds] }
  const rateIds = (running.default_tax_rates ?? []).map((rate) => idOf(rate, 'tax rate'))
  return {
    ...(running.automatic_tax?.enabled && { automatic_tax: { enabled: true } }),
    ...(rateIds.length > 0 && { default_tax_rates: rateIds }),
  }
}

type TaxParameters = Pick<Stripe.SubscriptionUpdateParams, 'automatic_tax' | 'default_tax_rates'>

function newTax(tax: SubscriptionTax): TaxParameters {
  if (tax.mode === 'automatic') return { automatic_tax: { enabled: true } }
  return tax.mode === 'rates' ? { default_tax_rates: [...tax.rateIds] } : {}
}

/** Rates of one's own and computed tax exclude each other. */
function changedTax(tax: SubscriptionTax): TaxParameters {
  if (tax.mode === 'automatic') return { automatic_tax: { enabled: true }, default_tax_rates: '' }
  if (tax.mode === 'none') return {}
  return { automatic_tax: { enabled: false }, default_tax_rates: [...tax.rateIds] }
}

/** A subscription that a call has just worked on. */
function existing(subscription: ProcessorSubscription | undefined): ProcessorSubscription {
  if (!subscription) throw new Misshapen('the subscription')
  return subscription
}

async function previewSubscription(
  current: Call,
  rates: TaxRates,
  input: Parameters<Payments['previewSubscription']>[0],
): Promise<StartPreview> {
  const { customer, priceId, currency, seats, trialEnd, tax } = input
  const preview = (mode: 'next' | 'recurring') =>
    previewed(current, rates, {
      ...('id' in customer
        ? { customer: customer.id }
        : {
            customer_details: {
              ...(customer.address !== null && { address: newAddress(customer.address) }),
              tax_exempt: customer.taxExempt,
              tax_ids: customer.taxIds.map(({ type, value }) => ({
                type: type as Stripe.InvoiceCreatePreviewParams.CustomerDetails.TaxId.Type,
                value,
              })),
            },
          }),
      currency,
      preview_mode: mode,
      ...(tax.mode === 'automatic' && { automatic_tax: { enabled: true } }),
      subscription_details: {
        items: [{ price: priceId, quantity: seats }],
        billing_mode: { type: 'flexible' },
        ...(tax.mode === 'rates' && { default_tax_rates: [...tax.rateIds] }),
        ...(mode === 'next' && trialEnd !== null && { trial_end: seconds(trialEnd) }),
      },
    })
  const [first, recurring] = await Promise.all([preview('next'), preview('recurring')])
  return { first, recurring }
}

async function previewed(
  current: Call,
  rates: TaxRates,
  parameters: Stripe.InvoiceCreatePreviewParams,
): Promise<InvoicePreview> {
  const read = await current.send(
    'POST /v1/invoices/create_preview',
    (stripe) => stripe.invoices.createPreview(parameters),
    previewOf,
  )
  return rates.resolve(current, read)
}

async function previewChange(
  current: Call,
  rates: TaxRates,
  input: Parameters<Payments['previewChange']>[0],
): Promise<ChangePreview> {
  const { customerId, subscriptionId, itemId, prorationDate, cycleChanges } = input
  const preview = (
    mode: 'next' | 'recurring',
    { priceId, seats, tax }: NonNullable<typeof input.next>,
  ) =>
    previewed(current, rates, {
      customer: customerId,
      subscription: subscriptionId,
      preview_mode: mode,
      ...(tax.mode === 'automatic' && { automatic_tax: { enabled: true } }),
      subscription_details: {
        items: [{ id: itemId, price: priceId, quantity: seats }],
        ...(tax.mode === 'rates' && { default_tax_rates: [...tax.rateIds] }),
        ...(mode === 'next' && {
          proration_behavior: 'always_invoice' as const,
          proration_date: seconds(prorationDate),
        }),
        ...(mode === 'next' && cycleChanges && { billing_cycle_anchor: { type: 'now' as const } }),
      },
    })
  const [now, next] = await Promise.all([
    preview('next', input),
    preview('recurring', input.next ?? input),
  ])
  return { ...now, prorationDate: new Date(seconds(prorationDate) * 1000), next }
}
