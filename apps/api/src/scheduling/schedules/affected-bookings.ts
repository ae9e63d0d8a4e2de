import { type AffectedBooking, toSlotSchedule } from '@atrium/core/scheduling/schedules'
import { isWithinHours } from '@atrium/core/scheduling/slots'
import type { Db } from '@atrium/db/platform/connect'
import { listUpcomingOfHost } from '@atrium/db/scheduling/bookings'
import type { ScheduleRow } from '@atrium/db/scheduling/schedules'

/** Bookings that are looked through, and of the affected ones those that are returned. */
const mostLookedAt = 2_000
const mostShown = 50

/**
 * Upcoming bookings that a change of a schedule leaves outside of its hours. Those that were
 * outside before, as a host may book for a visitor, are not named again. `before` is undefined
 * where the bookings did not follow this schedule.
 */
export async function affectedBookings(
  db: Db,
  change: { before: ScheduleRow | undefined; after: ScheduleRow; now: Date },
): Promise<{ affectedBookings: AffectedBooking[]; affectedCount: number }> {
  const { before, after, now } = change
  const [old, current] = [before && toSlotSchedule(before), toSlotSchedule(after)]
  const follows = ({
    scheduleId,
    eventTypeHostId,
  }: {
    scheduleId: string | null
    eventTypeHostId: string
  }) =>
    scheduleId !== null && eventTypeHostId === after.hostId
      ? scheduleId === after.id
      : after.standard
  const upcoming = await listUpcomingOfHost(db, after.hostId, now, mostLookedAt)
  const affected = upcoming.filter((booking) => {
    const span = { start: booking.startAt.getTime(), end: booking.endAt.getTime() }
    return (
      follows(booking) &&
      !isWithinHours(current, span) &&
      (old === undefined || isWithinHours(old, span))
    )
  })
  return {
    affectedBookings: affected
      .slice(0, mostShown)
      .map(({ id, title, visitorName, startAt, endAt }) => ({
        id,
        title,
        visitorName,
        start: startAt.toISOString(),
        end: endAt.toISOString(),
      })),
    affectedCount: affected.length,
  }
}
