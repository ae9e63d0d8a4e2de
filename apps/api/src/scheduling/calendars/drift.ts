import { AppError } from '@atrium/core/platform/errors'
import type { CalendarDrift } from '@atrium/core/scheduling/scheduling'
import {
  listEventsToCheck,
  setCalendarDrift,
  type WrittenEvent,
} from '@atrium/db/scheduling/booking-calendars'
import { findHostById } from '@atrium/db/scheduling/hosts'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { calendarAccess, markCredential } from './access.ts'

const daysAhead = 7
const everyMs = 15 * 60_000
const batch = 500
const hostsAtOnce = 4
const readDeadlineMs = 10_000

/**
 * Checks whether the events of the coming week are still where we wrote them, and records where a
 * host moved or deleted one in a mail program. The booking stays unchanged: only people can know
 * the intention. For a calendar that cannot be read, the last result stays.
 */
export async function checkCalendars(services: Services): Promise<void> {
  const now = services.clock.now()
  const until = new Date(now.getTime() + daysAhead * 86_400_000)
  // A little less than the time between two runs, so that each run sees every event.
  const before = new Date(now.getTime() - 0.9 * everyMs)
  const events = await listEventsToCheck(services.database.db, { now, until, before, limit: batch })
  const hosts = [...Map.groupBy(events, ({ hostId }) => hostId)]
  for (let at = 0; at < hosts.length && !services.background.ending; at += hostsAtOnce) {
    await Promise.all(
      hosts.slice(at, at + hostsAtOnce).map(([hostId, own]) => checkHost(services, hostId, own)),
    )
  }
}

async function checkHost(
  services: Services,
  hostId: string,
  events: readonly WrittenEvent[],
): Promise<void> {
  const { db } = services.database
  try {
    const host = await findHostById(db, hostId)
    if (!host) return
    const { calendars, credential, calendar } = await calendarAccess(services, host)
    for (const event of events) {
      const found = await calendars.readEvent(
        { credential, calendar, eventId: event.eventId },
        { signal: AbortSignal.timeout(readDeadlineMs) },
      )
      await setCalendarDrift(db, event, driftOf(event, found), services.clock.now())
    }
  } catch (error) {
    await markCredential(services, hostId, error)
    const foreseen = error instanceof UpstreamError || error instanceof AppError
    services.log[foreseen ? 'warn' : 'error'](
      { err: error, hostId },
      'failed to compare a calendar with its bookings',
    )
  }
}

function driftOf(
  event: WrittenEvent,
  found: { start: number; end: number } | undefined,
): CalendarDrift {
  if (!found) return 'deleted'
  return found.start === event.start.getTime() && found.end === event.end.getTime()
    ? 'none'
    : 'moved'
}
