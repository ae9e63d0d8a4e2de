import type { BookingWindowSetting, FormField } from '@atrium/core/scheduling/event-types'
import type {
  Assignment,
  LimitsScope,
  LocationKind,
  RescheduleHost,
} from '@atrium/core/scheduling/scheduling'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface EventTypeRow {
  id: string
  tenantId: string
  /** Whose it is: organizer of the bookings where one host takes them. */
  hostId: string
  hostSlug: string
  /** All hosts who take part, own one first: the own one alone for assignment `host`. */
  hostIds: string[]
  scheduleId: string | null
  slug: string
  title: string
  description: string | null
  durations: number[]
  stepMinutes: number | null
  noticeMinutes: number
  beforeMinutes: number
  afterMinutes: number
  bookingWindow: BookingWindowSetting
  limitDay: number | null
  limitWeek: number | null
  limitMonth: number | null
  limitsScope: LimitsScope
  bookingsPerVisitor: number | null
  seats: number
  assignment: Assignment
  locationKind: LocationKind
  location: string | null
  requiresConfirmation: boolean
  approvalHours: number
  cancelCutoffMinutes: number
  rescheduleCutoffMinutes: number
  rescheduleHost: RescheduleHost
  fields: FormField[]
  reminders: number[]
  /** False for removed ones, too. */
  active: boolean
  listed: boolean
  version: number
  createdAt: Date
  updatedAt: Date
  removedAt: Date | null
}

const columns = [
  'e.id',
  'e.tenant_id as tenantId',
  'e.host_id as hostId',
  'h.slug as hostSlug',
  'e.schedule_id as scheduleId',
  'e.slug',
  'e.title',
  'e.description',
  'e.durations',
  'e.step_minutes as stepMinutes',
  'e.notice_minutes as noticeMinutes',
  'e.before_minutes as beforeMinutes',
  'e.after_minutes as afterMinutes',
  'e.booking_window as bookingWindow',
  'e.limit_day as limitDay',
  'e.limit_week as limitWeek',
  'e.limit_month as limitMonth',
  'e.limits_scope as limitsScope',
  'e.bookings_per_visitor as bookingsPerVisitor',
  'e.seats',
  'e.assignment',
  'e.location_kind as locationKind',
  'e.location',
  'e.requires_confirmation as requiresConfirmation',
  'e.approval_hours as approvalHours',
  'e.cancel_cutoff_minutes as cancelCutoffMinutes',
  'e.reschedule_cutoff_minutes as rescheduleCutoffMinutes',
  'e.reschedule_host as rescheduleHost',
  'e.fields',
  'e.reminders',
  'e.active',
  'e.listed',
  'e.version',
  'e.created_at as createdAt',
  'e.updated_at as updatedAt',
  'e.removed_at as removedAt',
] as const

const hostIds = sql<string[]>`e.host_id || array(
  select t.host_id from event_type_hosts t
  where t.tenant_id = e.tenant_id and t.event_type_id = e.id and t.host_id <> e.host_id order by t.host_id)`

function selectEventTypes(db: Db | Trx) {
  return db
    .selectFrom('event_types as e')
    .innerJoin('hosts as h', (join) =>
      join.onRef('h.tenant_id', '=', 'e.tenant_id').onRef('h.id', '=', 'e.host_id'),
    )
    .select([...columns, hostIds.as('hostIds')])
}

/**
 * Also one that was removed, which bookings still name: `removedAt` is set then and `active` false.
 */
export function findEventType(db: Db | Trx, id: string): Promise<EventTypeRow | undefined> {
  return selectEventTypes(db).where('e.id', '=', id).executeTakeFirst()
}

/** One that is there, under this address of its host. */
export function findEventTypeBySlug(
  db: Db | Trx,
  hostId: string,
  slug: string,
): Promise<EventTypeRow | undefined> {
  return selectEventTypes(db)
    .where('e.host_id', '=', hostId)
    .where('e.slug', '=', slug)
    .where('e.removed_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Holds the row until the transaction ends. Undefined for one that was removed or is another
 * tenant's.
 */
export async function lockEventType(
  trx: Trx,
  tenantId: string,
  id: string,
): Promise<EventTypeRow | undefined> {
  const locked = await trx
    .selectFrom('event_types')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return locked && findEventType(trx, id)
}

/**
 * Those that are there, of hosts that are, newest first, one row more than asked. With `hostId`
 * those of which the host is the own one; `listed` and `active` leave out others.
 */
export function listEventTypes(
  db: Db | Trx,
  tenantId: string,
  filter: {
    hostId?: string | undefined
    before?: string | undefined
    limit: number
    listed?: true
    active?: true
  },
): Promise<EventTypeRow[]> {
  let query = selectEventTypes(db)
    .where('e.tenant_id', '=', tenantId)
    .where('e.removed_at', 'is', null)
    .where('h.removed_at', 'is', null)
  if (filter.hostId) query = query.where('e.host_id', '=', filter.hostId)
  if (filter.before) query = query.where('e.id', '<', filter.before)
  if (filter.listed) query = query.where('e.listed', '=', true)
  if (filter.active) query = query.where('e.active', '=', true)
  return query
    .orderBy('e.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export type EventTypeContent = Omit<
  EventTypeRow,
  'id' | 'tenantId' | 'hostId' | 'hostSlug' | 'version' | 'createdAt' | 'updatedAt' | 'removedAt'
>

function values(content: EventTypeContent) {
  return {
    schedule_id: content.scheduleId,
    slug: content.slug,
    title: content.title,
    description: content.description,
    durations: content.durations,
    step_minutes: content.stepMinutes,
    notice_minutes: content.noticeMinutes,
    before_minutes: content.beforeMinutes,
    after_minutes: content.afterMinutes,
    booking_window: JSON.stringify(content.bookingWindow),
    limit_day: content.limitDay,
    limit_week: content.limitWeek,
    limit_month: content.limitMonth,
    limits_scope: content.limitsScope,
    bookings_per_visitor: content.bookingsPerVisitor,
    seats: content.seats,
    assignment: content.assignment,
    location_kind: content.locationKind,
    location: content.location,
    requires_confirmation: content.requiresConfirmation,
    approval_hours: content.approvalHours,
    cancel_cutoff_minutes: content.cancelCutoffMinutes,
    reschedule_cutoff_minutes: content.rescheduleCutoffMinutes,
    reschedule_host: content.rescheduleHost,
    fields: JSON.stringify(content.fields),
    reminders: content.reminders,
    active: content.active,
    listed: content.listed,
  }
}

/** Throws `event_types_host_slug` when the host has one under this address. Returns the id. */
export async function insertEventType(
  trx: Trx,
  content: EventTypeContent & { tenantId: string; hostId: string },
): Promise<string> {
  const { id } = await trx
    .insertInto('event_types')
    .values({ ...values(content), tenant_id: content.tenantId, host_id: content.hostId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await writeHosts(trx, id, content)
  return id
}

/**
 * Writes all of it and raises the version. Throws `event_types_host_slug` when the host has another
 * one under this address.
 */
export async function updateEventType(
  trx: Trx,
  id: string,
  content: EventTypeContent,
): Promise<void> {
  await trx
    .updateTable('event_types')
    .set((row) => ({
      ...values(content),
      version: row('version', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .execute()
  await writeHosts(trx, id, content)
}

async function writeHosts(
  trx: Trx,
  id: string,
  { assignment, hostIds: ids }: EventTypeContent,
): Promise<void> {
  await trx.deleteFrom('event_type_hosts').where('event_type_id', '=', id).execute()
  if (assignment === 'host') return
  // Plain SQL: the builder has no `unnest`.
  await sql`
    insert into event_type_hosts (tenant_id, event_type_id, host_id)
    select tenant_id, id, unnest(${[...ids]}::uuid[]) from event_types where id = ${id}`.execute(
    trx,
  )
}

/** Existing bookings keep it. It is no longer offered, and its address is free. */
export async function removeEventType(trx: Trx, id: string, at: Date): Promise<void> {
  await trx
    .updateTable('event_types')
    .set((row) => ({
      active: false,
      removed_at: at,
      updated_at: sql<Date>`now()`,
      version: row('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

/** Pending and confirmed bookings of it that have not ended. */
export async function countComingBookings(
  db: Db | Trx,
  eventTypeId: string,
  now: Date,
): Promise<number> {
  const { count } = await db
    .selectFrom('bookings')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('event_type_id', '=', eventTypeId)
    .where('status', 'in', ['pending', 'confirmed'])
    .where('end_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

export async function countEventTypes(trx: Trx, hostId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('event_types')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('host_id', '=', hostId)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
