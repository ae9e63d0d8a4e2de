import {
  type EventPage,
  type EventView,
  eventDays,
  isExpiredCursor,
  type ListEvents,
} from '@atrium/core/events/events'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { endOfEvents, listEvents as queryEvents } from '@atrium/db/events/events'
import type { TokenOwner } from '@atrium/db/service-tokens/service-tokens'
import type { Caller } from '../rpc/caller.ts'
import type { Services } from '../rpc/services.ts'
import { mayReadRecords, readEvent } from './records.ts'
import { toEventView } from './view.ts'

/**
 * Events behind a cursor in the order of their commits, with `include` also the records that they
 * are about, as far as the caller may read them. Throws AppError `cursor_expired`: events
 * behind the cursor may have been deleted, and a reader must learn that some are missing.
 */
export async function listEvents(
  services: Services,
  { caller, reader }: { caller: Caller; reader: TokenOwner },
  { after, limit, include }: ListEvents,
): Promise<EventPage> {
  const { database, clock } = services
  const { db } = database
  if (after !== undefined && after !== 'end' && isExpiredCursor(after, clock.now()))
    throw new AppError('cursor_expired', errorText('cursorExpired', { days: eventDays }))
  const end = await endOfEvents(db)
  if (after === 'end') return { items: [], nextCursor: end, more: false }
  const rows = await queryEvents(db, reader, { after, until: end, limit: limit + 1 })
  const mayRead = mayReadRecords(caller)
  const items: EventView[] = []
  // One after another: a page must not take every connection.
  for (const row of rows.slice(0, limit))
    items.push(
      include === 'record'
        ? await readEvent(services, reader, row, mayRead)
        : toEventView(row, reader),
    )
  return {
    items,
    // A reader without events moves on too: its cursor would otherwise expire.
    nextCursor: items.at(-1)?.cursor ?? end,
    more: rows.length > limit,
  }
}
