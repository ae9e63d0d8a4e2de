import { cutPage } from '@atrium/core/platform/paging'
import type {
  ListWebhookDeliveries,
  WebhookDeliveryPage,
  WebhookEndpointList,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { listDeliveries } from '@atrium/db/webhook-endpoints/deliveries'
import { listWebhookEndpoints as list } from '@atrium/db/webhook-endpoints/webhook-endpoints'
import type { Context } from '../rpc/context.ts'
import type { Holder } from '../service-tokens/owner.ts'
import { endpointOf } from './change.ts'
import { toDeliveryView, toEndpointView } from './view.ts'

/** The endpoints of an owner, newest first. */
export async function listWebhookEndpoints(
  { services }: Context,
  { owner }: Pick<Holder, 'owner'>,
): Promise<WebhookEndpointList> {
  const rows = await list(services.database.db, owner)
  return { items: rows.map((row) => toEndpointView(row, services.clock.now())) }
}

/** The log of an endpoint, newest first. Throws AppError `not_found`. */
export async function listWebhookDeliveries(
  { services }: Context,
  holder: Pick<Holder, 'owner'>,
  { id, cursor: before, limit }: ListWebhookDeliveries,
): Promise<WebhookDeliveryPage> {
  const { db } = services.database
  await endpointOf(db, holder, id)
  const { items, nextCursor } = cutPage(await listDeliveries(db, id, { limit, before }), limit)
  return { items: items.map(toDeliveryView), nextCursor }
}
