import { webhookRetrySeconds } from '@atrium/core/billing/webhooks'
import { AppError } from '@atrium/core/platform/errors'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import {
  type ClaimedEvent,
  claimInboxEvent,
  findDueInboxEvents,
  finishInboxEvent,
} from '@atrium/db/billing/webhook-inbox'
import type { Trx } from '@atrium/db/platform/connect'
import { PaymentDeclined } from '@atrium/integrations/payments/declined'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { SystemEntry } from '../../rpc/audit-recorder.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { applyEvent } from './apply.ts'
import type { Outcome } from './outcome.ts'

const batch = 40
const atOnce = 4
/**
 * Longer than the calls of any event take together; a process that dies leaves its event to others
 * after this.
 */
const leaseSeconds = 90
/** First try and five more. An event that ended so many processes is not tried again by itself. */
const mostAttempts = 6

/**
 * Works on every event that is due, oldest first, until none is left. Any number of processes may
 * do so at once.
 */
export async function drainWebhooks(services: Services): Promise<void> {
  for (;;) {
    const due = await findDueInboxEvents(services.database.db, batch)
    if (due.length === 0) return
    const workers = Array.from({ length: atOnce }, async () => {
      for (let id = due.shift(); id !== undefined && !services.background.ending; id = due.shift())
        await processEvent(services, id)
    })
    await Promise.all(workers)
    if (services.background.ending) return
  }
}

/**
 * Claims one event and acts on it. Nothing happens when it is done, not due, or somebody else's.
 */
export async function processEvent(services: Services, id: string): Promise<void> {
  const event = await claimInboxEvent(services.database.db, id, leaseSeconds)
  if (!event) return
  const outcome = event.attempts > mostAttempts ? crashed : await tryToApply(services, event)
  const kept = await services.database.db.transaction().execute(async (trx) => {
    const finished = await finishInboxEvent(trx, event, outcome)
    if (finished && outcome.state === 'parked')
      await recordParked(trx, services, event, outcome.note)
    return finished
  })
  if (kept) services.metrics.webhooks.inc({ outcome: outcome.state })
}

const crashed: Outcome = { state: 'parked', note: stepFailureText('triesExhausted') }

async function tryToApply(
  services: Services,
  event: ClaimedEvent,
): Promise<Outcome & { retrySeconds?: number }> {
  try {
    return await applyEvent(services, event)
  } catch (err) {
    services.log.warn(
      { err, eventId: event.id, type: event.type, attempt: event.attempts },
      'a payment event could not be applied',
    )
    const note = failureText(err) ?? stepFailureText('unforeseen')
    const retrySeconds = webhookRetrySeconds(event.attempts)
    return retrySeconds === undefined
      ? { state: 'parked', note }
      : { state: 'failed', note, retrySeconds }
  }
}

/** What may be shown of a failure: the sentences that were written for people. */
function failureText(error: unknown): string | undefined {
  return error instanceof UpstreamError ||
    error instanceof PaymentDeclined ||
    error instanceof AppError
    ? error.message
    : undefined
}

async function recordParked(
  trx: Trx,
  services: InTransaction,
  event: ClaimedEvent,
  note: string | null,
): Promise<void> {
  services.log.error(
    { eventId: event.id, type: event.type, note },
    'a payment event was parked; an operator can replay it',
  )
  const entry: SystemEntry = {
    action: 'webhook.parked',
    source: 'webhook',
    outcome: 'failure',
    resourceType: 'webhook',
    resourceId: event.id,
    resourceName: event.type,
    metadata: { objectId: event.objectId, attempts: event.attempts, note },
  }
  await services.audit.recordSystem(entry, trx)
}
