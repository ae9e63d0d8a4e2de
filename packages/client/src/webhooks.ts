import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import type { WebhookMessage } from './events.ts'

export type { AtriumEvent, EventOf, EventType, WebhookMessage } from './events.ts'
export { WebhookVerificationError }

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  /** The body exactly as it was sent: parsed and written again, it has another signature. */
  body: string
  /** At least `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
}

const signedHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Returns the content of a webhook that was signed with one of the secrets (`whsec_…`) within the
 * last five minutes, by the Standard Webhooks specification. During a rotation, give both secrets.
 * Throws WebhookVerificationError for every other request: respond to it with 400. The `webhook-id`
 * stays the same when a delivery is repeated; ignore those that you have seen.
 */
export function verifyWebhook(
  { body, headers }: ReceivedWebhook,
  secrets: string | readonly string[],
): WebhookMessage {
  const signed = Object.fromEntries(signedHeaders.map((name) => [name, readHeader(headers, name)]))
  const candidates = typeof secrets === 'string' ? [secrets] : secrets
  let failure: unknown = new WebhookVerificationError('No secret was given.')
  for (const secret of candidates) {
    try {
      // Its signature shows that it comes from the API.
      return new Webhook(secret).verify(body, signed) as WebhookMessage
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function readHeader(headers: ReceivedWebhook['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
