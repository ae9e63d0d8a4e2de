import type { AuditAction } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type BookingAction,
  type BookingDeadlines,
  rejectionOf,
} from '@atrium/core/scheduling/booking-state'
import {
  type BookingChangeKind,
  type BookingParty,
  schedulingLimits,
} from '@atrium/core/scheduling/scheduling'
import type { Trx } from '@atrium/db/platform/connect'
import {
  type BookingChanges,
  type BookingRow,
  findBooking,
  insertBookingChange,
  lockBooking,
  updateBooking,
} from '@atrium/db/scheduling/bookings'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { clearBusyTimes } from '../calendars/busy-times.ts'
import type { Actor } from './actor.ts'
import { withHostLocks } from './claim.ts'
import { bookingChanged, syncCalendar } from './effects.ts'
import { isOffered } from './facts.ts'
import { findConflict } from './host-conflict.ts'

/** What the rules of a booking's life look at. */
export function deadlinesOf(booking: BookingRow): BookingDeadlines {
  return {
    status: booking.status,
    start: booking.startAt.getTime(),
    end: booking.endAt.getTime(),
    approvalExpiresAt: booking.approvalExpiresAt?.getTime() ?? null,
    noShow: booking.noShow,
    cancelCutoffMinutes: booking.cancelCutoffMinutes,
    rescheduleCutoffMinutes: booking.rescheduleCutoffMinutes,
    offered: isOffered(booking),
    visitorMoves: booking.visitorMoves,
  }
}

/**
 * Until when a host can decide about a request for `start` (milliseconds since 1970) that is made,
 * or moved there, at `now`.
 */
export function answerDue(
  { approvalHours }: Pick<EventTypeRow, 'approvalHours'>,
  start: number,
  now: Date,
): Date {
  return new Date(Math.min(start, now.getTime() + approvalHours * 3_600_000))
}

/** Throws AppError `invalid_state`, `cutoff_passed` or `limit_reached`. */
export function requireAllowed(
  action: BookingAction,
  by: Exclude<BookingParty, 'system'>,
  booking: BookingRow,
  now: Date,
): void {
  const rejection = rejectionOf(action, by, deadlinesOf(booking), now.getTime())
  if (rejection === 'limit_reached') {
    const most = schedulingLimits.movesPerBooking
    throw new AppError(rejection, errorText('moveLimit', { most, hostName: booking.hostName }))
  }
  if (rejection) throw new AppError(rejection)
}

/**
 * Changes a booking under the locks of its hosts and of its row, so that changes of one booking and
 * claims of one host's time follow one another. The work may run again when the database asks for
 * it, and reads everything again then. Throws AppError `not_found`.
 */
export async function changeBooking<Result>(
  services: Services,
  found: BookingRow,
  work: (trx: Trx, booking: BookingRow) => Promise<Result>,
  /** Who may get the booking by this change. */
  further: readonly HostRow[] = [],
): Promise<Result> {
  for (let known = found; ; known = await readAgain(services, found)) {
    const held = [...known.hosts.map(({ hostId }) => hostId), ...further.map(({ id }) => id)]
    const done = await withHostLocks(services.database.db, held, async (trx) => {
      const booking = await lockBooking(trx, found.id)
      if (!booking) throw new AppError('not_found')
      // A move gave it to another host meanwhile: that host's lock has to be taken first.
      if (!booking.hosts.every(({ hostId }) => held.includes(hostId))) return undefined
      return { result: await work(trx, booking) }
    })
    if (done) return done.result
  }
}

export interface Step {
  kind: BookingChangeKind
  actor: Pick<Actor, 'by' | 'actorId'>
  changes: BookingChanges
  reason?: string | undefined
  now: Date
  /** Where the booking is moved to. */
  movedTo?: Date | undefined
  /** Who gets the booking by the move, where that is another host. */
  newHostId?: string | undefined
}

/**
 * Writes one step of a booking's life with its line of history, and queues what follows from it.
 * Claims are the caller's to move first.
 */
export async function writeStep(
  trx: Trx,
  services: InTransaction,
  booking: BookingRow,
  step: Step,
): Promise<void> {
  const { kind, actor, reason, now, movedTo, newHostId } = step
  if (!(await updateBooking(trx, booking, step.changes, now))) throw new AppError('invalid_state')
  const moved = movedTo ? { fromStart: booking.startAt, toStart: movedTo } : {}
  const handedOver =
    newHostId === undefined ? {} : { fromHostId: booking.hostId, toHostId: newHostId }
  const change = { kind, by: actor.by, actorId: actor.actorId, reason: reason ?? null, at: now }
  await insertBookingChange(trx, booking.id, { ...change, ...moved, ...handedOver })
  await bookingChanged(trx, services, {
    bookingId: booking.id,
    kind,
    ...(movedTo ? { previousStart: booking.startAt } : {}),
    ...(newHostId === undefined ? {} : { before: booking }),
    ...(reason === undefined ? {} : { reason }),
  })
}

/**
 * After the commit: records the step, brings the calendars along as far as that goes quickly, and
 * returns the booking as it stands.
 */
export async function finishStep(
  services: Services,
  actor: Actor,
  booking: BookingRow,
  action: AuditAction,
  metadata: Record<string, unknown> = {},
): Promise<BookingRow> {
  await actor.record(booking, action, metadata)
  for (const { hostId } of booking.hosts) clearBusyTimes(services, hostId)
  await syncCalendar(services, booking.id)
  const current = await readAgain(services, booking)
  for (const { hostId } of current.hosts) clearBusyTimes(services, hostId)
  return current
}

/**
 * The same for a step that takes time: an entry of the host's own that came in the same second is
 * looked for, and told to the host.
 */
export async function finishTaking(
  services: Services,
  actor: Actor,
  found: BookingRow,
  action: AuditAction,
  metadata: Record<string, unknown> = {},
): Promise<BookingRow> {
  const booking = await finishStep(services, actor, found, action, metadata)
  services.background.run('look for a conflict in the calendar', () =>
    findConflict(services, booking),
  )
  return booking
}

export async function readAgain({ database }: Services, { id }: BookingRow): Promise<BookingRow> {
  const booking = await findBooking(database.db, id)
  if (!booking) throw new Error(`the booking ${id} has vanished`)
  return booking
}
