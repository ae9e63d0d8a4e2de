import { demoServiceCredentials } from '@atrium/core/demo/demo'
import Stripe from 'stripe'
import type { PaymentsOptions } from '../src/payments/system.ts'
import { type Sandbox, startSandbox } from '../src/start.ts'

/** 2026-01-31T12:00:00Z: the last day of a month, so that periods are cut short and grow again. */
export const start = Date.UTC(2026, 0, 31, 12)
export const business = 'price_demo_business_month_eur'

export interface PaymentsServer extends AsyncDisposable {
  sandbox: Sandbox
  /** The official client on the sandbox. */
  stripe: Stripe
  /** A request past the client. */
  raw(
    method: string,
    path: string,
    form?: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: { error?: Stripe.StripeRawError } }>
  customer(card?: string): Promise<Stripe.Customer>
  subscription(
    quantity: number,
    more?: Stripe.SubscriptionCreateParams,
    card?: string,
  ): Promise<Stripe.Subscription>
  /** Moves the clock to so many days and hours after the start. */
  pass(days: number, hours?: number): void
  eventTypes(): string[]
}

export async function openPaymentsServer(options: PaymentsOptions = {}): Promise<PaymentsServer> {
  const sandbox = await startSandbox({ payments: { now: () => start, ...options } })
  const { hostname: host, port } = new URL(sandbox.paymentsUrl)
  const stripe = new Stripe(demoServiceCredentials.stripeSecretKey, {
    host,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  async function customer(card = 'pm_card_visa'): Promise<Stripe.Customer> {
    const made = await stripe.customers.create({ name: 'Acme', metadata: { tenantId: 't' } })
    if (card !== '') sandbox.payments.act({ action: 'attach_card', customer: made.id, card })
    return made
  }
  return {
    sandbox,
    stripe,
    customer,
    async raw(method, path, form, headers = {}) {
      const response = await fetch(`${sandbox.paymentsUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${demoServiceCredentials.stripeSecretKey}`,
          'stripe-version': Stripe.API_VERSION,
          ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        ...(form !== undefined && { body: form }),
      })
      return {
        status: response.status,
        body: (await response.json()) as { error?: Stripe.StripeRawError },
      }
    },
    async subscription(quantity, more = {}, card) {
      const { id } = await customer(card)
      return stripe.subscriptions.create({
        customer: id,
        items: [{ price: business, quantity }],
        ...more,
      })
    },
    pass: (days, hours = 0) =>
      sandbox.payments.setNow(new Date(start + (days * 24 + hours) * 3_600_000)),
    eventTypes: () => sandbox.payments.events().map(({ type }) => type),
    [Symbol.asyncDispose]: () => sandbox.close(),
  }
}
