import { toShownNumber } from '@atrium/core/billing/money'
import type {
  ComingPrice,
  PriceMoveState,
  PriceMoveView,
  StopPriceMove,
} from '@atrium/core/billing/price-migrations'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import {
  findComingMove,
  lockMove,
  type MoveKey,
  type PriceMoveRow,
  updateMove,
} from '@atrium/db/billing/price-migrations'
import {
  findSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
  updateSubscription,
} from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { requirePayments } from '../invoices/gate.ts'
import { billedTenant, sendBillingMail } from '../invoices/mails.ts'
import { oneAtATime } from '../subscriptions/at-processor.ts'
import { subscriptionEntry } from '../subscriptions/record.ts'
import { releaseSchedule, scheduleAtProcessor } from '../subscriptions/schedule.ts'
import { targetOf } from '../subscriptions/target.ts'
import { toMoveView } from './view.ts'

/** The price change that lies ahead of a tenant; null without one. */
export async function getComingPrice(
  { database }: Services,
  { tenant }: Access,
): Promise<ComingPrice | null> {
  const move = await findComingMove(database.db, tenant.id)
  if (!move?.effectiveAt || move.oldAmount === null || move.newAmount === null) return null
  return {
    effectiveAt: move.effectiveAt.toISOString(),
    currency: move.currency,
    oldMinor: toShownNumber(move.oldAmount),
    newMinor: toShownNumber(move.newAmount),
    cycle: move.cycle,
    mayKeep: move.mayKeep,
  }
}

/** The tenant keeps its price. AppError `not_found`, `price_state`, `upstream_failed`. */
export async function keepPrice(ctx: Context, access: Access): Promise<null> {
  const { services } = ctx
  const known = await findComingMove(services.database.db, access.tenant.id)
  if (!known) throw new AppError('not_found', errorText('noComingPrice'))
  if (!known.mayKeep) throw new AppError('price_state', errorText('priceNotKept'))
  await endMove(services, known, 'kept', (trx, row) => {
    const entry = subscriptionEntry('subscription.price_kept', row, row)
    return services.audit.record(ctx, access.caller, entry, trx)
  })
  return null
}

/** One subscriber stays. AppError `not_found`, `price_state`, `upstream_failed`. */
export async function stopMove(
  ctx: Context,
  caller: Caller,
  { id, subscriptionId, reason }: StopPriceMove,
): Promise<PriceMoveView> {
  const { services } = ctx
  const key = { migrationId: id, subscriptionId }
  const move = await endMove(services, key, 'stopped', (trx, row) => {
    const why = { migrationId: id, reason }
    const entry = subscriptionEntry('price.move_stopped', row, row, why)
    return services.audit.record(ctx, caller, entry, trx)
  })
  return toMoveView(move)
}

async function endMove(
  services: Services,
  key: MoveKey,
  state: Extract<PriceMoveState, 'kept' | 'stopped'>,
  record: (trx: Trx, row: SubscriptionRow) => Promise<void>,
): Promise<PriceMoveRow> {
  return oneAtATime(services, () =>
    services.database.db.transaction().execute(async (trx) => {
      const row = await findSubscription(trx, key.subscriptionId)
      if (!row) throw new AppError('not_found', errorText('noComingPrice'))
      await lockSubscriptionsOf(trx, row.tenantId)
      const move = await lockMove(trx, key)
      if (!move) throw new AppError('not_found', errorText('noComingPrice'))
      const open = ['waiting', 'notified', 'scheduled', 'stopping'].includes(move.state)
      if (!open) throw new AppError('price_state', errorText('noComingPrice'))
      if (move.state === 'scheduled' || move.state === 'stopping')
        await takeBack(trx, services, row)
      await updateMove(trx, key, { state, error: null })
      if (state === 'stopped') await mailPriceKept(trx, services, row, move)
      await record(trx, row)
      return { ...move, state }
    }),
  )
}

/**
 * Mails billing contact and owner that the announced price change does not take place. Does nothing
 * where the change was not announced.
 */
export async function mailPriceKept(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  { migrationId, notifiedAt }: Pick<PriceMoveRow, 'migrationId' | 'notifiedAt'>,
): Promise<void> {
  const tenant = notifiedAt && (await findCustomerTenant(trx, row.tenantId))
  if (!tenant) return
  await sendBillingMail(
    trx,
    services,
    billedTenant(tenant),
    { template: 'subscription.price_kept', plan: row.plan },
    `${migrationId}:${row.id}`,
  )
}

/** Cancels a scheduled price; what the tenant scheduled itself stays, at the old price. */
export async function takeBack(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
): Promise<void> {
  const current = (await findSubscription(trx, row.id)) ?? row
  if (current.stripeScheduleId === null) return
  const payments = requirePayments(services.systems)
  if (current.pending) {
    const buyer = { tenantId: current.tenantId, partnerId: null, at: services.clock.now() }
    const own = await targetOf(trx, current, current.pending, buyer)
    await scheduleAtProcessor(trx, services, payments, current, own)
    return
  }
  await releaseSchedule(payments, current)
  await updateSubscription(trx, current.id, { stripe_schedule_id: null }, { counted: true })
}
