import { type AuditAction, changedFields } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  type CreateSchedule,
  datesOnWire,
  type ListSchedules,
  type ReplacedSchedule,
  type ReplaceSchedule,
  type SchedulePage,
  type ScheduleView,
  storedDates,
  storedWeek,
  weekOnWire,
} from '@atrium/core/scheduling/schedules'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { findHost, lockHost } from '@atrium/db/scheduling/hosts'
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  insertSchedule,
  listSchedules as readSchedules,
  type ScheduleContent,
  type ScheduleWithUse,
  replaceSchedule as writeSchedule,
} from '@atrium/db/scheduling/schedules'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import type { TransactionContext } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { hostsInReach, noSuchHost, ownHost, requireHostAccess } from '../access.ts'
import { affectedBookings } from './affected-bookings.ts'
import { followZone } from './follow-zone.ts'

const noSuchSchedule = () => new AppError('not_found', errorText('unknownSchedule'))

/**
 * Newest first. Members without the right to every host see those of their own. Throws AppError
 * `not_admin`, `not_found` for `hostId`.
 */
export async function listSchedules(
  { services }: Context,
  access: Access,
  input: ListSchedules,
): Promise<SchedulePage> {
  const hostId =
    input.hostId === undefined
      ? await hostsInReach(services, access)
      : await ownHost(services, access, input.hostId)
  if (hostId === undefined) return { items: [], nextCursor: null }
  const filter = {
    ...(hostId === 'all' ? {} : { hostId: hostId.id }),
    before: input.cursor,
    limit: input.limit,
  }
  const { items, nextCursor } = cutPage(
    await readSchedules(services.database.db, access.tenant.id, filter),
    input.limit,
  )
  return { items: items.map(toScheduleView), nextCursor }
}

/** Throws AppError `not_found`, `not_admin`. */
export async function getSchedule(
  { services }: Context,
  access: Access,
  scheduleId: string,
): Promise<ScheduleView> {
  const { db } = services.database
  const row = await findSchedule(db, access.tenant.id, scheduleId)
  const host = row && (await findHost(db, access.tenant.id, row.hostId))
  if (!row || !host) throw noSuchSchedule()
  requireHostAccess(access, host)
  return toScheduleView(row)
}

/**
 * Throws AppError `not_found` for the host, `not_admin`, `limit_reached`, and what a closed tenant
 * is rejected with.
 */
export async function createSchedule(
  ctx: Context,
  access: Access,
  input: CreateSchedule,
): Promise<ScheduleView> {
  const { view, host } = await tenantTransaction(ctx.services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerDelegate(trx, access)
    const host = await lockHost(trx, open.id, input.hostId)
    if (!host) throw noSuchHost()
    requireHostAccess(access, host)
    const count = await countSchedules(trx, host.id)
    if (count >= schedulingLimits.schedulesPerHost)
      throw new AppError(
        'limit_reached',
        errorText('scheduleLimit', { schedulesPerHost: schedulingLimits.schedulesPerHost }),
      )
    const schedule = {
      ...contentOf(input),
      tenantId: open.id,
      hostId: host.id,
      standard: input.standard || count === 0,
    }
    const id = await insertSchedule(trx, schedule)
    const view = await readSchedule(trx, open.id, id)
    await recordSchedule(ctx, trx, access, open, 'schedule.created', view, {
      timeZone: view.timeZone,
      standard: view.standard,
    })
    return { view, host }
  })
  if (view.standard) await followZone(ctx.services, host)
  return view
}

/**
 * Replaces all of it. Throws AppError `version_conflict` when it is not at the given version any
 * more, `schedule_in_use` for the standard one that would be none any more, `not_found`,
 * `not_admin`. Bookings stay as they are; those that the new hours no longer hold are named.
 */
export async function replaceSchedule(
  ctx: Context,
  access: Access,
  input: ReplaceSchedule,
): Promise<ReplacedSchedule> {
  const { before, after, rows, host } = await tenantTransaction(
    ctx.services,
    access.tenant.id,
    async (trx) => {
      const { open, host: own, row } = await lockSchedule(trx, access, input.scheduleId)
      if (row.version !== input.version)
        throw new AppError(
          'version_conflict',
          errorText('scheduleVersion', { version: row.version }),
        )
      if (row.standard && input.standard === false) throw standardInUse()
      await writeSchedule(trx, row, {
        ...contentOf(input),
        standard: input.standard ?? row.standard,
      })
      const written = await findSchedule(trx, open.id, row.id)
      if (!written) throw noSuchSchedule()
      const [before, after] = [toScheduleView(row), toScheduleView(written)]
      const changes = changedFields(before, after, auditedFields)
      if (Object.keys(changes).length > 0)
        await recordSchedule(ctx, trx, access, open, 'schedule.updated', after, { changes })
      return { before, after, rows: { row, written }, host: own }
    },
  )
  if (after.standard && (!before.standard || before.timeZone !== after.timeZone))
    await followZone(ctx.services, host)
  // A schedule that becomes the standard is new to the bookings that follow that one.
  const old = rows.row.standard === rows.written.standard ? rows.row : undefined
  const affected = await affectedBookings(ctx.services.database.db, {
    before: old,
    after: rows.written,
    now: ctx.services.clock.now(),
  })
  return { ...after, ...affected }
}

/**
 * Throws AppError `schedule_in_use` for the standard one and while event types name it,
 * `not_found`, `not_admin`.
 */
export async function removeSchedule(
  ctx: Context,
  access: Access,
  scheduleId: string,
): Promise<void> {
  await tenantTransaction(ctx.services, access.tenant.id, async (trx) => {
    const { open, row } = await lockSchedule(trx, access, scheduleId)
    if (row.standard) throw standardInUse()
    if (row.eventTypeCount > 0) throw namedByEventTypes(row.eventTypeCount)
    await deleteSchedule(trx, row.id).catch((error: unknown) => {
      throw violatedConstraint(error) === 'event_types_schedule_id_fkey'
        ? namedByEventTypes(1)
        : error
    })
    await recordSchedule(ctx, trx, access, open, 'schedule.removed', toScheduleView(row))
  })
}

const auditedFields = ['name', 'timeZone', 'standard', 'weekly', 'overrides'] as const

const standardInUse = () => new AppError('schedule_in_use', errorText('standardSchedule'))
const namedByEventTypes = (count: number) =>
  new AppError('schedule_in_use', errorText('scheduleUsed', { count }))

async function lockSchedule(trx: TenantTrx, access: Access, scheduleId: string) {
  const open = await lockOpenTenant(trx, access.tenant.slug)
  await rejectFormerDelegate(trx, access)
  const found = await findSchedule(trx, open.id, scheduleId)
  const host = found && (await lockHost(trx, open.id, found.hostId))
  if (!host) throw noSuchSchedule()
  requireHostAccess(access, host)
  // Read again under the host's lock, which every change of its schedules takes.
  const row = await findSchedule(trx, open.id, scheduleId)
  if (!row) throw noSuchSchedule()
  return { open, host, row }
}

async function readSchedule(trx: Trx, tenantId: string, id: string): Promise<ScheduleView> {
  const row = await findSchedule(trx, tenantId, id)
  if (!row) throw noSuchSchedule()
  return toScheduleView(row)
}

function contentOf(
  input: Pick<CreateSchedule, 'name' | 'timeZone' | 'weekly' | 'overrides'>,
): ScheduleContent {
  return {
    name: input.name,
    zone: input.timeZone,
    weekly: storedWeek(input.weekly),
    overrides: storedDates(input.overrides),
  }
}

export function toScheduleView(row: ScheduleWithUse): ScheduleView {
  return {
    id: row.id,
    hostId: row.hostId,
    name: row.name,
    timeZone: row.zone,
    weekly: weekOnWire(row.weekly),
    overrides: datesOnWire(row.overrides),
    standard: row.standard,
    eventTypeCount: row.eventTypeCount,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

function recordSchedule(
  ctx: TransactionContext,
  trx: Trx,
  { caller }: Access,
  tenant: { slug: string; partnerSlug: string | null },
  action: AuditAction,
  view: ScheduleView,
  metadata: Record<string, unknown> = {},
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'schedule',
    resourceId: view.id,
    resourceName: view.name,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: { hostId: view.hostId, ...metadata },
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}
