import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { type BookingPageRow, findPublicPage } from '@atrium/db/scheduling/booking-pages'
import { type EventTypeRow, findEventType } from '@atrium/db/scheduling/event-types'
import { findHostsById, type HostRow } from '@atrium/db/scheduling/hosts'
import type { Services } from '../../rpc/services.ts'

/**
 * An event type that can be booked, with those of its hosts who can take bookings, the own one
 * first where it can.
 */
export interface Bookable {
  page: BookingPageRow
  eventType: EventTypeRow
  hosts: readonly HostRow[]
}

/** One response for everything that visitors cannot see, so that no one learns what else exists. */
export const nothingHere = () => new AppError('not_found')

/** A page that visitors may see. Throws AppError `not_found`. */
export async function publicPage(services: Services, slug: string): Promise<BookingPageRow> {
  const page = isSlugShaped(slug) ? await findPublicPage(services.database.db, { slug }) : undefined
  if (!page || !isOpen(page)) throw nothingHere()
  return page
}

/** What visitors can book under this id, listed or not. Throws AppError `not_found`. */
export async function bookableById(services: Services, eventTypeId: string): Promise<Bookable> {
  const eventType = await findEventType(services.database.db, eventTypeId)
  if (!eventType?.active) throw nothingHere()
  const [page, hosts] = await Promise.all([
    findPublicPage(services.database.db, { id: eventType.tenantId }),
    hostsWhoTake(services.database.db, eventType),
  ])
  if (!page || !isOpen(page) || hosts.length === 0) throw nothingHere()
  return { page, eventType, hosts }
}

/**
 * The same for a row. Throws AppError `not_found` while it is disabled or none of its hosts can
 * take it.
 */
export async function bookable(
  services: Services,
  page: BookingPageRow,
  eventType: EventTypeRow,
): Promise<Bookable> {
  const hosts = eventType.active ? await hostsWhoTake(services.database.db, eventType) : []
  if (hosts.length === 0) throw nothingHere()
  return { page, eventType, hosts }
}

/**
 * The hosts who take a booking of the event type: its own while active; for a round robin those who
 * are active; for a collective type all or none, because a meeting without one of them is another
 * meeting. Empty when no host does.
 */
export async function hostsWhoTake(db: Db | Trx, eventType: EventTypeRow): Promise<HostRow[]> {
  const found = new Map((await findHostsById(db, eventType.hostIds)).map((host) => [host.id, host]))
  const hosts = eventType.hostIds.flatMap((id) => found.get(id) ?? [])
  const active = hosts.filter((host) => host.active && host.tenantId === eventType.tenantId)
  const own = active.some(({ id }) => id === eventType.hostId)
  switch (eventType.assignment) {
    case 'host':
      return active.filter(({ id }) => id === eventType.hostId)
    case 'collective':
      return active.length === eventType.hostIds.length ? active : []
    case 'round_robin':
      // The address is the own host's: with them it goes.
      return own ? active : []
  }
}

/**
 * The duration that is asked for, else the event type's first. Throws AppError `invalid_input` for
 * one that it does not have.
 */
export function durationOf(
  { durations }: Pick<EventTypeRow, 'durations'>,
  requested: number | undefined,
): number {
  const minutes = requested ?? durations[0]
  if (minutes === undefined || !durations.includes(minutes)) {
    const message = errorText('chooseDuration', { durations: durations.join(', ') })
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'duration', message }] })
  }
  return minutes
}

function isOpen({ tenantStatus, enabled }: BookingPageRow): boolean {
  return enabled && tenantStatus !== 'suspended' && tenantStatus !== 'deleted'
}
