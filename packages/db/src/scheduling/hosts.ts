import { type InferResult, type NotNull, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { selectBookingHosts } from './booking-claims.ts'

export type HostUserStatus = 'active' | 'suspended' | 'deactivated' | 'removed'

const tenantOfRow: RawBuilder<unknown> = sql.ref('h.tenant_id')

/**
 * What the person of `hosts h` is in its tenant. Raw, as `hostIsActive` is, because statements with
 * other joins read it too. A statement about one tenant gives its id.
 */
const hostUserStatus = (tenantId = tenantOfRow) => sql<HostUserStatus>`(select case
    when u.removed_at is not null or m.user_id is null or m.status = 'removing' then 'removed'
    when u.deactivated_at is not null then 'deactivated'
    when m.status = 'suspended' then 'suspended' else 'active' end
  from users u left join memberships m on m.user_id = u.id and m.tenant_id = ${tenantId} where u.id = h.user_id)`

/**
 * Whether `hosts h` can be booked. Reads the membership at query time: a person who leaves or is
 * suspended stops being a host immediately, and is one again when resumed.
 */
export const hostIsActive = (
  tenantId = tenantOfRow,
) => sql<boolean>`(h.active and h.removed_at is null and exists (
  select from memberships m join users u on u.id = m.user_id
  where m.user_id = h.user_id and m.tenant_id = ${tenantId} and m.status in ('active', 'provisioning')
    and u.deactivated_at is null and u.removed_at is null))`

/** Hosts as `h` with their tenants as `t`, removed ones too; of one tenant, if it is given. */
function selectHosts(db: Db, tenantId?: RawBuilder<unknown>) {
  return db
    .selectFrom('hosts as h')
    .innerJoin('tenants as t', 't.id', 'h.tenant_id')
    .select([
      'h.id',
      'h.tenant_id as tenantId',
      't.slug as tenantSlug',
      't.status as tenantStatus',
      'h.user_id as userId',
      hostUserStatus(tenantId).as('userStatus'),
      'h.slug',
      'h.name',
      'h.title',
      'h.description',
      'h.avatar_url as avatarUrl',
      // IANA name.
      'h.zone',
      'h.mail_address as mailAddress',
      'h.mail_account_id as mailAccountId',
      'h.calendar_id as calendarId',
      'h.listed',
      hostIsActive(tenantId).as('active'),
      // The switch alone.
      'h.active as enabled',
      'h.limit_day as limitDay',
      'h.limit_week as limitWeek',
      'h.limit_month as limitMonth',
      'h.version',
      'h.created_at as createdAt',
      'h.updated_at as updatedAt',
      'h.removed_at as removedAt',
    ])
}

export type HostRow = InferResult<ReturnType<typeof selectHosts>>[number]

/** Hosts of this tenant that are not removed. */
function selectPresentHosts(db: Db, tenantId: string) {
  return selectHosts(db, sql`${tenantId}`)
    .where('h.tenant_id', '=', tenantId)
    .where('h.removed_at', 'is', null)
}

/** A host of this tenant that is not removed. */
export function findHost(db: Db, tenantId: string, id: string): Promise<HostRow | undefined> {
  return selectPresentHosts(db, tenantId).where('h.id', '=', id).executeTakeFirst()
}

/** Any host, removed ones too: their bookings may still have to leave the calendar. */
export function findHostById(db: Db, id: string): Promise<HostRow | undefined> {
  return selectHosts(db).where('h.id', '=', id).executeTakeFirst()
}

/** The hosts with these ids, removed ones too, by id. */
export async function findHostsById(db: Db, ids: readonly string[]): Promise<HostRow[]> {
  if (ids.length === 0) return []
  return selectHosts(db).where('h.id', 'in', ids).orderBy('h.id').execute()
}

export function findHostBySlug(
  db: Db,
  tenantId: string,
  slug: string,
): Promise<HostRow | undefined> {
  return selectPresentHosts(db, tenantId).where('h.slug', '=', slug).executeTakeFirst()
}

/** The host that this person is in the tenant. */
export function findHostOfUser(
  db: Db,
  tenantId: string,
  userId: string,
): Promise<HostRow | undefined> {
  return selectPresentHosts(db, tenantId).where('h.user_id', '=', userId).executeTakeFirst()
}

/** By name, without removed ones. */
export function listHosts(db: Db, tenantId: string): Promise<HostRow[]> {
  return selectPresentHosts(db, tenantId)
    .orderBy(({ fn }) => fn('lower', ['h.name']))
    .orderBy('h.id')
    .execute()
}

/** Under a row lock, for a change. */
export function lockHost(trx: Trx, tenantId: string, id: string): Promise<HostRow | undefined> {
  return selectPresentHosts(trx, tenantId).where('h.id', '=', id).forUpdate('h').executeTakeFirst()
}

/**
 * Whether `bookings b` holds a time that is not over. A request past its deadline can no longer be
 * confirmed.
 */
const isComing = (now: Date) => sql<SqlBool>`((b.status = 'confirmed' and b.end_at > ${now})
  or (b.status = 'pending' and b.start_at > ${now} and b.approval_expires_at > ${now}))`

/** Hosts of a tenant with the additional fields that staff see, without removed ones. */
function selectRecords(db: Db, tenantId: string, now: Date) {
  return selectPresentHosts(db, tenantId)
    .leftJoin('mail_credentials as c', (join) =>
      join.onRef('c.tenant_id', '=', 'h.tenant_id').onRef('c.host_id', '=', 'h.id'),
    )
    .leftJoin('memberships as o', (join) =>
      join
        .onRef('o.tenant_id', '=', 'h.tenant_id')
        .onRef('o.user_id', '=', 'h.user_id')
        .on('o.status', '<>', 'removing'),
    )
    .select((eb) => [
      'c.source as credentialSource',
      'c.checked_at as credentialCheckedAt',
      'c.ok as credentialOk',
      'c.error as credentialError',
      // The person's mailbox, when this platform made it.
      'o.mailbox_address as mailboxAddress',
      'o.mail_account_id as mailboxAccountId',
      eb
        .selectFrom('booking_hosts as p')
        .innerJoin('bookings as b', (join) =>
          join.onRef('b.tenant_id', '=', 'p.tenant_id').onRef('b.id', '=', 'p.booking_id'),
        )
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('p.tenant_id', '=', tenantId)
        .whereRef('p.host_id', '=', 'h.id')
        .where('p.active', '=', true)
        .where(isComing(now))
        .as('comingBookings'),
    ])
    .$narrowType<{ comingBookings: NotNull }>()
}

export type HostRecord = InferResult<ReturnType<typeof selectRecords>>[number]

export function readHost(
  db: Db,
  tenantId: string,
  id: string,
  now: Date,
): Promise<HostRecord | undefined> {
  return selectRecords(db, tenantId, now).where('h.id', '=', id).executeTakeFirst()
}

/** By name, without removed ones. */
export function listHostRecords(db: Db, tenantId: string, now: Date): Promise<HostRecord[]> {
  return selectRecords(db, tenantId, now)
    .orderBy(({ fn }) => fn('lower', ['h.name']))
    .orderBy('h.id')
    .execute()
}

export interface HostChanges {
  slug?: string | undefined
  name?: string | undefined
  title?: string | null | undefined
  description?: string | null | undefined
  avatar_url?: string | null | undefined
  zone?: string | undefined
  mail_address?: string | undefined
  listed?: boolean | undefined
  active?: boolean | undefined
  limit_day?: number | null | undefined
  limit_week?: number | null | undefined
  limit_month?: number | null | undefined
}

export interface NewHost {
  tenant_id: string
  user_id: string
  slug: string
  name: string
  title: string | null
  description: string | null
  avatar_url: string | null
  zone: string
  mail_address: string
  listed: boolean
  limit_day: number | null
  limit_week: number | null
  limit_month: number | null
}

/**
 * Undefined when the slug is taken. A person who is a host of the tenant already throws
 * `hosts_user`.
 */
export async function insertHost(trx: Trx, host: NewHost): Promise<string | undefined> {
  const row = await trx
    .insertInto('hosts')
    .values(host)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'slug']).where('removed_at', 'is', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Raises the version. A slug that is taken throws `hosts_slug`. */
export async function updateHost(trx: Trx, id: string, changes: HostChanges): Promise<void> {
  await trx
    .updateTable('hosts')
    .set({ ...changes, version: sql<number>`version + 1`, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * The mailbox and calendar behind the host's credential; null for both once there is none. Not a
 * change that people see: no version.
 */
export async function setHostCalendar(
  db: Db | Trx,
  id: string,
  calendar: { accountId: string; calendarId: string } | null,
): Promise<void> {
  await db
    .updateTable('hosts')
    .set({
      mail_account_id: calendar?.accountId ?? null,
      calendar_id: calendar?.calendarId ?? null,
    })
    .where('id', '=', id)
    .execute()
}

/** The row stays for the bookings that were made with the host. */
export async function markHostRemoved(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('hosts')
    .set({
      removed_at: sql<Date>`now()`,
      active: false,
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}

/** Pending and confirmed bookings of the host that are not over. */
export async function comingBookingsOf(
  db: Db | Trx,
  hostId: string,
  now: Date,
): Promise<{ id: string }[]> {
  return selectBookingHosts(db)
    .select('b.id')
    .where('p.host_id', '=', hostId)
    .where('p.active', '=', true)
    .where(isComing(now))
    .orderBy('b.start_at')
    .execute()
}

/**
 * Takes the host out of everything that can be booked: its own event types, others' round robins,
 * and the times that are being held.
 */
export async function leaveOffers(trx: Trx, hostId: string): Promise<void> {
  await trx
    .updateTable('event_types')
    .set({
      removed_at: sql<Date>`now()`,
      active: false,
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('host_id', '=', hostId)
    .where('removed_at', 'is', null)
    .execute()
  await trx.deleteFrom('event_type_hosts').where('host_id', '=', hostId).execute()
  await trx.deleteFrom('slot_locks').where('host_id', '=', hostId).execute()
}

/**
 * Times of pending and confirmed bookings of the host that touch the span, in milliseconds since
 * 1970.
 */
export async function bookedSpansOf(
  db: Db,
  hostId: string,
  span: { start: number; end: number },
): Promise<{ start: number; end: number }[]> {
  const rows = await selectBookingHosts(db)
    .select(['b.start_at', 'b.end_at'])
    .where('p.host_id', '=', hostId)
    .where('p.active', '=', true)
    // A claim covers its booking, and is found by time; the booking is held against the span
    // itself.
    .where(
      sql<SqlBool>`tstzrange(p.claim_start, p.claim_end) && tstzrange(${new Date(span.start)}, ${new Date(span.end)})`,
    )
    .where('b.end_at', '>', new Date(span.start))
    .where('b.start_at', '<', new Date(span.end))
    .execute()
  return rows.map((row) => ({ start: row.start_at.getTime(), end: row.end_at.getTime() }))
}

/**
 * Zone of the hours that hold where an event type names none; undefined when the host has no such
 * schedule.
 */
export async function standardZoneOf(db: Db | Trx, hostId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('availability_schedules')
    .select('zone')
    .where('host_id', '=', hostId)
    .where('standard', '=', true)
    .executeTakeFirst()
  return row?.zone
}
