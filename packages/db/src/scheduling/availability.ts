import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** Whether `bookings b` can no longer be decided: `hasExpired` of `@atrium/core/booking-life`. */
const hasLapsed = (now: Date) =>
  sql<SqlBool>`(b.status = 'pending' and (b.approval_expires_at <= ${now} or b.start_at <= ${now}))`

/**
 * Gives back the host's time in the range that lapsed requests still hold. Only needed before the
 * time is claimed again: the job that ends these requests does the rest.
 */
export async function releaseLapsed(
  trx: Trx,
  hostId: string,
  { from, to, now }: { from: Date; to: Date; now: Date },
): Promise<void> {
  await sql`
    update booking_hosts p set active = false from bookings b
    where b.id = p.booking_id and p.active and p.host_id = ${hostId}
      and tstzrange(p.claim_start, p.claim_end) && tstzrange(${from}, ${to}) and ${hasLapsed(now)}`.execute(
    trx,
  )
}

/** A booking that holds a host's time. */
export interface TakenRow {
  bookingId: string
  eventTypeId: string
  startAt: Date
  endAt: Date
  claimStart: Date
  claimEnd: Date
}

/**
 * Pending and confirmed bookings of a host whose claim overlaps the range, except the one being
 * moved. A request whose deadline has passed at `now` takes no time, although a job has yet to end
 * it.
 */
export async function listTaken(
  db: Db | Trx,
  hostId: string,
  { from, to, now }: { from: Date; to: Date; now: Date },
  movedBookingId: string | undefined,
): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    select b.id as "bookingId", b.event_type_id as "eventTypeId", b.start_at as "startAt", b.end_at as "endAt",
      p.claim_start as "claimStart", p.claim_end as "claimEnd"
    from booking_hosts p join bookings b on b.id = p.booking_id
    where p.active and p.host_id = ${hostId} and tstzrange(p.claim_start, p.claim_end) && tstzrange(${from}, ${to})
      and not ${hasLapsed(now)}
      and b.id is distinct from ${movedBookingId ?? null}::uuid`.execute(db)
  return rows
}

/**
 * The same of an event type with any host, by starts in the range: what limits count that hold for
 * all hosts together.
 */
export async function listTakenOfEventType(
  db: Db | Trx,
  eventTypeId: string,
  { from, to, now }: { from: Date; to: Date; now: Date },
  movedBookingId: string | undefined,
): Promise<TakenRow[]> {
  const { rows } = await sql<TakenRow>`
    select b.id as "bookingId", b.event_type_id as "eventTypeId", b.start_at as "startAt", b.end_at as "endAt",
      b.start_at as "claimStart", b.end_at as "claimEnd"
    from bookings b
    where b.event_type_id = ${eventTypeId} and b.status in ('pending', 'confirmed') and not ${hasLapsed(now)}
      and b.start_at >= ${from} and b.start_at < ${to} and b.id is distinct from ${movedBookingId ?? null}::uuid`.execute(
    db,
  )
  return rows
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
 * What we wrote, or are writing, into a host's calendar, with the periods at which it counts as the
 * booking's.
 */
export interface OwnEventRow {
  bookingId: string
  /** Null while the calendar has not named it yet. */
  eventId: string | null
  startAt: Date
  endAt: Date
  /** As it was last written; null where that is not known. */
  writtenStart: Date | null
  writtenEnd: Date | null
  /** A change is still to be written: until then the event may be anywhere it was before. */
  lagging: boolean
}

/**
 * Our own events in a host's calendar: by the id that the calendar gave them, whatever became of
 * the booking since, and those that are being written at this moment, whose id is not known yet, by
 * their time.
 */
export async function listOwnEvents(
  db: Db | Trx,
  hostId: string,
  range: { from: Date; to: Date },
  eventIds: string[],
): Promise<OwnEventRow[]> {
  const period = sql`b.start_at as "startAt", b.end_at as "endAt", p.calendar_start as "writtenStart",
    p.calendar_end as "writtenEnd", p.calendar_state in ('pending', 'failed') as lagging`
  const { rows } = await sql<OwnEventRow>`
    select b.id as "bookingId", p.calendar_event_id as "eventId", ${period}
    from booking_hosts p join bookings b on b.id = p.booking_id
    where p.host_id = ${hostId} and p.calendar_event_id = any(${eventIds})
    union all
    select b.id, null, ${period} from booking_hosts p join bookings b on b.id = p.booking_id
    where p.host_id = ${hostId} and p.calendar_event_id is null and p.active and p.calendar_state <> 'none'
      and tstzrange(p.claim_start, p.claim_end) && tstzrange(${range.from}, ${range.to})`.execute(
    db,
  )
  return rows
}

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
  const { rows } = await sql<TurnRow>`
    select h.id as "hostId", count(b.id)::int as bookings, max(coalesce(p.joined_at, b.created_at)) as "lastAt"
    from unnest(${[...hostIds]}::uuid[]) as h(id)
      left join bookings b on b.host_id = h.id and b.event_type_id = ${eventTypeId} and b.start_at >= ${since}
        and b.status in ('pending', 'confirmed')
      left join booking_hosts p on p.booking_id = b.id and p.host_id = h.id
    group by h.id`.execute(db)
  return rows
}

/** The shared places of one start: the group that holds the time, and the seats that are taken. */
export async function findSeatGroup(
  trx: Trx,
  place: { hostId: string; eventTypeId: string; start: Date; end: Date; exceptBookingId: string },
): Promise<{ group: string; seats: number[] } | undefined> {
  const { rows } = await sql<{ group: string; seats: number[] }>`
    select p.seat_group as "group", array_agg(p.seat) as seats
    from booking_hosts p join bookings b on b.id = p.booking_id
    where p.active and p.host_id = ${place.hostId} and b.event_type_id = ${place.eventTypeId} and b.start_at = ${place.start}
      and b.end_at = ${place.end} and b.id <> ${place.exceptBookingId}
    group by p.seat_group order by count(*) desc limit 1`.execute(trx)
  return rows[0]
}
