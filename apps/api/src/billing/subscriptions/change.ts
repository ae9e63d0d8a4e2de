import {
  type ChangeResult,
  type ChangeSubscription,
  effectOf,
  type PendingChange,
  periodAt,
  periodTotal,
  quoteMinutes,
  type SubscriptionQuote,
} from '@atrium/core/billing/subscriptions'
import { AppError } from '@atrium/core/platform/errors'
import {
  countAssignedSeats,
  type SubscriptionRow,
  updateSubscription,
} from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments } from '@atrium/integrations/payments/port'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { InTransaction } from '../../rpc/services.ts'
import { readOpenBilling } from '../invoices/gate.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor, oneAtATime } from './at-processor.ts'
import { followSubscription } from './follow.ts'
import { rejectExceededQuota } from './quota.ts'
import { actionOf, auditSubscription } from './record.ts'
import { lockTenantSubscription, rejectNoChange, rejectUnchangeable } from './rules.ts'
import { type Target, targetOf } from './target.ts'
import { toTenantSubscription } from './view.ts'

interface Changed {
  before: SubscriptionRow
  after: SubscriptionRow
  outcome: ChangeResult['outcome']
}

/**
 * Carries out what was quoted: more at once, less at the end of the period. Two at once: the second
 * finds its quote void. Throws AppError `quote_expired`, `subscription_ended`, `uncancel_first`,
 * `subscription_state`, `currency_locked`, `quota_exceeded`, `price_unavailable`, `invalid_input`;
 * for a subscription at the payment processor also `billing_disabled`, `payments_not_configured`,
 * `payment_failed`, `upstream_failed`.
 */
export async function changeSubscription(
  ctx: Context,
  access: Access,
  input: ChangeSubscription,
): Promise<ChangeResult> {
  const { services } = ctx
  const billing = await readOpenBilling(services)
  const changed = await oneAtATime(services, () =>
    services.database.db.transaction().execute(async (trx): Promise<Changed> => {
      const row = await lockTenantSubscription(trx, access)
      rejectUnchangeable(row, input.currency)
      const now = services.clock.now()
      rejectOldQuote(row, input.quote, now)
      const { id: tenantId, partnerId } = access.tenant
      const target = await targetOf(trx, row, input, { tenantId, partnerId, at: now })
      rejectNoChange(row, target)
      if (target.priceId !== input.quote.priceId) throw new AppError('quote_expired')
      await rejectExceededQuota(trx, services, tenantId, { from: row.plan, to: target.plan })
      const payments = row.source === 'stripe' ? billing(access.tenant) : null
      if (
        effectOf({ cycle: row.cycle, status: row.status, total: periodTotal(row) }, target) ===
        'period_end'
      ) {
        return wait(trx, services, row, target, access.caller.email ?? null)
      }
      const left = withoutNamed(row.pending, input)
      if (left !== row.pending)
        await updateSubscription(
          trx,
          row.id,
          { pending: left && JSON.stringify(left) },
          { counted: false },
        )
      if (payments && row.status === 'paused')
        return changePaused(trx, services, payments, row, target)
      return payments
        ? payNow(trx, services, payments, row, target, input.quote)
        : changeHere(trx, services, row, target, now)
    }),
  )
  const { before, after, outcome } = changed
  const action = outcome === 'scheduled' ? pendingActionOf(after) : actionOf(before, after)
  await auditSubscription(ctx, access.caller, action, before, after, { outcome })
  const assigned = await countAssignedSeats(services.database.db, access.tenant.id)
  return { outcome, subscription: toTenantSubscription(after, assigned) }
}

function rejectOldQuote(row: SubscriptionRow, quote: SubscriptionQuote, now: Date): void {
  const age = now.getTime() - Date.parse(quote.prorationDate)
  if (age < -60_000 || age > quoteMinutes * 60_000 || quote.version !== row.version)
    throw new AppError('quote_expired')
}

/** A change that holds at once takes the place of what waited for the same field. */
function withoutNamed(
  pending: PendingChange | null,
  input: ChangeSubscription,
): PendingChange | null {
  if (!pending) return null
  const { plan, cycle, seats, ...when } = pending
  const left = {
    ...(plan === undefined || input.plan !== undefined ? {} : { plan }),
    ...(cycle === undefined || input.cycle !== undefined ? {} : { cycle }),
    ...(seats === undefined || input.seats !== undefined ? {} : { seats }),
  }
  return Object.keys(left).length > 0 ? { ...left, ...when } : null
}

/** Puts the change down for the end of the period, beside what waits already. */
async function wait(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  target: Target,
  requestedBy: string | null,
): Promise<Changed> {
  const pending: PendingChange = {
    ...(row.pending ?? {}),
    ...(target.plan === row.plan ? {} : { plan: target.plan }),
    ...(target.cycle === row.cycle ? {} : { cycle: target.cycle }),
    ...(target.seats === row.seats ? {} : { seats: target.seats }),
    effectiveAt: (row.currentPeriodEnd ?? services.clock.now()).toISOString(),
    requestedBy,
  }
  const fresh = {
    pending: JSON.stringify(pending),
    pending_attempts: 0,
    pending_next_at: null,
    pending_error: null,
  }
  await updateSubscription(trx, row.id, fresh, { counted: true })
  return {
    before: row,
    after: await followSubscription(trx, services, row.id),
    outcome: 'scheduled',
  }
}

async function payNow(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
  target: Target,
  quote: SubscriptionQuote,
): Promise<Changed> {
  const { stripeSubscriptionId: subscriptionId, stripeItemId: itemId } = row
  const { stripePriceId: priceId, plan, cycle, seats } = target
  if (!subscriptionId || !itemId || !priceId) throw new AppError('price_unavailable')
  const prorationDate = new Date(quote.prorationDate)
  const idempotencyKey = `change:${row.id}:${row.version}:${prorationDate.getTime() / 1000}:${priceId}:${seats}`
  const cycleChanges = cycle !== row.cycle
  const read = await askProcessor((signal) =>
    payments.changeSubscription(
      { subscriptionId, itemId, priceId, plan, seats, prorationDate, cycleChanges },
      { idempotencyKey, signal },
    ),
  )
  const applied = await applyProcessorSubscription(trx, services, row.tenantId, read, {
    eventId: null,
    eventAt: null,
  })
  if (!applied) throw new AppError('subscription_ended')
  return {
    before: row,
    after: applied.after,
    outcome: read.pendingUpdate ? 'awaiting_payment' : 'applied',
  }
}

/** While it is paused nothing is charged: the new terms hold from the resumption on. */
async function changePaused(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
  target: Target,
): Promise<Changed> {
  const { stripeSubscriptionId: subscriptionId, stripeItemId: itemId } = row
  const { stripePriceId: priceId, plan, seats } = target
  if (!subscriptionId || !itemId || !priceId) throw new AppError('price_unavailable')
  const idempotencyKey = `paused:${row.id}:${row.version}:${priceId}:${seats}`
  const read = await askProcessor((signal) =>
    payments.setSubscriptionItem(
      { subscriptionId, itemId, priceId, plan, seats, credit: false },
      { idempotencyKey, signal },
    ),
  )
  const applied = await applyProcessorSubscription(trx, services, row.tenantId, read, {
    eventId: null,
    eventAt: null,
  })
  if (!applied) throw new AppError('subscription_ended')
  return { before: row, after: applied.after, outcome: 'applied' }
}

/** A subscription that nobody but us keeps. From month to year begins a new period. */
async function changeHere(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  target: Target,
  now: Date,
): Promise<Changed> {
  const still = row.status === 'trialing' || row.status === 'paused'
  const renewed = target.cycle === row.cycle || still ? undefined : periodAt(now, target.cycle, now)
  await updateSubscription(
    trx,
    row.id,
    {
      ...toTerms(target),
      state_since: now,
      ...(renewed
        ? {
            billing_anchor: now,
            current_period_start: renewed.start,
            current_period_end: renewed.end,
          }
        : {}),
    },
    { counted: true },
  )
  return { before: row, after: await followSubscription(trx, services, row.id), outcome: 'applied' }
}

/** The columns that hold what was agreed. */
export function toTerms({
  plan,
  cycle,
  seats,
  priceId,
  stripePriceId,
  perSeatAmount,
  periodAmount,
}: Target) {
  return {
    ...{ plan, cycle, seats, price_id: priceId, stripe_price_id: stripePriceId },
    ...{ per_seat_amount: perSeatAmount, period_amount: periodAmount },
  }
}

function pendingActionOf({ pending }: SubscriptionRow) {
  return pending?.plan === undefined && pending?.cycle === undefined
    ? 'subscription.seats_changed'
    : 'subscription.plan_changed'
}
