import {
  type CreateSubscription,
  periodAt,
  type SubscriptionView,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  findLiveSubscription,
  insertSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
} from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import { findTenant } from '@atrium/db/tenants/tenants'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import type { Subscriber } from './at-processor.ts'
import { toTerms } from './change.ts'
import { rollOver } from './due.ts'
import { followSubscription } from './follow.ts'
import { auditSubscription } from './record.ts'
import { startAtProcessor } from './start.ts'
import { holdSeats, offeredTarget, rejectTooMuch, type Target } from './target.ts'
import { toSubscriptionView } from './view.ts'

/**
 * Creates a subscription: a `manual` one, which the payment processor does not know and whose
 * amount is agreed freely, or one at the payment processor. Throws AppError `subscription_exists`,
 * `tenant_deleted`, `invalid_input`, `price_unavailable`, and for the processor what
 * `startSubscription` throws.
 */
export async function createSubscription(
  ctx: Context,
  caller: Caller,
  input: CreateSubscription,
): Promise<SubscriptionView> {
  const { services } = ctx
  const tenant = await findTenant(services.database, input.tenantSlug)
  if (!tenant) {
    const message = errorText('unknownTenantNamed', { slug: input.tenantSlug })
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'tenantSlug', message }] })
  }
  if (tenant.status === 'deleted') throw new AppError('tenant_deleted')
  const record = (trx: Trx, created: SubscriptionRow) =>
    auditSubscription(ctx, trx, caller, 'subscription.created', undefined, created)
  const row =
    input.source === 'stripe'
      ? await startByOperator(services, tenant, input, record)
      : await services.database.db.transaction().execute(async (trx) => {
          const created = await createHere(trx, services, tenant, input)
          await record(trx, created)
          return created
        })
  return toSubscriptionView(row)
}

async function startByOperator(
  services: Services,
  tenant: Subscriber,
  input: CreateSubscription,
  record: (trx: Trx, created: SubscriptionRow) => Promise<void>,
): Promise<SubscriptionRow> {
  const started = await startAtProcessor(services, tenant, input, {
    trialDays: input.trialDays,
    async record(trx, made) {
      if ('row' in made) await record(trx, made.row)
    },
  })
  if ('approval' in started) throw new Error('nobody approves what an operator starts')
  return started.row
}

async function createHere(
  trx: Trx,
  services: InTransaction,
  tenant: Subscriber,
  input: CreateSubscription,
): Promise<SubscriptionRow> {
  await lockSubscriptionsOf(trx, tenant.id)
  if (await findLiveSubscription(trx, tenant.id)) throw new AppError('subscription_exists')
  await holdSeats(trx, tenant.id, input.seats)
  const now = services.clock.now()
  const start = input.startAt === undefined ? now : new Date(input.startAt)
  if (start > now) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'startAt', message: errorText('startInFuture') }],
    })
  }
  const target =
    agreed(input) ??
    (await offeredTarget(trx, input, { tenantId: tenant.id, partnerId: tenant.partnerId, at: now }))
  const trialEnd = input.trialDays ? new Date(start.getTime() + input.trialDays * 86_400_000) : null
  const anchor = trialEnd ?? start
  const period = trialEnd ? { start, end: trialEnd } : periodAt(anchor, target.cycle, now)
  const id = await insertSubscription(trx, {
    tenant_id: tenant.id,
    source: 'manual',
    currency: input.currency,
    ...toTerms(target),
    stripe_price_id: null,
    status: trialEnd ? 'trialing' : 'active',
    ...(trialEnd ? { trial_start: start, trial_end: trialEnd } : {}),
    billing_anchor: anchor,
    current_period_start: period.start,
    current_period_end: period.end,
    state_since: start,
    created_at: now,
  })
  const row = await followSubscription(trx, services, id)
  // A trial that began in the past may be over: revenue counts from its last day on.
  return (await rollOver(trx, services, row, tenant, now))?.after ?? row
}

/** What the operator agreed on with the tenant; undefined where the catalog is to say it. */
function agreed({
  plan,
  cycle,
  seats,
  perSeatAmount,
  periodAmount,
}: CreateSubscription): Target | undefined {
  if (perSeatAmount === undefined && (periodAmount === undefined || periodAmount === null))
    return undefined
  const whole = periodAmount === undefined || periodAmount === null ? null : BigInt(periodAmount)
  const each = perSeatAmount === undefined ? (whole ?? 0n) / BigInt(seats) : BigInt(perSeatAmount)
  const total = whole ?? each * BigInt(seats)
  rejectTooMuch(total)
  return {
    plan,
    cycle,
    seats,
    priceId: null,
    stripePriceId: null,
    perSeatAmount: each,
    periodAmount: whole,
    taxBehavior: 'exclusive',
    total,
  }
}
