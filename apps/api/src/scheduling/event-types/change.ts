import { type AuditAction, changedFields } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type CreateEventType,
  type EventTypeSettings,
  type EventTypeView,
  type RemoveEventType,
  settingIssues,
  type UpdateEventType,
} from '@atrium/core/scheduling/event-types'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import { slugCandidates, slugify } from '@atrium/core/tenants/slugs'
import type { Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import {
  countComingBookings,
  countEventTypes,
  type EventTypeContent,
  type EventTypeRow,
  findEventType,
  findEventTypeBySlug,
  insertEventType,
  lockEventType,
  removeEventType as markRemoved,
  updateEventType as writeEventType,
} from '@atrium/db/scheduling/event-types'
import { type HostRow, lockHost } from '@atrium/db/scheduling/hosts'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, type OpenTenant, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import type { TransactionContext } from '../../rpc/services.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { noSuchHost, requireHostAccess } from '../access.ts'
import { noSuchEventType, toEventTypeView } from './event-types.ts'
import { hostIdsOf, rejectUnfit } from './fit.ts'

/**
 * Throws AppError `invalid_input` for a schedule that is not the host's own and for hosts who
 * cannot take part, `already_exists` for an address that the host uses already, `limit_reached`,
 * `not_found` for the host, `not_admin`.
 */
export async function createEventType(
  ctx: Context,
  access: Access,
  input: CreateEventType,
): Promise<EventTypeView> {
  const { services } = ctx
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerDelegate(trx, access)
    const host = await lockHost(trx, open.id, input.hostId)
    if (!host) throw noSuchHost()
    requireHostAccess(access, host)
    if ((await countEventTypes(trx, host.id)) >= schedulingLimits.eventTypesPerHost)
      throw new AppError(
        'limit_reached',
        errorText('eventTypeLimit', { eventTypesPerHost: schedulingLimits.eventTypesPerHost }),
      )
    const { slug: _, hostId: __, eventSlug, ...settings } = input
    const requested = {
      ...settings,
      hostIds: hostIdsOf(settings, host.id),
      eventSlug: eventSlug ?? (await freeSlug(trx, host.id, input.title)),
    }
    await rejectUnfit(trx, access, host, requested)
    const id = await insertEventType(trx, {
      ...toContent(requested),
      tenantId: open.id,
      hostId: host.id,
    }).catch(rejectTakenSlug)
    const view = toEventTypeView(await readBack(trx, id), open.slug, services.config)
    await recordEventType(ctx, trx, access, open, 'event_type.created', view, {
      assignment: view.assignment,
      hostIds: view.hostIds,
    })
    return view
  })
}

/**
 * Changes what is given. Throws AppError `version_conflict` when it is not at the given version any
 * more, `invalid_input` also for settings that do not go with those that stay, `already_exists`,
 * `not_found`, `not_admin`.
 */
export async function changeEventType(
  ctx: Context,
  access: Access,
  input: UpdateEventType,
): Promise<EventTypeView> {
  const { services } = ctx
  return tenantTransaction(services, access.tenant.id, async (trx) => {
    const { open, host, row } = await lockOwn(trx, access, input.eventTypeId)
    if (row.version !== input.version)
      throw new AppError(
        'version_conflict',
        errorText('eventTypeVersion', { version: row.version }),
      )
    const { slug: _, eventTypeId: __, version: ___, ...provided } = input
    const stored = toSettings(row)
    const named = Object.fromEntries(
      Object.entries(provided).filter(([, value]) => value !== undefined),
    ) as Partial<EventTypeSettings>
    const merged: EventTypeSettings = { ...stored, ...named }
    const requested = { ...merged, hostIds: hostIdsOf(merged, host.id) }
    const issues = settingIssues({ ...requested, hostId: host.id })
    if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
    await rejectUnfit(trx, access, host, requested, stored)
    await writeEventType(trx, row.id, toContent(requested)).catch(rejectTakenSlug)
    const after = await readBack(trx, row.id)
    const view = toEventTypeView(after, open.slug, services.config)
    const is = toSettings(after)
    const changes = changedFields(stored, is, Object.keys(is))
    if (Object.keys(changes).length > 0)
      await recordEventType(ctx, trx, access, open, 'event_type.updated', view, { changes })
    return view
  })
}

/**
 * Deletes an event type: it is no longer offered, and its bookings stay unchanged. Throws AppError
 * `event_type_in_use` when some are still to come and `keepBookings` is not given, `not_found`,
 * `not_admin`.
 */
export async function removeEventType(
  ctx: Context,
  access: Access,
  input: RemoveEventType,
): Promise<void> {
  const { services } = ctx
  const now = services.clock.now()
  await tenantTransaction(services, access.tenant.id, async (trx) => {
    const { open, row } = await lockOwn(trx, access, input.eventTypeId)
    const coming = await countComingBookings(trx, row.id, now)
    if (coming > 0 && !input.keepBookings) throw bookingsComing(coming)
    await markRemoved(trx, row.id, now)
    const view = toEventTypeView(row, open.slug, services.config)
    const metadata = coming > 0 ? { keptBookings: coming } : {}
    await recordEventType(ctx, trx, access, open, 'event_type.removed', view, metadata)
  })
}

function bookingsComing(count: number): AppError {
  return new AppError('event_type_in_use', errorText('eventTypeBookings', { count }))
}

async function lockOwn(
  trx: TenantTrx,
  access: Access,
  id: string,
): Promise<{ open: OpenTenant; host: HostRow; row: EventTypeRow }> {
  const open = await lockOpenTenant(trx, access.tenant.slug)
  await rejectFormerDelegate(trx, access)
  const found = await findEventType(trx, id)
  const host =
    found && found.tenantId === open.id ? await lockHost(trx, open.id, found.hostId) : undefined
  if (!host) throw noSuchEventType()
  requireHostAccess(access, host)
  const row = await lockEventType(trx, open.id, id)
  if (!row) throw noSuchEventType()
  return { open, host, row }
}

async function readBack(trx: Trx, id: string): Promise<EventTypeRow> {
  const row = await findEventType(trx, id)
  if (!row) throw noSuchEventType()
  return row
}

const takenSlug = (cause?: unknown) =>
  new AppError('already_exists', errorText('eventTypeSlugTaken'), {
    cause,
    issues: [{ path: 'eventSlug', message: errorText('slugInUse') }],
  })

function rejectTakenSlug(error: unknown): never {
  throw violatedConstraint(error) === 'event_types_host_slug' ? takenSlug(error) : error
}

/** Titles in scripts that make no slug are `meeting`. */
async function freeSlug(trx: Trx, hostId: string, title: string): Promise<string> {
  for (const candidate of slugCandidates(
    slugify(title) ?? 'meeting',
    schedulingLimits.eventTypesPerHost + 1,
  ))
    if (!(await findEventTypeBySlug(trx, hostId, candidate))) return candidate
  throw takenSlug()
}

function toContent({ eventSlug, limits, ...settings }: EventTypeSettings): EventTypeContent {
  return {
    ...settings,
    slug: eventSlug,
    limitDay: limits.day,
    limitWeek: limits.week,
    limitMonth: limits.month,
  }
}

function toSettings(row: EventTypeRow): EventTypeSettings {
  const {
    scheduleId,
    title,
    description,
    durations,
    stepMinutes,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    bookingWindow,
  } = row
  const {
    seats,
    limitsScope,
    bookingsPerVisitor,
    assignment,
    hostIds,
    locationKind,
    location,
    requiresConfirmation,
    approvalHours,
    fields,
    reminders,
  } = row
  const { cancelCutoffMinutes, rescheduleCutoffMinutes, rescheduleHost, active, listed } = row
  return {
    scheduleId,
    title,
    eventSlug: row.slug,
    description,
    durations,
    stepMinutes,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    bookingWindow,
    limits: { day: row.limitDay, week: row.limitWeek, month: row.limitMonth },
    limitsScope,
    seats,
    assignment,
    hostIds,
    bookingsPerVisitor,
    locationKind,
    location,
    requiresConfirmation,
    approvalHours,
    cancelCutoffMinutes,
    rescheduleCutoffMinutes,
    rescheduleHost,
    fields,
    reminders,
    active,
    listed,
  }
}

function recordEventType(
  ctx: TransactionContext,
  trx: Trx,
  { caller }: Access,
  tenant: { slug: string; partnerSlug: string | null },
  action: AuditAction,
  view: EventTypeView,
  metadata: Record<string, unknown>,
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'event_type',
    resourceId: view.id,
    resourceName: view.title,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: { hostId: view.hostId, ...metadata },
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}
