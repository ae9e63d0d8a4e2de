import { randomUUID } from 'node:crypto'
import { AppError } from '@atrium/core/platform/errors'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { violatedConstraint } from '@atrium/db/platform/failures'
import { findSeatGroup, releaseLapsed } from '@atrium/db/scheduling/availability'
import {
  type ClaimRow,
  insertClaim,
  joinClaim,
  leaveClaim,
  listClaimedHosts,
  lockHosts,
  moveClaim,
} from '@atrium/db/scheduling/booking-claims'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { EventTypeRow } from '@atrium/db/scheduling/event-types'
import { deleteSlotLocks } from '@atrium/db/scheduling/slot-locks'
import { hashOfLockToken } from '../slots/lock-token.ts'
import { groupOfUid } from './facts.ts'

/** The time that a booking takes or is to take. Instants in milliseconds since 1970. */
export interface Claim {
  booking: Pick<BookingRow, 'id' | 'uid'>
  /** Buffers are those that hold now; above one seat bookings of one start share the time. */
  eventType: Pick<EventTypeRow, 'id' | 'tenantId' | 'seats' | 'beforeMinutes' | 'afterMinutes'>
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
    await insertClaim(trx, await placedClaim(trx, claim, hostId))
  }
  await letGo(trx, claim)
}

/**
 * Moves what the booking takes to another time, in one statement per host, so that it may overlap
 * with its own old time.
 */
export async function moveClaims(trx: Trx, claim: Claim): Promise<void> {
  for (const hostId of await listClaimedHosts(trx, claim.booking.id))
    await moveClaim(trx, await placedClaim(trx, claim, hostId))
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
  await leaveClaim(trx, claim.booking.id, from, claim.now)
  await joinClaim(trx, await placedClaim(trx, claim, to), claim.now)
  await letGo(trx, claim)
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

/** The claim with a free seat, after requests that lapsed by now gave way. */
async function placedClaim(trx: Trx, claim: Claim, hostId: string): Promise<ClaimRow> {
  const { claim_start: from, claim_end: to } = claimSpan(claim.eventType, claim)
  await releaseLapsed(trx, hostId, { from, to, now: claim.now })
  const { group, seat } = await placeFor(trx, claim, hostId)
  return {
    tenantId: claim.eventType.tenantId,
    bookingId: claim.booking.id,
    hostId,
    start: from,
    end: to,
    seatGroup: group,
    seat,
  }
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
    hostId,
    eventTypeId: eventType.id,
    exceptBookingId: booking.id,
    start: new Date(start),
    end: new Date(end),
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
