import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments } from '@atrium/integrations/payments/port'
import type { InTransaction } from '../../rpc/services.ts'
import { readTaxBuyer } from '../taxes/buyer.ts'
import { taxOfPeriods } from '../taxes/sale-tax.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor } from './at-processor.ts'
import type { Target } from './target.ts'

/**
 * Schedules the terms of the next period at the payment processor, in place of what was scheduled
 * before. The processor carries them out at the end of the period, whether this service runs then
 * or not. Throws AppError `price_unavailable`, `subscription_ended`, `upstream_failed`.
 */
export async function scheduleAtProcessor(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
  target: Pick<Target, 'plan' | 'cycle' | 'seats' | 'stripePriceId' | 'taxBehavior'>,
): Promise<SubscriptionRow> {
  const { stripeSubscriptionId: subscriptionId } = row
  const { stripePriceId: priceId, plan, seats, cycle } = target
  if (!subscriptionId || !priceId) throw new AppError('price_unavailable')
  const idempotencyKey = `schedule:${row.id}:${row.version}:${priceId}:${seats}`
  const cycleChanges = cycle !== row.cycle
  const read = await askProcessor(async (signal) => {
    const buyer = await readTaxBuyer(trx, row.tenantId)
    const behaviors = { behavior: row.taxBehavior, nextBehavior: target.taxBehavior }
    const { tax, nextTax } = await taxOfPeriods(services.config, payments, buyer, behaviors, {
      signal,
    })
    return payments.scheduleChange(
      { subscriptionId, priceId, plan, seats, cycle, cycleChanges, tax, nextTax },
      { idempotencyKey, signal },
    )
  })
  const applied = await applyProcessorSubscription(trx, services, row.tenantId, read, {
    eventId: null,
    eventAt: null,
  })
  if (!applied) throw new AppError('subscription_ended')
  return applied.after
}

/**
 * Detaches the schedule of a subscription at the payment processor, which rejects other changes
 * beside one. Does nothing without a schedule. If what follows fails, the job for due changes
 * schedules again what still waits in our row.
 */
export async function releaseSchedule(payments: Payments, row: SubscriptionRow): Promise<void> {
  const { stripeSubscriptionId, stripeScheduleId } = row
  if (stripeSubscriptionId === null || stripeScheduleId === null) return
  await askProcessor((signal) =>
    payments.releaseSchedule(stripeSubscriptionId, {
      idempotencyKey: `release:${stripeScheduleId}`,
      signal,
    }),
  )
}

/**
 * Rejects a change that credits the current period while its invoice is not paid: the credit would
 * be given for money that never came. Throws AppError `subscription_state`.
 */
export async function rejectUnpaidPeriod(payments: Payments, row: SubscriptionRow): Promise<void> {
  if (await isPeriodUnpaid(payments, row))
    throw new AppError('subscription_state', errorText('periodNotPaid'))
}

/**
 * Whether the invoice of the current period is still to be paid. Throws AppError `upstream_failed`.
 */
export async function isPeriodUnpaid(payments: Payments, row: SubscriptionRow): Promise<boolean> {
  const { latestInvoiceId } = row
  if (row.status === 'trialing' || latestInvoiceId === null) return false
  const invoice = await askProcessor((signal) => payments.findInvoice(latestInvoiceId, { signal }))
  return ['draft', 'open', 'uncollectible'].includes(invoice?.status ?? '')
}
