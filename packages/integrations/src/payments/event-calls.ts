import type { StripeCalls } from './client.ts'
import { pageOf } from './pages.ts'
import type { PaymentEvent, Payments } from './port.ts'
import { seconds } from './shapes.ts'
import { paymentEventOf, WebhookRejected } from './webhooks.ts'

const pageSize = 100

export function eventCalls({ call }: StripeCalls): Pick<Payments, 'listEvents'> {
  return {
    listEvents: ({ types, since, after }, options) =>
      call('listEvents', options, ({ send }) =>
        send(
          'GET /v1/events',
          (stripe) =>
            stripe.events.list({
              types: [...types],
              created: { gte: seconds(since) },
              limit: pageSize,
              ...(after !== null && { starting_after: after }),
            }),
          (response) => {
            const { entries, next } = pageOf(response, (event) => readable({ ...event }))
            return { events: entries.flat(), next }
          },
        ),
      ),
  }
}

/** Nothing for an event that a webhook would be rejected for: it cannot be stored either way. */
function readable(event: Readonly<Record<string, unknown>>): PaymentEvent[] {
  try {
    return [paymentEventOf(event)]
  } catch (error) {
    if (error instanceof WebhookRejected) return []
    throw error
  }
}
