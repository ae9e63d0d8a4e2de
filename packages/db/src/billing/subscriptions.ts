import type { SubscriptionSource, SubscriptionStatus } from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import {
  type ExpressionBuilder,
  type InferResult,
  type Insertable,
  sql,
  type Updateable,
} from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import { reopenSteps } from '../provisioning/provisioning.ts'
import type { SubscriptionsTable } from '../schema/subscriptions.ts'
import type { Tables } from '../schema/tables.ts'

/** Subscriptions with their tenant. Amounts are text: a number is exact only up to 2^53. */
function selectSubscriptions(db: Db | Trx) {
  return db
    .selectFrom('subscriptions as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .leftJoin('partners as q', 'q.id', 't.partner_id')
    .select(({ cast }) => [
      's.id',
      's.tenant_id as tenantId',
      't.slug as tenantSlug',
      't.name as tenantName',
      'q.slug as partnerSlug',
      's.source',
      's.stripe_subscription_id as stripeSubscriptionId',
      's.stripe_item_id as stripeItemId',
      's.stripe_price_id as stripePriceId',
      's.stripe_schedule_id as stripeScheduleId',
      's.price_id as priceId',
      's.plan',
      's.cycle',
      's.currency',
      cast<string>('s.per_seat_amount', 'text').as('perSeatAmount'),
      cast<string | null>('s.period_amount', 'text').as('periodAmount'),
      's.tax_behavior as taxBehavior',
      cast<number>('s.contained_tax_percent', 'double precision').as('containedTaxPercent'),
      's.seats',
      's.status',
      's.stripe_status as stripeStatus',
      's.trial_start as trialStart',
      's.trial_end as trialEnd',
      's.current_period_start as currentPeriodStart',
      's.current_period_end as currentPeriodEnd',
      's.cancel_at_period_end as cancelAtPeriodEnd',
      's.cancel_at as cancelAt',
      's.canceled_at as canceledAt',
      's.ended_at as endedAt',
      's.cancel_reason as cancelReason',
      's.cancel_feedback as cancelFeedback',
      's.cancel_comment as cancelComment',
      's.collection_paused_behavior as collectionPausedBehavior',
      's.collection_resumes_at as collectionResumesAt',
      's.paused_at as pausedAt',
      's.pause_reason as pauseReason',
      's.past_due_since as pastDueSince',
      's.pending',
      's.pending_attempts as pendingAttempts',
      's.pending_error as pendingError',
      's.billing_anchor as billingAnchor',
      's.latest_invoice_id as latestInvoiceId',
      's.stripe_event_at as stripeEventAt',
      's.stripe_event_id as stripeEventId',
      's.state_since as stateSince',
      's.version',
      's.created_at as createdAt',
      's.updated_at as updatedAt',
    ])
}

type StoredRow = InferResult<ReturnType<typeof selectSubscriptions>>[number]

/**
 * Amounts are whole numbers of the currency's minor unit, per cycle; with tax where `taxBehavior`
 * is `inclusive`.
 */
export type SubscriptionRow = Omit<StoredRow, 'perSeatAmount' | 'periodAmount'> & {
  perSeatAmount: bigint
  periodAmount: bigint | null
}

const withAmounts = (row: StoredRow): SubscriptionRow => ({
  ...row,
  perSeatAmount: BigInt(row.perSeatAmount),
  periodAmount: row.periodAmount === null ? null : BigInt(row.periodAmount),
})

/** Whether `subscriptions as s` has not ended. */
const isLive = ({ eb }: ExpressionBuilder<Tables & { s: SubscriptionsTable }, 's'>) =>
  eb('s.status', 'not in', ['canceled', 'incomplete_expired'])

export interface SubscriptionFilter {
  q?: string | undefined
  status?: SubscriptionStatus | undefined
  plan?: Plan | undefined
  source?: SubscriptionSource | undefined
  currency?: string | undefined
  tenantSlug?: string | undefined
  partnerSlug?: string | undefined
  before?: string | undefined
  limit: number
}

/**
 * Newest first, ended ones too, one row more than requested. `q` searches the tenant's slug and
 * name and at the processor's id.
 */
export async function listSubscriptions(
  db: Db,
  filter: SubscriptionFilter,
): Promise<SubscriptionRow[]> {
  let query = selectSubscriptions(db)
  if (filter.status) query = query.where('s.status', '=', filter.status)
  if (filter.plan) query = query.where('s.plan', '=', filter.plan)
  if (filter.source) query = query.where('s.source', '=', filter.source)
  if (filter.currency) query = query.where('s.currency', '=', filter.currency)
  if (filter.tenantSlug) query = query.where('t.slug', '=', filter.tenantSlug)
  if (filter.partnerSlug) query = query.where('q.slug', '=', filter.partnerSlug)
  if (filter.before) query = query.where('s.id', '<', filter.before)
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q.toLowerCase())}%`
    query = query.where(({ eb, fn, or }) =>
      or([
        eb('t.slug', 'like', pattern),
        eb(fn('lower', ['t.name']), 'like', pattern),
        eb(fn('lower', ['s.stripe_subscription_id']), 'like', pattern),
      ]),
    )
  }
  const rows = await query
    .orderBy('s.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
  return rows.map(withAmounts)
}

export async function findSubscription(
  db: Db | Trx,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const row = await selectSubscriptions(db).where('s.id', '=', id).executeTakeFirst()
  return row && withAmounts(row)
}

/** The tenant's subscription that has not ended; else the one that ended last. */
export async function findTenantSubscription(
  db: Db | Trx,
  tenantId: string,
): Promise<SubscriptionRow | undefined> {
  const row = await selectSubscriptions(db)
    .where('s.tenant_id', '=', tenantId)
    .orderBy(isLive, 'desc')
    .orderBy('s.ended_at', (order) => order.desc().nullsLast())
    .orderBy('s.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && withAmounts(row)
}

/** The tenant's subscription that has not ended. There is one at most. */
export async function findLiveSubscription(
  db: Db | Trx,
  tenantId: string,
): Promise<SubscriptionRow | undefined> {
  const row = await selectSubscriptions(db)
    .where('s.tenant_id', '=', tenantId)
    .where(isLive)
    .executeTakeFirst()
  return row && withAmounts(row)
}

export async function findSubscriptionByStripeId(
  db: Db | Trx,
  stripeSubscriptionId: string,
): Promise<SubscriptionRow | undefined> {
  const row = await selectSubscriptions(db)
    .where('s.stripe_subscription_id', '=', stripeSubscriptionId)
    .executeTakeFirst()
  return row && withAmounts(row)
}

/**
 * Serializes work on the subscriptions of a tenant, also before one exists. Every writer of a
 * subscription takes this lock first, so that data from the payment processor is applied in the
 * order in which it was read.
 */
export async function lockSubscriptionsOf(trx: Trx, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('subscriptions'), hashtext(${tenantId}))`.execute(
    trx,
  )
}

export function countSubscriptions(db: Db | Trx, tenantId: string): Promise<number> {
  return db
    .selectFrom('subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
    .then(({ count }) => count)
}

/**
 * Throws `subscriptions_one_live` when the tenant has one that has not ended. Requires
 * `lockSubscriptionsOf`.
 */
export async function insertSubscription(
  trx: Trx,
  values: Insertable<SubscriptionsTable>,
): Promise<string> {
  const { id } = await trx
    .insertInto('subscriptions')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * What tax the newest invoice of a subscription contains, in percent. An older invoice than one
 * that is known changes nothing.
 */
export async function setContainedTax(
  trx: Trx,
  stripeSubscriptionId: string,
  { percent, finalizedAt }: { percent: number; finalizedAt: Date },
): Promise<void> {
  await trx
    .updateTable('subscriptions as s')
    .set({ contained_tax_percent: percent })
    .where('s.stripe_subscription_id', '=', stripeSubscriptionId)
    .where('s.contained_tax_percent', '<>', percent)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('invoices as i')
            .select('i.id')
            .whereRef('i.stripe_subscription_id', '=', 's.stripe_subscription_id')
            .where('i.finalized_at', '>', finalizedAt),
        ),
      ),
    )
    .execute()
}

/** Writes a subscription; `counted` raises its version, which makes earlier quotes void. */
export async function updateSubscription(
  trx: Trx,
  id: string,
  changes: Omit<Updateable<SubscriptionsTable>, 'id' | 'version' | 'updated_at'>,
  { counted }: { counted: boolean },
): Promise<void> {
  await trx
    .updateTable('subscriptions')
    .set((eb) => ({
      ...changes,
      updated_at: sql<Date>`now()`,
      ...(counted && { version: eb('version', '+', 1) }),
    }))
    .where('id', '=', id)
    .execute()
}

export type SubscriptionStateRow = Awaited<ReturnType<typeof listSubscriptionStates>>[number]

/**
 * States newest first; with `asOf` only the one that held then: from `validFrom` on and before
 * `validTo`.
 */
export function listSubscriptionStates(
  db: Db,
  subscriptionId: string,
  { asOf, limit }: { asOf?: Date | undefined; limit: number },
) {
  let query = db
    .selectFrom('subscription_history as h')
    .leftJoin('partners as q', 'q.id', 'h.partner_id')
    .select(({ ref }) => [
      'h.plan',
      'h.cycle',
      'h.currency',
      'h.status',
      // The pool reads `bigint` as a number.
      ref('h.per_seat_amount').$castTo<number>().as('perSeatAmount'),
      ref('h.period_amount').$castTo<number | null>().as('periodAmount'),
      'h.seats',
      'h.cancel_at_period_end as cancelAtPeriodEnd',
      'q.slug as partnerSlug',
      ref('h.arr').$castTo<number>().as('arr'),
      'h.valid_from as validFrom',
      'h.valid_to as validTo',
    ])
    .where('h.subscription_id', '=', subscriptionId)
  if (asOf)
    query = query
      .where('h.valid_from', '<=', asOf)
      .where(({ eb, or }) => or([eb('h.valid_to', 'is', null), eb('h.valid_to', '>', asOf)]))
  return query.orderBy('h.valid_from', 'desc').orderBy('h.id', 'desc').limit(limit).execute()
}

/**
 * Subscriptions for the job, oldest first: at the payment processor, those whose waiting change has
 * no schedule there or takes effect before `lead`; manual ones whose period is over.
 */
export function findDueSubscriptions(
  db: Db,
  { now, lead, limit }: { now: Date; lead: Date; limit: number },
): Promise<{ id: string; tenantId: string }[]> {
  return db
    .selectFrom('subscriptions as s')
    .select(['s.id', 's.tenant_id as tenantId'])
    .where(isLive)
    .where(isNotPostponed(now))
    .where(({ eb, and, or }) =>
      or([
        and([
          eb('s.source', '=', 'stripe'),
          eb('s.pending', 'is not', null),
          or([
            eb('s.stripe_schedule_id', 'is', null),
            sql<boolean>`(s.pending ->> 'effectiveAt') <= ${lead.toISOString()}`,
          ]),
        ]),
        and([
          eb('s.source', '=', 'manual'),
          eb('s.status', 'in', ['trialing', 'active', 'past_due', 'unpaid']),
          eb('s.current_period_end', '<=', now),
        ]),
      ]),
    )
    .orderBy('s.id')
    .limit(limit)
    .execute()
}

const isNotPostponed =
  (now: Date) =>
  ({ eb, or }: ExpressionBuilder<Tables & { s: SubscriptionsTable }, 's'>) =>
    or([eb('s.pending_next_at', 'is', null), eb('s.pending_next_at', '<=', now)])

/** Subscriptions that have not ended though their tenant was deleted, and that are not put off. */
export function findSubscriptionsOfDeletedTenants(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ id: string; tenantId: string }[]> {
  return db
    .selectFrom('tenants as t')
    .innerJoin('subscriptions as s', 's.tenant_id', 't.id')
    .select(['s.id', 's.tenant_id as tenantId'])
    .where('t.status', '=', 'deleted')
    .where(isLive)
    .where(isNotPostponed(now))
    .orderBy('s.id')
    .limit(limit)
    .execute()
}

/** The tenant as its subscriptions need it, under a row lock, deleted ones included. */
export async function lockTenantOfSubscription(
  trx: Trx,
  tenantId: string,
): Promise<
  | {
      id: string
      slug: string
      plan: Plan
      seats: number
      status: string
      partnerId: string | null
    }
  | undefined
> {
  return trx
    .selectFrom('tenants')
    .select(['id', 'slug', 'plan', 'seats', 'status', 'partner_id as partnerId'])
    .where('id', '=', tenantId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The file space follows the plan: its step is to be done again. */
export async function reopenFilesStep(trx: Trx, tenantId: string): Promise<void> {
  await reopenSteps(trx, tenantId, ['files'])
}

/** The tenant that subscribes, deleted ones included. */
export function findSubscriber(
  db: Db | Trx,
  tenantId: string,
): Promise<
  | { id: string; slug: string; plan: Plan; partnerId: string | null; partnerSlug: string | null }
  | undefined
> {
  return db
    .selectFrom('tenants as t')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select(['t.id', 't.slug', 't.plan', 't.partner_id as partnerId', 'p.slug as partnerSlug'])
    .where('t.id', '=', tenantId)
    .executeTakeFirst()
}
