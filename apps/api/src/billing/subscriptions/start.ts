import { explainEntitlements } from '@atrium/core/billing/entitlements'
import { isEnded } from '@atrium/core/billing/subscription-life'
import {
  type StartResult,
  type StartSubscription,
  toSubscriptionStatus,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { ApprovalRow } from '@atrium/db/billing/approvals'
import {
  countSubscriptions,
  findLiveSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
} from '@atrium/db/billing/subscriptions'
import { countMembers } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import type {
  Payments,
  ProcessorSubscription,
  SubscriptionTax,
} from '@atrium/integrations/payments/port'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { readEntitlements } from '../entitlements/read.ts'
import { cardFormUrl } from '../invoices/card.ts'
import { ensureCustomer } from '../invoices/customer.ts'
import { paymentDeadline } from '../invoices/failures.ts'
import { requireOpenBilling } from '../invoices/gate.ts'
import { syncTaxId } from '../invoices/tax-id.ts'
import { prepareTaxedCustomer } from '../taxes/follow.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor, oneAtATime, type Subscriber } from './at-processor.ts'
import { endSubscription } from './cancel.ts'
import { type Approves, onBehalfOf, requestConsent, useApproval } from './consent.ts'
import { auditRequest, auditSubscription } from './record.ts'
import { rejectFormerRight } from './rules.ts'
import { holdSeats, offeredTarget, rejectBelowAssigned, type Target } from './target.ts'
import { trialDaysFor } from './trials.ts'
import { toTenantSubscription } from './view.ts'

type Terms = Omit<StartSubscription, 'slug'>
/** `existing`: another one stood at the payment processor, and stands here now too. */
type StartedSubscription = MadeStart | { existing: SubscriptionRow }
type MadeStart = { row: SubscriptionRow; clientSecret: string | null } | { approval: ApprovalRow }

/**
 * Subscribes the tenant at the payment processor. The first payment may have to be confirmed by a
 * person with the answered secret; until then the subscription is `incomplete`, and starting it
 * again on the same terms answers the same. A second try after a lost answer makes no second one.
 * One that is paused is replaced by it. What a partner's staff orders waits for the owner;
 * `approves` is the owner's word for it. The price's trial is given once per tenant, person and
 * domain. While an invoice is overdue only operators start one. Throws AppError
 * `subscription_exists`, `billing_limited`, `price_unavailable`, `invalid_input`,
 * `billing_disabled`, `payments_not_configured`, `billing_address_incomplete`, `payment_failed`,
 * `upstream_failed`.
 */
export async function startSubscription(
  ctx: Context,
  access: Access,
  input: StartSubscription,
  approves?: Approves,
): Promise<StartResult> {
  const { services } = ctx
  const { currency } = input
  if (access.tenant.status === 'deleted') throw new AppError('tenant_deleted')
  const started = await startAtProcessor(services, access.tenant, input, {
    allow: async (trx, after, repeats) => {
      await rejectFormerRight(trx, access)
      if (!access.caller.operator) await rejectDebts(trx, services, access.tenant.id)
      const order = { kind: 'start', currency, before: null, after } as const
      if (!approves) return repeats ? undefined : requestConsent(trx, services, access, order)
      await useApproval(trx, services, access, approves, order)
      return undefined
    },
    async record(trx, made) {
      if ('approval' in made) return auditRequest(ctx, trx, access, made.approval)
      const metadata = { ...onBehalfOf(access), ...(approves && { approval: approves.id }) }
      const { caller } = access
      await auditSubscription(
        ctx,
        trx,
        caller,
        'subscription.created',
        undefined,
        made.row,
        metadata,
      )
      await approves?.record(trx)
    },
  })
  if ('approval' in started) {
    const nothing = { clientSecret: null, publishableKey: null, confirmationUrl: null }
    return { subscription: null, ...nothing, approvalId: started.approval.id }
  }
  const { row, clientSecret } = started
  const assigned = await countMembers(services.database.db, access.tenant.id)
  return {
    subscription: toTenantSubscription(row, assigned),
    clientSecret,
    publishableKey: services.config.billing.publishableKey,
    confirmationUrl: clientSecret && cardFormUrl(services, clientSecret),
    approvalId: null,
  }
}

/** As `startSubscription`; `trialDays` takes the place of the price's own. */
export async function startAtProcessor(
  services: Services,
  tenant: Subscriber,
  terms: Terms,
  {
    trialDays,
    allow,
    record,
  }: {
    trialDays?: number | undefined
    /**
     * Rejects the start, or returns the request for approval that takes its place. `repeats`: the
     * same start waits for its first payment already.
     */
    allow?: (trx: Trx, target: Target, repeats: boolean) => Promise<ApprovalRow | undefined>
    /** Records what was made, at the end of its transaction. */
    record: (trx: Trx, made: MadeStart) => Promise<void>
  },
): Promise<MadeStart> {
  const { db } = services.database
  const payments = await requireOpenBilling(services, tenant)
  const named = { ...terms, source: 'stripe' as const }
  const target = await offeredTarget(db, named, {
    tenantId: tenant.id,
    partnerId: tenant.partnerId,
    at: services.clock.now(),
  })
  await rejectBelowAssigned(db, tenant.id, terms.seats)
  // A customer that nobody needs is not made: somebody with a subscription has one.
  const live = await findLiveSubscription(db, tenant.id)
  if (live && !isReplaceable(live, target, terms.currency)) throw exists(live)
  const signal = paymentDeadline()
  const { customerId, tax } = await askProcessor(async () => {
    const id = await ensureCustomer(services, payments, tenant.id, signal)
    if (services.config.billing.tax.mode !== 'none')
      await syncTaxId(services, payments, tenant.id, signal)
    const { taxBehavior: behavior } = target
    const sale = { tenantId: tenant.id, customerId: id, behavior, signal }
    return {
      customerId: id,
      ...(await prepareTaxedCustomer(services.config, db, payments, sale)),
    }
  }, signal)
  const started = await oneAtATime(services, () =>
    db.transaction().execute(async (trx): Promise<StartedSubscription> => {
      await lockSubscriptionsOf(trx, tenant.id)
      const found = await findLiveSubscription(trx, tenant.id)
      if (found && !isReplaceable(found, target, terms.currency)) return { existing: found }
      const approval = await allow?.(trx, target, found?.status === 'incomplete')
      const made = approval
        ? { approval }
        : await begin(trx, services, payments, {
            signal,
            customerId,
            tenant,
            target,
            currency: terms.currency,
            tax,
            trialDays: trialDays ?? (await trialDaysFor(trx, tenant.id, target.trialDays)),
          })
      if (!('existing' in made)) await record(trx, made)
      return made
    }),
  )
  if ('existing' in started) throw exists(started.existing)
  return started
}

interface Start {
  signal: AbortSignal
  customerId: string
  tenant: Subscriber
  target: Target
  currency: string
  trialDays: number
  tax: SubscriptionTax
}

async function begin(
  trx: Trx,
  services: InTransaction,
  payments: Payments,
  start: Start,
): Promise<StartedSubscription> {
  const { customerId, tenant, target, currency, signal, tax } = start
  const tenantId = tenant.id
  const found = await findLiveSubscription(trx, tenantId)
  if (found && !isReplaceable(found, target, currency)) return { existing: found }
  if (found?.status === 'paused')
    await endSubscription(trx, services, found, {
      when: 'now',
      comment: null,
    })
  const live = found?.status === 'paused' ? undefined : found
  const earlier = (await countSubscriptions(trx, tenantId)) - (live ? 1 : 0)
  const { stripePriceId: priceId, plan, seats } = target
  await holdSeats(trx, tenantId, seats)
  if (!priceId) throw new AppError('price_unavailable')
  const lost = live ? undefined : await findLost(payments, start)
  if (lost && (lost.priceId !== priceId || lost.seats !== seats || lost.status !== 'incomplete')) {
    const applied = await applyProcessorSubscription(trx, services, tenantId, lost, ownCall)
    if (applied) return { existing: applied.after }
  }
  const trialDays = earlier === 0 ? start.trialDays : 0
  // Stripe rejects a known key with other parameters: another decision on tax is another request.
  const taxed = tax.mode === 'rates' ? tax.rateIds.join('+') : tax.mode
  const idempotencyKey = `subscription:${tenantId}:${earlier}:${priceId}:${seats}:${trialDays}:${taxed}`
  const created = await askProcessor(
    () =>
      payments.createSubscription(
        { customerId, tenantId, plan, priceId, seats, trialDays, tax },
        { idempotencyKey, signal },
      ),
    signal,
  )
  // A repeated answer is as old as the first one: what it is now is read, unless it was made just
  // now.
  const current =
    live || lost
      ? await askProcessor(
          () => payments.findSubscription(created.subscription.id, { signal }),
          signal,
        )
      : undefined
  const applied = await applyProcessorSubscription(
    trx,
    services,
    tenantId,
    current ?? created.subscription,
    ownCall,
  )
  if (!applied) throw new AppError('subscription_ended')
  return {
    row: applied.after,
    clientSecret: applied.after.status === 'incomplete' ? created.clientSecret : null,
  }
}

const ownCall = { eventId: null, eventAt: null }

/**
 * One that a try made whose answer never came back, or that somebody made at the processor by hand.
 */
async function findLost(
  payments: Payments,
  { customerId, tenant, signal }: Start,
): Promise<ProcessorSubscription | undefined> {
  const all = await askProcessor(() => payments.listSubscriptions(customerId, { signal }), signal)
  return all.find(
    ({ status, metadata }) =>
      !isEnded(toSubscriptionStatus(status)) && (metadata.tenantId ?? tenant.id) === tenant.id,
  )
}

/**
 * Whether a start takes the place of this one, or goes on with it: it is paused, or waits for its
 * first payment on the same terms.
 */
export function isReplaceable(row: SubscriptionRow, target: Target, currency: string): boolean {
  return row.status === 'paused' || isSameStart(row, target, currency)
}

/**
 * Debts stay debts: a new subscription begins when the old invoice is paid, or with an operator's
 * word.
 */
async function rejectDebts(trx: Trx, services: InTransaction, tenantId: string): Promise<void> {
  const { overdue, ...entitlements } = await readEntitlements(trx, services, tenantId)
  if (overdue === null) return
  const explained = explainEntitlements({ ...entitlements, overdue })
  throw new AppError('billing_limited', errorText('payFirst', { explained }))
}

/** Whether what waits for its first payment is what is being started again. */
function isSameStart(row: SubscriptionRow, target: Target, currency: string): boolean {
  return (
    row.status === 'incomplete' &&
    row.stripePriceId === target.stripePriceId &&
    row.seats === target.seats &&
    row.currency === currency
  )
}

export function exists({ status }: SubscriptionRow): AppError {
  return status === 'incomplete'
    ? new AppError('subscription_exists', errorText('otherSubscriptionUnpaid'))
    : new AppError('subscription_exists')
}
