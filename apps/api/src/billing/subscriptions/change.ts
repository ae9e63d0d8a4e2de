import {
  type ChangeResult,
  type ChangeSubscription,
  effectOf,
  type PendingChange,
  periodAt,
  quoteMinutes,
  type SubscriptionQuote,
  type UpdateSubscription,
} from '@atrium/core/billing/subscriptions'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import { AppError } from '@atrium/core/platform/errors'
import type { ApprovalRow } from '@atrium/db/billing/approvals'
import { findPaymentCustomer } from '@atrium/db/billing/payment-customers'
import { type SubscriptionRow, updateSubscription } from '@atrium/db/billing/subscriptions'
import { countMembers } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import type { Payments } from '@atrium/integrations/payments/port'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { InTransaction, TransactionContext } from '../../rpc/services.ts'
import { readOpenBilling } from '../invoices/gate.ts'
import { followTax, prepareTaxedCustomer } from '../taxes/follow.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor, oneAtATime } from './at-processor.ts'
import { nothingPending } from './cancel.ts'
import { catchUpUnsettled, onCurrentSubscription } from './catch-up.ts'
import {
  type Approves,
  isActingAsPartner,
  onBehalfOf,
  requestConsent,
  useApproval,
} from './consent.ts'
import { followSubscription } from './follow.ts'
import { nextTerms, pendingWith, pendingWithout } from './pending.ts'
import { rejectExceededQuota } from './quota.ts'
import { actionOf, auditRequest, auditSubscription } from './record.ts'
import {
  differsFrom,
  lockTenantSubscription,
  rejectAgreedByHand,
  rejectNoChange,
  rejectUnchangeable,
  termsOf,
} from './rules.ts'
import { rejectUnpaidPeriod, releaseSchedule, scheduleAtProcessor } from './schedule.ts'
import { type Buyer, holdSeats, type Target, targetOf } from './target.ts'
import { toTenantSubscription } from './view.ts'

interface Changed {
  before: SubscriptionRow
  after: SubscriptionRow
  outcome: ChangeResult['outcome']
  approval?: ApprovalRow | undefined
}

/**
 * Carries out what was quoted: more at once, less at the end of the period. Two at once: the second
 * finds its quote void. What a partner's staff asks for waits for the owner where it costs more;
 * `approves` is the owner's word for it. Throws AppError `operator_managed`, `quote_expired`,
 * `subscription_ended`, `uncancel_first`, `subscription_state`, `currency_locked`,
 * `quota_exceeded`, `price_unavailable`, `invalid_input`; for a subscription at the payment
 * processor also `billing_disabled`, `payments_not_configured`, `payment_failed`,
 * `upstream_failed`.
 */
export async function changeSubscription(
  ctx: Context,
  access: Access,
  input: ChangeSubscription,
  approves?: Approves,
): Promise<ChangeResult> {
  const { services } = ctx
  const billing = await readOpenBilling(services)
  if (isActingAsPartner(access)) await catchUpUnsettled(services, access.tenant.id)
  const changed = await onCurrentSubscription(services, access.tenant.id, () =>
    oneAtATime(services, () =>
      services.database.db.transaction().execute(async (trx) => {
        const order = { input, billing, approves }
        const made = await carryOut(trx, services, access, order)
        await recordChange(trx, ctx, access, made, approves)
        return made
      }),
    ),
  )
  const { after, outcome, approval } = changed
  const assigned = await countMembers(services.database.db, access.tenant.id)
  return {
    outcome,
    subscription: toTenantSubscription(after, assigned),
    approvalId: approval?.id ?? null,
  }
}

interface Requested {
  input: ChangeSubscription
  billing: Awaited<ReturnType<typeof readOpenBilling>>
  approves: Approves | undefined
}

async function carryOut(
  trx: Trx,
  services: InTransaction,
  access: Access,
  { input, billing, approves }: Requested,
): Promise<Changed> {
  const row = await lockTenantSubscription(trx, access)
  rejectAgreedByHand(row, access)
  rejectUnchangeable(row, input.currency)
  const now = services.clock.now()
  rejectOldQuote(row, input.quote, now)
  const { id: tenantId, partnerId } = access.tenant
  if (input.seats !== undefined && input.seats < row.seats)
    await holdSeats(trx, tenantId, input.seats)
  const target = await targetOf(trx, row, input, { tenantId, partnerId, at: now })
  rejectNoChange(row, target)
  if (target.priceId !== input.quote.priceId) throw new AppError('quote_expired')
  await rejectExceededQuota(trx, services, tenantId, { from: row.plan, to: target.plan })
  const payments = row.source === 'stripe' ? billing(access.tenant) : null
  const { currency } = row
  const order = { kind: 'change', currency, before: termsOf(row), after: target } as const
  const approval = approves
    ? await useApproval(trx, services, access, approves, order)
    : await requestConsent(trx, services, access, order)
  if (approval && !approves)
    return { before: row, after: row, outcome: 'awaiting_approval', approval }
  const buyer = { tenantId, partnerId, at: now }
  const wait: Wait = { payments, buyer, requestedBy: access.caller.email ?? null }
  if (effectOf(termsOf(row), target) === 'period_end')
    return waitForPeriodEnd(trx, services, row, target, wait)
  const left = await keepScheduled(trx, row, target, input, buyer)
  if (payments && row.status === 'paused') return changePaused(trx, services, payments, row, target)
  return payments
    ? payNow(trx, services, payments, row, target, { quote: input.quote, left, buyer })
    : changeHere(trx, services, row, target, now)
}

async function recordChange(
  trx: Trx,
  ctx: TransactionContext,
  access: Access,
  { before, after, outcome, approval }: Changed,
  approves: Approves | undefined,
): Promise<void> {
  if (approval) return auditRequest(ctx, trx, access, approval)
  const action = outcome === 'scheduled' ? pendingActionOf(after) : actionOf(before, after)
  const metadata = { outcome, ...onBehalfOf(access), ...(approves && { approval: approves.id }) }
  await auditSubscription(ctx, trx, access.caller, action, before, after, metadata)
  await approves?.record(trx)
}

function rejectOldQuote(row: SubscriptionRow, quote: SubscriptionQuote, now: Date): void {
  const age = now.getTime() - Date.parse(quote.prorationDate)
  if (age < -60_000 || age > quoteMinutes * 60_000 || quote.version !== row.version)
    throw new AppError('quote_expired')
}

/**
 * Drops what is scheduled for a field that changes now; returns what stays scheduled. Throws
 * AppError `price_unavailable` where that does not go with the new terms, before anything is
 * charged.
 */
export async function keepScheduled(
  trx: Trx,
  row: SubscriptionRow,
  target: Target,
  input: Pick<UpdateSubscription, 'plan' | 'cycle' | 'seats'>,
  buyer: Buyer,
): Promise<PendingChange | null> {
  const left = pendingWithout(row.pending, input)
  await nextTerms(trx, row, { target, left, buyer })
  if (left !== row.pending) {
    const pending = left && JSON.stringify(left)
    await updateSubscription(trx, row.id, { pending }, { counted: false })
  }
  return left
}

interface Wait {
  /** Null for a manual subscription. */
  payments: Payments | null
  buyer: Buyer
  requestedBy: string | null
}

/** Schedules the change for the end of the period, together with what is already scheduled. */
async function waitForPeriodEnd(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  target: Target,
  { payments, buyer, requestedBy }: Wait,
): Promise<Changed> {
  const pending: PendingChange = {
    ...pendingWith(row, target),
    effectiveAt: (row.currentPeriodEnd ?? services.clock.now()).toISOString(),
    requestedBy,
  }
  const fresh = { ...nothingPending, pending: JSON.stringify(pending) }
  await updateSubscription(trx, row.id, fresh, { counted: true })
  const written = await followSubscription(trx, services, row.id)
  const after = payments
    ? await scheduleAtProcessor(
        trx,
        services,
        payments,
        written,
        await targetOf(trx, written, pending, buyer),
      )
    : written
  return { before: row, after, outcome: 'scheduled' }
}

/**
 * Changes and charges at once. A schedule is released before, and what else waits (`left`) is
 * scheduled again afterwards on the new terms; while the payment is not confirmed that is left to
 * the job for due changes.
 */
async function payNow(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
  target: Target,
  { quote, left, buyer }: { quote: SubscriptionQuote; left: PendingChange | null; buyer: Buyer },
): Promise<Changed> {
  const { stripeSubscriptionId: subscriptionId, stripeItemId: itemId } = row
  const { stripePriceId: priceId, plan, cycle, seats } = target
  if (!subscriptionId || !itemId || !priceId) throw new AppError('price_unavailable')
  await rejectUnpaidPeriod(payments, row)
  await releaseSchedule(payments, row)
  const prorationDate = new Date(quote.prorationDate)
  const idempotencyKey = `change:${row.id}:${row.version}:${prorationDate.getTime() / 1000}:${priceId}:${seats}`
  const cycleChanges = cycle !== row.cycle
  const read = await askProcessor(async (signal) => {
    await followTaxOf(trx, services, payments, row, target.taxBehavior, signal)
    return payments.changeSubscription(
      { subscriptionId, itemId, priceId, plan, seats, prorationDate, cycleChanges },
      { idempotencyKey, signal },
    )
  })
  const applied = await applyProcessorSubscription(trx, services, row.tenantId, read, {
    eventId: null,
    eventAt: null,
  })
  if (!applied) throw new AppError('subscription_ended')
  if (read.pendingUpdate) return { before: row, after: applied.after, outcome: 'awaiting_payment' }
  const after = await scheduleAgain(trx, services, payments, applied.after, { left, buyer })
  return { before: row, after, outcome: 'applied' }
}

/** Schedules on the present terms what still waits after a change at once. */
export async function scheduleAgain(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  row: SubscriptionRow,
  { left, buyer }: { left: PendingChange | null; buyer: Buyer },
): Promise<SubscriptionRow> {
  const next = left && (await targetOf(trx, row, left, buyer))
  return next && differsFrom(row, next)
    ? scheduleAtProcessor(trx, services, payments, row, next)
    : row
}

/** What is charged must be taxed as it was quoted, so the tax is brought up to date before. */
async function followTaxOf(
  trx: Trx,
  { config }: InTransaction,
  payments: Payments,
  { tenantId, stripeSubscriptionId }: SubscriptionRow,
  behavior: TaxBehavior,
  signal: AbortSignal,
): Promise<void> {
  const customerId = (await findPaymentCustomer(trx, tenantId))?.customerId
  if (!customerId || !stripeSubscriptionId) return
  const sale = { tenantId, customerId, behavior, signal }
  const { tax } = await prepareTaxedCustomer(config, trx, payments, sale)
  const found = await payments.findSubscription(stripeSubscriptionId, { signal })
  if (found) await followTax(payments, found, { tax, nextTax: tax }, signal)
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
  await releaseSchedule(payments, row)
  const idempotencyKey = `paused:${row.id}:${row.version}:${priceId}:${seats}`
  const read = await askProcessor(async (signal) => {
    await followTaxOf(trx, services, payments, row, target.taxBehavior, signal)
    return payments.setSubscriptionItem(
      { subscriptionId, itemId, priceId, plan, seats, prorates: false },
      { idempotencyKey, signal },
    )
  })
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
  taxBehavior,
}: Target) {
  return {
    plan,
    cycle,
    seats,
    price_id: priceId,
    stripe_price_id: stripePriceId,
    per_seat_amount: perSeatAmount,
    period_amount: periodAmount,
    tax_behavior: taxBehavior,
  }
}

function pendingActionOf({ pending }: SubscriptionRow) {
  return pending?.plan === undefined && pending?.cycle === undefined
    ? 'subscription.seats_changed'
    : 'subscription.plan_changed'
}
