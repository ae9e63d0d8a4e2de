import { insertInboxEvent } from '@atrium/db/billing/webhook-inbox'
import type { Db } from '@atrium/db/platform/connect'
import type { PaymentEvent } from '@atrium/integrations/payments/port'
import type { Config } from './config.ts'
import type { Metrics } from './metrics.ts'

/**
 * Keeps an event of the payment processor in the inbox, once; a job works on it. One of the other
 * mode (test or live) is kept and never worked on.
 */
export async function storePaymentEvent(
  { config, database, metrics }: { config: Config; database: { db: Db }; metrics: Metrics },
  event: PaymentEvent,
): Promise<'received' | 'ignored_mode' | 'duplicate'> {
  const state = event.livemode === config.billing.livemode ? 'received' : 'ignored_mode'
  const fresh = await insertInboxEvent(database.db, {
    id: event.id,
    type: event.type,
    objectId: event.objectId,
    apiVersion: event.apiVersion,
    created: event.created,
    livemode: event.livemode,
    payload: JSON.stringify(event.payload),
    state,
  })
  const outcome = fresh ? state : 'duplicate'
  metrics.webhooks.inc({ outcome })
  return outcome
}
