import { findEventsSince } from '@atrium/db/billing/billing'
import { eachPage } from '@atrium/integrations/payments/pages'
import type { Payments } from '@atrium/integrations/payments/port'
import { storePaymentEvent } from '../../platform/payment-events.ts'
import type { Services } from '../../rpc/services.ts'
import { drainWebhooks } from './process.ts'

/**
 * What the comparison of subscriptions and invoices cannot find: refunds, credit notes, disputes,
 * when a subscription changed, and what mails the receipt or the request to confirm a payment. At
 * most 20 types per call.
 */
const recovered = [
  'invoice.paid',
  'invoice.payment_action_required',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'credit_note.created',
  'credit_note.updated',
  'credit_note.voided',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
]
const day = 86_400_000
/** The processor lists its events for 30 days. */
const keptMs = 30 * day
/** Read twice, in case the clocks differ or an event is listed late. */
const overlapMs = day

/**
 * Reads the processor's events of these types since the last complete reading, puts those that no
 * webhook brought into the inbox, and works on them. Undefined when the program ends before the
 * last page; the next night reads the same again. Rejects with `UpstreamError`.
 */
export async function recoverLostEvents(
  services: Services,
  payments: Payments,
): Promise<{ lost: number; since: Date } | undefined> {
  const { db } = services.database
  const startedAt = services.clock.now()
  const oldest = startedAt.getTime() - keptMs
  const known = (await findEventsSince(db))?.getTime() ?? oldest
  const since = new Date(Math.max(oldest, known - overlapMs))
  let lost = 0
  const pages = eachPage((after) => payments.listEvents({ types: recovered, since, after }))
  for await (const { events } of pages) {
    for (const event of events)
      if ((await storePaymentEvent(services, event)) === 'received') lost += 1
    if (services.background.ending) return undefined
  }
  if (lost > 0) await drainWebhooks(services)
  return { lost, since: startedAt }
}
