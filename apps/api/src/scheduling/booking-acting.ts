import type { AuditAction } from '@atrium/core/audit'
import type { BookingParty } from '@atrium/core/scheduling'
import type { BookingRow } from '@atrium/db/bookings'
import type { Caller, Context } from '../context.ts'
import type { House } from '../house.ts'

/** On whose behalf a booking is changed, and where that is recorded. */
export interface Acting {
  readonly by: BookingParty
  /** The person of the tenant or the platform; null for visitors and for what happens by itself. */
  readonly actorId: string | null
  record(booking: BookingRow, action: AuditAction, metadata: Record<string, unknown>): Promise<void>
}

/** Ids, times and the name of the event type alone: nothing that says who the visitor is. */
function entry(booking: BookingRow, action: AuditAction, metadata: Record<string, unknown>) {
  return {
    action,
    resourceType: 'booking',
    resourceId: booking.id,
    resourceName: booking.eventTypeTitle,
    tenantSlug: booking.tenantSlug,
    metadata: { hostId: booking.hostId, start: booking.startAt.toISOString(), ...metadata },
  }
}

export function actingAsVisitor(ctx: Context): Acting & { by: 'visitor' } {
  return {
    by: 'visitor',
    actorId: null,
    record: (booking, action, metadata) => ctx.house.audit.recordVisitor(ctx, entry(booking, action, metadata)),
  }
}

export function actingAsHost(ctx: Context, caller: Caller): Acting & { by: 'host' } {
  return {
    by: 'host',
    actorId: caller.id ?? null,
    record: (booking, action, metadata) => ctx.house.audit.record(ctx, caller, entry(booking, action, metadata)),
  }
}

export function actingAsPlatform({ audit }: House): Acting & { by: 'system' } {
  return {
    by: 'system',
    actorId: null,
    record: (booking, action, metadata) => audit.recordSystem(entry(booking, action, metadata)),
  }
}
