import {
  type EventPage,
  type EventView,
  eventDays,
  isExpiredCursor,
  type ListEvents,
} from '@atrium/core/events/events'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { type EventRow, endOfEvents, listEvents as queryEvents } from '@atrium/db/events/events'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import type { Services } from '../rpc/services.ts'

/**
 * Events behind a cursor in the order of their commits. Throws AppError `cursor_expired`: events
 * behind the cursor may have been deleted, and a reader must learn that some are missing.
 */
export async function listEvents(
  { database: { db }, clock }: Pick<Services, 'database' | 'clock'>,
  reader: TokenOwner,
  { after, limit }: ListEvents,
): Promise<EventPage> {
  if (after !== undefined && after !== 'end' && isExpiredCursor(after, clock.now()))
    throw new AppError('cursor_expired', errorText('cursorExpired', { days: eventDays }))
  const end = await endOfEvents(db)
  if (after === 'end') return { items: [], nextCursor: end, more: false }
  const rows = await queryEvents(db, reader, { after, until: end, limit: limit + 1 })
  const items = rows.slice(0, limit).map((row) => toEventView(row, reader))
  return {
    items,
    // A reader without events moves on too: its cursor would otherwise expire.
    nextCursor: items.at(-1)?.cursor ?? end,
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
