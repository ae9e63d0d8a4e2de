import { createHmac, randomBytes } from 'node:crypto'
import type { TestApp } from './test-app.ts'

export const webhookSecret = 'whsec_of_these_tests'

export interface Signing {
  secret?: string
  /** Seconds since 1970. */
  at?: number
}

/**
 * The header as Stripe signs (docs.stripe.com/webhooks/signatures): HMAC-SHA256 over time, dot and
 * body.
 */
export function signature(body: string, at: number, secret = webhookSecret): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}

export interface EventFields {
  id?: string
  type?: string
  object?: Record<string, unknown>
  livemode?: boolean
  created?: number
}

/** The body of an event as it comes over the wire. */
export function eventBody(fields: EventFields = {}): { id: string; body: string } {
  const id = fields.id ?? `evt_${randomBytes(8).toString('hex')}`
  const event = {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    type: fields.type ?? 'product.updated',
    created: fields.created ?? 1_772_000_000,
    livemode: fields.livemode ?? false,
    data: { object: fields.object ?? { id: 'prod_1', object: 'product' } },
  }
  return { id, body: JSON.stringify(event) }
}

/** Sends a body as the payment processor would. */
export async function post(
  testApp: TestApp,
  body: string,
  header: string | undefined,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await testApp.app.fetch(
    new Request('http://api.test/webhooks/stripe', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        ...(header === undefined ? {} : { 'stripe-signature': header }),
      },
    }),
    {},
  )
  const answer: Record<string, unknown> = JSON.parse(await response.text())
  return { status: response.status, body: answer }
}
