import type { HostRow } from '@atrium/db/scheduling/hosts'
import { standardZoneOf } from '@atrium/db/scheduling/hosts'
import { deadline } from '@atrium/integrations/deadline'
import type { Services } from '../../rpc/services.ts'
import { calendarAccess } from '../calendars/access.ts'
import { clearBusyTimes } from '../calendars/busy-times.ts'

const deadlineMs = 5_000

/**
 * Gives the host's calendar the zone of its standard schedule, in which all-day and floating events
 * are busy. Done once the schedule is saved. Never throws: a calendar that cannot be reached keeps
 * the zone that it had, and gets this one when it is connected again.
 */
export async function followZone(services: Services, host: HostRow): Promise<void> {
  const limit = deadline(deadlineMs, undefined)
  try {
    const timeZone = await standardZoneOf(services.database.db, host.id)
    if (timeZone === undefined) return
    const { calendars, credential, calendar } = await calendarAccess(services, host)
    await calendars.setTimeZone({ credential, calendar, timeZone }, { signal: limit.signal })
  } catch (err) {
    services.log.warn(
      { err, hostId: host.id },
      "failed to set the time zone of the host's calendar",
    )
  } finally {
    limit.clear()
    clearBusyTimes(services, host.id)
  }
}
