import { AppError } from '@atrium/core/platform/errors'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { Span } from '@atrium/core/scheduling/slots'
import { listOwnEvents, type OwnEventRow } from '@atrium/db/scheduling/availability'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import type { BusyPeriod } from '@atrium/integrations/calendars/port'
import { deadline, Elapsed, untilAborted } from '@atrium/integrations/deadline'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { calendarAccess, calendarUnavailable, markCredential } from './access.ts'

/** From the call to the response, however many hosts are read. */
const deadlineMs = 5_000

/** What may lie before a start and after it and still be in its way, whatever the event type. */
const beforeMs = schedulingLimits.bufferMinutes * 60_000
const afterMs = beforeMs + schedulingLimits.durationMinutes.most * 60_000

/** By the id of the host. A host that is not in it was not read. */
export type BusyOfHosts = ReadonlyMap<string, readonly BusyPeriod[]>

export interface ReadOptions {
  /** Past every cache. */
  fresh: boolean
  /** Its own event does not count. */
  movedBookingId?: string | undefined
}

/**
 * When these hosts are not free around starts in `span`, without what we wrote into their calendars
 * ourselves: of that the database knows more. The longest buffers and durations are read with it.
 * One call per host, all at once, five seconds for all. Throws AppError `calendar_unavailable` when
 * one of them cannot be read, whatever the reason; the reason is its cause.
 */
export async function readBusy(
  services: Services,
  hosts: readonly HostRow[],
  span: Span,
  options: ReadOptions,
): Promise<Map<string, readonly BusyPeriod[]>> {
  const readings = await readEach(services, hosts, span, options)
  return new Map(
    readings.map(({ host, busy, error }) => {
      if (busy === undefined) throw error
      return [host.id, busy]
    }),
  )
}

/**
 * The same for hosts of whom one is enough: those that cannot be read are left out. Throws when
 * that is all of them.
 */
export async function readBusyOfSome(
  services: Services,
  hosts: readonly HostRow[],
  span: Span,
  options: ReadOptions,
): Promise<Map<string, readonly BusyPeriod[]>> {
  const readings = await readEach(services, hosts, span, options)
  const readable = readings.flatMap(({ host, busy }) =>
    busy === undefined ? [] : [[host.id, busy] as const],
  )
  if (readable.length === 0 && readings[0]) throw readings[0].error
  return new Map(readable)
}

/** Lets go of what is known of the host's calendar, after something was written to it. */
export function clearBusyTimes(services: Services, hostId: string): void {
  services.busyTimes.forget(hostId)
}

interface HostReading {
  host: HostRow
  busy?: readonly BusyPeriod[]
  error?: AppError
}

async function readEach(
  services: Services,
  hosts: readonly HostRow[],
  starts: Span,
  { fresh, movedBookingId }: ReadOptions,
): Promise<HostReading[]> {
  const span = { start: starts.start - beforeMs, end: starts.end + afterMs }
  const limit = deadline(deadlineMs, undefined)
  try {
    return await Promise.all(
      hosts.map(async (host) => {
        try {
          const reading = fresh
            ? services.busyTimes.fresh(host, span)
            : services.busyTimes.recent(host, span)
          return {
            host,
            busy: await withoutOwn(
              services,
              host,
              span,
              await untilAborted(reading, limit.signal),
              movedBookingId,
            ),
          }
        } catch (error) {
          return { host, error: asUnavailable(error) }
        }
      }),
    )
  } finally {
    limit.clear()
  }
}

/** Asks the host's calendar. The way that `createBusyTimes` is given. */
export async function askCalendar(
  services: Services,
  host: HostRow,
  span: Span,
): Promise<readonly BusyPeriod[]> {
  const limit = deadline(deadlineMs, undefined)
  try {
    const { calendars, credential, calendar, noted } = await calendarAccess(services, host)
    const busy = await calendars.busyPeriods(
      { credential, calendar, from: span.start, to: span.end, addresses: [host.mailAddress] },
      { signal: limit.signal },
    )
    if (!noted) await markCredential(services, host.id, 'ok')
    return busy
  } catch (error) {
    await markCredential(services, host.id, error)
    throw error
  } finally {
    limit.clear()
  }
}

/** Every failure to read a calendar is one rejection; any other error is a bug of ours. */
function asUnavailable(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'calendar_unavailable') return error
  if (error instanceof AppError || error instanceof UpstreamError || error instanceof Elapsed)
    return calendarUnavailable(error)
  throw error
}

/**
 * Leaves out the events that we wrote, as long as they are at the booking's time (R19): the
 * database knows those. An event that the host moved in a mail program is busy at its current time.
 * The event of the booking being moved never blocks.
 */
async function withoutOwn(
  services: Services,
  host: HostRow,
  span: Span,
  busy: readonly BusyPeriod[],
  movedBookingId: string | undefined,
): Promise<readonly BusyPeriod[]> {
  if (busy.length === 0) return busy
  const range = { from: new Date(span.start), to: new Date(span.end) }
  const named = busy.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]))
  const own = await listOwnEvents(services.database.db, host.id, range, named)
  const byEvent = Map.groupBy(own, ({ eventId }) => eventId)
  const unnamed = new Set(
    (byEvent.get(null) ?? []).map(({ startAt, endAt }) =>
      periodKey(startAt.getTime(), endAt.getTime()),
    ),
  )
  return busy.filter(({ eventId, start, end }) => {
    const bookings = (eventId !== null && byEvent.get(eventId)) || []
    if (bookings.length > 0 && bookings.every(({ bookingId }) => bookingId === movedBookingId))
      return false
    return (
      !bookings.some((booking) => isWhereWritten(booking, start, end)) &&
      !unnamed.has(periodKey(start, end))
    )
  })
}

const periodKey = (start: number, end: number) => `${start} ${end}`

/**
 * At the booking's own period, or at the one from before a change that the calendar has not got
 * yet.
 */
function isWhereWritten(
  { startAt, endAt, writtenStart, writtenEnd, lagging }: OwnEventRow,
  start: number,
  end: number,
): boolean {
  if (startAt.getTime() === start && endAt.getTime() === end) return true
  if (!lagging) return false
  // An event of an earlier version of the program: where it was written is not known.
  if (writtenStart === null || writtenEnd === null) return true
  return writtenStart.getTime() === start && writtenEnd.getTime() === end
}
