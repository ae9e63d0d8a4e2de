import { isEnded } from '@atrium/core/billing/subscription-life'
import { changeLeadMinutes, type PendingChange, periodAt } from '@atrium/core/billing/subscriptions'
import { AppError } from '@atrium/core/platform/errors'
import { findPriceByStripeId } from '@atrium/db/billing/prices'
import {
  findDueSubscriptions,
  findSubscriber,
  findSubscription,
  findSubscriptionsOfDeletedTenants,
  lockSubscriptionsOf,
  lockTenantOfSubscription,
  type SubscriptionRow,
  updateSubscription,
} from '@atrium/db/billing/subscriptions'
import { countMembers } from '@atrium/db/members/members'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments } from '@atrium/integrations/payments/port'
import { retryDelaySeconds } from '../../platform/retry-delay.ts'
import { storedFailure } from '../../platform/stored-failure.ts'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { requirePayments } from '../invoices/gate.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor, oneAtATime, type Subscriber } from './at-processor.ts'
import { nothingPending } from './cancel.ts'
import { toTerms } from './change.ts'
import { endForDeletion } from './end-for-deletion.ts'
import { followSubscription } from './follow.ts'
import { rejectExceededQuota } from './quota.ts'
import { actionOf, subscriptionEntry } from './record.ts'
import { releaseSchedule, scheduleAtProcessor } from './schedule.ts'
import { type Target, targetOf } from './target.ts'

const mostAtOnce = 200
/** Seconds until a change that failed is retried for the first time. */
const firstRetrySeconds = 60
/**
 * Periods of a manual subscription that are caught up on in one go, such as after a long
 * standstill.
 */
const mostPeriods = 240

interface Settled {
  before: SubscriptionRow
  after: SubscriptionRow
  /** Why a waiting change was dropped. */
  dropped?: string
}

/**
 * Carries out what time has brought for manual subscriptions: the ends of trials and periods, the
 * changes that waited for them, cancellations. The payment processor does that by itself; here its
 * schedules are kept in step with our rows: a waiting change without a schedule gets one, and an
 * hour before the end of the period the members and the plan's limits are looked at once more. One
 * that fails does not hold up the others; its row says why and it is retried. Subscriptions of
 * deleted tenants end. A process that dies leaves it undone: the key of the call makes the next try
 * the same one.
 */
export async function applyDueSubscriptions(services: Services): Promise<void> {
  const now = services.clock.now()
  for (const { id, tenantId } of await findSubscriptionsOfDeletedTenants(
    services.database.db,
    now,
    mostAtOnce,
  )) {
    await endOfDeleted(services, tenantId).catch((error: unknown) => putOff(services, id, error))
  }
  const lead = new Date(now.getTime() + changeLeadMinutes * 60_000)
  for (const { id, tenantId } of await findDueSubscriptions(services.database.db, {
    now,
    lead,
    limit: mostAtOnce,
  })) {
    try {
      await settleOne(services, id, tenantId, now)
    } catch (error) {
      await putOff(services, id, error)
    }
  }
}

/** A tenant that an earlier version of the program deleted is charged no more. */
async function endOfDeleted(services: Services, tenantId: string): Promise<void> {
  await oneAtATime(services, () =>
    services.database.db.transaction().execute(async (trx) => {
      const tenant = await findSubscriber(trx, tenantId)
      const ended = tenant && (await endForDeletion(trx, services, tenant))
      if (!ended) return
      const { before, after } = ended
      const entry = subscriptionEntry('subscription.canceled', before, after, { when: 'now' })
      await services.audit.recordSystem(entry, trx)
    }),
  )
}

async function settleOne(
  services: Services,
  id: string,
  tenantId: string,
  now: Date,
): Promise<void> {
  await oneAtATime(services, () =>
    services.database.db.transaction().execute(async (trx) => {
      await lockSubscriptionsOf(trx, tenantId)
      const [row, tenant] = [await findSubscription(trx, id), await findSubscriber(trx, tenantId)]
      if (!row || !tenant || isEnded(row.status)) return
      const settled =
        row.source === 'manual'
          ? await rollOver(trx, services, row, tenant, now)
          : row.pending && (await followSchedule(trx, services, row, row.pending, tenant, now))
      if (settled) await recordSettled(trx, services, settled)
    }),
  )
}

async function recordSettled(
  trx: Trx,
  { audit }: InTransaction,
  { before, after, dropped }: Settled,
): Promise<void> {
  const entry = subscriptionEntry(
    isEnded(after.status) ? 'subscription.canceled' : actionOf(before, after),
    before,
    after,
  )
  const settled: AuditEntry = {
    ...entry,
    outcome: dropped === undefined ? 'success' : 'failure',
    metadata: { ...entry.metadata, ...(dropped === undefined ? {} : { dropped }) },
  }
  await audit.recordSystem(settled, trx)
}

async function putOff(services: Services, id: string, error: unknown): Promise<void> {
  if (!(error instanceof AppError))
    services.log.error({ err: error, subscription: id }, 'a subscription could not be settled')
  const row = await findSubscription(services.database.db, id)
  if (!row) return
  const attempts = row.pendingAttempts + 1
  await services.database.db.transaction().execute((trx) =>
    updateSubscription(
      trx,
      id,
      {
        pending_attempts: attempts,
        pending_next_at: new Date(
          services.clock.now().getTime() + retryDelaySeconds(attempts, firstRetrySeconds) * 1000,
        ),
        pending_error: storedFailure(error),
      },
      { counted: false },
    ),
  )
}

/** Seats that wait, and never fewer than members have meanwhile. */
async function seatsFor(trx: Trx, row: SubscriptionRow, seats: number): Promise<number> {
  return Math.max(seats, Math.min(await countMembers(trx, row.tenantId), row.seats))
}

/** Why the plan that waits holds less than there is; undefined where it does not. */
async function exceededQuota(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  { plan }: PendingChange,
): Promise<string | undefined> {
  if (!plan) return undefined
  try {
    await rejectExceededQuota(trx, services, row.tenantId, { from: row.plan, to: plan })
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'quota_exceeded') return sentenceOf(error)
    throw error
  }
}

/** What waited, as it can be carried out now. */
async function possibleTarget(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  pending: PendingChange,
  tenant: Subscriber,
): Promise<Target | { dropped: string }> {
  const dropped = await exceededQuota(trx, services, row, pending)
  if (dropped !== undefined) return { dropped }
  const seats = pending.seats === undefined ? undefined : await seatsFor(trx, row, pending.seats)
  try {
    const buyer = { tenantId: row.tenantId, partnerId: tenant.partnerId, at: services.clock.now() }
    return await targetOf(trx, row, { plan: pending.plan, cycle: pending.cycle, seats }, buyer)
  } catch (error) {
    if (
      error instanceof AppError &&
      (error.code === 'price_unavailable' || error.code === 'invalid_input')
    )
      return { dropped: sentenceOf(error) }
    throw error
  }
}

function sentenceOf(error: AppError): string {
  return error.issues?.[0]?.message ?? error.message
}

/**
 * Keeps the schedule at the payment processor in step with what waits here. Returns undefined where
 * nothing is to be done. Throws AppError as `scheduleAtProcessor`.
 */
async function followSchedule(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  pending: PendingChange,
  tenant: Subscriber,
  now: Date,
): Promise<Settled | undefined> {
  const payments = requirePayments(services.systems)
  if (row.stripeScheduleId === null) {
    const target = await possibleTarget(trx, services, row, pending, tenant)
    if ('dropped' in target) return drop(trx, services, row, target.dropped)
    return { before: row, after: await scheduleAtProcessor(trx, services, payments, row, target) }
  }
  if (new Date(pending.effectiveAt) <= now) return readAgain(trx, services, payments, row)
  return checkScheduled(trx, services, payments, row, pending)
}

/**
 * Checks a scheduled change again. What was agreed stays, price included; seats that members need
 * are added, and a plan that is too small by now is dropped.
 */
async function checkScheduled(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
  pending: PendingChange,
): Promise<Settled | undefined> {
  const { plan = row.plan, cycle = row.cycle } = pending
  const dropped = await exceededQuota(trx, services, row, pending)
  if (dropped !== undefined) {
    await releaseSchedule(payments, row)
    return drop(trx, services, row, dropped)
  }
  const seats = await seatsFor(trx, row, pending.seats ?? row.seats)
  const id = row.stripeSubscriptionId
  if (seats === (pending.seats ?? row.seats) || id === null) return undefined
  const read = await askProcessor((signal) => payments.findSubscription(id, { signal }))
  if (!read?.scheduled) return undefined
  const stripePriceId = read.scheduled.priceId
  const { taxBehavior = row.taxBehavior } = (await findPriceByStripeId(trx, stripePriceId)) ?? {}
  const terms = { stripePriceId, taxBehavior, plan, cycle, seats }
  return { before: row, after: await scheduleAtProcessor(trx, services, payments, row, terms) }
}

/** The period is over and no event has said what became of the schedule: it is read instead. */
async function readAgain(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
): Promise<Settled | undefined> {
  const id = row.stripeSubscriptionId
  const readAt = await databaseNow(trx)
  const read =
    id === null
      ? undefined
      : await askProcessor((signal) => payments.findSubscription(id, { signal }))
  const cause = { eventId: null, eventAt: null, readAt }
  const applied =
    read && (await applyProcessorSubscription(trx, services, row.tenantId, read, cause))
  return applied && { before: row, after: applied.after }
}

async function drop(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  dropped: string,
): Promise<Settled> {
  await updateSubscription(
    trx,
    row.id,
    { ...nothingPending, stripe_schedule_id: null, pending_error: dropped },
    { counted: true },
  )
  return { before: row, after: await followSubscription(trx, services, row.id), dropped }
}

/**
 * Ends the periods of a manual subscription that are over, each at its own moment, and does what
 * was to happen then.
 */
export async function rollOver(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  tenant: Subscriber,
  now: Date,
): Promise<Settled | undefined> {
  let current = row
  let dropped: string | undefined
  for (let round = 0; round < mostPeriods; round += 1) {
    const end = current.currentPeriodEnd
    if (!end || end > now || isEnded(current.status)) break
    dropped = (await endPeriod(trx, services, current, tenant, end)) ?? dropped
    current = await followSubscription(trx, services, row.id)
  }
  return current === row
    ? undefined
    : { before: row, after: current, ...(dropped === undefined ? {} : { dropped }) }
}

/** Answers why a waiting change was dropped. */
async function endPeriod(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  tenant: Subscriber,
  end: Date,
): Promise<string | undefined> {
  if (row.cancelAtPeriodEnd) {
    const over = { ...nothingPending, status: 'canceled' as const, ended_at: end, state_since: end }
    await updateSubscription(trx, row.id, over, { counted: true })
    return undefined
  }
  const waits =
    row.pending !== null && new Date(row.pending.effectiveAt) <= end ? row.pending : null
  if (waits?.seats !== undefined) await lockTenantOfSubscription(trx, row.tenantId)
  const target = waits && (await possibleTarget(trx, services, row, waits, tenant))
  const terms = target && !('dropped' in target) ? target : null
  const dropped = target && 'dropped' in target ? target.dropped : undefined
  const cycle = terms?.cycle ?? row.cycle
  const anchor = row.status === 'trialing' || cycle !== row.cycle ? end : (row.billingAnchor ?? end)
  const period = periodAt(anchor, cycle, end)
  await updateSubscription(
    trx,
    row.id,
    {
      ...(terms ? toTerms(terms) : {}),
      stripe_price_id: null,
      ...(waits ? nothingPending : {}),
      pending_error: dropped ?? null,
      status: row.status === 'trialing' ? 'active' : row.status,
      billing_anchor: anchor,
      current_period_start: end,
      current_period_end: period.end,
      state_since: end,
    },
    { counted: true },
  )
  return dropped
}
