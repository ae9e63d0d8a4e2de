import { isEnded } from '@atrium/core/billing/subscription-life'
import {
  type PendingChange,
  type SubscriptionStatus,
  toSubscriptionStatus,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findPriceByStripeId, type PriceRow } from '@atrium/db/billing/prices'
import {
  findLiveSubscription,
  findSubscriptionByStripeId,
  insertSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
  updateSubscription,
} from '@atrium/db/billing/subscriptions'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments, ProcessorSubscription } from '@atrium/integrations/payments/port'
import type { InTransaction } from '../../rpc/services.ts'
import { settleWithinLimit } from '../approvals/settle-within-limit.ts'
import { askProcessor } from './at-processor.ts'
import { followSubscription } from './follow.ts'
import { stateOf } from './state.ts'

/** The event that made us read the subscription; nulls for a call of our own. */
export interface Cause {
  eventId: string | null
  eventAt: Date | null
  /**
   * When the reading began, by the database's clock: which of two readings is newer does not follow
   * from the events behind them.
   */
  readAt?: Date | undefined
  /** From when on the state holds that was read; by default the moment of the event. */
  stateAt?: Date | undefined
}

export interface AppliedSubscription {
  before: SubscriptionRow | undefined
  after: SubscriptionRow
}

/**
 * Writes the subscription as the payment processor has it, and lets the tenant follow. Events may
 * come in any order and any number of times: what was read before the newest that was applied
 * changes nothing, and what has ended stays so; both answer undefined. Throws AppError
 * `subscription_exists` when the tenant has another one that runs.
 */
export async function applyProcessorSubscription(
  trx: Trx,
  services: InTransaction,
  tenantId: string,
  subscription: ProcessorSubscription,
  cause: Cause,
): Promise<AppliedSubscription | undefined> {
  await lockSubscriptionsOf(trx, tenantId)
  const before = await findSubscriptionByStripeId(trx, subscription.id)
  const status = toSubscriptionStatus(subscription.status)
  if (before && isStale(before, status, cause)) return undefined
  if (!before && !isEnded(status)) await settleOther(trx, services, tenantId)
  // A call of our own was answered just now: what others began to read before it may be older.
  const order = cause.readAt ?? cause.eventAt ?? (await databaseNow(trx))
  const columns = {
    ...(await columnsOf(trx, services, subscription, { status, before, cause })),
    stripe_event_at: order,
    stripe_event_id: cause.eventId,
  }
  const id =
    before?.id ??
    (await insertSubscription(trx, { tenant_id: tenantId, source: 'stripe', ...columns }))
  if (before) await updateSubscription(trx, id, columns, { counted: differs(before, columns) })
  const after = await followSubscription(trx, services, id)
  await settleWithinLimit(trx, services, after, subscription)
  return { before, after }
}

function isStale(
  row: SubscriptionRow,
  status: SubscriptionStatus,
  { eventAt, readAt }: Cause,
): boolean {
  if (isEnded(row.status) && !isEnded(status)) return true
  const order = readAt ?? eventAt
  return order !== null && row.stripeEventAt !== null && order < row.stripeEventAt
}

/**
 * Another subscription of the tenant that still runs here. Its end may be told later than this
 * one's beginning: it is read again, and only one that really runs is in the way.
 */
async function settleOther(trx: Trx, services: InTransaction, tenantId: string): Promise<void> {
  const other = await findLiveSubscription(trx, tenantId)
  if (!other) return
  const { payments } = services.systems
  const { stripeSubscriptionId } = other
  if (payments && stripeSubscriptionId) {
    const read = await askProcessor((signal) =>
      payments.findSubscription(stripeSubscriptionId, { signal }),
    )
    if (read && isEnded(toSubscriptionStatus(read.status))) {
      await applyProcessorSubscription(trx, services, tenantId, read, {
        eventId: null,
        eventAt: null,
      })
      return
    }
  }
  throw new AppError('subscription_exists', errorText('otherSubscriptionRuns'))
}

interface Known {
  status: SubscriptionStatus
  before: SubscriptionRow | undefined
  cause: Cause
}

async function columnsOf(
  trx: Trx,
  services: InTransaction,
  read: ProcessorSubscription,
  { status, before, cause }: Known,
) {
  const price = await findPriceByStripeId(trx, read.priceId)
  const at = cause.eventAt ?? services.clock.now()
  return {
    stripe_subscription_id: read.id,
    stripe_item_id: read.itemId,
    stripe_price_id: read.priceId,
    price_id: price?.id ?? null,
    ...stateOf(read, status, price, before),
    tax_behavior: read.taxBehavior,
    stripe_status: read.status,
    trial_start: read.trialStart,
    trial_end: read.trialEnd,
    current_period_start: read.currentPeriodStart,
    current_period_end: read.currentPeriodEnd,
    cancel_at: read.cancelAt,
    canceled_at: read.canceledAt,
    ended_at: read.endedAt,
    cancel_reason: read.cancelReason,
    cancel_feedback: read.cancelFeedback,
    cancel_comment: read.cancelComment,
    collection_paused_behavior: read.pauseCollection?.behavior ?? null,
    collection_resumes_at: read.pauseCollection?.resumesAt ?? null,
    paused_at: read.pausedAt,
    pause_reason: read.pauseReason,
    past_due_since: await pastDueSince(services.systems.payments, status, read, before, at),
    ...(await pendingColumns(trx, read, { status, before, cause, price }, at)),
    latest_invoice_id: read.latestInvoiceId,
    state_since: stateSince(status, read, before, cause.stateAt ?? at),
  }
}

/**
 * What waits for the end of the period, as the processor has it scheduled. What waits here and is
 * not scheduled there yet stays, until its time is over or its terms are in force: the job for due
 * changes schedules it.
 */
async function pendingColumns(
  trx: Trx,
  read: ProcessorSubscription,
  { status, before, price }: Known & { price: PriceRow | undefined },
  at: Date,
) {
  const none = {
    stripe_schedule_id: read.scheduleId,
    pending: null,
    pending_attempts: 0,
    pending_next_at: null,
  }
  const waits = before?.pending ?? null
  if (isEnded(status)) return { ...none, pending_error: null }
  if (read.scheduled === undefined) return { stripe_schedule_id: read.scheduleId }
  if (read.scheduled === null) {
    const over = waits === null || new Date(waits.effectiveAt) <= at || read.scheduleId !== null
    return over ? none : { stripe_schedule_id: null }
  }
  const next = await findPriceByStripeId(trx, read.scheduled.priceId)
  const { seats } = read.scheduled
  const change = {
    ...(next && next.plan !== price?.plan && { plan: next.plan }),
    ...(next && next.cycle !== read.cycle && { cycle: next.cycle }),
    ...(seats !== read.seats && { seats }),
  }
  if (Object.keys(change).length === 0) return none
  const pending: PendingChange = {
    ...change,
    effectiveAt: read.scheduled.at.toISOString(),
    requestedBy: waits?.requestedBy ?? null,
  }
  return { stripe_schedule_id: read.scheduleId, pending: JSON.stringify(pending) }
}

/**
 * From when money is owed: when the invoice that was not paid was finalized, whichever event tells
 * of it first. That of a change is later than the beginning of its period. Throws AppError
 * `upstream_failed`.
 */
async function pastDueSince(
  payments: Payments | null,
  status: SubscriptionStatus,
  read: ProcessorSubscription,
  before: SubscriptionRow | undefined,
  at: Date,
): Promise<Date | null> {
  if (status !== 'past_due' && status !== 'unpaid') return null
  if (before?.pastDueSince) return before.pastDueSince
  const { latestInvoiceId: id, currentPeriodStart } = read
  const invoice =
    id === null || payments === null
      ? undefined
      : await askProcessor((signal) => payments.findInvoice(id, { signal }))
  const missedAt = invoice?.status === 'paid' ? null : invoice?.finalizedAt
  return missedAt ?? currentPeriodStart ?? at
}

function stateSince(
  status: SubscriptionStatus,
  read: ProcessorSubscription,
  before: SubscriptionRow | undefined,
  at: Date,
): Date {
  if (isEnded(status)) return read.endedAt ?? at
  return before ? at : read.created
}

/** Whether a quote that was made before is void now. */
function differs(before: SubscriptionRow, columns: Awaited<ReturnType<typeof columnsOf>>): boolean {
  return (
    before.stripePriceId !== columns.stripe_price_id ||
    before.stripeScheduleId !== columns.stripe_schedule_id ||
    before.plan !== columns.plan ||
    before.cycle !== columns.cycle ||
    before.currency !== columns.currency ||
    before.seats !== columns.seats ||
    before.taxBehavior !== columns.tax_behavior ||
    before.status !== columns.status ||
    before.cancelAtPeriodEnd !== columns.cancel_at_period_end ||
    before.perSeatAmount !== BigInt(columns.per_seat_amount) ||
    before.periodAmount !==
      (columns.period_amount === null ? null : BigInt(columns.period_amount)) ||
    before.currentPeriodEnd?.getTime() !== columns.current_period_end?.getTime()
  )
}
