import { randomUUID } from 'node:crypto'
import { AppError } from '@atrium/core/platform/errors'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { findSeatGroup, releaseLapsed } from '@atrium/db/scheduling/availability'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import { deleteSlotLocks } from '@atrium/db/scheduling/slot-locks'
import { sql } from 'kysely'
import { hashOfLockToken } from '../slots/lock-token.ts'
import { groupOfUid } from './facts.ts'

/** The time that a booking takes or is to take. Instants in milliseconds since 1970. */
export interface Claim {
  booking: Pick<BookingRow, 'id' | 'uid'>
  /** Buffers are those that hold now; above one seat bookings of one start share the time. */
  eventType: Pick<EventTypeRow, 'id' | 'seats' | 'beforeMinutes' | 'afterMinutes'>
  start: number
  end: number
  /** Of the visitor, who does not need to hold the time any longer. */
  lockToken?: string | undefined
  /** Requests that lapsed by then give way. */
  now: Date
}

const minuteMs = 60_000
const mostTries = 3

/**
 * Runs `work` in a transaction that holds these hosts alone: other bookings, locks and moves with
 * one of them wait. See `retryClaim` for failures; docs/reference/contract.md, scheduling, says why
 * both are there.
 */
export function withHostLocks<T>(
  db: Db,
  hostIds: readonly string[],
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  return retryClaim(() =>
    db.transaction().execute(async (trx) => {
      await lockHosts(trx, hostIds)
      return work(trx)
    }),
  )
}

/**
 * Until the transaction ends. Taken in the order of their ids, so that no two transactions wait for
 * each other.
 */
export async function lockHosts(trx: Trx, hostIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(hostIds)].sort()) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`booking:${id}`}, 0))`.execute(trx)
  }
}

/**
 * Retries a transaction twice after a deadlock or a serialization failure. Throws AppError
 * `slot_taken` for a claim that the database rejects because another one has the time.
 */
export async function retryClaim<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt < mostTries && isPassing(error)) continue
      if (isOverlap(error)) throw new AppError('slot_taken', undefined, { cause: error })
      throw error
    }
  }
}

/**
 * Takes the time of every host for the booking. Throws AppError `slot_taken` when all places of a
 * shared start are taken.
 */
export async function writeClaims(
  trx: Trx,
  claim: Claim,
  hostIds: readonly string[],
): Promise<void> {
  for (const hostId of hostIds) {
    await makeWay(trx, claim, hostId)
    const place = await placeFor(trx, claim, hostId)
    await trx
      .insertInto('booking_hosts')
      .values({
        booking_id: claim.booking.id,
        host_id: hostId,
        ...claimSpan(claim.eventType, claim),
        active: true,
        seat_group: place.group,
        seat: place.seat,
      })
      .execute()
  }
  await letGo(trx, claim)
}

/**
 * Moves what the booking takes to another time, in one statement per host, so that it may overlap
 * with its own old time.
 */
export async function moveClaims(trx: Trx, claim: Claim): Promise<void> {
  const rows = await trx
    .selectFrom('booking_hosts')
    .select('host_id')
    .where('booking_id', '=', claim.booking.id)
    .where('active', '=', true)
    .orderBy('host_id')
    .execute()
  for (const { host_id: hostId } of rows) {
    await makeWay(trx, claim, hostId)
    const place = await placeFor(trx, claim, hostId)
    await trx
      .updateTable('booking_hosts')
      .set({ ...claimSpan(claim.eventType, claim), seat_group: place.group, seat: place.seat })
      .where('booking_id', '=', claim.booking.id)
      .where('host_id', '=', hostId)
      .execute()
  }
  await letGo(trx, claim)
}

/**
 * Gives the booking to another host at another time, in place of the host who has it. The former
 * host's row stays: it says which event has to leave the calendar. Throws AppError `slot_taken`
 * through `retryClaim` when the new host's time is taken.
 */
export async function handOverClaims(
  trx: Trx,
  claim: Claim,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await trx
    .updateTable('booking_hosts')
    .set({ active: false, left_at: claim.now })
    .where('booking_id', '=', claim.booking.id)
    .where('host_id', '=', from)
    .execute()
  await makeWay(trx, claim, to)
  const place = await placeFor(trx, claim, to)
  const taken = {
    ...claimSpan(claim.eventType, claim),
    active: true,
    seat_group: place.group,
    seat: place.seat,
    joined_at: claim.now,
  }
  await trx
    .insertInto('booking_hosts')
    .values({ booking_id: claim.booking.id, host_id: to, ...taken })
    // The host may have had the booking before.
    .onConflict((conflict) =>
      conflict.columns(['booking_id', 'host_id']).doUpdateSet({ ...taken, left_at: null }),
    )
    .execute()
  await letGo(trx, claim)
}

/** Gives the time back. The rows stay: they say what stands in whose calendar. */
export async function releaseClaims(trx: Trx, bookingId: string): Promise<void> {
  await trx
    .updateTable('booking_hosts')
    .set({ active: false })
    .where('booking_id', '=', bookingId)
    .execute()
}

/** With the buffers of now: those of a booking stay as they are when it is made. */
export function claimSpan(
  { beforeMinutes, afterMinutes }: Pick<EventTypeRow, 'beforeMinutes' | 'afterMinutes'>,
  { start, end }: { start: number; end: number },
): { claim_start: Date; claim_end: Date } {
  return {
    claim_start: new Date(start - beforeMinutes * minuteMs),
    claim_end: new Date(end + afterMinutes * minuteMs),
  }
}

function makeWay(trx: Trx, claim: Claim, hostId: string): Promise<void> {
  const { claim_start: from, claim_end: to } = claimSpan(claim.eventType, claim)
  return releaseLapsed(trx, hostId, { from, to, now: claim.now })
}

async function letGo(trx: Trx, { lockToken }: Claim): Promise<void> {
  if (lockToken !== undefined) await deleteSlotLocks(trx, hashOfLockToken(lockToken))
}

/**
 * The group that shares the time, and a free seat in it. A group of its own has an id of its own:
 * that of the booking would go with the booking to another start while the others of the group
 * stay.
 */
async function placeFor(
  trx: Trx,
  claim: Claim,
  hostId: string,
): Promise<{ group: string; seat: number }> {
  const { booking, eventType, start, end } = claim
  if (eventType.seats <= 1) return { group: groupOfUid(booking.uid), seat: 1 }
  const found = await findSeatGroup(trx, {
    ...{ hostId, eventTypeId: eventType.id, exceptBookingId: booking.id },
    ...{ start: new Date(start), end: new Date(end) },
  })
  if (!found) return { group: randomUUID(), seat: 1 }
  const seat = freeSeat(found.seats, eventType.seats)
  if (seat === undefined) throw new AppError('slot_taken')
  return { group: found.group, seat }
}

/** The lowest number from 1 to `seats` that is not taken. */
export function freeSeat(taken: readonly number[], seats: number): number | undefined {
  for (let seat = 1; seat <= seats; seat++) if (!taken.includes(seat)) return seat
  return undefined
}

/** Deadlock detected, or a transaction that could not be put in order with another one. */
function isPassing(error: unknown): boolean {
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return code === '40P01' || code === '40001'
}

function isOverlap(error: unknown): boolean {
  const constraint = violatedConstraint(error)
  return constraint === 'booking_hosts_no_overlap' || constraint === 'booking_hosts_seat'
}
