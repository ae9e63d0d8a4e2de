import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { type Sandbox, startSandbox } from '@atrium/sandbox/start'
import type { CallReport } from '../src/call-policy.ts'
import type { Payments, PostalAddress, ProcessorSubscription } from '../src/payments/port.ts'
import { type StripeOptions, stripe } from '../src/payments/stripe.ts'

/** 2026-01-15T12:00:00Z: no month that begins here is cut short. */
export const start = new Date('2026-01-15T12:00:00Z')

export interface PaymentsUnderTest extends AsyncDisposable {
  sandbox: Sandbox
  payments: Payments
  reports: CallReport[]
  /** A key that no other call has. */
  write(): { idempotencyKey: string }
  /** A customer with a card of that number, or without one. */
  customer(card?: string): Promise<string>
  /** A paid business subscription by the month in euros. */
  subscribed(
    seats: number,
    card?: string,
  ): Promise<{ customerId: string; subscription: ProcessorSubscription }>
  eventTypes(): string[]
}

export const germany: PostalAddress = {
  line1: null,
  line2: null,
  postalCode: null,
  city: null,
  state: null,
  country: 'DE',
}

/** No tax. */
export const none = { mode: 'none' } as const

export const business = 'price_demo_business_month_eur'
export const works = '4242424242424242'
export const declinedLater = '4000000000000341'
export const confirmedEachTime = '4000002760003184'

/**
 * The real client on the sandbox's own server; the payments' clock stands at `start` and moves only
 * when it is moved.
 */
export async function openPayments(
  options: Partial<StripeOptions> = {},
): Promise<PaymentsUnderTest> {
  const sandbox = await startSandbox({ payments: { now: () => start.getTime() } })
  const reports: CallReport[] = []
  const payments = stripe({
    secretKey: demoServiceCredentials.stripeSecretKey,
    apiUrl: sandbox.paymentsUrl,
    backoffMs: { initial: 1, max: 2 },
    onCall: (report) => reports.push(report),
    ...options,
  })
  let keys = 0
  const write = () => {
    keys += 1
    return { idempotencyKey: `test:${keys}` }
  }
  async function customer(card?: string): Promise<string> {
    const input = {
      tenantId: '0197-tenant',
      tenantSlug: 'acme',
      name: 'Acme',
      email: 'billing@acme.test',
      address: germany,
    }
    const { id } = await payments.createCustomer(input, write())
    if (card !== undefined) sandbox.payments.act({ action: 'attach_card', customer: id, card })
    return id
  }
  return {
    sandbox,
    payments,
    reports,
    write,
    customer,
    async subscribed(seats, card = works) {
      const customerId = await customer(card)
      const input = {
        customerId,
        tenantId: '0197-tenant',
        plan: 'business',
        priceId: business,
        seats,
        trialDays: 0,
        tax: { mode: 'none' } as const,
      }
      const { subscription } = await payments.createSubscription(input, write())
      return { customerId, subscription }
    },
    eventTypes: () => sandbox.payments.events().map(({ type }) => type),
    [Symbol.asyncDispose]: () => sandbox.close(),
  }
}

export function daysLater(days: number): Date {
  return new Date(start.getTime() + days * 86_400_000)
}
