import { expressionBuilder, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { BookingHostsTable, BookingsTable } from '../schema/scheduling.ts'
import type { Tables } from '../schema/tables.ts'
import { selectBookingHosts } from './booking-claims.ts'

/** For `bookings as b` and `booking_hosts as p`. */
const booking = expressionBuilder<Tables & { b: BookingsTable; p: BookingHostsTable }, 'b' | 'p'>()

/** Whether the booking can no longer be decided: `hasExpired` of `@atrium/core/booking-life`. */
const hasLapsed = (now: Date) =>
  booking.and([
    booking('b.status', '=', 'pending'),
    booking.or([booking('b.approval_expires_at', '<=', now), booking('b.start_at', '<=', now)]),
  ])

/** Whether the claim on the host's time overlaps the range. The builder has no `&&`. */
const claimOverlaps = (from: Date, to: Date) =>
  sql<boolean>`tstzrange(p.claim_start, p.claim_end) && tstzrange(${from}, ${to})`

/**
 * Gives back the host's time in the range that lapsed requests still hold. Only needed before the
 * time is claimed again: the job that ends these requests does the rest.
 */
export async function releaseLapsed(
  trx: Trx,
  hostId: string,
  { from, to, now }: { from: Date; to: Date; now: Date },
): Promise<void> {
  await trx
    .updateTable('booking_hosts as p')
    .from('bookings as b')
    .set({ active: false })
    .whereRef('b.tenant_id', '=', 'p.tenant_id')
    .whereRef('b.id', '=', 'p.booking_id')
    .where('p.active', '=', true)
    .where('p.host_id', '=', hostId)
    .where(claimOverlaps(from, to))
    .where(hasLapsed(now))
    .execute()
}

/** A booking that holds a host's time. */
export type TakenRow = Awaited<ReturnType<typeof listTaken>>[number]

/**
 * Pending and confirmed bookings of a host whose claim overlaps the range, except the one being
 * moved. A request whose deadline has passed at `now` takes no time, although a job has yet to end
 * it.
 */
export function listTaken(
  db: Db | Trx,
  hostId: string,
  { from, to, now }: { from: Date; to: Date; now: Date },
  movedBookingId: string | undefined,
) {
  return selectBookingHosts(db)
    .select([
      'b.id as bookingId',
      'b.event_type_id as eventTypeId',
      'b.start_at as startAt',
      'b.end_at as endAt',
      'p.claim_start as claimStart',
      'p.claim_end as claimEnd',
    ])
    .where('p.active', '=', true)
    .where('p.host_id', '=', hostId)
    .where(claimOverlaps(from, to))
    .where(({ not }) => not(hasLapsed(now)))
    .where('b.id', 'is distinct from', movedBookingId ?? null)
    .execute()
}

/**
 * The same of an event type with any host, by starts in the range: what limits count that hold for
 * all hosts together.
 */
export function listTakenOfEventType(
  db: Db | Trx,
  eventTypeId: string,
  { from, to, now }: { from: Date; to: Date; now: Date },
  movedBookingId: string | undefined,
): Promise<TakenRow[]> {
  return db
    .selectFrom('bookings as b')
    .select([
      'b.id as bookingId',
      'b.event_type_id as eventTypeId',
      'b.start_at as startAt',
      'b.end_at as endAt',
      'b.start_at as claimStart',
      'b.end_at as claimEnd',
    ])
    .where('b.event_type_id', '=', eventTypeId)
    .where('b.status', 'in', ['pending', 'confirmed'])
    .where(({ not }) => not(hasLapsed(now)))
    .where('b.start_at', '>=', from)
    .where('b.start_at', '<', to)
    .where('b.id', 'is distinct from', movedBookingId ?? null)
    .execute()
}

/** A lock that has not expired. */
export interface LiveLockRow {
  eventTypeId: string
  startAt: Date
  endAt: Date
  claimStart: Date
  claimEnd: Date
  expiresAt: Date
}

/** Unexpired locks of a host that touch the range, without those of this holder. */
export function listLiveLocks(
  db: Db | Trx,
  hostId: string,
  range: { from: Date; to: Date },
  now: Date,
  holderHash: Buffer | undefined,
): Promise<LiveLockRow[]> {
  let query = db
    .selectFrom('slot_locks')
    .select([
      'event_type_id as eventTypeId',
      'start_utc as startAt',
      'end_utc as endAt',
      'claim_start as claimStart',
      'claim_end as claimEnd',
      'expires_at as expiresAt',
    ])
    .where('host_id', '=', hostId)
    .where('expires_at', '>', now)
    .where('claim_start', '<', range.to)
    .where('claim_end', '>', range.from)
  if (holderHash) query = query.where('holder_hash', '<>', holderHash)
  return query.execute()
}

/**
 * Our own events in a host's calendar: by the id that the calendar gave them, whatever became of
 * the booking since, and those that are being written at this moment, whose id is not known yet, by
 * their time.
 */
export function listOwnEvents(
  db: Db | Trx,
  hostId: string,
  range: { from: Date; to: Date },
  eventIds: string[],
) {
  const own = selectBookingHosts(db)
    .select(({ eb }) => [
      'b.id as bookingId',
      'p.calendar_event_id as eventId',
      'b.start_at as startAt',
      'b.end_at as endAt',
      // As it was last written; null where that is not known.
      'p.calendar_start as writtenStart',
      'p.calendar_end as writtenEnd',
      // A change is still to be written: until then the event may be anywhere it was before.
      eb('p.calendar_state', 'in', ['pending', 'failed']).as('lagging'),
    ])
    .where('p.host_id', '=', hostId)
  return own
    .where('p.calendar_event_id', '=', ({ fn, val }) => fn.any(val(eventIds)))
    .unionAll(
      own
        .where('p.calendar_event_id', 'is', null)
        .where('p.active', '=', true)
        .where('p.calendar_state', '<>', 'none')
        .where(claimOverlaps(range.from, range.to)),
    )
    .execute()
}

export type OwnEventRow = Awaited<ReturnType<typeof listOwnEvents>>[number]

/**
 * Bookings that each host took of an event type since `since`, coming ones included, and when it
 * was last given one.
 */
export interface TurnRow {
  hostId: string
  bookings: number
  lastAt: Date | null
}

export async function listTurns(
  db: Db | Trx,
  eventTypeId: string,
  hostIds: readonly string[],
  since: Date,
): Promise<TurnRow[]> {
  // Plain SQL: the builder has no `unnest`.
  const { rows } = await sql<TurnRow>`
    select h.id as "hostId", count(b.id)::int as bookings, max(coalesce(p.joined_at, b.created_at)) as "lastAt"
    from unnest(${[...hostIds]}::uuid[]) as h(id)
      left join bookings b on b.host_id = h.id and b.event_type_id = ${eventTypeId} and b.start_at >= ${since}
        and b.status in ('pending', 'confirmed')
      left join booking_hosts p on p.tenant_id = b.tenant_id and p.booking_id = b.id and p.host_id = h.id
    group by h.id`.execute(db)
  return rows
}

/** The shared places of one start: the group that holds the time, and the seats that are taken. */
export function findSeatGroup(
  trx: Trx,
  place: { hostId: string; eventTypeId: string; start: Date; end: Date; exceptBookingId: string },
) {
  return selectBookingHosts(trx)
    .select(({ fn }) => [
      'p.seat_group as group',
      fn.agg<number[]>('array_agg', ['p.seat']).as('seats'),
    ])
    .where('p.active', '=', true)
    .where('p.host_id', '=', place.hostId)
    .where('b.event_type_id', '=', place.eventTypeId)
    .where('b.start_at', '=', place.start)
    .where('b.end_at', '=', place.end)
    .where('b.id', '<>', place.exceptBookingId)
    .groupBy('p.seat_group')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .limit(1)
    .executeTakeFirst()
}
