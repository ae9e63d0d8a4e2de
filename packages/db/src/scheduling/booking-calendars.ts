import type { CalendarDrift } from '@atrium/core/scheduling/scheduling'
import { type SqlBool, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { BookingHostsTable } from '../schema/scheduling.ts'

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
  const { rows } = await sql<{ due: boolean }>`
    update booking_hosts p set calendar_attempts = 0, calendar_error = null, calendar_drift = 'none',
      calendar_state = case when b.status = 'confirmed' and p.active or p.calendar_group is not null then 'pending' else 'none' end,
      calendar_next_at = case when b.status = 'confirmed' and p.active or p.calendar_group is not null then ${now}::timestamptz end
    from bookings b where b.id = p.booking_id and b.id = ${bookingId}
    returning p.calendar_state = 'pending' as due`.execute(trx)
  return rows.some(({ due }) => due)
}

/**
 * Makes a host's missing calendar writes due at `now` and resets their attempts. Returns one of the
 * bookings.
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

/** A booking in one host's calendar, claimed for one try. */
export interface ClaimedCalendar {
  bookingId: string
  /** Of the booking, when it was claimed. */
  uid: string
  startAt: Date
  hostId: string
  run: string
  /** Tries so far, this one included. */
  attempts: number
  /** Whether the booking takes the host's time. If so, `seatGroup` names its event. */
  active: boolean
  seatGroup: string
  /** The group whose event was written last, or is being written; null when none ever was. */
  writtenGroup: string | null
  eventId: string | null
  /** Where the event was written last; null where that is not known. */
  writtenStart: Date | null
}

/**
 * Takes what is due at `now` and what no living process holds, the longest waiting first; of one
 * booking alone when it is named. Leases go by the clock of the database, because several processes
 * look at them.
 */
export async function claimCalendars(
  db: Db,
  now: Date,
  limit: number,
  bookingId?: string,
): Promise<ClaimedCalendar[]> {
  const { rows } = await sql<ClaimedCalendar>`
    with due as (
      select booking_id, host_id from booking_hosts
      where calendar_state = 'pending' and calendar_next_at <= ${now} and coalesce(calendar_lease_until < now(), true)
        and ${bookingId === undefined ? sql<SqlBool>`true` : sql<SqlBool>`booking_id = ${bookingId}`}
      order by calendar_next_at, booking_id, host_id limit ${limit} for update skip locked
    )
    update booking_hosts p set calendar_attempts = p.calendar_attempts + 1, calendar_run = new_id(),
      calendar_lease_until = now() + make_interval(secs => ${calendarLeaseSeconds})
    from due join bookings b on b.id = due.booking_id where p.booking_id = due.booking_id and p.host_id = due.host_id
    returning p.booking_id as "bookingId", b.uid, b.start_at as "startAt", p.host_id as "hostId", p.calendar_run as run, p.calendar_attempts as attempts, p.active,
      p.seat_group as "seatGroup", p.calendar_group as "writtenGroup", p.calendar_event_id as "eventId",
      p.calendar_start as "writtenStart"`.execute(db)
  return rows
}

/** True while another process holds a calendar of this booking. */
export async function isBeingWritten(db: Db, bookingId: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select exists (select from booking_hosts where booking_id = ${bookingId} and calendar_state = 'pending'
      and calendar_lease_until >= now()) as held`.execute(db)
  return rows[0]?.held ?? false
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
  const { rows } = await sql<SharedEvent>`
    select coalesce(array_agg(b.id order by b.id) filter (where b.status = 'confirmed' and p.active and p.seat_group = ${group}), '{}')
        as "bookingIds",
      max(p.calendar_event_id) filter (where p.calendar_group = ${group}) as "eventId",
      coalesce(string_agg(concat_ws(':', b.id, b.version, b.status, p.active, p.seat_group), ' ' order by b.id)
        filter (where b.id = ${bookingId} or (b.status = 'confirmed' and p.active and p.seat_group = ${group})), '') as state
    from booking_hosts p join bookings b on b.id = p.booking_id
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
export async function countLaggingCalendars(
  db: Db,
): Promise<{ waiting: number; failed: number; oldestWaiting: Date | null }> {
  const { rows } = await sql<{ waiting: number; failed: number; oldestWaiting: Date | null }>`
    select count(*) filter (where p.calendar_state = 'pending')::int as waiting,
      count(*) filter (where p.calendar_state = 'failed' and b.end_at > now())::int as failed,
      min(b.updated_at) filter (where p.calendar_state = 'pending') as "oldestWaiting"
    from booking_hosts p join bookings b on b.id = p.booking_id where p.calendar_state in ('pending', 'failed')`.execute(
    db,
  )
  return rows[0] ?? { waiting: 0, failed: 0, oldestWaiting: null }
}

/** An event that we wrote and that should be unchanged. */
export interface WrittenEvent {
  hostId: string
  eventId: string
  start: Date
  end: Date
}

/**
 * Events of meetings between `now` and `until` that were not looked at since `before`, the longest
 * unseen first.
 */
export async function listEventsToCheck(
  db: Db,
  { now, until, before, limit }: Record<'now' | 'until' | 'before', Date> & { limit: number },
) {
  const { rows } = await sql<WrittenEvent>`
    select p.host_id as "hostId", p.calendar_event_id as "eventId", min(b.start_at) as start, min(b.end_at) as end
    from booking_hosts p join bookings b on b.id = p.booking_id
    where b.status = 'confirmed' and b.start_at >= ${now} and b.start_at < ${until} and p.active and p.calendar_state = 'synced'
      and p.calendar_event_id is not null and coalesce(p.calendar_checked_at < ${before}, true)
    group by p.host_id, p.calendar_event_id
    order by min(coalesce(p.calendar_checked_at, '-infinity')), p.host_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Notes what the look at an event found, unless it is to be written again by now. */
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
