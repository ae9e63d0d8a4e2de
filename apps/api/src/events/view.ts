import type { EventView } from '@atrium/core/events/events'
import type { EventRow } from '@atrium/db/events/events'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'

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
