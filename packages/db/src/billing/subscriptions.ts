import type {
  BillingCycle,
  PendingChange,
  SubscriptionSource,
  SubscriptionStatus,
} from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { type Insertable, type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import { reopenSteps } from '../provisioning/provisioning.ts'
import type { SubscriptionsTable } from '../schema/subscriptions.ts'

/** Amounts are whole numbers of the currency's minor unit, per cycle and without tax. */
export interface SubscriptionRow {
  id: string
  tenantId: string
  tenantSlug: string
  tenantName: string
  partnerSlug: string | null
  source: SubscriptionSource
  stripeSubscriptionId: string | null
  stripeItemId: string | null
  stripePriceId: string | null
  stripeScheduleId: string | null
  priceId: string | null
  plan: Plan
  cycle: BillingCycle
  currency: string
  perSeatAmount: bigint
  periodAmount: bigint | null
  seats: number
  status: SubscriptionStatus
  stripeStatus: string | null
  trialStart: Date | null
  trialEnd: Date | null
  currentPeriodStart: Date | null
  currentPeriodEnd: Date | null
  cancelAtPeriodEnd: boolean
  cancelAt: Date | null
  canceledAt: Date | null
  endedAt: Date | null
  cancelReason: string | null
  cancelFeedback: string | null
  cancelComment: string | null
  collectionPausedBehavior: 'keep_as_draft' | 'mark_uncollectible' | 'void' | null
  collectionResumesAt: Date | null
  pausedAt: Date | null
  pauseReason: string | null
  pastDueSince: Date | null
  pending: PendingChange | null
  pendingAttempts: number
  pendingError: string | null
  billingAnchor: Date | null
  latestInvoiceId: string | null
  stripeEventAt: Date | null
  stripeEventId: string | null
  stateSince: Date
  version: number
  createdAt: Date
  updatedAt: Date
}

type StoredRow = Omit<SubscriptionRow, 'perSeatAmount' | 'periodAmount'> & {
  perSeatAmount: string
  periodAmount: string | null
}

// Amounts as text: what the driver makes of them is a number, which is exact only up to 2^53.
const columns =
  sql.raw(`s.id, s.tenant_id as "tenantId", t.slug as "tenantSlug", t.name as "tenantName", q.slug as "partnerSlug", s.source,
  s.stripe_subscription_id as "stripeSubscriptionId", s.stripe_item_id as "stripeItemId", s.stripe_price_id as "stripePriceId",
  s.stripe_schedule_id as "stripeScheduleId",
  s.price_id as "priceId", s.plan, s.cycle, s.currency, s.per_seat_amount::text as "perSeatAmount", s.period_amount::text as "periodAmount",
  s.seats, s.status, s.stripe_status as "stripeStatus", s.trial_start as "trialStart", s.trial_end as "trialEnd",
  s.current_period_start as "currentPeriodStart", s.current_period_end as "currentPeriodEnd",
  s.cancel_at_period_end as "cancelAtPeriodEnd", s.cancel_at as "cancelAt", s.canceled_at as "canceledAt", s.ended_at as "endedAt",
  s.cancel_reason as "cancelReason", s.cancel_feedback as "cancelFeedback", s.cancel_comment as "cancelComment",
  s.collection_paused_behavior as "collectionPausedBehavior", s.collection_resumes_at as "collectionResumesAt",
  s.paused_at as "pausedAt", s.pause_reason as "pauseReason", s.past_due_since as "pastDueSince", s.pending,
  s.pending_attempts as "pendingAttempts", s.pending_error as "pendingError", s.billing_anchor as "billingAnchor",
  s.latest_invoice_id as "latestInvoiceId", s.stripe_event_at as "stripeEventAt", s.stripe_event_id as "stripeEventId",
  s.state_since as "stateSince", s.version, s.created_at as "createdAt", s.updated_at as "updatedAt"`)
const from = sql.raw(
  'from subscriptions s join tenants t on t.id = s.tenant_id left join partners q on q.id = t.partner_id',
)
const live = sql.raw(`s.status not in ('canceled', 'incomplete_expired')`)

async function read(db: Db | Trx, rest: RawBuilder<unknown>): Promise<SubscriptionRow[]> {
  const { rows } = await sql<StoredRow>`select ${columns} ${from} ${rest}`.execute(db)
  return rows.map((row) => ({
    ...row,
    perSeatAmount: BigInt(row.perSeatAmount),
    periodAmount: row.periodAmount === null ? null : BigInt(row.periodAmount),
  }))
}

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
 * Newest first, ended ones too, one row more than asked. `q` looks at the tenant's slug and name
 * and at the processor's id.
 */
export async function listSubscriptions(
  db: Db,
  filter: SubscriptionFilter,
): Promise<SubscriptionRow[]> {
  const pattern = `%${escapeLike((filter.q ?? '').toLowerCase())}%`
  const conditions = [
    sql<SqlBool>`true`,
    ...(filter.status ? [sql<SqlBool>`s.status = ${filter.status}`] : []),
    ...(filter.plan ? [sql<SqlBool>`s.plan = ${filter.plan}`] : []),
    ...(filter.source ? [sql<SqlBool>`s.source = ${filter.source}`] : []),
    ...(filter.currency ? [sql<SqlBool>`s.currency = ${filter.currency}`] : []),
    ...(filter.tenantSlug ? [sql<SqlBool>`t.slug = ${filter.tenantSlug}`] : []),
    ...(filter.partnerSlug ? [sql<SqlBool>`q.slug = ${filter.partnerSlug}`] : []),
    ...(filter.before ? [sql<SqlBool>`s.id < ${filter.before}`] : []),
    ...(filter.q
      ? [
          sql<SqlBool>`(t.slug like ${pattern} or lower(t.name) like ${pattern} or lower(s.stripe_subscription_id) like ${pattern})`,
        ]
      : []),
  ]
  return read(
    db,
    sql`where ${sql.join(conditions, sql` and `)} order by s.id desc limit ${filter.limit + 1}`,
  )
}

export async function findSubscription(
  db: Db | Trx,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await read(db, sql`where s.id = ${id}`)
  return row
}

/** The tenant's subscription that has not ended; else the one that ended last. */
export async function findTenantSubscription(
  db: Db | Trx,
  tenantId: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await read(
    db,
    sql`where s.tenant_id = ${tenantId} order by ${live} desc, s.ended_at desc nulls last, s.id desc limit 1`,
  )
  return row
}

/** The tenant's subscription that has not ended. There is one at most. */
export async function findLiveSubscription(
  db: Db | Trx,
  tenantId: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await read(db, sql`where s.tenant_id = ${tenantId} and ${live}`)
  return row
}

export async function findSubscriptionByStripeId(
  db: Db | Trx,
  stripeSubscriptionId: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await read(db, sql`where s.stripe_subscription_id = ${stripeSubscriptionId}`)
  return row
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
 * Seats that are taken: members with a mailbox who are not being removed, suspended ones included.
 */
export async function countAssignedSeats(db: Db | Trx, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('status', '<>', 'removing')
    .where('mailbox_address', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Throws `subscriptions_one_live` when the tenant has one that has not ended. Asks for
 * `lockSubscriptionsOf` before.
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

/** Writes a subscription; `counted` raises its version, which makes earlier quotes void. */
export async function updateSubscription(
  trx: Trx,
  id: string,
  changes: Omit<Updateable<SubscriptionsTable>, 'id' | 'version' | 'updated_at'>,
  { counted }: { counted: boolean },
): Promise<void> {
  await trx
    .updateTable('subscriptions')
    .set({
      ...changes,
      updated_at: sql<Date>`now()`,
      ...(counted ? { version: sql<number>`version + 1` } : {}),
    })
    .where('id', '=', id)
    .execute()
}

export interface SubscriptionStateRow {
  plan: Plan
  cycle: BillingCycle
  currency: string
  status: SubscriptionStatus
  perSeatAmount: number
  periodAmount: number | null
  seats: number
  cancelAtPeriodEnd: boolean
  partnerSlug: string | null
  arr: number
  validFrom: Date
  validTo: Date | null
}

/**
 * States newest first; with `asOf` only the one that held then: from `validFrom` on and before
 * `validTo`.
 */
export async function listSubscriptionStates(
  db: Db,
  subscriptionId: string,
  { asOf, limit }: { asOf?: Date | undefined; limit: number },
): Promise<SubscriptionStateRow[]> {
  const { rows } = await sql<SubscriptionStateRow>`
    select h.plan, h.cycle, h.currency, h.status, h.per_seat_amount as "perSeatAmount", h.period_amount as "periodAmount", h.seats,
      h.cancel_at_period_end as "cancelAtPeriodEnd", q.slug as "partnerSlug", h.arr, h.valid_from as "validFrom", h.valid_to as "validTo"
    from subscription_history h left join partners q on q.id = h.partner_id
    where h.subscription_id = ${subscriptionId}
      ${asOf ? sql`and h.valid_from <= ${asOf} and (h.valid_to is null or h.valid_to > ${asOf})` : sql``}
    order by h.valid_from desc, h.id desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Subscriptions for the job, oldest first: at the payment processor, those whose waiting change has
 * no schedule there or takes effect before `lead`; manual ones whose period is over.
 */
export async function findDueSubscriptions(
  db: Db,
  { now, lead, limit }: { now: Date; lead: Date; limit: number },
): Promise<{ id: string; tenantId: string }[]> {
  const { rows } = await sql<{ id: string; tenantId: string }>`
    select s.id, s.tenant_id as "tenantId" from subscriptions s
    where ${live} and (s.pending_next_at is null or s.pending_next_at <= ${now}) and (
      (s.source = 'stripe' and s.pending is not null
        and (s.stripe_schedule_id is null or (s.pending ->> 'effectiveAt') <= ${lead.toISOString()}))
      or (s.source = 'manual' and s.status in ('trialing', 'active', 'past_due', 'unpaid') and s.current_period_end <= ${now}))
    order by s.id limit ${limit}`.execute(db)
  return rows
}

/** Subscriptions that have not ended though their tenant was deleted, and that are not put off. */
export async function findSubscriptionsOfDeletedTenants(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ id: string; tenantId: string }[]> {
  const { rows } = await sql<{ id: string; tenantId: string }>`
    select s.id, s.tenant_id as "tenantId" from tenants t join subscriptions s on s.tenant_id = t.id
    where t.status = 'deleted' and ${live} and (s.pending_next_at is null or s.pending_next_at <= ${now})
    order by s.id limit ${limit}`.execute(db)
  return rows
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
