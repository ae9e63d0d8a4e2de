import type { BookingPatch } from '@atrium/core/scheduling/booking-transitions'
import type {
  BookingChangeKind,
  BookingParty,
  BookingStatus,
} from '@atrium/core/scheduling/scheduling'
import {
  type Expression,
  type InferResult,
  type Insertable,
  type NotNull,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import type { BookingsTable } from '../schema/scheduling.ts'
import { selectBookingHosts } from './booking-claims.ts'
import { hostIsActive } from './hosts.ts'

/**
 * Bookings as `b` with what their views and rules need of event type, hosts and tenant, also where
 * these were removed since.
 */
function selectBookings(db: Db) {
  return db
    .selectFrom('bookings as b')
    .innerJoin('tenants as t', 't.id', 'b.tenant_id')
    .innerJoin('event_types as e', (join) =>
      join.onRef('e.tenant_id', '=', 'b.tenant_id').onRef('e.id', '=', 'b.event_type_id'),
    )
    .innerJoin('hosts as h', (join) =>
      join.onRef('h.tenant_id', '=', 'b.tenant_id').onRef('h.id', '=', 'b.host_id'),
    )
    .select((eb) => [
      'b.id',
      'b.tenant_id as tenantId',
      't.slug as tenantSlug',
      't.name as tenantName',
      't.status as tenantStatus',
      'b.event_type_id as eventTypeId',
      'e.slug as eventTypeSlug',
      'e.title as eventTypeTitle',
      'e.description as eventTypeDescription',
      eb
        .and([eb.ref('e.active'), eb('e.removed_at', 'is', null)])
        .$castTo<boolean>()
        .as('eventTypeActive'),
      // Of the host whose the event type is: its page is at that host's address.
      eb
        .selectFrom('hosts as h')
        .select('h.slug')
        .whereRef('h.tenant_id', '=', 'e.tenant_id')
        .whereRef('h.id', '=', 'e.host_id')
        .as('eventTypeHostSlug'),
      eb
        .selectFrom('hosts as h')
        .select(hostIsActive().as('active'))
        .whereRef('h.tenant_id', '=', 'e.tenant_id')
        .whereRef('h.id', '=', 'e.host_id')
        .as('eventTypeHostActive'),
      'e.assignment',
      'e.reschedule_host as rescheduleHost',
      'e.durations',
      'e.seats',
      'e.fields',
      'e.cancel_cutoff_minutes as cancelCutoffMinutes',
      'e.reschedule_cutoff_minutes as rescheduleCutoffMinutes',
      'b.host_id as hostId',
      'h.slug as hostSlug',
      'h.name as hostName',
      'h.title as hostTitle',
      'h.mail_address as hostAddress',
      // ORGANIZER of its invitations: what the host's address was when the host got the booking.
      eb.fn.coalesce('b.organizer', 'h.mail_address').as('organizerAddress'),
      hostIsActive().as('hostActive'),
      'b.status',
      'b.source',
      'b.uid',
      'b.sequence',
      'b.invited',
      'b.title',
      'b.location_kind as locationKind',
      'b.location',
      'b.start_at as startAt',
      'b.end_at as endAt',
      'b.before_minutes as beforeMinutes',
      'b.after_minutes as afterMinutes',
      'b.host_zone as hostZone',
      'b.host_wall as hostWall',
      'b.visitor_name as visitorName',
      'b.visitor_email as visitorEmail',
      'b.visitor_zone as visitorZone',
      'b.visitor_locale as visitorLocale',
      'b.guests',
      'b.answers',
      'b.note',
      'b.manage_sealed as manageSealed',
      'b.approval_expires_at as approvalExpiresAt',
      'b.confirmed_at as confirmedAt',
      'b.ended_at as endedAt',
      'b.ended_by as endedBy',
      'b.reason',
      'b.no_show as noShow',
      // When the visitor confirmed their address; null until then, and guests get no mail.
      'b.visitor_confirmed_at as visitorConfirmedAt',
      eb
        .selectFrom('booking_changes as c')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('c.tenant_id', '=', 'b.tenant_id')
        .whereRef('c.booking_id', '=', 'b.id')
        .where('c.kind', '=', 'rescheduled')
        .where('c.by', '=', 'visitor')
        .as('visitorMoves'),
      'b.version',
      'b.created_at as createdAt',
      'b.updated_at as updatedAt',
    ])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('booking_hosts as p')
          .innerJoin('hosts as ph', (join) =>
            join.onRef('ph.tenant_id', '=', 'p.tenant_id').onRef('ph.id', '=', 'p.host_id'),
          )
          .select((of) => [
            'p.host_id as hostId',
            // The member that the host is.
            'ph.user_id as userId',
            'ph.slug',
            'ph.name',
            'p.calendar_state as calendarState',
            'p.calendar_error as calendarError',
            'p.calendar_attempts as calendarAttempts',
            milliseconds(of.ref('p.calendar_next_at')).as('calendarNextAt'),
            'p.calendar_drift as calendarDrift',
            milliseconds(of.ref('p.calendar_checked_at')).as('calendarCheckedAt'),
            of('p.left_at', 'is not', null).as('left'),
          ])
          .whereRef('p.tenant_id', '=', 'b.tenant_id')
          .whereRef('p.booking_id', '=', 'b.id')
          .where(({ eb: of }) =>
            of.or([of('p.left_at', 'is', null), of('p.calendar_state', '<>', 'none')]),
          )
          // The organizer first.
          .orderBy(({ eb: of }) => of('p.host_id', '=', of.ref('b.host_id')), 'desc')
          .orderBy('ph.name')
          .orderBy('p.host_id'),
      ).as('hosts'),
    )
    .$narrowType<{
      eventTypeHostSlug: NotNull
      eventTypeHostActive: NotNull
      visitorMoves: NotNull
    }>()
}

type BookingsQuery = ReturnType<typeof selectBookings>
type StoredRow = InferResult<BookingsQuery>[number]
type StoredHost = StoredRow['hosts'][number]

/** One host's part in a booking. */
export interface BookingHostRow
  extends Omit<StoredHost, 'calendarNextAt' | 'calendarCheckedAt' | 'left'> {
  calendarNextAt: Date | null
  calendarCheckedAt: Date | null
}

export interface BookingRow extends Omit<StoredRow, 'hosts' | 'manageSealed'> {
  manageSealed: Uint8Array | null
  /** The organizer first. */
  hosts: BookingHostRow[]
  /** Hosts who gave it to another one by a move and whose calendars still have its event. */
  formerHosts: BookingHostRow[]
}

/** JSON has no dates. The builder has no `extract`. */
function milliseconds(at: Expression<Date | null>) {
  return sql<number | null>`round(extract(epoch from ${at}) * 1000)`
}

function toRow({ hosts, ...row }: StoredRow): BookingRow {
  const moment = (at: number | null) => (at === null ? null : new Date(at))
  const read = ({ left: _, ...host }: StoredHost): BookingHostRow => ({
    ...host,
    calendarNextAt: moment(host.calendarNextAt),
    calendarCheckedAt: moment(host.calendarCheckedAt),
  })
  return {
    ...row,
    hosts: hosts.filter(({ left }) => !left).map(read),
    formerHosts: hosts.filter(({ left }) => left).map(read),
  }
}

async function findOne(query: BookingsQuery): Promise<BookingRow | undefined> {
  const row = await query.executeTakeFirst()
  return row && toRow(row)
}

export function findBooking(db: Db, id: string): Promise<BookingRow | undefined> {
  return findOne(selectBookings(db).where('b.id', '=', id))
}

/** By the SHA-256 of the token of its manage link. */
export function findBookingByManageHash(db: Db, hash: Buffer): Promise<BookingRow | undefined> {
  return findOne(selectBookings(db).where('b.manage_hash', '=', hash))
}

/**
 * For a change, under a lock of its row. Take the locks of its hosts first (`lockHosts`), so that
 * no two wait for each other.
 */
export function lockBooking(trx: Trx, id: string): Promise<BookingRow | undefined> {
  return findOne(selectBookings(trx).where('b.id', '=', id).forNoKeyUpdate('b'))
}

export interface BookingFilter {
  tenantId: string
  now: Date
  when?: 'upcoming' | 'undecided' | 'past' | 'ended' | undefined
  status?: BookingStatus | undefined
  /** Only bookings that one of these takes part in; absent for all of the tenant. */
  hostIds?: readonly string[] | undefined
  /** Only bookings that a host takes part in who is this member. */
  userId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  q?: string | undefined
  /** Start in milliseconds since 1970 and id of the last row of the page before. */
  after?: { start: number; id: string } | undefined
  limit: number
}

/** By start, ascending for what is to come and descending else; one row more than asked. */
export async function listBookings(db: Db, filter: BookingFilter): Promise<BookingRow[]> {
  const { tenantId, status, hostIds, userId, from, to, q, after, limit } = filter
  const ascending = filter.when === 'upcoming' || filter.when === 'undecided'
  let query = inPeriod(selectBookings(db).where('b.tenant_id', '=', tenantId), filter)
  if (status) query = query.where('b.status', '=', status)
  if (hostIds)
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('booking_hosts as p')
          .select('p.host_id')
          .whereRef('p.tenant_id', '=', 'b.tenant_id')
          .whereRef('p.booking_id', '=', 'b.id')
          .where('p.left_at', 'is', null)
          .where('p.host_id', 'in', hostIds),
      ),
    )
  if (userId)
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('booking_hosts as p')
          .innerJoin('hosts as ph', (join) =>
            join.onRef('ph.tenant_id', '=', 'p.tenant_id').onRef('ph.id', '=', 'p.host_id'),
          )
          .select('p.host_id')
          .whereRef('p.tenant_id', '=', 'b.tenant_id')
          .whereRef('p.booking_id', '=', 'b.id')
          .where('p.left_at', 'is', null)
          .where('ph.user_id', '=', userId),
      ),
    )
  if (from) query = query.where('b.start_at', '>=', sql<Date>`${from}::timestamptz`)
  if (to) query = query.where('b.start_at', '<', sql<Date>`${to}::timestamptz`)
  if (q) {
    const pattern = `%${escapeLike(q)}%`
    query = query.where(({ eb, or }) =>
      or([eb('b.visitor_name', 'ilike', pattern), eb('b.visitor_email', 'ilike', pattern)]),
    )
  }
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('b.start_at', 'b.id'),
        ascending ? '>' : '<',
        tuple(new Date(after.start), after.id),
      ),
    )
  const direction = ascending ? 'asc' : 'desc'
  const rows = await query
    .orderBy('b.start_at', direction)
    .orderBy('b.id', direction)
    .limit(limit + 1)
    .execute()
  return rows.map(toRow)
}

function inPeriod(query: BookingsQuery, { when, now }: BookingFilter): BookingsQuery {
  switch (when) {
    case 'upcoming':
      return query.where(({ eb, and, or }) =>
        or([
          and([eb('b.status', '=', 'confirmed'), eb('b.end_at', '>', now)]),
          and([eb('b.status', '=', 'pending'), eb('b.start_at', '>', now)]),
        ]),
      )
    case 'undecided':
      return query.where('b.status', '=', 'pending').where('b.start_at', '>', now)
    case 'past':
      return query.where('b.status', '=', 'confirmed').where('b.end_at', '<=', now)
    case 'ended':
      return query.where('b.status', 'in', ['cancelled', 'declined', 'expired'])
    case undefined:
      return query
  }
}

/**
 * Changes a booking that is still in the state it was seen in, and raises its version. False when
 * it is in another by now.
 */
export async function updateBooking(
  trx: Trx,
  booking: { id: string; status: BookingStatus },
  patch: BookingPatch,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('bookings')
    .set((eb) => ({ ...columnsOf(patch), version: eb('version', '+', 1), updated_at: now }))
    .where('id', '=', booking.id)
    .where('status', '=', booking.status)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Kysely leaves out what is undefined. */
function columnsOf(patch: BookingPatch): Updateable<BookingsTable> {
  return {
    status: patch.status,
    sequence: patch.sequence,
    invited: patch.invited,
    start_at: patch.startAt,
    end_at: patch.endAt,
    before_minutes: patch.beforeMinutes,
    after_minutes: patch.afterMinutes,
    host_id: patch.hostId,
    uid: patch.uid,
    organizer: patch.organizerAddress,
    host_wall: patch.hostWall,
    host_zone: patch.hostZone,
    manage_hash: patch.manageHash && Buffer.from(patch.manageHash),
    manage_sealed: patch.manageSealed && Buffer.from(patch.manageSealed),
    approval_expires_at: patch.approvalExpiresAt,
    confirmed_at: patch.confirmedAt,
    ended_at: patch.endedAt,
    ended_by: patch.endedBy,
    reason: patch.reason,
    no_show: patch.noShow,
    visitor_confirmed_at: patch.visitorConfirmedAt,
  }
}

export interface NewBookingChange {
  kind: BookingChangeKind
  by: BookingParty
  actorId: string | null
  fromStart?: Date
  toStart?: Date
  /** Of a move that gave it to another host. */
  fromHostId?: string
  toHostId?: string
  reason?: string | null
  at: Date
}

export async function insertBookingChange(
  trx: Trx,
  booking: { id: string; tenantId: string },
  change: NewBookingChange,
): Promise<void> {
  await trx
    .insertInto('booking_changes')
    .values({
      tenant_id: booking.tenantId,
      booking_id: booking.id,
      kind: change.kind,
      by: change.by,
      actor_id: change.actorId,
      from_start: change.fromStart ?? null,
      to_start: change.toStart ?? null,
      from_host_id: change.fromHostId ?? null,
      to_host_id: change.toHostId ?? null,
      reason: change.reason ?? null,
      at: change.at,
    })
    .execute()
}

export interface BookingChangeRow {
  kind: BookingChangeKind
  by: BookingParty
  actorName: string | null
  fromStart: Date | null
  toStart: Date | null
  /** Names, where a move gave it to another host. */
  fromHost: string | null
  toHost: string | null
  reason: string | null
  at: Date
}

/** Everything that happened to a booking, oldest first. */
export function listBookingChanges(db: Db, bookingId: string): Promise<BookingChangeRow[]> {
  return db
    .selectFrom('booking_changes as c')
    .leftJoin('users as u', 'u.id', 'c.actor_id')
    .leftJoin('hosts as f', (join) =>
      join.onRef('f.tenant_id', '=', 'c.tenant_id').onRef('f.id', '=', 'c.from_host_id'),
    )
    .leftJoin('hosts as g', (join) =>
      join.onRef('g.tenant_id', '=', 'c.tenant_id').onRef('g.id', '=', 'c.to_host_id'),
    )
    .select(['f.name as fromHost', 'g.name as toHost'])
    .select([
      'c.kind',
      'c.by',
      'u.name as actorName',
      'c.from_start as fromStart',
      'c.to_start as toStart',
      'c.reason',
      'c.at',
    ])
    .where('c.booking_id', '=', bookingId)
    .orderBy('c.id')
    .execute()
}

/** An upcoming booking of a host, with whose schedule it was booked by. */
export interface UpcomingBookingRow {
  id: string
  title: string
  visitorName: string
  startAt: Date
  endAt: Date
  /** That the event type names; of the event type's own host. */
  scheduleId: string | null
  eventTypeHostId: string
}

/**
 * Pending and confirmed bookings that the host takes part in and that have not begun, the next one
 * first.
 */
export function listUpcomingOfHost(
  db: Db | Trx,
  hostId: string,
  now: Date,
  limit: number,
): Promise<UpcomingBookingRow[]> {
  return selectBookingHosts(db)
    .innerJoin('event_types as e', (join) =>
      join.onRef('e.tenant_id', '=', 'b.tenant_id').onRef('e.id', '=', 'b.event_type_id'),
    )
    .select([
      'b.id',
      'b.title',
      'b.visitor_name as visitorName',
      'b.start_at as startAt',
      'b.end_at as endAt',
    ])
    .select(['e.schedule_id as scheduleId', 'e.host_id as eventTypeHostId'])
    .where('p.host_id', '=', hostId)
    .where('p.active', '=', true)
    .where('b.status', 'in', ['pending', 'confirmed'])
    .where('b.start_at', '>', now)
    .orderBy('b.start_at')
    .orderBy('b.id')
    .limit(limit)
    .execute()
}

/** Pending bookings whose deadline has passed, sorted by id. */
export async function listExpiredBookings(
  db: Db,
  now: Date,
  page: { after?: string | undefined; limit: number },
): Promise<string[]> {
  let query = db
    .selectFrom('bookings')
    .select('id')
    .where('status', '=', 'pending')
    .where((eb) => eb.or([eb('approval_expires_at', '<=', now), eb('start_at', '<=', now)]))
  if (page.after !== undefined) query = query.where('id', '>', page.after)
  const rows = await query.orderBy('id').limit(page.limit).execute()
  return rows.map(({ id }) => id)
}

/**
 * Erases the tokens of links that open nothing any more: those of bookings that ended before
 * `before`. Returns how many.
 */
export async function eraseManageTokens(db: Db, before: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('bookings')
    .set({ manage_sealed: null })
    .where('manage_sealed', 'is not', null)
    .where('end_at', '<', before)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/**
 * An id that comes after those of earlier rows: what is encrypted for a booking is bound to its id
 * before there is a row.
 */
export async function newBookingId(trx: Trx): Promise<string> {
  const { id } = await trx.selectNoFrom(sql<string>`new_id()`.as('id')).executeTakeFirstOrThrow()
  return id
}

/**
 * The time of its hosts is taken apart from it (`claim.ts` of the API), in the same transaction.
 */
export async function insertBooking(trx: Trx, booking: Insertable<BookingsTable>): Promise<void> {
  await trx.insertInto('bookings').values(booking).execute()
}

/** The booking that a request of this hash made. */
export async function findBookingOfRequest(
  db: Db,
  requestHash: Buffer,
): Promise<BookingRow | undefined> {
  const row = await db
    .selectFrom('bookings')
    .select('id')
    .where('request_hash', '=', requestHash)
    .executeTakeFirst()
  return row && findBooking(db, row.id)
}

/**
 * Bookings of a visitor's address that hold their time and are not over, for each of these hosts
 * who has some.
 */
export async function countLiveBookings(
  db: Db | Trx,
  hostIds: readonly string[],
  email: string,
  now: Date,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('bookings')
    .select(['host_id', sql<number>`count(*)::int`.as('count')])
    .where('host_id', 'in', [...hostIds])
    .where(sql<SqlBool>`lower(visitor_email) = ${email.toLowerCase()}`)
    .where('status', 'in', ['pending', 'confirmed'])
    .where('end_at', '>', now)
    .where((eb) =>
      eb.or([
        eb('status', '=', 'confirmed'),
        eb.and([eb('approval_expires_at', '>', now), eb('start_at', '>', now)]),
      ]),
    )
    .groupBy('host_id')
    .execute()
  return new Map(rows.map(({ host_id: hostId, count }) => [hostId, count]))
}
