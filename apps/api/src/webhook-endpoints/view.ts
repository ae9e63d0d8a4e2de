import type {
  WebhookDelivery,
  WebhookEndpointView,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import type { listDeliveries } from '@atrium/db/webhook-endpoints/deliveries'
import type { WebhookEndpointRow } from '@atrium/db/webhook-endpoints/webhook-endpoints'

export function toEndpointView(row: WebhookEndpointRow, now: Date): WebhookEndpointView {
  const { previousEndsAt } = row
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    types: row.types,
    createdAt: row.createdAt.toISOString(),
    previousSecretEndsAt:
      previousEndsAt && previousEndsAt > now ? previousEndsAt.toISOString() : null,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    disabledReason: row.disabledReason,
    failingSince: row.failingSince?.toISOString() ?? null,
  }
}

type DeliveryRow = Omit<Awaited<ReturnType<typeof listDeliveries>>[number], 'endpoint_id'>

export function toDeliveryView(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    kind: row.kind,
    attempt: row.attempt,
    at: row.at.toISOString(),
    milliseconds: row.milliseconds,
    ok: isAccepted(row.status),
    status: row.status,
    error: row.error,
    request: row.request,
    response: row.response,
  }
}

/** Standard Webhooks: only a status from 200 to 299 accepts a message. */
export function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}
