import type { StripeCalls } from './client.ts'
import { listOf } from './pages.ts'
import type { PaymentEvent, Payments } from './port.ts'
import { seconds, text } from './shapes.ts'
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
            const { data, has_more: more } = listOf(response)
            const last = data.at(-1)
            return {
              events: data.flatMap((event) => readable({ ...event })),
              next: more && last ? text(last.id, 'id') : null,
            }
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
