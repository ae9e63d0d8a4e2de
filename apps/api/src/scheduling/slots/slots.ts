import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { GetSlots, SlotsView, SlotView } from '@atrium/core/scheduling/slot-availability'
import { findSlots, type Slot, type Span } from '@atrium/core/scheduling/slots'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import type { Context } from '../../rpc/context.ts'
import type { Services } from '../../rpc/services.ts'
import { takeAllowance } from '../../rpc/visitor-limits.ts'
import { hostMayChange } from '../bookings/facts.ts'
import { hostsForVisitorsMove } from '../bookings/move-hosts.ts'
import { type BusyOfHosts, readBusy, readBusyOfSome } from '../calendars/busy-times.ts'
import { openManageLink } from '../public/manage-guard.ts'
import { availabilityFor, type OfferedEventType, type SlotAvailability } from './availability.ts'
import { type Bookable, bookableById, durationOf, nothingHere } from './bookable.ts'
import { presentedLockToken } from './lock-token.ts'
import { byDate, inIso, rangeOf } from './range.ts'

/**
 * What visitors can book in a range, by dates of their own zone. Throws AppError `not_found`,
 * `invalid_input`, `range_too_long`, `rate_limited`, and `calendar_unavailable` when what the hosts
 * do cannot be read. Never says why a time is missing.
 */
export async function getSlots(ctx: Context, input: GetSlots): Promise<SlotsView> {
  await takeAllowance(ctx, 'slots')
  const now = ctx.services.clock.now()
  const bookable = await bookableById(ctx.services, input.id)
  const moved =
    input.rescheduleOf === undefined
      ? undefined
      : await movedBooking(ctx, input.rescheduleOf, bookable)
  const minutes =
    moved && input.duration === undefined
      ? minutesOf(moved)
      : durationOf(bookable.eventType, input.duration)
  const span = rangeOf(input, now.getTime())
  const requested = { minutes, now, span, moved, lockToken: presentedLockToken(ctx) }
  const shared = bookable.eventType.seats > 1
  const hosts = moved
    ? await hostsForVisitorsMove(ctx.services.database.db, bookable, moved, now)
    : bookable.hosts
  const slots = await slotsOf(ctx.services, { ...bookable, hosts }, requested)
  return toSlotsView(slots, { timeZone: input.timeZone, minutes, now, span, shared })
}

/** Slots by the dates of a zone. `shared`: with the places that are left. */
export function toSlotsView(
  slots: readonly Slot[],
  {
    timeZone,
    minutes,
    now,
    span,
    shared,
  }: Pick<SlotRequest, 'minutes' | 'now' | 'span'> & { timeZone: string; shared: boolean },
): SlotsView {
  const { shown, nextFrom } = wholeDates(byDate(slots, span, timeZone))
  return {
    timeZone,
    duration: minutes,
    from: new Date(span.start).toISOString(),
    to: new Date(span.end).toISOString(),
    slots: Object.fromEntries([...shown].map(([date, ofDate]) => [date, toViews(ofDate, shared)])),
    nextFrom,
    generatedAt: now.toISOString(),
  }
}

/** As many dates as fit into one response, at least the first one that has slots. */
function wholeDates(dates: Map<string, Slot[]>): {
  shown: Map<string, Slot[]>
  nextFrom: string | null
} {
  const shown = new Map<string, Slot[]>()
  let starts = 0
  for (const [date, slots] of dates) {
    if (starts > 0 && starts + slots.length > schedulingLimits.startsPerResponse)
      return { shown, nextFrom: date }
    starts += slots.length
    shown.set(date, slots)
  }
  return { shown, nextFrom: null }
}

interface SlotRequest {
  minutes: number
  now: Date
  span: Span
  /** The booking to move: it never blocks. */
  moved?: BookingRow | undefined
  lockToken?: string | undefined
  /** Everything in the span, however much that is. */
  unbounded?: boolean | undefined
}

/** What is offered, and by whom: a bookable event type, or settings that are not saved yet. */
export interface Offering {
  eventType: OfferedEventType & Pick<Bookable['eventType'], 'assignment'>
  hosts: readonly HostRow[]
}

/** Days that are computed at once; the rest beyond a full response is not computed. */
const chunkMs = 8 * 86_400_000

/**
 * The hosts' free times, ascending, as many as fit into one response (and at least a chunk more):
 * each host's own times when one is enough, the common times when all meet together. Throws
 * AppError `calendar_unavailable`.
 */
export async function slotsOf(
  services: Services,
  { eventType, hosts }: Offering,
  requested: SlotRequest,
): Promise<Slot[]> {
  const one =
    eventType.assignment === 'round_robin' &&
    (requested.moved === undefined || hostMayChange(requested.moved))
  const busy = await (one ? readBusyOfSome : readBusy)(services, hosts, requested.span, {
    fresh: false,
    movedBookingId: requested.moved?.id,
  })
  const questions: SlotAvailability[] = []
  for (const host of hosts)
    if (busy.has(host.id)) questions.push(await offer(services, eventType, host, busy, requested))
  const slots: Slot[] = []
  for (let start = requested.span.start; start < requested.span.end; start += chunkMs) {
    if (!requested.unbounded && slots.length > schedulingLimits.startsPerResponse) break
    const range = { start, end: Math.min(start + chunkMs, requested.span.end) }
    const offers = questions.map((question) => findSlots({ ...question, range }))
    slots.push(...(one ? union(offers) : intersection(offers)))
  }
  return slots
}

function offer(
  services: Services,
  eventType: OfferedEventType,
  host: HostRow,
  busy: BusyOfHosts,
  { moved, ...requested }: SlotRequest,
) {
  return availabilityFor(services.database.db, {
    eventType,
    host,
    busy,
    movedBookingId: moved?.id,
    ...requested,
  })
}

/** Each start once, ascending. */
export function union(offers: readonly (readonly Slot[])[]): Slot[] {
  const byStart = new Map(offers.flat().map((slot) => [slot.start, slot]))
  return [...byStart.values()].sort((one, other) => one.start - other.start)
}

/** The starts that all offer. */
export function intersection(offers: readonly (readonly Slot[])[]): Slot[] {
  const [first = [], ...others] = offers
  const sets = others.map((slots) => new Set(slots.map(({ start }) => start)))
  return first.filter(({ start }) => sets.every((starts) => starts.has(start)))
}

function toViews(slots: readonly Slot[], shared: boolean): SlotView[] {
  return slots.map((slot) => ({ ...inIso(slot), ...(shared ? { seatsLeft: slot.seatsLeft } : {}) }))
}

/**
 * The booking that the request's manage token opens, when it is this one of this event type. Throws
 * AppError `not_found` for everything else, `rate_limited`.
 */
export async function movedBooking(
  ctx: Context,
  id: string,
  { eventType }: Pick<Bookable, 'eventType'>,
): Promise<BookingRow> {
  const booking = await openManageLink(ctx)
  if (booking.id !== id || booking.eventTypeId !== eventType.id) throw nothingHere()
  return booking
}

function minutesOf({ startAt, endAt }: BookingRow): number {
  return (endAt.getTime() - startAt.getTime()) / 60_000
}
