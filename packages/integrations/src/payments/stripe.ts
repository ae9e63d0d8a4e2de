import { balanceCalls } from './balance-calls.ts'
import { type StripeOptions, stripeCalls } from './client.ts'
import { customerCalls } from './customer-calls.ts'
import { eventCalls } from './event-calls.ts'
import { invoiceCalls } from './invoice-calls.ts'
import type { Payments } from './port.ts'
import { priceCalls } from './price-calls.ts'
import { objectOf } from './shapes.ts'
import { subscriptionCalls } from './subscription-calls.ts'
import { taxRateCalls, taxRates } from './tax-shape.ts'

export type { StripeOptions } from './client.ts'

/**
 * Stripe through its own SDK. Connects to nothing and reads no key before the first call; throws
 * only for an unusable address.
 */
export function stripe(options: StripeOptions): Payments {
  const calls = stripeCalls(options)
  const rates = taxRates()
  return {
    check: (callOptions) =>
      calls.call('check', callOptions, async ({ send }) => {
        await send(
          'GET /v1/balance',
          (sdk) => sdk.balance.retrieve(),
          (balance) => objectOf(balance, 'balance'),
        )
      }),
    ...customerCalls(calls),
    ...priceCalls(calls),
    ...taxRateCalls(calls, rates),
    ...subscriptionCalls(calls, rates),
    ...invoiceCalls(calls, rates),
    ...eventCalls(calls),
    ...balanceCalls(calls),
  }
}
