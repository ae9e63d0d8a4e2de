import { prorate } from '@atrium/core/billing/proration'
import { isEnded } from '@atrium/core/billing/subscription-life'
import {
  mayMoveByHand,
  type PendingChange,
  periodTotal,
  type SubscriptionStatus,
  type SubscriptionView,
  type UpdateSubscription,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  findSubscriber,
  findSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
  updateSubscription as write,
} from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments } from '@atrium/integrations/payments/port'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { InTransaction } from '../../rpc/services.ts'
import { readOpenBilling } from '../invoices/gate.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor, oneAtATime } from './at-processor.ts'
import { onCurrentSubscription } from './catch-up.ts'
import { keepScheduled, scheduleAgain, toTerms } from './change.ts'
import { followSubscription } from './follow.ts'
import { noSuchSubscription } from './get.ts'
import { actionOf, auditSubscription } from './record.ts'
import { isPeriodUnpaid, releaseSchedule } from './schedule.ts'
import { type Buyer, holdSeats, rejectTooMuch, type Target, targetOf } from './target.ts'
import { toSubscriptionView } from './view.ts'

/**
 * An operator's correction. Of a manual subscription everything may be changed, at once and without
 * proration; of one at the payment processor plan, cycle and seats, with the difference credited or
 * charged on the next invoice, and only charged while the period is not paid. It takes the place of
 * what waited for the same field. Throws AppError `not_found`, `subscription_ended`,
 * `version_conflict`, `subscription_state` for a status that it cannot move to, `invalid_input`,
 * `price_unavailable`, and for the processor `billing_disabled`, `payments_not_configured`,
 * `payment_failed`, `upstream_failed`.
 */
export async function updateSubscription(
  ctx: Context,
  caller: Caller,
  input: UpdateSubscription,
): Promise<SubscriptionView> {
  const { services } = ctx
  const found = await findSubscription(services.database.db, input.id)
  if (!found) throw noSuchSubscription()
  const billing = await readOpenBilling(services)
  const after = await onCurrentSubscription(services, found.tenantId, () =>
    oneAtATime(services, () =>
      services.database.db.transaction().execute(async (trx) => {
        await lockSubscriptionsOf(trx, found.tenantId)
        const row = await findSubscription(trx, input.id)
        if (!row) throw noSuchSubscription()
        if (isEnded(row.status)) throw new AppError('subscription_ended')
        if (input.version !== undefined && input.version !== row.version)
          throw new AppError('version_conflict')
        const tenant = await findSubscriber(trx, row.tenantId)
        if (!tenant) throw noSuchSubscription()
        if (input.seats !== undefined && input.seats < row.seats)
          await holdSeats(trx, row.tenantId, input.seats)
        const buyer = {
          tenantId: row.tenantId,
          partnerId: tenant.partnerId,
          at: services.clock.now(),
        }
        const target = await correctedTarget(trx, row, input, buyer)
        const left = await keepScheduled(trx, row, target, input, buyer)
        const written =
          row.source === 'manual'
            ? await changeHere(trx, services, row, target, input)
            : await changeThere(trx, services, billing(tenant), row, target, { left, buyer })
        await auditSubscription(ctx, trx, caller, actionOf(row, written), row, written)
        return written
      }),
    ),
  )
  return toSubscriptionView(after)
}

async function correctedTarget(
  trx: Trx,
  row: SubscriptionRow,
  input: UpdateSubscription,
  buyer: Buyer,
): Promise<Target> {
  const { perSeatAmount, periodAmount } = input
  if (row.source === 'stripe') rejectOfProcessor(input)
  if (perSeatAmount === undefined && periodAmount === undefined)
    return targetOf(trx, row, input, buyer)
  const whole =
    periodAmount === undefined
      ? row.periodAmount
      : periodAmount === null
        ? null
        : BigInt(periodAmount)
  const each = perSeatAmount === undefined ? row.perSeatAmount : BigInt(perSeatAmount)
  // An agreed amount per seat takes the place of an amount for the whole period.
  const period = perSeatAmount !== undefined && periodAmount === undefined ? null : whole
  const seats = input.seats ?? row.seats
  const named = { plan: input.plan ?? row.plan, cycle: input.cycle ?? row.cycle, seats }
  const total = period ?? each * BigInt(seats)
  rejectTooMuch(total)
  return {
    ...named,
    priceId: null,
    stripePriceId: null,
    perSeatAmount: each,
    periodAmount: period,
    taxBehavior: 'exclusive',
    total,
  }
}

function rejectOfProcessor(input: UpdateSubscription): void {
  const issues = (['perSeatAmount', 'periodAmount', 'status', 'trialEnd'] as const)
    .filter((field) => input[field] !== undefined)
    .map((field) => ({ path: field, message: errorText('processorDecides') }))
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
}

async function changeHere(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  target: Target,
  input: UpdateSubscription,
): Promise<SubscriptionRow> {
  const now = services.clock.now()
  const status = input.status ?? row.status
  if (!mayMoveByHand(row.status, status)) {
    throw new AppError(
      'subscription_state',
      errorText('subscriptionStatusByHand', { status: words(row.status), status2: words(status) }),
    )
  }
  const trialEnd = trialEndOf(row, status, input, now)
  const owing = status === 'past_due' || status === 'unpaid'
  await write(
    trx,
    row.id,
    {
      ...toTerms(target),
      stripe_price_id: null,
      status,
      past_due_since: owing ? (row.pastDueSince ?? now) : null,
      paused_at: status === 'paused' ? (row.pausedAt ?? now) : null,
      ...(trialEnd
        ? { trial_end: trialEnd, billing_anchor: trialEnd, current_period_end: trialEnd }
        : {}),
      state_since: now,
    },
    { counted: true },
  )
  return followSubscription(trx, services, row.id)
}

/**
 * Another end of the trial; a trial that is ended by hand ends now. Undefined where it stays as it
 * is.
 */
function trialEndOf(
  row: SubscriptionRow,
  status: SubscriptionStatus,
  { trialEnd }: UpdateSubscription,
  now: Date,
): Date | undefined {
  if (trialEnd === undefined)
    return row.status === 'trialing' && status === 'active' ? now : undefined
  if (status === 'trialing' && new Date(trialEnd) > now) return new Date(trialEnd)
  const message = status === 'trialing' ? errorText('trialEndPast') : errorText('notInTrial')
  throw new AppError('invalid_input', undefined, { issues: [{ path: 'trialEnd', message }] })
}

const words = (status: SubscriptionStatus) => status.replace('_', ' ')

async function changeThere(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
  target: Target,
  waiting: { left: PendingChange | null; buyer: Buyer },
): Promise<SubscriptionRow> {
  const { stripeSubscriptionId: subscriptionId, stripeItemId: itemId } = row
  const { stripePriceId: priceId, plan, seats } = target
  if (!subscriptionId || !itemId || !priceId) throw new AppError('price_unavailable')
  // The difference would be credited at the old tax and charged at the new one, on one invoice.
  if (target.taxBehavior !== row.taxBehavior)
    throw new AppError('price_unavailable', errorText('otherTaxBehavior'))
  const prorates =
    costsMoreNow(row, target, services.clock.now()) || !(await isPeriodUnpaid(payments, row))
  await releaseSchedule(payments, row)
  const idempotencyKey = `correct:${row.id}:${row.version}:${priceId}:${seats}`
  const read = await askProcessor((signal) =>
    payments.setSubscriptionItem(
      { subscriptionId, itemId, priceId, plan, seats, prorates },
      { idempotencyKey, signal },
    ),
  )
  const applied = await applyProcessorSubscription(trx, services, row.tenantId, read, {
    eventId: null,
    eventAt: null,
  })
  if (!applied) throw new AppError('subscription_ended')
  return scheduleAgain(trx, services, payments, applied.after, waiting)
}

/**
 * Whether the change adds to what is owed for the current period; none runs while the subscription
 * is paused. What the period cost before stays due on its own invoice, so the difference is charged
 * also while that invoice is not paid. A change that would give back more than it charges gives
 * nothing back then: that money never came.
 */
function costsMoreNow(row: SubscriptionRow, target: Target, at: Date): boolean {
  const { status, currentPeriodStart: start, currentPeriodEnd: end } = row
  if (status === 'paused') return false
  const before = periodTotal(row)
  if (target.cycle === row.cycle || start === null || end === null || start >= end)
    return target.total > before
  // Another cycle begins a new period, which is charged in full.
  const { credit } = prorate(before, 0n, { start, end, at })
  return target.total + credit > 0n
}
