import type { AuditAction } from '@atrium/core/audit/audit'
import type { BookingParty } from '@atrium/core/scheduling/scheduling'
import type { Trx } from '@atrium/db/platform/connect'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { rejectFormerActor } from '../hosts/open.ts'

interface BookedHost {
  userId: string | null
}

/** On whose behalf a booking is changed, and where that is recorded. */
export interface Actor {
  /**
   * Checks the actor's right again, in the transaction of the change. Absent where none was needed.
   * Throws AppError `not_member`, `not_admin`.
   */
  readonly rejectFormer?: (trx: Trx, hosts: readonly BookedHost[]) => Promise<void>
  readonly by: BookingParty
  /** The person of the tenant or the platform; null for visitors and for what happens by itself. */
  readonly actorId: string | null
  /** In the transaction of the change, as its last statement. */
  record(
    trx: Trx,
    booking: BookingRow,
    action: AuditAction,
    metadata: Record<string, unknown>,
  ): Promise<void>
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

export function visitorActor(ctx: Context): Actor & { by: 'visitor' } {
  return {
    by: 'visitor',
    actorId: null,
    record: (trx, booking, action, metadata) =>
      ctx.services.audit.recordVisitor(ctx, entry(booking, action, metadata), trx),
  }
}

/** A host of the booking, or who acts for all hosts of the tenant. */
export function hostActor(ctx: Context, access: Access): Actor & { by: 'host' } {
  const { caller } = access
  return {
    by: 'host',
    actorId: caller.id ?? null,
    rejectFormer: (trx, hosts) =>
      rejectFormerActor(
        trx,
        access,
        hosts.some(({ userId }) => userId === caller.id),
      ),
    record: (trx, booking, action, metadata) =>
      ctx.services.audit.record(ctx, caller, entry(booking, action, metadata), trx),
  }
}

export function platformActor({ audit }: Services): Actor & { by: 'system' } {
  return {
    by: 'system',
    actorId: null,
    record: (trx, booking, action, metadata) =>
      audit.recordSystem(entry(booking, action, metadata), trx),
  }
}
