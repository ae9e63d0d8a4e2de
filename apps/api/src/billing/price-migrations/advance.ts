import { earliestMove, renewalFrom } from '@atrium/core/billing/price-migrations'
import { isEnded } from '@atrium/core/billing/subscription-life'
import { periodTotal } from '@atrium/core/billing/subscriptions'
import { AppError } from '@atrium/core/platform/errors'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import {
  findDueMoves,
  finishPriceMigrations,
  lockMove,
  type MoveKey,
  type PriceMoveRow,
  updateMove,
} from '@atrium/db/billing/price-migrations'
import { findPrice, type PriceRow } from '@atrium/db/billing/prices'
import {
  findSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
} from '@atrium/db/billing/subscriptions'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Trx } from '@atrium/db/platform/connect'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { retryDelaySeconds } from '../../platform/retry-delay.ts'
import { storedFailure } from '../../platform/stored-failure.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { requirePayments } from '../invoices/gate.ts'
import { billedTenant, sendBillingMail } from '../invoices/mails.ts'
import { applyProcessorSubscription } from '../subscriptions/apply.ts'
import { askProcessor, oneAtATime } from '../subscriptions/at-processor.ts'
import { scheduleAtProcessor } from '../subscriptions/schedule.ts'
import { periodTotalAt } from './start.ts'
import { mailPriceKept, takeBack } from './stop-move.ts'

const batch = 200
/** A run leaves its job to other work after so many steps or so long, and the next one goes on. */
const mostStepsOfRun = 2_000
const longestRunMs = 45_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const firstRetrySeconds = 60

/**
 * Brings subscribers on the way to a newer price one step further: tells them, schedules the change
 * at the payment processor once their last period at the old price runs, looks after what was
 * scheduled, and takes back what was stopped. Each in a transaction of its own, so a process that
 * dies leaves the rest to the next run; one that fails is tried again and holds up nobody. A run
 * ends when the payment processor takes no more requests, and after a while.
 */
export async function advancePriceMigrations(
  services: Services,
  {
    mostMs = longestRunMs,
    mostSteps = mostStepsOfRun,
  }: { mostMs?: number; mostSteps?: number } = {},
): Promise<void> {
  const { db } = services.database
  const endsAt = performance.now() + mostMs
  for (let left = mostSteps; left > 0; left -= batch) {
    const limit = Math.min(batch, left)
    const due = await findDueMoves(db, services.clock.now(), limit)
    for (const { tenantId, ...key } of due) {
      if (services.background.ending || performance.now() > endsAt) return
      try {
        await advance(services, key, tenantId)
      } catch (error) {
        await putOff(services, key, error)
        if (isOverloaded(error)) return
      }
    }
    if (due.length < limit) break
  }
  await finishPriceMigrations(db)
}

/** The payment processor limits our requests, or failed too often to be asked now. */
function isOverloaded(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error
  return (
    cause instanceof UpstreamError &&
    (cause.kind === 'rate_limited' || cause.kind === 'circuit_open')
  )
}

async function putOff(services: Services, key: MoveKey, error: unknown): Promise<void> {
  if (!(error instanceof AppError))
    services.log.error({ err: error, ...key }, 'a subscriber could not be moved')
  await services.database.db.transaction().execute(async (trx) => {
    const move = await lockMove(trx, key)
    if (!move) return
    const attempts = move.attempts + 1
    const wait = retryDelaySeconds(attempts, firstRetrySeconds) * 1000
    const next = new Date(services.clock.now().getTime() + wait)
    await updateMove(trx, key, { attempts, error: storedFailure(error), next_at: next })
  })
}

async function advance(services: Services, key: MoveKey, tenantId: string): Promise<void> {
  await oneAtATime(services, () =>
    services.database.db.transaction().execute(async (trx) => {
      await lockSubscriptionsOf(trx, tenantId)
      const move = await lockMove(trx, key)
      const row = await findSubscription(trx, key.subscriptionId)
      const price = move && (await findPrice(trx, move.toPriceId))
      if (!move || !row || !price) return
      await step(trx, services, { move, row, price })
    }),
  )
}

interface Step {
  move: PriceMoveRow
  row: SubscriptionRow
  price: PriceRow
}

async function step(trx: Trx, services: InTransaction, one: Step): Promise<void> {
  const { move, row } = one
  const now = services.clock.now()
  if (row.priceId === move.toPriceId) {
    await updateMove(trx, move, { state: 'moved', error: null })
    return
  }
  if (isEnded(row.status) || row.priceId !== move.fromPriceId) {
    await updateMove(trx, move, { state: 'left', error: null })
    return
  }
  if (move.state === 'stopping') {
    await takeBack(trx, services, row)
    await updateMove(trx, move, { state: 'stopped', error: null })
    await mailPriceKept(trx, services, row, move)
    return
  }
  // It may be kept after all, or paid again: looked at once a day.
  const rests = row.cancelAtPeriodEnd || row.status === 'paused' || row.status === 'unpaid'
  if (rests) {
    await updateMove(trx, move, { next_at: new Date(now.getTime() + dayMs) })
    return
  }
  if (move.state === 'waiting') await announce(trx, services, one, now)
  else if (move.state === 'notified') await schedule(trx, services, one, now)
  else await lookAfter(trx, services, one, now)
}

/** The notice comes with the date, which is never nearer than the notice period. */
async function announce(
  trx: Trx,
  services: InTransaction,
  { move, row, price }: Step,
  now: Date,
): Promise<void> {
  const tenant = await findCustomerTenant(trx, move.tenantId)
  if (!row.currentPeriodEnd || !tenant) return
  const decided = new Date(`${move.fromDay}T00:00:00.000Z`)
  const earliest = earliestMove(now)
  const { cycle, currency, plan, seats } = row
  const from = renewalFrom(
    { cycle, periodEnd: row.currentPeriodEnd },
    decided > earliest ? decided : earliest,
  )
  const [before, after] = [periodTotal(row), periodTotalAt(price, currency, seats)]
  await updateMove(trx, move, {
    state: 'notified',
    old_amount: before,
    new_amount: after,
    effective_at: from,
    notified_at: now,
    next_at: now,
    attempts: 0,
    error: null,
  })
  const { mayKeep } = move
  const { taxBehavior } = price
  await sendBillingMail(
    trx,
    services,
    billedTenant(tenant),
    {
      template: 'subscription.price_change',
      plan,
      currency,
      before,
      after,
      taxBehavior,
      from,
      mayKeep,
    },
    `${move.migrationId}:${row.id}`,
  )
}

/** In the last period at the old price the change becomes a schedule at the processor. */
async function schedule(
  trx: Trx,
  services: InTransaction,
  { move, row, price }: Step,
  now: Date,
): Promise<void> {
  const { currentPeriodEnd: end, pending, currency } = row
  if (!end || !move.effectiveAt) return
  if (end < move.effectiveAt || row.status === 'trialing') {
    const next = new Date(Math.max(end.getTime() + hourMs, now.getTime() + hourMs))
    await updateMove(trx, move, { next_at: next })
    return
  }
  // Another plan or cycle was agreed for the end of the period, at that one's price.
  if (pending?.plan !== undefined || pending?.cycle !== undefined) {
    await updateMove(trx, move, { next_at: new Date(end.getTime() + hourMs) })
    return
  }
  const amount = price.amounts.find((one) => one.currency === currency)
  const { plan, cycle } = row
  const after = await scheduleAtProcessor(trx, services, requirePayments(services.systems), row, {
    plan,
    cycle,
    seats: pending?.seats ?? row.seats,
    stripePriceId: amount?.stripePriceId ?? null,
    taxBehavior: price.taxBehavior,
  })
  await updateMove(trx, move, {
    state: 'scheduled',
    effective_at: end,
    subscription_version: after.version,
    next_at: new Date(now.getTime() + hourMs),
    attempts: 0,
    error: null,
  })
}

/**
 * A change by the tenant takes the place of the schedule: then the price is scheduled again with
 * it. Once the day is over the processor is asked what became of it.
 */
async function lookAfter(
  trx: Trx,
  services: InTransaction,
  { move, row, price }: Step,
  now: Date,
): Promise<void> {
  const over = move.effectiveAt !== null && move.effectiveAt <= now
  const same = row.stripeScheduleId !== null && row.version === move.subscriptionVersion
  const id = row.stripeSubscriptionId
  if ((same && !over) || id === null) {
    await updateMove(trx, move, { next_at: new Date(now.getTime() + hourMs) })
    return
  }
  const payments = requirePayments(services.systems)
  const readAt = await databaseNow(trx)
  const read = await askProcessor((signal) => payments.findSubscription(id, { signal }))
  if (!read) return
  const cause = { eventId: null, eventAt: null, readAt }
  const applied = await applyProcessorSubscription(trx, services, row.tenantId, read, cause)
  const current = applied?.after ?? row
  const targetPriceId = price.amounts.find(
    ({ currency }) => currency === row.currency,
  )?.stripePriceId
  if (read.priceId === targetPriceId) await updateMove(trx, move, { state: 'moved', error: null })
  else if (read.scheduled?.priceId === targetPriceId)
    await updateMove(trx, move, {
      subscription_version: current.version,
      next_at: new Date(now.getTime() + hourMs),
    })
  else await updateMove(trx, move, { state: 'notified', next_at: now })
}
