import { randomUUID } from 'node:crypto'
import type { CalendarDrift } from '@atrium/core/scheduling/scheduling'
import { type NotNull, sql, type Updateable } from 'kysely'
import { leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import type { BookingHostsTable } from '../schema/scheduling.ts'
import { selectBookingHosts } from './booking-claims.ts'

/**
 * How long a writer may hold a calendar without telling an outcome; longer than its deadline. Those
 * of a killed process are free after that.
 */
export const calendarLeaseSeconds = 60

/**
 * Lets the calendars of a booking's hosts follow it as it is now: due at `now`, with all their
 * tries. What was never in a calendar and need not be stays out of it. Returns whether there is
 * anything to do.
 */
export async function markCalendarsDue(trx: Trx, bookingId: string, now: Date): Promise<boolean> {
  const rows = await trx
    .updateTable('booking_hosts as p')
    .from('bookings as b')
    .set(({ eb, and, or, ref }) => {
      const follows = or([
        and([eb('b.status', '=', 'confirmed'), ref('p.active')]),
        eb('p.calendar_group', 'is not', null),
      ])
      return {
        calendar_attempts: 0,
        calendar_error: null,
        calendar_drift: 'none',
        calendar_state: eb
          .case()
          .when(follows)
          .then('pending' as const)
          .else('none' as const)
          .end(),
        calendar_next_at: eb
          .case()
          .when(follows)
          .then(eb.cast<Date>(eb.val(now), 'timestamptz'))
          .end(),
      }
    })
    .whereRef('b.tenant_id', '=', 'p.tenant_id')
    .whereRef('b.id', '=', 'p.booking_id')
    .where('b.id', '=', bookingId)
    .returning('p.calendar_state as state')
    .execute()
  return rows.some(({ state }) => state === 'pending')
}

/**
 * Marks a host's missing calendar writes as due at `now` and resets their attempts. Returns one of
 * the bookings.
 */
export async function retryCalendars(
  trx: Trx,
  hostId: string,
  now: Date,
): Promise<string | undefined> {
  const rows = await trx
    .updateTable('booking_hosts')
    .set({
      calendar_state: 'pending',
      calendar_attempts: 0,
      calendar_next_at: now,
      calendar_error: null,
    })
    .where('host_id', '=', hostId)
    .where('calendar_state', 'in', ['pending', 'failed'])
    .returning('booking_id')
    .execute()
  return rows[0]?.booking_id
}

/**
 * A booking in one host's calendar, claimed for one try. `active`: the booking takes the host's
 * time; then `seatGroup` names its event. `writtenGroup`: the group whose event was written last or
 * is being written, null when none ever was. `writtenStart`: where the event was written last, null
 * where that is not known. `attempts` includes this one.
 */
export type ClaimedCalendar = Awaited<ReturnType<typeof claimCalendars>>[number]

/**
 * Claims calendars that are due at `now`, the longest waiting first; with `bookingId`, of that
 * booking alone. Leases go by the clock of the database, which all processes share.
 */
export function claimCalendars(db: Db, now: Date, limit: number, bookingId?: string) {
  return db
    .with('due', (cte) =>
      cte
        .selectFrom('booking_hosts')
        .select(['booking_id', 'host_id'])
        .where('calendar_state', '=', 'pending')
        .where('calendar_next_at', '<=', now)
        .where(leaseExpired('calendar_lease_until'))
        .$if(bookingId !== undefined, (query) => query.where('booking_id', '=', bookingId ?? ''))
        .orderBy('calendar_next_at')
        .orderBy('booking_id')
        .orderBy('host_id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('booking_hosts as p')
    .from('due')
    .innerJoin('bookings as b', 'b.id', 'due.booking_id')
    .set((eb) => ({
      calendar_attempts: eb('p.calendar_attempts', '+', 1),
      calendar_run: randomUUID(),
      calendar_lease_until: secondsFromNow(calendarLeaseSeconds),
    }))
    .whereRef('p.booking_id', '=', 'due.booking_id')
    .whereRef('p.host_id', '=', 'due.host_id')
    .returning([
      'p.booking_id as bookingId',
      'b.uid',
      'b.start_at as startAt',
      'p.host_id as hostId',
      'p.calendar_run as run',
      'p.calendar_attempts as attempts',
      'p.active',
      'p.seat_group as seatGroup',
      'p.calendar_group as writtenGroup',
      'p.calendar_event_id as eventId',
      'p.calendar_start as writtenStart',
    ])
    .$narrowType<{ run: NotNull }>()
    .execute()
}

/** True while another process holds a calendar of this booking. */
export async function isBeingWritten(db: Db, bookingId: string): Promise<boolean> {
  const held = await db
    .selectFrom('booking_hosts')
    .select('host_id')
    .where('booking_id', '=', bookingId)
    .where('calendar_state', '=', 'pending')
    .where('calendar_lease_until', '>=', sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst()
  return held !== undefined
}

/**
 * Notes which group's event is about to be written or, with null, that none is left. False when
 * another process took over.
 */
export async function setWrittenGroup(
  db: Db,
  claimed: ClaimedCalendar,
  group: string | null,
  eventId: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('booking_hosts')
    .set({ calendar_group: group, calendar_event_id: eventId })
    .where('booking_id', '=', claimed.bookingId)
    .where('host_id', '=', claimed.hostId)
    .where('calendar_run', '=', claimed.run)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * What one event in a host's calendar has to tell: the bookings that share it, the oldest first.
 */
export interface SharedEvent {
  bookingIds: string[]
  /** As returned by an earlier write. */
  eventId: string | null
  /** Changes with everything that the event tells. */
  state: string
}

/** `bookingId` adds its own state, also when the event no longer tells of it. */
export async function readSharedEvent(
  db: Db | Trx,
  hostId: string,
  group: string,
  bookingId: string,
): Promise<SharedEvent> {
  // Plain SQL, for aggregates with an order.
  const { rows } = await sql<SharedEvent>`
    select coalesce(array_agg(b.id order by b.id) filter (where b.status = 'confirmed' and p.active and p.seat_group = ${group}), '{}')
        as "bookingIds",
      max(p.calendar_event_id) filter (where p.calendar_group = ${group}) as "eventId",
      coalesce(string_agg(concat_ws(':', b.id, b.version, b.status, p.active, p.seat_group), ' ' order by b.id)
        filter (where b.id = ${bookingId} or (b.status = 'confirmed' and p.active and p.seat_group = ${group})), '') as state
    from booking_hosts p join bookings b on b.tenant_id = p.tenant_id and b.id = p.booking_id
    where p.host_id = ${hostId} and (p.seat_group = ${group} or p.calendar_group = ${group} or p.booking_id = ${bookingId})`.execute(
    db,
  )
  return rows[0] ?? { bookingIds: [], eventId: null, state: '' }
}

/** An event as it was written; instants in milliseconds since 1970. */
export interface EventAsWritten {
  group: string
  eventId: string
  start: number
  end: number
}

export type CalendarOutcome =
  | { written: EventAsWritten | null; state: string }
  /** `nextAt` null: not retried automatically. */
  | { error: string; nextAt: Date | null }

/**
 * Ends a try. What was written counts only while it is what the event has to tell: after a change
 * meanwhile the calendar is due again. False when another process took over; then nothing is saved.
 */
export async function saveCalendarOutcome(
  db: Db,
  claimed: ClaimedCalendar,
  outcome: CalendarOutcome,
  now: Date,
): Promise<boolean> {
  const saved = await save(db, claimed, outcome, now)
  if (saved && 'written' in outcome && outcome.written)
    await shareEventId(db, claimed.hostId, outcome.written)
  return saved
}

/**
 * Gives the id and period of a written event to every booking that shares it: an event that is
 * recreated has a new id.
 */
async function shareEventId(
  db: Db,
  hostId: string,
  { group, eventId, start, end }: EventAsWritten,
): Promise<void> {
  const period = { from: new Date(start), to: new Date(end) }
  // Plain SQL: rows are compared and named as a whole.
  await sql`
    update booking_hosts set calendar_event_id = ${eventId}, calendar_start = ${period.from}, calendar_end = ${period.to}
    where (booking_id, host_id) in (
      select booking_id, host_id from booking_hosts
      where host_id = ${hostId} and calendar_group = ${group}
        and (calendar_event_id, calendar_start, calendar_end) is distinct from
          (${eventId}::text, ${period.from}::timestamptz, ${period.to}::timestamptz)
      order by booking_id for update)`.execute(db)
}

function save(
  db: Db,
  claimed: ClaimedCalendar,
  outcome: CalendarOutcome,
  now: Date,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const held = await trx
      .selectFrom('booking_hosts')
      .select(['seat_group as seatGroup', 'calendar_attempts as attempts'])
      .where('booking_id', '=', claimed.bookingId)
      .where('host_id', '=', claimed.hostId)
      .where('calendar_run', '=', claimed.run)
      .forUpdate()
      .executeTakeFirst()
    if (!held) return false
    const released = { calendar_run: null, calendar_lease_until: null }
    if ('error' in outcome) {
      const { error, nextAt } = outcome
      // Made due again meanwhile, by a change or a credential that this try did not know: that is
      // tried whatever became of this one.
      if (held.attempts !== claimed.attempts) {
        await update(trx, claimed, released)
        return true
      }
      const state = nextAt === null ? ('failed' as const) : ('pending' as const)
      await update(trx, claimed, {
        ...released,
        calendar_state: state,
        calendar_next_at: nextAt,
        calendar_error: error,
      })
      return true
    }
    const { written, state } = outcome
    const version = await versionOf(trx, claimed.bookingId)
    const current =
      (await readSharedEvent(trx, claimed.hostId, held.seatGroup, claimed.bookingId)).state ===
      state
    await update(trx, claimed, {
      ...released,
      calendar_group: written?.group ?? null,
      calendar_event_id: written?.eventId ?? null,
      calendar_start: written ? new Date(written.start) : null,
      calendar_end: written ? new Date(written.end) : null,
      calendar_error: null,
      calendar_attempts: 0,
      ...(current
        ? {
            calendar_state: written ? 'synced' : 'none',
            calendar_next_at: null,
            calendar_version: version,
            calendar_drift: 'none',
          }
        : { calendar_state: 'pending', calendar_next_at: now }),
    })
    return true
  })
}

async function versionOf(trx: Trx, bookingId: string): Promise<number> {
  return (
    await trx
      .selectFrom('bookings')
      .select('version')
      .where('id', '=', bookingId)
      .executeTakeFirstOrThrow()
  ).version
}

async function update(
  trx: Trx,
  { bookingId, hostId }: ClaimedCalendar,
  changes: Updateable<BookingHostsTable>,
): Promise<void> {
  await trx
    .updateTable('booking_hosts')
    .set(changes)
    .where('booking_id', '=', bookingId)
    .where('host_id', '=', hostId)
    .execute()
}

/**
 * How many calendars lag behind a booking, and how many of them were given up while the meeting is
 * still to come.
 */
export function countLaggingCalendars(db: Db) {
  return selectBookingHosts(db)
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('p.calendar_state', '=', 'pending').as('waiting'),
      fn
        .countAll<number>()
        .filterWhere(({ eb, and }) =>
          and([eb('p.calendar_state', '=', 'failed'), eb('b.end_at', '>', sql<Date>`now()`)]),
        )
        .as('failed'),
      fn
        .min('b.updated_at')
        .filterWhere('p.calendar_state', '=', 'pending')
        .$castTo<Date | null>()
        .as('oldestWaiting'),
    ])
    .where('p.calendar_state', 'in', ['pending', 'failed'])
    .executeTakeFirstOrThrow()
}

/** An event that we wrote and that should be unchanged. */
export type WrittenEvent = Awaited<ReturnType<typeof listEventsToCheck>>[number]

/**
 * Events of meetings between `now` and `until` that were not checked since `before`, the longest
 * unchecked first.
 */
export function listEventsToCheck(
  db: Db,
  { now, until, before, limit }: Record<'now' | 'until' | 'before', Date> & { limit: number },
) {
  return selectBookingHosts(db)
    .select(({ fn }) => [
      'p.host_id as hostId',
      'p.calendar_event_id as eventId',
      fn.min('b.start_at').as('start'),
      fn.min('b.end_at').as('end'),
    ])
    .where('b.status', '=', 'confirmed')
    .where('b.start_at', '>=', now)
    .where('b.start_at', '<', until)
    .where('p.active', '=', true)
    .where('p.calendar_state', '=', 'synced')
    .where('p.calendar_event_id', 'is not', null)
    .where(({ eb, or }) =>
      or([eb('p.calendar_checked_at', 'is', null), eb('p.calendar_checked_at', '<', before)]),
    )
    .groupBy(['p.host_id', 'p.calendar_event_id'])
    .orderBy(sql`min(coalesce(p.calendar_checked_at, '-infinity'))`)
    .orderBy('p.host_id')
    .limit(limit)
    .$narrowType<{ eventId: NotNull; start: Date; end: Date }>()
    .execute()
}

/** Notes what the check of an event found, unless it is to be written again by now. */
export async function setCalendarDrift(
  db: Db,
  event: WrittenEvent,
  drift: CalendarDrift,
  now: Date,
): Promise<void> {
  await db
    .updateTable('booking_hosts')
    .set({ calendar_drift: drift, calendar_checked_at: now })
    .where('host_id', '=', event.hostId)
    .where('calendar_event_id', '=', event.eventId)
    .where('calendar_state', '=', 'synced')
    .execute()
}
