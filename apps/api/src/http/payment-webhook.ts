import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { PaymentEvent } from '@atrium/integrations/payments/port'
import type { Context as HonoContext } from 'hono'
import { storePaymentEvent } from '../platform/payment-events.ts'
import type { Services } from '../rpc/services.ts'
import { problemResponse } from './problems.ts'
import type { AppEnv } from './request-info.ts'

/**
 * POST /webhooks/stripe: verifies the signature over the raw body, stores the event once, and
 * responds; a job processes it. Ignores the billing gates, so that nothing is lost while one is
 * closed. AppError `invalid_signature`, `payments_not_configured` without a secret. The body is
 * never logged.
 */
export async function takeWebhook(c: HonoContext<AppEnv>, services: Services): Promise<Response> {
  c.set('route', '/webhooks/stripe')
  if (c.req.method !== 'POST') return onlyPost(c)
  const { webhookSecrets } = services.config.billing
  if (webhookSecrets.length === 0)
    throw new AppError('payments_not_configured', errorText('webhookSecretMissing'))
  const body = Buffer.from(await c.req.arrayBuffer())
  const event = await verified(services, body, c.req.header('stripe-signature'), webhookSecrets)
  const outcome = await storePaymentEvent(services, event)
  // The sweep finds stored events without a job, so a stored event is acknowledged even when the
  // job engine is unavailable.
  if (outcome === 'received')
    services.background.run('waking the work on payment events', () =>
      services.jobs.enqueueWebhooks(),
    )
  return c.json({ received: true })
}

function onlyPost(c: HonoContext<AppEnv>): Response {
  const response = problemResponse(c, new AppError('method_not_allowed'))
  response.headers.set('allow', 'POST')
  return response
}

async function verified(
  services: Services,
  body: Buffer,
  header: string | undefined,
  secrets: readonly string[],
): Promise<PaymentEvent> {
  // Loaded with the service where a secret is set (main.ts), and not at all elsewhere.
  const { verifyWebhook, WebhookRejected } = await import('@atrium/integrations/payments/webhooks')
  try {
    return verifyWebhook(body, header, secrets, services.clock.now())
  } catch (error) {
    if (!(error instanceof WebhookRejected)) throw error
    services.metrics.webhooks.inc({ outcome: error.reason })
    services.log.warn({ reason: error.reason }, 'payment webhook event rejected')
    throw new AppError('invalid_signature', error.message)
  }
}
