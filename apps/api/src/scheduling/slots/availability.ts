import { AppError } from '@atrium/core/platform/errors'
import { toBookingWindow } from '@atrium/core/scheduling/event-types'
import { toSlotSchedule } from '@atrium/core/scheduling/schedules'
import { explainStart } from '@atrium/core/scheduling/slot-explanation'
import {
  findSlots,
  type Slot,
  type SlotLimits,
  type SlotQuestion,
  type SlotSettings,
  type Span,
  type TakenSlot,
} from '@atrium/core/scheduling/slots'
import type { Db, Trx } from '@atrium/db/platform/connect'
import {
  type LiveLockRow,
  listLiveLocks,
  listTaken,
  listTakenOfEventType,
} from '@atrium/db/scheduling/availability'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import { scheduleFor } from '@atrium/db/scheduling/schedules'
import type { BusyOfHosts } from '../calendars/busy-times.ts'
import { hashOfLockToken } from './lock-token.ts'

/** The input of `findSlots` for one host, and when the locks in its way end. */
export interface SlotAvailability extends SlotQuestion {
  readonly lockEnds: readonly number[]
}

/**
 * Rules that are left aside for the tenant's own people; busy time and other bookings never are.
 */
export interface AvailabilityOverrides {
  ignoreNotice?: boolean | undefined
  ignoreWindow?: boolean | undefined
}

export interface AvailabilityRequest extends AvailabilityOverrides {
  eventType: OfferedEventType
  host: Pick<HostRow, 'id' | 'limitDay' | 'limitWeek' | 'limitMonth'>
  /** The duration that is asked for. */
  minutes: number
  now: Date
  /** Starts that are asked for, in milliseconds since 1970. */
  span: Span
  /** Of `readBusy` over the same span. */
  busy: BusyOfHosts
  /** A booking that is being moved does not block. */
  movedBookingId?: string | undefined
  /** What the holder was given; its own lock is not in its way. */
  lockToken?: string | undefined
}

/** What of an event type decides which times are offered. */
export type OfferedEventType = Pick<
  EventTypeRow,
  | 'id'
  | 'scheduleId'
  | 'stepMinutes'
  | 'noticeMinutes'
  | 'beforeMinutes'
  | 'afterMinutes'
  | 'bookingWindow'
  | 'limitDay'
  | 'limitWeek'
  | 'limitMonth'
  | 'limitsScope'
  | 'assignment'
  | 'seats'
>

const minuteMs = 60_000
/** A month, and the week that reaches over its end, in every zone. */
const limitReachMs = 40 * 86_400_000
const closed = { zone: 'UTC', weekly: [], overrides: new Map() }

/**
 * Everything that decides which starts in `span` one host offers, read now. Listing, locking,
 * booking and moving all read it here. A host without hours offers nothing. Throws AppError
 * `calendar_unavailable` for a host that `busy` does not have.
 */
export async function availabilityFor(
  db: Db | Trx,
  request: AvailabilityRequest,
): Promise<SlotAvailability> {
  const { eventType, host, minutes, now, span, movedBookingId, lockToken } = request
  const busy = request.busy.get(host.id)
  if (!busy) throw new AppError('calendar_unavailable')
  const settings = withOverrides(slotSettings(eventType, host, minutes), request)
  const near = reachOf(eventType, minutes, span)
  const reach = hasLimits(settings) ? limitReachMs : 0
  const range = { from: new Date(near.start), to: new Date(near.end) }
  // One after the other: a transaction has one connection.
  const schedule = await scheduleFor(db, eventType, host.id)
  const counted = { from: new Date(near.start - reach), to: new Date(near.end + reach), now }
  const taken = await listTaken(db, host.id, counted, movedBookingId)
  const together =
    eventType.assignment === 'round_robin' && eventType.limitsScope === 'event_type' && reach > 0
  const ofEventType = together
    ? await listTakenOfEventType(db, eventType.id, counted, movedBookingId)
    : undefined
  const locks = await listLiveLocks(
    db,
    host.id,
    range,
    now,
    lockToken === undefined ? undefined : hashOfLockToken(lockToken),
  )
  const shared = (lock: LiveLockRow) => eventType.seats > 1 && lock.eventTypeId === eventType.id
  return {
    schedule: schedule ? toSlotSchedule(schedule) : closed,
    settings,
    busy,
    bookings: taken.map(toTaken),
    // Two hosts of the round robin may have the same start: each booking counts.
    counted: ofEventType?.map((row) => ({ ...toTaken(row), eventTypeId: row.bookingId })),
    locks: locks
      .filter((lock) => !shared(lock))
      .map(({ claimStart, claimEnd }) => ({
        start: claimStart.getTime(),
        end: claimEnd.getTime(),
      })),
    held: locks.filter(shared).map(toTaken),
    lockEnds: locks.map(({ expiresAt }) => expiresAt.getTime()),
    now: now.getTime(),
    range: span,
  }
}

/** What a booking that starts in the span can take, buffers included. */
function reachOf(
  { beforeMinutes, afterMinutes }: Pick<OfferedEventType, 'beforeMinutes' | 'afterMinutes'>,
  minutes: number,
  { start, end }: Span,
): Span {
  return { start: start - beforeMinutes * minuteMs, end: end + (minutes + afterMinutes) * minuteMs }
}

/** The one start as a span, for `readBusy` and `availabilityFor`. */
export function onlyStart(start: number): Span {
  return { start, end: start + 1 }
}

/**
 * The slot that begins at `start`, or AppError `too_soon`, `outside_window`, `slot_locked` (with
 * the seconds until the lock ends, in whole minutes, so that the time of other visitors' calls
 * stays private) or `slot_taken` for everything else, in this order.
 */
export function requireOffered(offer: SlotAvailability, start: number): Slot {
  const [slot] = findSlots({ ...offer, range: onlyStart(start) })
  if (slot) return slot
  const failed = new Set(
    explainStart(offer, start).rules.flatMap(({ rule, passed }) => (passed ? [] : [rule])),
  )
  if (failed.has('notice')) throw new AppError('too_soon')
  if (failed.has('window')) throw new AppError('outside_window')
  if (failed.size === 1 && failed.has('locks'))
    throw new AppError('slot_locked', undefined, { retryAfterSeconds: untilLocksEnd(offer) })
  throw new AppError('slot_taken')
}

function untilLocksEnd({ lockEnds, now }: SlotAvailability): number {
  const last = Math.max(now, ...lockEnds)
  return Math.max(60, Math.ceil((last - now) / minuteMs) * 60)
}

/** An event type's and its host's stored settings as `findSlots` reads them. */
export function slotSettings(
  eventType: OfferedEventType,
  host: AvailabilityRequest['host'],
  minutes: number,
): SlotSettings {
  return {
    eventTypeId: eventType.id,
    durationMinutes: minutes,
    stepMinutes: eventType.stepMinutes ?? minutes,
    noticeMinutes: eventType.noticeMinutes,
    beforeMinutes: eventType.beforeMinutes,
    afterMinutes: eventType.afterMinutes,
    bookingWindow: toBookingWindow(eventType.bookingWindow),
    limits: toLimits(eventType),
    hostLimits: toLimits(host),
    seats: eventType.seats,
  }
}

function withOverrides(
  settings: SlotSettings,
  { ignoreNotice, ignoreWindow }: AvailabilityOverrides,
): SlotSettings {
  return {
    ...settings,
    ...(ignoreNotice ? { noticeMinutes: 0 } : {}),
    ...(ignoreWindow ? { bookingWindow: { kind: 'open' as const } } : {}),
  }
}

function toLimits({ limitDay, limitWeek, limitMonth }: AvailabilityRequest['host']): SlotLimits {
  return {
    day: limitDay ?? undefined,
    week: limitWeek ?? undefined,
    month: limitMonth ?? undefined,
  }
}

function hasLimits({ limits, hostLimits }: SlotSettings): boolean {
  return [...Object.values(limits), ...Object.values(hostLimits)].some(
    (limit) => limit !== undefined,
  )
}

function toTaken(row: {
  eventTypeId: string
  startAt: Date
  endAt: Date
  claimStart: Date
  claimEnd: Date
}): TakenSlot {
  return {
    eventTypeId: row.eventTypeId,
    start: row.startAt.getTime(),
    end: row.endAt.getTime(),
    claimStart: row.claimStart.getTime(),
    claimEnd: row.claimEnd.getTime(),
    seatsTaken: 1,
  }
}
