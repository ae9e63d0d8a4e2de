import type { AuditAction } from '@atrium/core/audit/audit'
import { AppError } from '@atrium/core/platform/errors'
import {
  type BookingCommand,
  type BookingEvent,
  type BookingPatch,
  decideTransition,
} from '@atrium/core/scheduling/booking-transitions'
import type { BookingParty } from '@atrium/core/scheduling/scheduling'
import type { Trx } from '@atrium/db/platform/connect'
import { releaseClaims } from '@atrium/db/scheduling/booking-claims'
import {
  type BookingRow,
  findBooking,
  insertBookingChange,
  lockBooking,
  updateBooking,
} from '@atrium/db/scheduling/bookings'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { clearBusyTimes } from '../calendars/busy-times.ts'
import { withHosts } from '../calendars/invitation.ts'
import type { Actor } from './actor.ts'
import { withHostLocks } from './claim.ts'
import { queueEffects, syncCalendar } from './effects.ts'
import type { BookingWithHosts } from './facts.ts'
import { findConflict } from './host-conflict.ts'
import { rejectionError, stateOf } from './state.ts'

export interface TransitionRequest {
  actor: Actor
  /** The booking as the caller read it. */
  found: BookingRow
  command: BookingCommand
  now: Date
  /**
   * Checks and takes the time that the booking is to have, under the locks. Returns what the
   * booking gets with that time.
   */
  takeTime?: (trx: Trx, current: BookingWithHosts) => Promise<BookingPatch>
  /** Hosts who may get the booking by the change. */
  candidates?: readonly HostRow[]
}

/** A change of a booking that is committed, or was not needed. */
export interface Transition {
  /** As it is after the change; calendars may follow. */
  booking: BookingRow
  /** What follows the commit; undefined where nothing changed. */
  effects: BookingEffects | undefined
}

export interface BookingEffects {
  /** Hosts whose busy times are other ones now. */
  hostIds: readonly string[]
  /** Whether an entry of a host's own may have come into the time in the same second. */
  findConflict: boolean
}

/**
 * Carries out one command on a booking: locks its hosts and its row, decides on the row as it is
 * then, writes it with its line of history and its audit entry, and queues mails, reminders and
 * calendars, in one transaction. `runEffects` has to follow. The transaction may run again when the
 * database asks for it. Throws AppError `not_found`, what the decision rejects with, and what
 * `takeTime` and the actor's `rejectFormer` throw; nothing is changed then.
 */
export async function transitionBooking(
  services: Services,
  request: TransitionRequest,
): Promise<Transition> {
  const { candidates = [] } = request
  const { db } = services.database
  let known = request.found
  for (;;) {
    const held = [...hostIdsOf(known), ...candidates.map(({ id }) => id)]
    const step = await withHostLocks(db, held, async (trx) => {
      const booking = await lockBooking(trx, known.id)
      if (!booking) throw new AppError('not_found')
      // A move gave it to another host meanwhile: that host's lock has to be taken first.
      if (!hostIdsOf(booking).every((id) => held.includes(id))) return { moved: booking }
      return { done: await carryOut(trx, services, request, booking) }
    })
    if (step.done) return step.done
    known = step.moved
  }
}

/**
 * Carries out a command with its effects. Returns the booking as it is once its calendars were
 * tried.
 */
export async function changeBooking(
  services: Services,
  request: TransitionRequest,
): Promise<BookingRow> {
  return settleTransition(services, await transitionBooking(services, request))
}

/** Runs the effects of a transition and returns the booking as it is after them. */
export async function settleTransition(
  services: Services,
  transition: Transition,
): Promise<BookingRow> {
  const { booking, effects } = transition
  if (!effects) return booking
  await runEffects(services, transition)
  const current = await findBooking(services.database.db, booking.id)
  if (!current) throw new Error(`the booking ${booking.id} has vanished`)
  if (effects.findConflict)
    services.background.run('look for a conflict in the calendar', () =>
      findConflict(services, current),
    )
  return current
}

/** After the commit: brings the calendars along, for as long as is quick. */
export async function runEffects(
  services: Services,
  { booking, effects }: Transition,
): Promise<void> {
  if (!effects) return
  for (const id of effects.hostIds) clearBusyTimes(services, id)
  await syncCalendar(services, booking.id)
  for (const id of effects.hostIds) clearBusyTimes(services, id)
}

async function carryOut(
  trx: Trx,
  services: InTransaction,
  { actor, command, now, takeTime }: TransitionRequest,
  before: BookingRow,
): Promise<Transition> {
  await actor.rejectFormer?.(trx, before.hosts)
  const decision = decideTransition(command, actor.by, stateOf(before), now)
  if (decision.outcome === 'rejected') throw rejectionError(decision.rejection, before)
  if (decision.outcome === 'unchanged') return { booking: before, effects: undefined }
  const { event, releasesTime } = decision
  const current = await withHosts(trx, before)
  const patch = { ...decision.patch, ...(await takeTime?.(trx, current)) }
  if (releasesTime) await releaseClaims(trx, before.id)
  if (!(await updateBooking(trx, before, patch, now))) throw new AppError('invalid_state')
  const reason = 'reason' in command ? command.reason : undefined
  const newHostId = patch.hostId
  const moved = patch.startAt && { fromStart: before.startAt, toStart: patch.startAt }
  if (event !== 'guests_invited')
    await insertBookingChange(trx, before, {
      kind: event,
      by: actor.by,
      actorId: actor.actorId,
      reason: reason ?? null,
      at: now,
      ...moved,
      ...(newHostId && { fromHostId: before.hostId, toHostId: newHostId }),
    })
  const after = newHostId
    ? await handedOver(trx, before.id)
    : { ...current, booking: patched(before, patch, { event, by: actor.by, now }) }
  await queueEffects(trx, services, {
    ...after,
    event,
    actor,
    reason,
    previousStart: moved?.fromStart,
    ...(newHostId && { before }),
  })
  const metadata = auditMetadata(command, actor, newHostId)
  await actor.record(trx, before, auditActions[command.action], metadata)
  return {
    booking: after.booking,
    effects: {
      hostIds: [...new Set([...hostIdsOf(before), ...hostIdsOf(after.booking)])],
      findConflict: takeTime !== undefined,
    },
  }
}

/** Another host means another name, address and calendar. */
async function handedOver(trx: Trx, id: string): Promise<BookingWithHosts> {
  const booking = await findBooking(trx, id)
  if (!booking) throw new Error(`the booking ${id} has vanished`)
  return withHosts(trx, booking)
}

/** The booking as `updateBooking` left it. */
function patched(
  booking: BookingRow,
  patch: BookingPatch,
  { event, by, now }: { event: BookingEvent; by: BookingParty; now: Date },
): BookingRow {
  const visitorMoved = event === 'rescheduled' && by === 'visitor'
  return {
    ...booking,
    ...patch,
    visitorMoves: booking.visitorMoves + Number(visitorMoved),
    version: booking.version + 1,
    updatedAt: now,
  }
}

function hostIdsOf({ hosts }: BookingRow): string[] {
  return hosts.map(({ hostId }) => hostId)
}

const auditActions = {
  confirm: 'booking.confirmed',
  decline: 'booking.declined',
  cancel: 'booking.canceled',
  expire: 'booking.expired',
  reschedule: 'booking.rescheduled',
  no_show: 'booking.no_show',
  new_link: 'booking.link_renewed',
  invite_guests: 'booking.guests_invited',
} satisfies Record<BookingCommand['action'], AuditAction>

function auditMetadata(
  command: BookingCommand,
  { by }: Actor,
  toHostId: string | undefined,
): Record<string, unknown> {
  if (command.action === 'cancel') return { by }
  if (command.action !== 'reschedule') return {}
  return { by, to: new Date(command.start).toISOString(), ...(toHostId && { toHostId }) }
}
