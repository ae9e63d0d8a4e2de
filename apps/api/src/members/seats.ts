import type { Entitlements } from '@atrium/core/billing/entitlements'
import {
  changeLeadMinutes,
  grantingStatuses,
  type PendingChange,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findLiveSubscription } from '@atrium/db/billing/subscriptions'
import { countReservedSeats } from '@atrium/db/invitations/invitations'
import { countMembers } from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { updateTenant } from '@atrium/db/tenants/tenants'
import { readEntitlements } from '../billing/entitlements/read.ts'
import { rejectLimitedBy } from '../billing/invoices/limits.ts'
import type { OpenTenant } from '../rpc/open-tenant.ts'
import type { InTransaction } from '../rpc/services.ts'

type Seats = Pick<OpenTenant, 'id' | 'seats' | 'seat_mode'>

/** Members, and seats that open invitations hold. */
export async function countTaken(db: Db | Trx, tenantId: string): Promise<number> {
  return (await countMembers(db, tenantId)) + (await countReservedSeats(db, tenantId))
}

/**
 * How many more members the tenant may have without paying more: infinite where its entitlements
 * set no limit.
 */
export async function freeSeats(
  db: Db | Trx,
  services: InTransaction,
  tenant: Seats,
): Promise<number> {
  const entitlements = await readEntitlements(db, services, tenant.id)
  const { most } = await seatLimits(db, services, tenant, entitlements)
  return most === 0 ? Number.POSITIVE_INFINITY : most - (await countTaken(db, tenant.id))
}

/**
 * `limit`: how many members there may be now, `most`: how far that may be raised without paying
 * more; 0 for no limit. A tenant may set fewer seats than it is entitled to. In the mode `auto`
 * these are raised with the members; with a running subscription that takes a confirmed price.
 * Seats that end with the period cannot be taken any more once the members were counted for it.
 */
async function seatLimits(
  db: Db | Trx,
  { clock }: InTransaction,
  { id, seats, seat_mode }: Seats,
  { seats: entitled }: Entitlements,
): Promise<{ limit: number; most: number }> {
  const subscription = await findLiveSubscription(db, id)
  const kept = keptSeats(subscription?.pending ?? null, clock.now())
  const current = entitled === 0 || (seats > 0 && seats < entitled) ? seats : entitled
  const limit = current === 0 ? 0 : Math.min(current, kept)
  if (seat_mode !== 'auto') return { limit, most: limit }
  return {
    limit,
    most: subscription && grantingStatuses.includes(subscription.status) ? limit : entitled,
  }
}

/** How many seats stay at an end of the period that is near. */
function keptSeats(pending: PendingChange | null, now: Date): number {
  if (pending?.seats === undefined) return Number.POSITIVE_INFINITY
  const near = now.getTime() + changeLeadMinutes * 60_000
  return Date.parse(pending.effectiveAt) <= near ? pending.seats : Number.POSITIVE_INFINITY
}

/**
 * Ensures a seat for one more member; returns how the seats were raised for it. Seats that open
 * invitations hold are not free; with `reserved`, one of them is the member's. Throws AppError
 * `seats_exhausted`.
 */
export async function takeSeat(
  trx: Trx,
  services: InTransaction,
  tenant: Seats,
  entitlements: Entitlements,
  { reserved = false } = {},
): Promise<[number, number] | undefined> {
  const { limit, most } = await seatLimits(trx, services, tenant, entitlements)
  if (limit === 0) return undefined
  const members = (await countMembers(trx, tenant.id)) + 1
  const needed = reserved ? members : members + (await countReservedSeats(trx, tenant.id))
  if (needed <= limit) return undefined
  if (most !== 0 && needed > most)
    throw seatsExhausted({ seats: limit, seat_mode: tenant.seat_mode })
  await updateTenant(trx, tenant.id, { seats: needed })
  return [tenant.seats, needed]
}

/**
 * Ensures that a seat is free for an invitation to hold. Raises nothing before somebody accepts.
 * Throws AppError `seats_exhausted`, `billing_limited`.
 */
export async function rejectWithoutSeat(
  trx: Trx,
  services: InTransaction,
  tenant: Seats,
): Promise<void> {
  rejectLimitedBy(await readEntitlements(trx, services, tenant.id))
  if ((await freeSeats(trx, services, tenant)) < 1) throw seatsExhausted(tenant)
}

export function seatsExhausted({ seats, seat_mode }: Omit<Seats, 'id'>): AppError {
  const taken = errorText('allSeatsTaken', { seats })
  return new AppError(
    'seats_exhausted',
    seat_mode === 'auto' ? errorText('seatConsent', { taken }) : taken,
  )
}
