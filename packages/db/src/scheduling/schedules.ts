import type { StoredDate } from '@atrium/core/scheduling/schedules'
import type { DayWindow } from '@atrium/core/scheduling/slots'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface ScheduleRow {
  id: string
  tenantId: string
  hostId: string
  name: string
  /** IANA name. */
  zone: string
  /** Seven lists, Monday first. */
  weekly: DayWindow[][]
  overrides: StoredDate[]
  standard: boolean
  version: number
  createdAt: Date
  updatedAt: Date
}
export type ScheduleWithUse = ScheduleRow & { eventTypeCount: number }

const columns = [
  's.id',
  's.tenant_id as tenantId',
  's.host_id as hostId',
  's.name',
  's.zone',
  's.weekly',
  's.overrides',
  's.standard',
  's.version',
  's.created_at as createdAt',
  's.updated_at as updatedAt',
] as const

const eventTypeCount = sql<number>`(select count(*)::int from event_types e where e.tenant_id = s.tenant_id and e.schedule_id = s.id and e.removed_at is null)`

/** Of hosts that are there, newest first, one row more than asked. */
export function listSchedules(
  db: Db,
  tenantId: string,
  filter: { hostId?: string | undefined; before?: string | undefined; limit: number },
): Promise<ScheduleWithUse[]> {
  let query = db
    .selectFrom('availability_schedules as s')
    .innerJoin('hosts as h', (join) =>
      join.onRef('h.tenant_id', '=', 's.tenant_id').onRef('h.id', '=', 's.host_id'),
    )
    .select([...columns, eventTypeCount.as('eventTypeCount')])
    .where('s.tenant_id', '=', tenantId)
    .where('h.removed_at', 'is', null)
  if (filter.hostId) query = query.where('s.host_id', '=', filter.hostId)
  if (filter.before) query = query.where('s.id', '<', filter.before)
  return query
    .orderBy('s.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findSchedule(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<ScheduleWithUse | undefined> {
  return db
    .selectFrom('availability_schedules as s')
    .select([...columns, eventTypeCount.as('eventTypeCount')])
    .where('s.tenant_id', '=', tenantId)
    .where('s.id', '=', id)
    .executeTakeFirst()
}

/**
 * The hours in which a host takes an event type: the schedule that it names when that is the host's
 * own, else the host's standard one. Undefined for a host without either.
 */
export function scheduleFor(
  db: Db | Trx,
  eventType: { scheduleId: string | null },
  hostId: string,
): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom('availability_schedules as s')
    .select(columns)
    .where('s.host_id', '=', hostId)
    .where((e) =>
      e.or([
        e('s.standard', '=', true),
        ...(eventType.scheduleId === null ? [] : [e('s.id', '=', eventType.scheduleId)]),
      ]),
    )
    .orderBy('s.standard')
    .limit(1)
    .executeTakeFirst()
}

export interface ScheduleContent {
  name: string
  zone: string
  weekly: readonly (readonly DayWindow[])[]
  overrides: readonly StoredDate[]
}

/**
 * Requires `Trx`: whether it is the standard one is decided under the lock of the host's schedules.
 * Returns the id.
 */
export async function insertSchedule(
  trx: Trx,
  schedule: ScheduleContent & { tenantId: string; hostId: string; standard: boolean },
): Promise<string> {
  if (schedule.standard) await clearStandard(trx, schedule.hostId)
  const { id } = await trx
    .insertInto('availability_schedules')
    .values({
      tenant_id: schedule.tenantId,
      host_id: schedule.hostId,
      name: schedule.name,
      zone: schedule.zone,
      weekly: JSON.stringify(schedule.weekly),
      overrides: JSON.stringify(schedule.overrides),
      standard: schedule.standard,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Replaces what it holds and raises its version; `standard` true takes that from the host's other
 * one.
 */
export async function replaceSchedule(
  trx: Trx,
  { id, hostId }: Pick<ScheduleRow, 'id' | 'hostId'>,
  content: ScheduleContent & { standard: boolean },
): Promise<void> {
  if (content.standard) await clearStandard(trx, hostId)
  await trx
    .updateTable('availability_schedules')
    .set((row) => ({
      name: content.name,
      zone: content.zone,
      weekly: JSON.stringify(content.weekly),
      overrides: JSON.stringify(content.overrides),
      standard: content.standard,
      version: row('version', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', id)
    .execute()
}

async function clearStandard(trx: Trx, hostId: string): Promise<void> {
  await trx
    .updateTable('availability_schedules')
    .set({ standard: false })
    .where('host_id', '=', hostId)
    .where('standard', '=', true)
    .execute()
}

/**
 * Removed event types that named it follow the standard one of their host. Those that are there
 * keep it from going: 23503.
 */
export async function deleteSchedule(trx: Trx, id: string): Promise<void> {
  await trx
    .updateTable('event_types')
    .set({ schedule_id: null })
    .where('schedule_id', '=', id)
    .where('removed_at', 'is not', null)
    .execute()
  await trx.deleteFrom('availability_schedules').where('id', '=', id).execute()
}

export async function countSchedules(trx: Trx, hostId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('availability_schedules')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('host_id', '=', hostId)
    .executeTakeFirstOrThrow()
  return count
}
