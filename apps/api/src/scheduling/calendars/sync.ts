import { AppError } from '@atrium/core/platform/errors'
import { failureText, stepFailureText } from '@atrium/core/platform/failure-text'
import { calendarRetryDelay } from '@atrium/core/scheduling/scheduling'
import {
  type CalendarOutcome,
  type ClaimedCalendar,
  claimCalendars,
  readSharedEvent,
  saveCalendarOutcome,
  setWrittenGroup,
} from '@atrium/db/scheduling/booking-calendars'
import { findHostById, type HostRow, setHostCalendar } from '@atrium/db/scheduling/hosts'
import { isTransient, UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { eventUid } from '../bookings/facts.ts'
import { type CalendarAccess, calendarAccess, markCredential } from './access.ts'
import { calendarEvent } from './event.ts'

/** Calendars that one process writes at once. */
const atOnce = 10
/** Below the lease of a calendar. */
const writeDeadlineMs = 40_000
/** Shorter than the time after which the job engine gives a job to another worker. */
const drainMs = 120_000

/**
 * Brings calendars to their bookings as far as they are due, each with its own outcome. Any number
 * of processes may do so at once. A process that dies midway leaves leases that lapse; the write is
 * then repeated, which the UID of the event makes harmless.
 */
export async function drainCalendars(services: Services): Promise<void> {
  const { db } = services.database
  const until = performance.now() + drainMs
  while (!services.background.ending) {
    const claimed = await claimCalendars(db, services.clock.now(), atOnce)
    await Promise.all(claimed.map((one) => writeCalendar(services, one)))
    const [first] = claimed
    if (!first || claimed.length < atOnce) return
    if (performance.now() > until) return services.jobs.enqueueCalendars(first.bookingId, 0)
  }
}

/**
 * One try for one host's calendar of a booking, with its outcome saved. Throws for faults of our
 * own alone, such as a database that is away.
 */
export async function writeCalendar(services: Services, claimed: ClaimedCalendar): Promise<void> {
  const outcome = await attempt(services, claimed)
  const now = services.clock.now()
  const saved = await saveCalendarOutcome(services.database.db, claimed, outcome, now)
  const state =
    'error' in outcome
      ? outcome.nextAt === null
        ? 'gave_up'
        : 'failed'
      : outcome.written
        ? 'written'
        : 'removed'
  services.metrics.calendarWrites.inc({ outcome: state })
  const facts = {
    bookingId: claimed.bookingId,
    hostId: claimed.hostId,
    state,
    attempt: claimed.attempts,
    saved,
    ...('error' in outcome ? { error: outcome.error } : {}),
  }
  if (state === 'gave_up') services.log.error(facts, 'calendar sync failed permanently')
  else services.log.info(facts, 'calendar sync attempted')
  if ('error' in outcome && outcome.nextAt !== null) {
    await services.jobs.enqueueCalendars(
      claimed.bookingId,
      (outcome.nextAt.getTime() - now.getTime()) / 1000,
    )
  }
}

async function attempt(services: Services, claimed: ClaimedCalendar): Promise<CalendarOutcome> {
  const signal = AbortSignal.timeout(writeDeadlineMs)
  try {
    const outcome = await write(services, claimed, signal)
    await markCredential(services, claimed.hostId, 'ok')
    return outcome
  } catch (thrown) {
    const error = causeOf(thrown)
    await markCredential(services, claimed.hostId, error)
    return {
      error: reasonOf(services, claimed, error, signal),
      nextAt: isFinal(error) ? null : nextTry(services, claimed),
    }
  }
}

/** The mail server's message, even where callers get another one. */
function causeOf(error: unknown): unknown {
  return error instanceof AppError && error.cause instanceof UpstreamError ? error.cause : error
}

/**
 * What a person has to mend first; connecting the mailbox again makes it due. An event that could
 * not be found may turn up.
 */
function isFinal(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'host_not_connected'
  return error instanceof UpstreamError && error.kind !== 'conflict' && !isTransient(error)
}

function nextTry(services: Services, { attempts }: ClaimedCalendar): Date | null {
  const seconds = calendarRetryDelay(attempts)
  return seconds === undefined ? null : new Date(services.clock.now().getTime() + seconds * 1000)
}

function reasonOf(
  services: Services,
  { bookingId, hostId }: ClaimedCalendar,
  error: unknown,
  signal: AbortSignal,
): string {
  if (error instanceof UpstreamError || error instanceof AppError) return error.message
  if (signal.aborted)
    return failureText({
      system: 'mail',
      call: 'writeCalendar',
      kind: 'timeout',
      seconds: writeDeadlineMs / 1000,
    })
  services.log.error({ err: error, bookingId, hostId }, 'unexpected error during calendar sync')
  return stepFailureText('unforeseen')
}

async function write(
  services: Services,
  claimed: ClaimedCalendar,
  signal: AbortSignal,
): Promise<CalendarOutcome> {
  const { db } = services.database
  const host = await findHostById(db, claimed.hostId)
  if (!host) throw new Error(`the host ${claimed.hostId} is not there`)
  const access = await calendarAccess(services, host)
  try {
    return await settleEvents({ services, claimed, host, access, signal })
  } catch (error) {
    if (!(error instanceof UpstreamError && error.kind === 'not_found')) throw error
    // The calendar that we knew is gone; the mailbox may have another one by now.
    const calendar = await access.calendars.open(access.credential, { signal })
    await setHostCalendar(db, host.id, calendar)
    return settleEvents({
      services,
      claimed,
      host,
      access: { ...access, calendar },
      signal,
    })
  }
}

interface Desk {
  services: Services
  claimed: ClaimedCalendar
  host: HostRow
  access: CalendarAccess
  signal: AbortSignal
}

async function settleEvents(desk: Desk): Promise<CalendarOutcome> {
  const { services, claimed } = desk
  const { writtenGroup, seatGroup } = claimed
  // A booking with seats that was moved has left an event behind, which others may share.
  if (writtenGroup !== null && writtenGroup !== seatGroup) {
    await bringUp(desk, writtenGroup)
    await setWrittenGroup(services.database.db, claimed, null, null)
  }
  return bringUp(desk, seatGroup)
}

/**
 * Lets the event of a group tell of the bookings that share it, or takes it away when there are
 * none.
 */
async function bringUp(
  { services, claimed, host, access, signal }: Desk,
  group: string,
): Promise<CalendarOutcome> {
  const { db } = services.database
  const { calendars, credential, calendar } = access
  const shared = await readSharedEvent(db, host.id, group, claimed.bookingId)
  const reported = shared.bookingIds.includes(claimed.bookingId)
  const [first] = shared.bookingIds
  // Recorded before the call: a lost response must not hide that an event may exist.
  if (reported) await setWrittenGroup(db, claimed, group, shared.eventId)
  if (first === undefined) {
    const uid = eventUid(claimed, group)
    const known = claimed.writtenGroup === group
    if (known) {
      // It is not at the booking's current time, once the booking was moved away from this host.
      const start = (claimed.writtenStart ?? claimed.startAt).getTime()
      await calendars.removeEvent(
        { credential, calendar, uid, start, eventId: shared.eventId },
        { signal },
      )
    }
    return { written: null, state: shared.state }
  }
  const event = await calendarEvent(services, host, { group, bookingIds: shared.bookingIds })
  const { eventId } = await calendars.putEvent(
    { credential, calendar, event, eventId: shared.eventId },
    { signal },
  )
  return {
    written: reported ? { group, eventId, start: event.start, end: event.end } : null,
    state: shared.state,
  }
}
