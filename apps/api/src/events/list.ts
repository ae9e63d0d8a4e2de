import type { EventPage, EventView, ListEvents } from '@atrium/core/events/events'
import { type EventRow, listEvents as queryEvents } from '@atrium/db/events/events'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import type { Services } from '../rpc/services.ts'

/** Events behind a cursor in the order of their commits. */
export async function listEvents(
  services: Pick<Services, 'database'>,
  reader: TokenOwner,
  { after, limit }: ListEvents,
): Promise<EventPage> {
  const rows = await queryEvents(services.database.db, reader, { after, limit: limit + 1 })
  const items = rows.slice(0, limit).map((row) => toEventView(row, reader))
  return {
    items,
    nextCursor: items.at(-1)?.cursor ?? after ?? null,
    more: rows.length > limit,
  }
}

/** A partner sees the addresses of its own staff, not those of its customers' people. */
export function toEventView(row: EventRow, reader: TokenOwner): EventView {
  const hidden = reader.kind === 'partner' && row.tenantSlug !== null && row.actorType !== 'partner'
  return {
    id: row.id,
    type: row.type,
    timestamp: row.at.toISOString(),
    cursor: row.cursor,
    data: {
      tenant: row.tenantSlug,
      partner: row.partnerSlug,
      actor: { type: row.actorType, id: row.actorId, email: hidden ? null : row.actorEmail },
      resource: { type: row.resourceType, id: row.resourceId, name: row.resourceName },
      changes: row.changes,
      details: row.details,
    },
  }
}
