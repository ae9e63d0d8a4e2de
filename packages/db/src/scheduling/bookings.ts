import type { BookingPatch } from '@atrium/core/scheduling/booking-transitions'
import type {
  Assignment,
  BookingChangeKind,
  BookingParty,
  BookingSource,
  BookingStatus,
  CalendarDrift,
  CalendarState,
  LocationKind,
  RescheduleHost,
} from '@atrium/core/scheduling/scheduling'
import type { TenantStatus } from '@atrium/core/tenants/tenants'
import { type Insertable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import type { BookingsTable, StoredFormField } from '../schema/scheduling.ts'
import { hostIsActive } from './hosts.ts'

/** One host's part in a booking. */
export interface BookingHostRow {
  hostId: string
  /** The member that the host is. */
  userId: string
  slug: string
  name: string
  calendarState: CalendarState
  calendarError: string | null
  calendarAttempts: number
  calendarNextAt: Date | null
  calendarDrift: CalendarDrift
  calendarCheckedAt: Date | null
}

/**
 * A booking with what its views and rules need of event type, hosts and tenant, also where these
 * were removed since.
 */
export interface BookingRow {
  id: string
  tenantId: string
  tenantSlug: string
  tenantName: string
  tenantStatus: TenantStatus
  eventTypeId: string
  eventTypeSlug: string
  eventTypeTitle: string
  eventTypeDescription: string | null
  eventTypeActive: boolean
  /** Of the host whose the event type is: its page is at that host's address. */
  eventTypeHostSlug: string
  eventTypeHostActive: boolean
  assignment: Assignment
  rescheduleHost: RescheduleHost
  durations: number[]
  seats: number
  fields: StoredFormField[]
  cancelCutoffMinutes: number
  rescheduleCutoffMinutes: number
  hostId: string
  hostSlug: string
  hostName: string
  hostTitle: string | null
  hostAddress: string
  /** ORGANIZER of its invitations: what the host's address was when the host got the booking. */
  organizerAddress: string
  hostActive: boolean
  status: BookingStatus
  source: BookingSource
  uid: string
  sequence: number
  invited: boolean
  title: string
  locationKind: LocationKind
  location: string | null
  startAt: Date
  endAt: Date
  beforeMinutes: number
  afterMinutes: number
  hostZone: string
  hostWall: string
  visitorName: string
  visitorEmail: string
  visitorZone: string
  visitorLocale: string
  guests: string[]
  answers: Record<string, string>
  note: string | null
  manageSealed: Uint8Array | null
  approvalExpiresAt: Date | null
  confirmedAt: Date | null
  endedAt: Date | null
  endedBy: BookingParty | null
  reason: string | null
  noShow: boolean
  /** When the visitor confirmed the own address; null until then, and guests get no mail. */
  visitorConfirmedAt: Date | null
  /** How often the visitor moved it. */
  visitorMoves: number
  version: number
  createdAt: Date
  updatedAt: Date
  /** The organizer first. */
  hosts: BookingHostRow[]
  /** Hosts who gave it to another one by a move and whose calendars still have its event. */
  formerHosts: BookingHostRow[]
}

const columns = sql`b.id, b.tenant_id as "tenantId", t.slug as "tenantSlug", t.name as "tenantName", t.status as "tenantStatus",
  b.event_type_id as "eventTypeId", e.slug as "eventTypeSlug", e.title as "eventTypeTitle", e.description as "eventTypeDescription",
  (e.active and e.removed_at is null) as "eventTypeActive", e.assignment, e.reschedule_host as "rescheduleHost",
  (select h.slug from hosts h where h.id = e.host_id) as "eventTypeHostSlug",
  (select ${hostIsActive} from hosts h where h.id = e.host_id) as "eventTypeHostActive", e.durations, e.seats, e.fields,
  e.cancel_cutoff_minutes as "cancelCutoffMinutes", e.reschedule_cutoff_minutes as "rescheduleCutoffMinutes",
  b.host_id as "hostId", h.slug as "hostSlug", h.name as "hostName", h.title as "hostTitle", h.mail_address as "hostAddress",
  coalesce(b.organizer, h.mail_address) as "organizerAddress",
  ${hostIsActive} as "hostActive", b.status, b.source, b.uid, b.sequence, b.invited, b.title,
  b.location_kind as "locationKind", b.location, b.start_at as "startAt", b.end_at as "endAt", b.before_minutes as "beforeMinutes",
  b.after_minutes as "afterMinutes", b.host_zone as "hostZone", b.host_wall as "hostWall", b.visitor_name as "visitorName",
  b.visitor_email as "visitorEmail", b.visitor_zone as "visitorZone", b.visitor_locale as "visitorLocale", b.guests, b.answers, b.note,
  b.manage_sealed as "manageSealed", b.approval_expires_at as "approvalExpiresAt", b.confirmed_at as "confirmedAt",
  b.ended_at as "endedAt", b.ended_by as "endedBy", b.reason, b.no_show as "noShow", b.visitor_confirmed_at as "visitorConfirmedAt",
  (select count(*)::int from booking_changes c where c.booking_id = b.id and c.kind = 'rescheduled' and c.by = 'visitor')
    as "visitorMoves",
  b.version, b.created_at as "createdAt",
  b.updated_at as "updatedAt",
  (select json_agg(json_build_object('hostId', p.host_id, 'userId', ph.user_id, 'slug', ph.slug, 'name', ph.name,
      'calendarState', p.calendar_state, 'calendarError', p.calendar_error, 'calendarAttempts', p.calendar_attempts,
      'calendarNextAt', round(extract(epoch from p.calendar_next_at) * 1000), 'calendarDrift', p.calendar_drift,
      'calendarCheckedAt', round(extract(epoch from p.calendar_checked_at) * 1000), 'left', p.left_at is not null)
      order by p.host_id = b.host_id desc, ph.name, p.host_id)
    from booking_hosts p join hosts ph on ph.id = p.host_id
    where p.booking_id = b.id and (p.left_at is null or p.calendar_state <> 'none')) as hosts`
const joined = sql`bookings b join tenants t on t.id = b.tenant_id join event_types e on e.id = b.event_type_id join hosts h on h.id = b.host_id`

type StoredHost = Omit<BookingHostRow, 'calendarNextAt' | 'calendarCheckedAt'> & {
  calendarNextAt: number | null
  calendarCheckedAt: number | null
  left: boolean
}
type StoredRow = Omit<BookingRow, 'hosts' | 'formerHosts'> & { hosts: StoredHost[] | null }

/** Moments inside of JSON come as milliseconds. */
function toRow({ hosts, ...row }: StoredRow): BookingRow {
  const moment = (at: number | null) => (at === null ? null : new Date(at))
  const read = ({ left: _, ...host }: StoredHost): BookingHostRow => ({
    ...host,
    calendarNextAt: moment(host.calendarNextAt),
    calendarCheckedAt: moment(host.calendarCheckedAt),
  })
  const stored = hosts ?? []
  return {
    ...row,
    hosts: stored.filter(({ left }) => !left).map(read),
    formerHosts: stored.filter(({ left }) => left).map(read),
  }
}

async function selectOne(
  db: Db | Trx,
  condition: ReturnType<typeof sql>,
  lock = sql``,
): Promise<BookingRow | undefined> {
  const { rows } =
    await sql<StoredRow>`select ${columns} from ${joined} where ${condition} ${lock}`.execute(db)
  return rows[0] && toRow(rows[0])
}

export function findBooking(db: Db | Trx, id: string): Promise<BookingRow | undefined> {
  return selectOne(db, sql`b.id = ${id}`)
}

/** By the SHA-256 of the token of its manage link. */
export function findBookingByManageHash(db: Db, hash: Uint8Array): Promise<BookingRow | undefined> {
  return selectOne(db, sql`b.manage_hash = ${hash}`)
}

/**
 * For a change, under a lock of its row. Take the locks of its hosts first (`claim.ts` of the API),
 * so that no two wait for each other.
 */
export function lockBooking(trx: Trx, id: string): Promise<BookingRow | undefined> {
  return selectOne(trx, sql`b.id = ${id}`, sql`for no key update of b`)
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
  const ascending = filter.when === 'upcoming' || filter.when === 'undecided'
  const { rows } = await sql<StoredRow>`select ${columns} from ${joined}
    where ${sql.join([sql<SqlBool>`b.tenant_id = ${filter.tenantId}`, ...inPeriod(filter), ...narrowed(filter), ...beyond(filter, ascending)], sql` and `)}
    order by ${ascending ? sql`b.start_at, b.id` : sql`b.start_at desc, b.id desc`} limit ${filter.limit + 1}`.execute(
    db,
  )
  return rows.map(toRow)
}

function inPeriod({ when, now }: BookingFilter) {
  switch (when) {
    case 'upcoming':
      return [
        sql<SqlBool>`((b.status = 'confirmed' and b.end_at > ${now}) or (b.status = 'pending' and b.start_at > ${now}))`,
      ]
    case 'undecided':
      return [sql<SqlBool>`b.status = 'pending'`, sql<SqlBool>`b.start_at > ${now}`]
    case 'past':
      return [sql<SqlBool>`b.status = 'confirmed'`, sql<SqlBool>`b.end_at <= ${now}`]
    case 'ended':
      return [sql<SqlBool>`b.status in ('cancelled', 'declined', 'expired')`]
    case undefined:
      return []
  }
}

function narrowed({ status, hostIds, userId, from, to, q }: BookingFilter) {
  const takesPart = (condition: ReturnType<typeof sql>) =>
    sql<SqlBool>`exists (select from booking_hosts p join hosts ph on ph.id = p.host_id where p.booking_id = b.id and p.left_at is null and ${condition})`
  const pattern = `%${escapeLike(q ?? '')}%`
  return [
    ...(status ? [sql<SqlBool>`b.status = ${status}`] : []),
    ...(hostIds ? [takesPart(sql`p.host_id = any(${[...hostIds]}::uuid[])`)] : []),
    ...(userId ? [takesPart(sql`ph.user_id = ${userId}`)] : []),
    ...(from ? [sql<SqlBool>`b.start_at >= ${from}::timestamptz`] : []),
    ...(to ? [sql<SqlBool>`b.start_at < ${to}::timestamptz`] : []),
    ...(q
      ? [sql<SqlBool>`(b.visitor_name ilike ${pattern} or b.visitor_email ilike ${pattern})`]
      : []),
  ]
}

function beyond({ after }: BookingFilter, ascending: boolean) {
  if (!after) return []
  const place = sql`(${new Date(after.start)}::timestamptz, ${after.id}::uuid)`
  return [
    ascending
      ? sql<SqlBool>`(b.start_at, b.id) > ${place}`
      : sql<SqlBool>`(b.start_at, b.id) < ${place}`,
  ]
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
  bookingId: string,
  change: NewBookingChange,
): Promise<void> {
  await trx
    .insertInto('booking_changes')
    .values({
      booking_id: bookingId,
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
    .leftJoin('hosts as f', 'f.id', 'c.from_host_id')
    .leftJoin('hosts as g', 'g.id', 'c.to_host_id')
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
  return db
    .selectFrom('booking_hosts as p')
    .innerJoin('bookings as b', 'b.id', 'p.booking_id')
    .innerJoin('event_types as e', 'e.id', 'b.event_type_id')
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

/** Pending bookings about which nobody can decide any more, in the order of their ids. */
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
