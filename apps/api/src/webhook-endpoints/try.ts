import { randomUUID } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  type DeliveryKind,
  type ListWebhookDeliveries,
  loggedLength,
  type ReplayEvents,
  testEventType,
  type WebhookDelivery,
  type WebhookDeliveryPage,
  type WebhookEndpointPath,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { cursorBefore, findEvent } from '@atrium/db/events/events'
import {
  insertDelivery,
  listDeliveries,
  type NewDelivery,
} from '@atrium/db/webhook-endpoints/deliveries'
import {
  rewindWebhookEndpoint,
  type WebhookEndpointRow,
} from '@atrium/db/webhook-endpoints/webhook-endpoints'
import { toEventView } from '../events/list.ts'
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
  { id }: Omit<WebhookEndpointPath, 'slug'>,
): Promise<WebhookDelivery> {
  const endpoint = await endpointOf(ctx.services.database.db, holder, id)
  const eventId = randomUUID()
  const delivery = await sendNow(ctx, endpoint, {
    id: eventId,
    type: testEventType,
    kind: 'test',
    content: {
      id: eventId,
      type: testEventType,
      timestamp: ctx.services.clock.now().toISOString(),
      data: { tenant: holder.place.tenantSlug ?? null, partner: holder.place.partnerSlug ?? null },
    },
  })
  await recordEndpoint(ctx, holder, endpoint, 'webhook_endpoint.tested', { ok: delivery.ok })
  return delivery
}

/**
 * Sends one event again now, or sets the endpoint back, so that all events since a moment are
 * delivered once more in their order. Returns the delivery of the one event. Throws AppError
 * `not_found`, `integration_off`, and what the change of its owner throws.
 */
export async function replayEvents(
  ctx: Context,
  holder: Holder,
  { id, eventId, since }: Omit<ReplayEvents, 'slug'>,
): Promise<{ delivery: WebhookDelivery | null }> {
  const { db } = ctx.services.database
  const endpoint = await endpointOf(db, holder, id)
  let delivery: WebhookDelivery | null = null
  if (eventId !== undefined) {
    const row = await findEvent(db, holder.owner, eventId)
    if (!row) throw new AppError('not_found', errorText('unknownEvent'))
    const content = toEventView(row, holder.owner)
    delivery = await sendNow(ctx, endpoint, {
      id: content.id,
      type: content.type,
      kind: 'replay',
      content,
    })
  } else if (since !== undefined) {
    await holder.change(async (trx) => {
      await endpointOf(trx, holder, id)
      const cursor = await cursorBefore(trx, holder.owner, new Date(since))
      if (cursor !== undefined) await rewindWebhookEndpoint(trx, id, cursor)
    })
  }
  await recordEndpoint(ctx, holder, endpoint, 'webhook_endpoint.replayed', {
    ...(eventId === undefined ? { since } : { eventId }),
  })
  return { delivery }
}

async function sendNow(
  { services }: Context,
  endpoint: WebhookEndpointRow,
  message: Omit<Parameters<typeof sendTo>[2], 'attempt'>,
): Promise<WebhookDelivery> {
  const delivery = await sendTo(services, endpoint, { ...message, attempt: 1 })
  const id = await insertDelivery(services.database.db, delivery)
  const { eventId: event_id, eventType: event_type, ...fields } = delivery
  return toDeliveryView({ ...fields, id, event_id, event_type })
}

/** The log of an endpoint, newest first. Throws AppError `not_found`. */
export async function listWebhookDeliveries(
  { services }: Context,
  holder: Pick<Holder, 'owner'>,
  { id, cursor: before, limit }: Omit<ListWebhookDeliveries, 'slug'>,
): Promise<WebhookDeliveryPage> {
  const { db } = services.database
  await endpointOf(db, holder, id)
  const { items, nextCursor } = cutPage(await listDeliveries(db, id, { limit, before }), limit)
  return { items: items.map(toDeliveryView), nextCursor }
}
