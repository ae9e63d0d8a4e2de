import { randomUUID } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type DeliveryKind,
  loggedLength,
  type ReplayEvents,
  type ReplayedEvents,
  testEventType,
  type WebhookDelivery,
  type WebhookEndpointPath,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { cursorBefore, findEvent } from '@atrium/db/events/events'
import type { Trx } from '@atrium/db/platform/connect'
import { insertDelivery, type NewDelivery } from '@atrium/db/webhook-endpoints/deliveries'
import {
  rewindWebhookEndpoint,
  type WebhookEndpointRow,
} from '@atrium/db/webhook-endpoints/webhook-endpoints'
import { readEvent } from '../events/records.ts'
import type { Context } from '../rpc/context.ts'
import type { Services } from '../rpc/services.ts'
import type { Holder } from '../service-tokens/owner.ts'
import { endpointOf, recordEndpoint } from './change.ts'
import { keyringOf, secretsOf } from './secret.ts'
import { toDeliveryView } from './view.ts'

/** Sends one message to an endpoint. Returns the entry of its log, which is not stored yet. */
export async function sendTo(
  services: Pick<Services, 'config' | 'clock' | 'webhookSender'>,
  endpoint: Pick<WebhookEndpointRow, 'id' | 'url' | 'secret' | 'previousSecret' | 'previousEndsAt'>,
  message: { id: string; type: string; kind: DeliveryKind; attempt: number; content: object },
): Promise<NewDelivery> {
  const at = services.clock.now()
  const body = JSON.stringify(message.content)
  const sent = await services.webhookSender.send({
    url: endpoint.url,
    secrets: secretsOf(keyringOf(services), endpoint, at),
    id: message.id,
    body,
  })
  return {
    endpointId: endpoint.id,
    eventId: message.id,
    eventType: message.type,
    kind: message.kind,
    attempt: message.attempt,
    at,
    request: body.slice(0, loggedLength).toWellFormed(),
    ...sent,
  }
}

/**
 * Sends a test event now and returns how that ended. Throws AppError `not_found`,
 * `integration_off`.
 */
export async function testWebhookEndpoint(
  ctx: Context,
  holder: Holder,
  { id }: WebhookEndpointPath,
): Promise<WebhookDelivery> {
  const endpoint = await endpointOf(ctx.services.database.db, holder, id)
  const eventId = randomUUID()
  const sent = await sendTo(ctx.services, endpoint, {
    id: eventId,
    type: testEventType,
    kind: 'test',
    attempt: 1,
    content: {
      id: eventId,
      type: testEventType,
      timestamp: ctx.services.clock.now().toISOString(),
      data: { tenant: holder.place.tenantSlug ?? null, partner: holder.place.partnerSlug ?? null },
    },
  })
  return noteSent(ctx, sent, (trx, { ok }) =>
    recordEndpoint(ctx, trx, holder, endpoint, 'webhook_endpoint.tested', { ok }),
  )
}

/**
 * Sends one event again now, or sets the endpoint back, so that all events since a moment are
 * delivered once more in their order. Returns the delivery of the one event. Throws AppError
 * `not_found`, `integration_off`, and what the change of its owner throws.
 */
export async function replayEvents(
  ctx: Context,
  holder: Holder,
  { id, eventId, since }: ReplayEvents,
): Promise<ReplayedEvents> {
  const { db } = ctx.services.database
  const endpoint = await endpointOf(db, holder, id)
  const record = (trx: Trx) =>
    recordEndpoint(ctx, trx, holder, endpoint, 'webhook_endpoint.replayed', {
      ...(eventId === undefined ? { since } : { eventId }),
    })
  if (eventId !== undefined) {
    const row = await findEvent(db, holder.owner, eventId)
    if (!row) throw new AppError('not_found', errorText('unknownEvent'))
    const content = await readEvent(ctx.services, holder.owner, row)
    const message = { id: row.id, type: row.type, kind: 'replay' as const, attempt: 1, content }
    return { delivery: await noteSent(ctx, await sendTo(ctx.services, endpoint, message), record) }
  }
  await holder.change(async (trx) => {
    await endpointOf(trx, holder, id)
    const cursor = since && (await cursorBefore(trx, holder.owner, new Date(since)))
    if (cursor) await rewindWebhookEndpoint(trx, id, cursor)
    await record(trx)
  })
  return { delivery: null }
}

/** Stores a delivery with its entry in the audit log, and returns it. */
function noteSent(
  { services }: Context,
  sent: NewDelivery,
  record: (trx: Trx, delivery: WebhookDelivery) => Promise<void>,
): Promise<WebhookDelivery> {
  return services.database.db.transaction().execute(async (trx) => {
    const id = await insertDelivery(trx, sent)
    const { eventId: event_id, eventType: event_type, ...fields } = sent
    const delivery = toDeliveryView({ ...fields, id, event_id, event_type })
    await record(trx, delivery)
    return delivery
  })
}
