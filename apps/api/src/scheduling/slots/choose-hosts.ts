import { AppError } from '@atrium/core/platform/errors'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { listTurns, type TurnRow } from '@atrium/db/scheduling/availability'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import { hostsHeld } from '@atrium/db/scheduling/slot-locks'
import type { Services } from '../../rpc/services.ts'
import { type BusyOfHosts, readBusy, readBusyOfSome } from '../calendars/busy-times.ts'
import {
  type AvailabilityOverrides,
  availabilityFor,
  onlyStart,
  requireOffered,
  type SlotAvailability,
} from './availability.ts'
import { hashOfLockToken } from './lock-token.ts'

/** A requested start of an event type. */
export interface RequestedStart extends AvailabilityOverrides {
  eventType: EventTypeRow
  /** Those who may take it. */
  hosts: readonly HostRow[]
  minutes: number
  /** Milliseconds since 1970. */
  start: number
  now: Date
  lockToken?: string | undefined
  /** The booking to move there: it never blocks, and its host keeps it if free then. */
  moved?: Pick<BookingRow, 'id' | 'hostId'> | undefined
}

/**
 * The calendars of those who may take it, past every cache. Throws AppError `calendar_unavailable`.
 */
export function readBusyFor(
  services: Services,
  { eventType, hosts, start, moved }: RequestedStart,
): Promise<Map<string, readonly { start: number; end: number; eventId: string | null }[]>> {
  const read = eventType.assignment === 'round_robin' ? readBusyOfSome : readBusy
  return read(services, hosts, onlyStart(start), { fresh: true, movedBookingId: moved?.id })
}

/**
 * As if all calendars were empty: for a first look that asks no calendar, and rejects what bookings
 * alone make impossible.
 */
export function nothingBusy({ hosts }: RequestedStart): BusyOfHosts {
  return new Map(hosts.map(({ id }) => [id, []]))
}

/**
 * Who takes the start: its host, all of them, or whose turn it is among those who are free then.
 * The organizer first. Throws AppError `too_soon`, `outside_window`, `slot_locked`, `slot_taken`.
 */
export async function chooseHosts(
  db: Db | Trx,
  requested: RequestedStart,
  busy: BusyOfHosts,
): Promise<Chosen[]> {
  const candidates: Chosen[] = []
  for (const host of requested.hosts)
    if (busy.has(host.id))
      candidates.push({ host, offer: await offerTo(db, requested, host, busy) })
  if (requested.eventType.assignment !== 'round_robin') {
    for (const { offer } of candidates) requireOffered(offer, requested.start)
    return candidates
  }
  const free: Chosen[] = []
  const rejections: unknown[] = []
  for (const one of candidates) {
    try {
      requireOffered(one.offer, requested.start)
      free.push(one)
    } catch (rejection) {
      rejections.push(rejection)
    }
  }
  if (free.length === 0) throw mostHopeful(rejections)
  return [await whoseTurn(db, requested, free)]
}

export interface Chosen {
  host: HostRow
  offer: SlotAvailability
}

function offerTo(
  db: Db | Trx,
  requested: RequestedStart,
  host: HostRow,
  busy: BusyOfHosts,
): Promise<SlotAvailability> {
  const { eventType, minutes, now, start, lockToken, moved, ignoreNotice, ignoreWindow } = requested
  const candidates = {
    eventType,
    host,
    minutes,
    now,
    span: onlyStart(start),
    busy,
    movedBookingId: moved?.id,
    lockToken,
  }
  return availabilityFor(db, { ...candidates, ignoreNotice, ignoreWindow })
}

/** A lock passes, the rest does not. */
function mostHopeful(rejections: readonly unknown[]): unknown {
  return (
    rejections.find(
      (rejection) => rejection instanceof AppError && rejection.code === 'slot_locked',
    ) ??
    rejections[0] ??
    new AppError('slot_taken')
  )
}

const turnDays = 30

/**
 * The host who has the booking that moves; else the one that the visitor holds the time with; else
 * who has the fewest bookings of the event type from 30 days ago on, and of these the one who
 * waited longest for one.
 */
async function whoseTurn(
  db: Db | Trx,
  { eventType, start, now, lockToken, moved }: RequestedStart,
  free: readonly Chosen[],
): Promise<Chosen> {
  const present = free.find(({ host }) => host.id === moved?.hostId)
  if (present) return present
  const held =
    lockToken === undefined
      ? []
      : await hostsHeld(db, hashOfLockToken(lockToken), eventType.id, new Date(start), now)
  const own = free.find(({ host }) => held.includes(host.id))
  if (own) return own
  const since = new Date(now.getTime() - turnDays * 86_400_000)
  const ids = free.map(({ host }) => host.id)
  const turns = new Map(
    (await listTurns(db, eventType.id, ids, since)).map((turn) => [turn.hostId, turn]),
  )
  const [first] = [...free].sort(
    (one, other) =>
      compareTurns(turns.get(one.host.id), turns.get(other.host.id)) ||
      (one.host.id < other.host.id ? -1 : 1),
  )
  if (!first) throw new AppError('slot_taken')
  return first
}

function compareTurns(one: TurnRow | undefined, other: TurnRow | undefined): number {
  const fewer = (one?.bookings ?? 0) - (other?.bookings ?? 0)
  return fewer || (one?.lastAt?.getTime() ?? 0) - (other?.lastAt?.getTime() ?? 0)
}
