import type { AuditAction } from '@atrium/core/audit'
import { type BookingAction, type BookingMoments, refusalOf } from '@atrium/core/booking-life'
import { AppError } from '@atrium/core/errors'
import { type BookingChangeKind, type BookingParty, schedulingLimits } from '@atrium/core/scheduling'
import { type BookingChanges, type BookingRow, findBooking, insertBookingChange, lockBooking, updateBooking } from '@atrium/db/bookings'
import type { Trx } from '@atrium/db/connect'
import type { EventTypeRow } from '@atrium/db/event-types'
import type { House, InTransaction } from '../house.ts'
import type { Acting } from './booking-acting.ts'
import { forgetBusy } from './busy-times.ts'
import { withHostLocks } from './claim.ts'
import { bookingChanged, settleCalendar } from './effects.ts'
import { lookForConflict } from './host-conflict.ts'

/** What the rules of a booking's life look at. */
export function momentsOf(booking: BookingRow): BookingMoments {
  return {
    status: booking.status,
    start: booking.startAt.getTime(),
    end: booking.endAt.getTime(),
    approvalExpiresAt: booking.approvalExpiresAt?.getTime() ?? null,
    noShow: booking.noShow,
    cancelCutoffMinutes: booking.cancelCutoffMinutes,
    rescheduleCutoffMinutes: booking.rescheduleCutoffMinutes,
    offered: booking.eventTypeActive && booking.hostActive,
    visitorMoves: booking.visitorMoves,
  }
}

/** Until when a host can decide about a request for `start` (milliseconds since 1970) that is made, or moved there, at `now`. */
export function answerDue({ approvalHours }: Pick<EventTypeRow, 'approvalHours'>, start: number, now: Date): Date {
  return new Date(Math.min(start, now.getTime() + approvalHours * 3_600_000))
}

/** Throws AppError `invalid_state`, `cutoff_passed` or `limit_reached`. */
export function requireAllowed(action: BookingAction, by: Exclude<BookingParty, 'system'>, booking: BookingRow, now: Date): void {
  const refusal = refusalOf(action, by, momentsOf(booking), now.getTime())
  if (refusal === 'limit_reached') {
    const most = schedulingLimits.movesPerBooking
    throw new AppError(refusal, `You can move a booking ${most} times. Ask ${booking.hostName} to move it, or cancel it and book again.`)
  }
  if (refusal) throw new AppError(refusal)
}

/**
 * Changes a booking under the locks of its hosts and of its row, so that changes of one booking and claims of one host's time follow one
 * another. The work may run again when the database asks for it, and reads everything anew then. Throws AppError `not_found`.
 */
export function changeBooking<Result>(
  { database }: House,
  found: BookingRow,
  work: (trx: Trx, booking: BookingRow) => Promise<Result>,
): Promise<Result> {
  const hostIds = found.hosts.map(({ hostId }) => hostId)
  return withHostLocks(database.db, hostIds, async (trx) => {
    const booking = await lockBooking(trx, found.id)
    if (!booking) throw new AppError('not_found')
    return work(trx, booking)
  })
}

export interface Step {
  kind: BookingChangeKind
  acting: Pick<Acting, 'by' | 'actorId'>
  changes: BookingChanges
  reason?: string | undefined
  now: Date
  /** Where the booking is moved to. */
  movedTo?: Date | undefined
}

/** Writes one step of a booking's life with its line of history, and queues what follows from it. Claims are the caller's to move first. */
export async function writeStep(trx: Trx, house: InTransaction, booking: BookingRow, step: Step): Promise<void> {
  const { kind, acting, reason, now, movedTo } = step
  if (!(await updateBooking(trx, booking, step.changes, now))) throw new AppError('invalid_state')
  const moved = movedTo ? { fromStart: booking.startAt, toStart: movedTo } : {}
  await insertBookingChange(trx, booking.id, { kind, by: acting.by, actorId: acting.actorId, reason: reason ?? null, at: now, ...moved })
  await bookingChanged(trx, house, {
    bookingId: booking.id,
    kind,
    ...(movedTo ? { previousStart: booking.startAt } : {}),
    ...(reason === undefined ? {} : { reason }),
  })
}

/** After the commit: records the step, brings the calendars along as far as that goes quickly, and answers the booking as it stands. */
export async function finishStep(
  house: House,
  acting: Acting,
  booking: BookingRow,
  action: AuditAction,
  metadata: Record<string, unknown> = {},
): Promise<BookingRow> {
  await acting.record(booking, action, metadata)
  for (const { hostId } of booking.hosts) forgetBusy(house, hostId)
  await settleCalendar(house, booking.id)
  return readAgain(house, booking)
}

/** The same for a step that takes time: an entry of the host's own that came in the same second is looked for, and told to the host. */
export async function finishTaking(
  house: House,
  acting: Acting,
  found: BookingRow,
  action: AuditAction,
  metadata: Record<string, unknown> = {},
): Promise<BookingRow> {
  const booking = await finishStep(house, acting, found, action, metadata)
  house.background.run('look for a conflict in the calendar', () => lookForConflict(house, booking))
  return booking
}

export async function readAgain({ database }: House, { id }: BookingRow): Promise<BookingRow> {
  const booking = await findBooking(database.db, id)
  if (!booking) throw new Error(`the booking ${id} has vanished`)
  return booking
}
