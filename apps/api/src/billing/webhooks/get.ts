import {
  type ListWebhookEvents,
  maskedPayload,
  type WebhookEventItem,
  type WebhookEventPage,
  type WebhookEventView,
} from '@atrium/core/billing/webhooks'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { findInboxEvent, type InboxEvent, listInboxEvents } from '@atrium/db/billing/webhook-inbox'
import { readFailure } from '../../rpc/reader-language.ts'
import type { Services } from '../../rpc/services.ts'
import { readInboxHealth } from './health.ts'

/** Events of the payment processor, newest first, with how far behind the inbox is. */
export async function listWebhookEvents(
  services: Services,
  { cursor, ...filter }: ListWebhookEvents,
): Promise<WebhookEventPage> {
  const [rows, health] = await Promise.all([
    listInboxEvents(services.database.db, { ...filter, before: cursor }),
    readInboxHealth(services),
  ])
  const { items, nextCursor } = cutPage(rows, filter.limit)
  return { items: items.map(toItem), nextCursor, health }
}

/** One event with its payload, personal data masked. Throws AppError `not_found`. */
export async function getWebhookEvent(
  { database }: Services,
  id: string,
): Promise<WebhookEventView> {
  const row = await findInboxEvent(database.db, id)
  if (!row) throw unknownEvent()
  return { ...toItem(row), payload: maskedPayload(row.payload) }
}

export const unknownEvent = () => new AppError('not_found', errorText('unknownEvent'))

function toItem(row: InboxEvent): WebhookEventItem {
  return {
    id: row.id,
    type: row.type,
    objectId: row.objectId,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created.toISOString(),
    receivedAt: row.receivedAt.toISOString(),
    nextAt: row.nextAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    note: readFailure(row.note),
    livemode: row.livemode,
    apiVersion: row.apiVersion,
  }
}
