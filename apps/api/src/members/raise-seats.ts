import type { SeatRaise } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { readSeats } from '@atrium/db/tenants/tenants'
import { readEntitlements } from '../billing/entitlements/read.ts'
import { changeSubscription } from '../billing/subscriptions/change.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { Services } from '../rpc/services.ts'
import { countTaken, seatsExhausted } from './seats.ts'

/**
 * Buys the seats that the caller agreed to pay for a new member; buys nothing when they would not
 * be enough, or when one is free meanwhile. Throws AppError `seats_exhausted` for a tenant with
 * fixed seats and while the payment waits for confirmation, and as `changeSubscription`.
 */
export async function raiseSeats(
  ctx: Context,
  access: Access,
  { seats, quote }: SeatRaise,
): Promise<void> {
  const { db } = ctx.services.database
  const { slug, id } = access.tenant
  const tenant = await readSeats(db, id)
  const members = await countTaken(db, id)
  if (members < tenant.seats) return
  await rejectInTrial(ctx.services, id)
  if (tenant.seat_mode !== 'auto') throw seatsExhausted(tenant)
  if (seats <= members) {
    const message = errorText('noSeatFree', { members, seats })
    throw new AppError('seats_exhausted', message, {
      issues: [{ path: 'seatRaise.seats', message }],
    })
  }
  const { outcome } = await changeSubscription(ctx, access, { slug, seats, quote })
  if (outcome !== 'applied') {
    throw new AppError('seats_exhausted', errorText('seatPaymentUnconfirmed'))
  }
}

/**
 * A trial gives so many seats whatever was subscribed to: buying more would add none before the
 * first payment.
 */
async function rejectInTrial(services: Services, tenantId: string): Promise<void> {
  const { reason, seats, until } = await readEntitlements(services.database.db, services, tenantId)
  const most = services.config.billing.trial.seats
  if (reason !== 'trial' || seats < most) return
  throw new AppError(
    'seats_exhausted',
    until === null
      ? errorText('trialMembers', { most })
      : errorText('trialMembersUntil', { most, until }),
  )
}
