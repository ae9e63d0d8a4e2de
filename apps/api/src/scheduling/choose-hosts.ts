import { AppError } from '@atrium/core/errors'
import { listTurns, type TurnRow } from '@atrium/db/availability'
import type { Db, Trx } from '@atrium/db/connect'
import type { EventTypeRow } from '@atrium/db/event-types'
import type { HostRow } from '@atrium/db/hosts'
import { hostsHeld } from '@atrium/db/slot-locks'
import type { House } from '../house.ts'
import { type BusyOfHosts, readBusy, readBusyOfSome } from './busy-times.ts'
import { hashOfLockToken } from './lock-token.ts'
import { type Leniency, type Offer, offerFor, onlyStart, requireOffered } from './offer.ts'

/** A start of an event type that somebody wants. */
export interface WantedStart extends Leniency {
  eventType: EventTypeRow
  /** Those who may take it. */
  hosts: readonly HostRow[]
  minutes: number
  /** Milliseconds since 1970. */
  start: number
  now: Date
  lockToken?: string | undefined
}

/** The calendars of those who may take it, past every cache. Throws AppError `calendar_unavailable`. */
export function readBusyFor(
  house: House,
  { eventType, hosts, start }: WantedStart,
): Promise<Map<string, readonly { start: number; end: number; eventId: string | null }[]>> {
  const read = eventType.assignment === 'round_robin' ? readBusyOfSome : readBusy
  return read(house, hosts, onlyStart(start), { fresh: true })
}

/** As if all calendars were empty: for a first look that asks no calendar, and refuses what bookings alone make impossible. */
export function nothingBusy({ hosts }: WantedStart): BusyOfHosts {
  return new Map(hosts.map(({ id }) => [id, []]))
}

/**
 * Who takes the start: its host, all of them, or whose turn it is among those who are free then. The organizer first. Throws AppError
 * `too_soon`, `outside_window`, `slot_locked`, `slot_taken`.
 */
export async function chooseHosts(db: Db | Trx, wanted: WantedStart, busy: BusyOfHosts): Promise<Chosen[]> {
  const asked: Chosen[] = []
  for (const host of wanted.hosts) if (busy.has(host.id)) asked.push({ host, offer: await offerTo(db, wanted, host, busy) })
  if (wanted.eventType.assignment !== 'round_robin') {
    for (const { offer } of asked) requireOffered(offer, wanted.start)
    return asked
  }
  const free: Chosen[] = []
  const refusals: unknown[] = []
  for (const one of asked) {
    try {
      requireOffered(one.offer, wanted.start)
      free.push(one)
    } catch (refusal) {
      refusals.push(refusal)
    }
  }
  if (free.length === 0) throw mostHopeful(refusals)
  return [await whoseTurn(db, wanted, free)]
}

export interface Chosen {
  host: HostRow
  offer: Offer
}

function offerTo(db: Db | Trx, wanted: WantedStart, host: HostRow, busy: BusyOfHosts): Promise<Offer> {
  const { eventType, minutes, now, start, lockToken, ignoreNotice, ignoreWindow } = wanted
  return offerFor(db, { eventType, host, minutes, now, span: onlyStart(start), busy, lockToken, ignoreNotice, ignoreWindow })
}

/** A lock passes, the rest does not. */
function mostHopeful(refusals: readonly unknown[]): unknown {
  return (
    refusals.find((refusal) => refusal instanceof AppError && refusal.code === 'slot_locked') ?? refusals[0] ?? new AppError('slot_taken')
  )
}

const turnDays = 30

/**
 * The host that the visitor holds the time with; else who has the fewest bookings of the event type from 30 days ago on, and of these the one
 * who waited longest for one.
 */
async function whoseTurn(db: Db | Trx, { eventType, start, now, lockToken }: WantedStart, free: readonly Chosen[]): Promise<Chosen> {
  const held = lockToken === undefined ? [] : await hostsHeld(db, hashOfLockToken(lockToken), eventType.id, new Date(start), now)
  const own = free.find(({ host }) => held.includes(host.id))
  if (own) return own
  const since = new Date(now.getTime() - turnDays * 86_400_000)
  const ids = free.map(({ host }) => host.id)
  const turns = new Map((await listTurns(db, eventType.id, ids, since)).map((turn) => [turn.hostId, turn]))
  const [first] = [...free].sort(
    (one, other) => compareTurns(turns.get(one.host.id), turns.get(other.host.id)) || (one.host.id < other.host.id ? -1 : 1),
  )
  if (!first) throw new AppError('slot_taken')
  return first
}

function compareTurns(one: TurnRow | undefined, other: TurnRow | undefined): number {
  const fewer = (one?.bookings ?? 0) - (other?.bookings ?? 0)
  return fewer || (one?.lastAt?.getTime() ?? 0) - (other?.lastAt?.getTime() ?? 0)
}
