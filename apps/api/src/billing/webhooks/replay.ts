import type { ReplayedEvents, WebhookEventView } from '@atrium/core/billing/webhooks'
import { AppError } from '@atrium/core/platform/errors'
import {
  findInboxEvent,
  replayInboxEvent,
  replayParkedEvents,
} from '@atrium/db/billing/webhook-inbox'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { getWebhookEvent, unknownEvent } from './get.ts'

/**
 * Has an event worked on again from its first try. Doing so twice does no harm: what it is about is
 * read again. AppError `not_found`, `event_state` for one that waits or is being worked on, and for
 * one of the wrong mode.
 */
export async function replayWebhookEvent(
  ctx: Context,
  caller: Caller,
  id: string,
): Promise<WebhookEventView> {
  const { services } = ctx
  const event = await findInboxEvent(services.database.db, id)
  if (!event) throw unknownEvent()
  await services.database.db.transaction().execute(async (trx) => {
    if (!(await replayInboxEvent(trx, event.id))) throw new AppError('event_state')
    await services.jobs.enqueueWebhooks(trx)
    const entry: AuditEntry = {
      action: 'webhook.replayed',
      resourceType: 'webhook',
      resourceId: event.id,
      resourceName: event.type,
      metadata: { before: event.state },
    }
    await services.audit.record(ctx, caller, entry, trx)
  })
  return getWebhookEvent(services, event.id)
}

/** Has every parked event worked on again. */
export async function replayParked(ctx: Context, caller: Caller): Promise<ReplayedEvents> {
  const { services } = ctx
  const ids = await services.database.db.transaction().execute(async (trx) => {
    const replayed = await replayParkedEvents(trx)
    if (replayed.length > 0) await services.jobs.enqueueWebhooks(trx)
    const entry: AuditEntry = {
      action: 'webhook.replayed',
      resourceType: 'webhook',
      metadata: { parked: replayed.length, ids: replayed },
    }
    await services.audit.record(ctx, caller, entry, trx)
    return replayed
  })
  return { replayed: ids.length }
}
