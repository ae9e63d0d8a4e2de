import { demoServiceCredentials } from '@atrium/core/demo/demo'
import type { DemoHistory } from '@atrium/core/demo/demo-history'
import Stripe from 'stripe'
import { honoListener, type SandboxSystem, type SystemContext } from '../system.ts'
import { act, type PaymentAction } from './actions.ts'
import { paymentsApi } from './app.ts'
import { createDelivery, type Delivery, type SendWebhook } from './delivery.ts'
import { errorBody, invalid } from './faults.ts'
import { livePaymentsHistory } from './history.ts'
import { paymentPages } from './pages.ts'
import type { EventRecord } from './records.ts'
import { seedPayments } from './seed.ts'
import { createStore } from './store.ts'
import { catchUp } from './time.ts'
import { createWorld, defaultSettings, type PaymentsSettings } from './world.ts'

export interface PaymentsOptions extends Partial<PaymentsSettings> {
  /**
   * Where signed webhooks are posted automatically. Absent: they wait until delivery is configured.
   */
  readonly webhookUrl?: string
  /** Milliseconds since 1970; the sandbox's own time when absent. */
  readonly now?: () => number
  /** What customers did before the start; the seed has none when absent. */
  readonly history?: DemoHistory
}

export interface PaymentsSystem extends SandboxSystem {
  readonly name: 'payments'
  /** The moment on the payments' clock, which runs on from where it was set. */
  now(): Date
  /**
   * Moves the clock forward and carries out what becomes due on the way. Throws for a moment that
   * has passed.
   */
  setNow(moment: Date): void
  /**
   * What happens at the bank, the card form or in the dashboard. Returns the object as the API
   * shows it.
   */
  act(action: PaymentAction): object
  /** Every event, oldest first. */
  events(): readonly EventRecord[]
  readonly webhooks: Delivery
  close(): void
}

const tickMs = 1_000

/**
 * The stand-in for Stripe: its REST for what the client calls, with state, a clock that can be
 * moved and signed webhooks.
 */
export function createPayments(
  context: SystemContext,
  options: PaymentsOptions = {},
): PaymentsSystem {
  const { stripeSecretKey, stripeWebhookSecret } = demoServiceCredentials
  const machineNow = options.now ?? context.now
  const settings: PaymentsSettings = {
    retryDays: options.retryDays ?? defaultSettings.retryDays,
    afterRetries: options.afterRetries ?? defaultSettings.afterRetries,
  }
  const store = createStore()
  const webhooks = createDelivery({
    store,
    secret: stripeWebhookSecret,
    machineNow,
    changed: context.changed,
  })
  const { changed, origin } = context
  const announce = (id: string) => webhooks.announce(id)
  const world = createWorld(
    { store, settings, machineNow, changed, origin, announce },
    Stripe.API_VERSION,
  )
  const api = paymentsApi(world, { secretKey: stripeSecretKey, apiVersion: Stripe.API_VERSION })
  const current = () => {
    catchUp(world)
    return world
  }
  const setNow = (moment: Date) => {
    const offsetMs = moment.getTime() - machineNow()
    if (Number.isNaN(offsetMs) || offsetMs < store.offsetMs)
      throw invalid('The clock of the payments only moves forward.')
    store.offsetMs = offsetMs
    catchUp(world)
    changed()
  }
  api.route('/', paymentPages({ current, setNow, webhooks }))
  const fill = () => {
    if (options.history) store.load(livePaymentsHistory(options.history, settings).saved)
    else seedPayments(store, context.seed, machineNow())
  }
  fill()
  if (options.webhookUrl !== undefined) webhooks.sendBy(postTo(options.webhookUrl))
  // Time passes also without calls: trials end and undelivered events are retried.
  const tick = setInterval(() => {
    catchUp(world)
    webhooks.retryDue()
  }, tickMs)
  tick.unref()

  return {
    name: 'payments',
    listener: honoListener(api),
    state: () => masked(store.save()),
    save: () => store.save(),
    load: (saved) => store.load(saved),
    reset() {
      store.clear()
      fill()
    },
    errorResponse: (status) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ error: errorBody(status) }),
    }),
    now: () => new Date(machineNow() + store.offsetMs),
    setNow,
    act(action) {
      const done = act(current(), action)
      changed()
      return done
    },
    events: () => current().store.events.all(),
    webhooks,
    close() {
      clearInterval(tick)
      webhooks.close()
    },
  }
}

function postTo(url: string): SendWebhook {
  return async ({ body, headers }) => {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers,
      signal: AbortSignal.timeout(10_000),
    })
    await response.body?.cancel()
    return response.status
  }
}

type Whole = ReturnType<ReturnType<typeof createStore>['save']>

/**
 * Without the secrets that let a browser pay or enter a card, and without what was answered before.
 */
function masked({ replays, events, setupIntents, invoices, ...records }: Whole): unknown {
  return {
    ...records,
    setupIntents: setupIntents.map(({ secret: _secret, ...intent }) => intent),
    invoices: invoices.map(({ payment, ...invoice }) => ({
      ...invoice,
      payment: payment && { ...payment, secret: '***' },
    })),
    events: events.map(({ body: _body, ...event }) => event),
    replays: replays.length,
  }
}
