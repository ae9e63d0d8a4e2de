import { randomUUID } from 'node:crypto'
import { AppError } from '@atrium/core/errors'
import { schedulingLimits } from '@atrium/core/scheduling'
import type { RenewedSlotLock, TakenSlotLock, TakeSlotLock } from '@atrium/core/slot-offers'
import type { Trx } from '@atrium/db/connect'
import { countLocksOf, deleteSlotLocks, findHeldLock, heldSeats, renewSlotLock, takeSlotLock } from '@atrium/db/slot-locks'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { limitedAddress } from '../visitor-address.ts'
import { bookableById, durationOf } from './bookable.ts'
import { chooseHosts, nothingBusy, readBusyFor, type WantedStart } from './choose-hosts.ts'
import { claimSpan, freeSeat, withHostLocks } from './claim.ts'
import { takeAllowance } from './limits.ts'
import { hashOfLockToken, isLockToken, newLockToken, presentedLockToken } from './lock-token.ts'

/**
 * Holds a start for a visitor who fills in the form: what is on offer, for five minutes, and for nobody else. What the visitor held before is
 * given back with it, and its token stays. Throws AppError `not_found`, `invalid_input`, `too_soon`, `outside_window`, `slot_taken`, `slot_locked`,
 * `calendar_unavailable`, and `rate_limited` for an address that holds as many as it may.
 */
export async function lockSlot(ctx: Context, input: TakeSlotLock): Promise<TakenSlotLock> {
  await takeAllowance(ctx, 'locks')
  const { house } = ctx
  const { eventType, hosts } = await bookableById(house, input.eventTypeId)
  const minutes = durationOf(eventType, input.duration)
  const start = Date.parse(input.start)
  const held = presentedLockToken(ctx)
  const wanted: WantedStart = { eventType, hosts, minutes, start, now: house.clock.now(), lockToken: held }
  await chooseHosts(house.database.db, wanted, nothingBusy(wanted))
  const busy = await readBusyFor(house, wanted)
  // A visitor keeps one token, so that going back finds the own hold under it.
  const token = held !== undefined && isLockToken(held) ? held : newLockToken()
  const address = limitedAddress(ctx)
  const ids = hosts.map(({ id }) => id)
  return house.turns.take(`host ${ids[0]}`, () =>
    withHostLocks(house.database.db, ids, async (trx) => {
      const now = house.clock.now()
      const chosen = await chooseHosts(trx, { ...wanted, now }, busy)
      if (held !== undefined) await deleteSlotLocks(trx, hashOfLockToken(held))
      await requireRoom(trx, address, ids, now)
      const end = start + minutes * 60_000
      const lock = { id: randomUUID(), start, end, expiresAt: new Date(now.getTime() + schedulingLimits.lockSeconds * 1000), now }
      for (const { host } of chosen) await hold(trx, { ...lock, hostId: host.id, eventType, holderHash: hashOfLockToken(token), address })
      return {
        id: lock.id,
        lockToken: token,
        start: new Date(start).toISOString(),
        end: new Date(end).toISOString(),
        expiresAt: lock.expiresAt.toISOString(),
      }
    }),
  )
}

/** Another five minutes, three times. Throws AppError `not_found` for a lock that is not the caller's, `lock_expired`, `limit_reached`. */
export async function renewLock(ctx: Context, lockId: string): Promise<RenewedSlotLock> {
  await takeAllowance(ctx, 'locks')
  const { db } = ctx.house.database
  const holderHash = hashOfLockToken(presentedLockToken(ctx) ?? '')
  const now = ctx.house.clock.now()
  const lock = await findHeldLock(db, lockId, holderHash)
  if (!lock) throw new AppError('not_found')
  if (lock.expiresAt <= now) throw new AppError('lock_expired')
  const mostRenewals = schedulingLimits.lockRenewals
  if (lock.renewals >= mostRenewals) throw new AppError('limit_reached', `A time can be held on to ${mostRenewals} times.`)
  const expiresAt = new Date(now.getTime() + schedulingLimits.lockSeconds * 1000)
  if (!(await renewSlotLock(db, { lockId, holderHash, mostRenewals, now, expiresAt }))) throw new AppError('lock_expired')
  return { expiresAt: expiresAt.toISOString() }
}

/** Whether there was such a lock of the caller's or not: afterwards there is none. */
export async function releaseLock(ctx: Context, lockId: string): Promise<void> {
  await takeAllowance(ctx, 'locks')
  const token = presentedLockToken(ctx)
  if (token !== undefined) await deleteSlotLocks(ctx.house.database.db, hashOfLockToken(token), lockId)
}

async function requireRoom(trx: Trx, address: string, hostIds: readonly string[], now: Date): Promise<void> {
  // Always after the locks of hosts: nobody who has this one waits for another.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`slot-locks:${address}`}, 0))`.execute(trx)
  const { withHosts, inAll } = await countLocksOf(trx, address, hostIds, now)
  if (withHosts < schedulingLimits.locksPerAddressAndHost && inAll < schedulingLimits.locksPerAddress) return
  throw new AppError('rate_limited', 'As many times as may be are held from your address. Book one of them, or let one go.', {
    retryAfterSeconds: schedulingLimits.lockSeconds,
  })
}

interface Holding {
  id: string
  hostId: string
  eventType: WantedStart['eventType']
  start: number
  end: number
  expiresAt: Date
  now: Date
  holderHash: Buffer
  address: string
}

async function hold(trx: Trx, { eventType, ...lock }: Holding): Promise<void> {
  const span = claimSpan(eventType, lock)
  const taken = eventType.seats > 1 ? await heldSeats(trx, lock.hostId, new Date(lock.start), lock.now) : []
  const seat = freeSeat(taken, eventType.seats)
  const values = {
    lockId: lock.id,
    hostId: lock.hostId,
    eventTypeId: eventType.id,
    start: new Date(lock.start),
    end: new Date(lock.end),
    claimStart: span.claim_start,
    claimEnd: span.claim_end,
    seat: seat ?? 1,
    holderHash: lock.holderHash,
    address: lock.address,
    expiresAt: lock.expiresAt,
  }
  if (seat === undefined || !(await takeSlotLock(trx, values, lock.now))) {
    throw new AppError('slot_locked', undefined, { retryAfterSeconds: schedulingLimits.lockSeconds })
  }
}
