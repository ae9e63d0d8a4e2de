import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import type {
  EventTypePage,
  EventTypeView,
  ListEventTypes,
} from '@atrium/core/scheduling/event-types'
import {
  type EventTypeRow,
  findEventType,
  listEventTypes as readEventTypes,
} from '@atrium/db/scheduling/event-types'
import { findHost } from '@atrium/db/scheduling/hosts'
import type { Config } from '../../platform/config.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { hostsInReach, ownHost, requireHostAccess } from '../access.ts'

export const noSuchEventType = () => new AppError('not_found', errorText('unknownEventType'))

/**
 * Newest first. Members without the right to every host see those of their own. Throws AppError
 * `not_admin`, `not_found` for `hostId`.
 */
export async function listEventTypes(
  { services }: Context,
  access: Access,
  input: ListEventTypes,
): Promise<EventTypePage> {
  const host =
    input.hostId === undefined
      ? await hostsInReach(services, access)
      : await ownHost(services, access, input.hostId)
  if (host === undefined) return { items: [], nextCursor: null }
  const filter = {
    ...(host === 'all' ? {} : { hostId: host.id }),
    before: input.cursor,
    limit: input.limit,
  }
  const { items, nextCursor } = cutPage(
    await readEventTypes(services.database.db, access.tenant.id, filter),
    input.limit,
  )
  return {
    items: items.map((row) => toEventTypeView(row, access.tenant.slug, services.config)),
    nextCursor,
  }
}

/** Throws AppError `not_found`, `not_admin`. */
export async function getEventType(
  { services }: Context,
  access: Access,
  eventTypeId: string,
): Promise<EventTypeView> {
  const { db } = services.database
  const row = await findEventType(db, eventTypeId)
  if (!row || row.tenantId !== access.tenant.id || row.removedAt) throw noSuchEventType()
  const host = await findHost(db, access.tenant.id, row.hostId)
  if (!host) throw noSuchEventType()
  requireHostAccess(access, host)
  return toEventTypeView(row, access.tenant.slug, services.config)
}

export function toEventTypeView(
  row: EventTypeRow,
  tenantSlug: string,
  config: Config,
): EventTypeView {
  const { tenantId: _, hostSlug, limitDay, limitWeek, limitMonth, removedAt: __, ...kept } = row
  return {
    ...kept,
    limits: { day: limitDay, week: limitWeek, month: limitMonth },
    publicUrl:
      config.booking.url === null
        ? null
        : `${config.booking.url}/${tenantSlug}/${hostSlug}/${row.slug}`,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
