import { randomUUID } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type {
  RenewedSlotLock,
  TakenSlotLock,
  TakeSlotLock,
} from '@atrium/core/scheduling/slot-availability'
import type { Trx } from '@atrium/db/platform/connect'
import {
  countLocksOf,
  deleteSlotLocks,
  findHeldLock,
  heldSeats,
  lockHolder,
  renewSlotLock,
  takeSlotLock,
} from '@atrium/db/scheduling/slot-locks'
import type { Context } from '../../rpc/context.ts'
import { limitedAddress, limitedNetwork } from '../../rpc/visitor-address.ts'
import { takeAllowance } from '../../rpc/visitor-limits.ts'
import { claimSpan, freeSeat, withHostLocks } from '../bookings/claim.ts'
import { hostsForVisitorsMove } from '../bookings/move-hosts.ts'
import { minutesFor } from '../bookings/reschedule.ts'
import { bookableById, durationOf } from './bookable.ts'
import { chooseHosts, nothingBusy, type RequestedStart, readBusyFor } from './choose-hosts.ts'
import { hashOfLockToken, isLockToken, newLockToken, presentedLockToken } from './lock-token.ts'
import { movedBooking } from './slots.ts'

/**
 * Holds an offered start for a visitor who fills in the form, for five minutes and exclusively.
 * Releases the visitor's previous hold, and keeps the token. For a move, the time is held with the
 * host who would get the booking. Throws AppError `not_found`, `invalid_input`, `too_soon`,
 * `outside_window`, `slot_taken`, `slot_locked`, `calendar_unavailable`, and `rate_limited` for an
 * address at its maximum of holds.
 */
export async function lockSlot(ctx: Context, input: TakeSlotLock): Promise<TakenSlotLock> {
  await takeAllowance(ctx, 'locks')
  const { services } = ctx
  const bookable = await bookableById(services, input.eventTypeId)
  const { eventType } = bookable
  const moved =
    input.rescheduleOf === undefined
      ? undefined
      : await movedBooking(ctx, input.rescheduleOf, bookable)
  const hosts = moved
    ? await hostsForVisitorsMove(services.database.db, bookable, moved, services.clock.now())
    : bookable.hosts
  const minutes = moved ? minutesFor(moved, input.duration) : durationOf(eventType, input.duration)
  const start = Date.parse(input.start)
  const held = presentedLockToken(ctx)
  const requested: RequestedStart = {
    eventType,
    hosts,
    minutes,
    start,
    now: services.clock.now(),
    lockToken: held,
    moved,
  }
  await chooseHosts(services.database.db, requested, nothingBusy(requested))
  const busy = await readBusyFor(services, requested)
  // A visitor keeps one token, so that going back finds their hold under it.
  const token = held !== undefined && isLockToken(held) ? held : newLockToken()
  const [address, network] = [limitedAddress(ctx), limitedNetwork(ctx)]
  const ids = hosts.map(({ id }) => id)
  return services.keyedLimiter.take(`host ${ids[0]}`, () =>
    withHostLocks(services.database.db, ids, async (trx) => {
      const now = services.clock.now()
      const chosen = await chooseHosts(trx, { ...requested, now }, busy)
      if (held !== undefined) await deleteSlotLocks(trx, hashOfLockToken(held))
      await requireCapacity(trx, { address, network }, ids, now)
      const end = start + minutes * 60_000
      const lock = {
        id: randomUUID(),
        start,
        end,
        expiresAt: new Date(now.getTime() + schedulingLimits.lockSeconds * 1000),
        now,
      }
      for (const { host } of chosen)
        await hold(trx, {
          ...lock,
          hostId: host.id,
          eventType,
          holderHash: hashOfLockToken(token),
          address,
          network: network ?? null,
        })
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

/**
 * Another five minutes, three times. Throws AppError `not_found` for a lock that is not the
 * caller's, `lock_expired`, `limit_reached`.
 */
export async function renewLock(ctx: Context, lockId: string): Promise<RenewedSlotLock> {
  await takeAllowance(ctx, 'locks')
  const { db } = ctx.services.database
  const holderHash = hashOfLockToken(presentedLockToken(ctx) ?? '')
  const now = ctx.services.clock.now()
  const lock = await findHeldLock(db, lockId, holderHash)
  if (!lock) throw new AppError('not_found')
  if (lock.expiresAt <= now) throw new AppError('lock_expired')
  const mostRenewals = schedulingLimits.lockRenewals
  if (lock.renewals >= mostRenewals)
    throw new AppError('limit_reached', errorText('holdRenewals', { mostRenewals }))
  const expiresAt = new Date(now.getTime() + schedulingLimits.lockSeconds * 1000)
  if (!(await renewSlotLock(db, { lockId, holderHash, mostRenewals, now, expiresAt })))
    throw new AppError('lock_expired')
  return { expiresAt: expiresAt.toISOString() }
}

/** Whether there was such a lock of the caller's or not: afterwards there is none. */
export async function releaseLock(ctx: Context, lockId: string): Promise<void> {
  await takeAllowance(ctx, 'locks')
  const token = presentedLockToken(ctx)
  if (token !== undefined)
    await deleteSlotLocks(ctx.services.database.db, hashOfLockToken(token), lockId)
}

async function requireCapacity(
  trx: Trx,
  { address, network }: { address: string; network: string | undefined },
  hostIds: readonly string[],
  now: Date,
): Promise<void> {
  const { locksPerAddress, locksPerAddressAndHost, locksPerNetwork, locksPerNetworkAndHost } =
    schedulingLimits
  // Always taken after the locks of hosts, and only the wider one where there are two: no holder of
  // this lock waits for another.
  await lockHolder(trx, network ?? address)
  const own = await countLocksOf(trx, { address }, hostIds, now)
  const around =
    network === undefined
      ? { withHosts: 0, inAll: 0 }
      : await countLocksOf(trx, { network }, hostIds, now)
  const isWithinLimit = own.withHosts < locksPerAddressAndHost && own.inAll < locksPerAddress
  if (isWithinLimit && around.withHosts < locksPerNetworkAndHost && around.inAll < locksPerNetwork)
    return
  throw new AppError('rate_limited', errorText('holdsPerAddress'), {
    retryAfterSeconds: schedulingLimits.lockSeconds,
  })
}

interface Holding {
  id: string
  hostId: string
  eventType: RequestedStart['eventType']
  start: number
  end: number
  expiresAt: Date
  now: Date
  holderHash: Buffer
  address: string
  network: string | null
}

async function hold(trx: Trx, { eventType, ...lock }: Holding): Promise<void> {
  const span = claimSpan(eventType, lock)
  const taken =
    eventType.seats > 1 ? await heldSeats(trx, lock.hostId, new Date(lock.start), lock.now) : []
  const seat = freeSeat(taken, eventType.seats)
  const values = {
    lockId: lock.id,
    tenantId: eventType.tenantId,
    hostId: lock.hostId,
    eventTypeId: eventType.id,
    start: new Date(lock.start),
    end: new Date(lock.end),
    claimStart: span.claim_start,
    claimEnd: span.claim_end,
    seat: seat ?? 1,
    holderHash: lock.holderHash,
    address: lock.address,
    network: lock.network,
    expiresAt: lock.expiresAt,
  }
  if (seat === undefined || !(await takeSlotLock(trx, values, lock.now))) {
    throw new AppError('slot_locked', undefined, {
      retryAfterSeconds: schedulingLimits.lockSeconds,
    })
  }
}
