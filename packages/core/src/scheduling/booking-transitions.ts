import {
  type BookingDeadlines,
  type BookingRejection,
  hasExpired,
  isLive,
  nextSequence,
  rejectionOf,
} from './booking-state.ts'
import type { BookingChangeKind, BookingParty, BookingStatus } from './scheduling.ts'

/** A requested change of a booking. Instants are milliseconds since 1970. */
export type BookingCommand =
  | { readonly action: 'confirm' | 'expire' | 'no_show' | 'invite_guests' }
  | { readonly action: 'decline' | 'cancel'; readonly reason?: string | undefined }
  | {
      readonly action: 'reschedule'
      readonly start: number
      readonly end: number
      readonly reason?: string | undefined
    }
  | {
      readonly action: 'new_link'
      /** SHA-256 of the token of the new manage link. */
      readonly manageHash: Uint8Array
      /** The token, encrypted for this booking. */
      readonly manageSealed: Uint8Array
    }

/** What a decision looks at. */
export interface DecidedBooking extends BookingDeadlines {
  readonly sequence: number
  readonly invited: boolean
  /** Whether the visitor has confirmed their address. */
  readonly visitorConfirmed: boolean
}

/** New values of a booking; those that are absent stay. */
export interface BookingPatch {
  status?: BookingStatus
  sequence?: number
  invited?: boolean
  startAt?: Date
  endAt?: Date
  beforeMinutes?: number
  afterMinutes?: number
  hostId?: string
  uid?: string
  organizerAddress?: string
  hostWall?: string
  hostZone?: string
  manageHash?: Uint8Array
  manageSealed?: Uint8Array
  approvalExpiresAt?: Date | null
  confirmedAt?: Date
  endedAt?: Date
  endedBy?: BookingParty
  reason?: string | null
  noShow?: boolean
  visitorConfirmedAt?: Date
}

/**
 * `guests_invited` is not in the history of a booking: nothing about it changes for its visitor.
 */
export type BookingEvent = BookingChangeKind | 'guests_invited'

export type BookingDecision =
  | { outcome: 'rejected'; rejection: BookingRejection }
  /** The booking is already as it is wanted. */
  | { outcome: 'unchanged' }
  | {
      outcome: 'changed'
      event: BookingEvent
      patch: BookingPatch
      /** Whether its hosts get their time back. */
      releasesTime: boolean
    }

/**
 * Decides what a command does to a booking: the table of states in docs/reference/contract.md,
 * scheduling. Whether a time is free is not decided here.
 */
export function decideTransition(
  command: BookingCommand,
  by: BookingParty,
  booking: DecidedBooking,
  now: Date,
): BookingDecision {
  if (isDone(command, booking, now)) return { outcome: 'unchanged' }
  const rejection = rejectionOfCommand(command, by, booking, now)
  if (rejection) return { outcome: 'rejected', rejection }
  if (isRepeated(command, booking)) return { outcome: 'unchanged' }
  return { outcome: 'changed', ...effectOf(command, by, booking, now) }
}

function isDone(command: BookingCommand, booking: DecidedBooking, now: Date): boolean {
  switch (command.action) {
    case 'cancel':
      return booking.status === 'cancelled'
    case 'expire':
      return !hasExpired(booking, now.getTime())
    case 'invite_guests':
      return booking.visitorConfirmed
    default:
      return false
  }
}

/** Like `isDone`, for commands that must be allowed even when they change nothing. */
function isRepeated(command: BookingCommand, booking: DecidedBooking): boolean {
  if (command.action === 'no_show') return booking.noShow
  return (
    command.action === 'reschedule' &&
    command.start === booking.start &&
    command.end === booking.end
  )
}

function rejectionOfCommand(
  { action }: BookingCommand,
  by: BookingParty,
  booking: DecidedBooking,
  now: Date,
): BookingRejection | undefined {
  if (action === 'expire') return undefined
  if (action === 'invite_guests')
    return isLive(booking, now.getTime()) ? undefined : 'invalid_state'
  return rejectionOf(action, by === 'visitor' ? 'visitor' : 'host', booking, now.getTime())
}

function effectOf(
  command: BookingCommand,
  by: BookingParty,
  booking: DecidedBooking,
  now: Date,
): Omit<Extract<BookingDecision, { outcome: 'changed' }>, 'outcome'> {
  const ended = { endedAt: now, endedBy: by }
  switch (command.action) {
    case 'confirm':
      return kept('confirmed', { status: 'confirmed', invited: true, confirmedAt: now })
    case 'decline':
      return released('declined', {
        status: 'declined',
        ...ended,
        reason: command.reason ?? null,
      })
    case 'cancel':
      return released('cancelled', {
        status: 'cancelled',
        sequence: nextSequence(booking),
        ...ended,
        reason: command.reason ?? null,
      })
    case 'expire':
      return released('expired', { status: 'expired', ...ended })
    case 'reschedule':
      return kept('rescheduled', {
        sequence: nextSequence(booking),
        startAt: new Date(command.start),
        endAt: new Date(command.end),
      })
    case 'no_show':
      return kept('no_show', { noShow: true })
    case 'new_link':
      return kept('link_renewed', {
        manageHash: command.manageHash,
        manageSealed: command.manageSealed,
      })
    case 'invite_guests':
      return kept('guests_invited', { visitorConfirmedAt: now })
  }
}

function kept(event: BookingEvent, patch: BookingPatch) {
  return { event, patch, releasesTime: false }
}

function released(event: BookingEvent, patch: BookingPatch) {
  return { event, patch, releasesTime: true }
}
