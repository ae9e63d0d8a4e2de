import type { BillingDifference } from '@atrium/core/billing/billing'
import type {
  BillingCycle,
  SubscriptionSource,
  SubscriptionStatus,
} from '@atrium/core/billing/subscriptions'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import type { Plan } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { overdueInvoices } from './entitlements.ts'

export interface SummaryRow {
  id: string
  source: SubscriptionSource
  plan: Plan
  cycle: BillingCycle
  currency: string
  status: SubscriptionStatus
  seats: number
  /** What one period costs; with tax where `taxBehavior` is `inclusive`. */
  periodAmount: string
  taxBehavior: TaxBehavior
  containedTaxPercent: number
  trialEnd: Date | null
  currentPeriodStart: Date | null
  currentPeriodEnd: Date | null
  cancelAtPeriodEnd: boolean
  cancelAt: Date | null
  pastDueSince: Date | null
  stripeSubscriptionId: string | null
}

/** The tenant's running subscription, else the newest that ended. */
export async function findSubscriptionSummary(
  db: Db,
  tenantId: string,
): Promise<SummaryRow | undefined> {
  return db
    .selectFrom('subscriptions')
    .select([
      'id',
      'source',
      'plan',
      'cycle',
      'currency',
      'status',
      'seats',
      sql<string>`coalesce(period_amount, per_seat_amount * seats)::text`.as('periodAmount'),
      'tax_behavior as taxBehavior',
      sql<number>`contained_tax_percent::float8`.as('containedTaxPercent'),
      'trial_end as trialEnd',
      'current_period_start as currentPeriodStart',
      'current_period_end as currentPeriodEnd',
      'cancel_at_period_end as cancelAtPeriodEnd',
      'cancel_at as cancelAt',
      'past_due_since as pastDueSince',
      'stripe_subscription_id as stripeSubscriptionId',
    ])
    .where('tenant_id', '=', tenantId)
    .orderBy((eb) => eb('status', 'in', ['canceled', 'incomplete_expired']))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export interface CurrencyRow {
  currency: string
  mrr: string
  atRiskMrr: string
  trialMrr: string
  payingTenants: number
  openInvoices: number
  open: string
  overdueInvoices: number
  overdue: string
  paid: string
  /** What refunds and disputes took back. */
  returned: string
  failedPayments: number
}

/**
 * Recurring revenue now and what was paid and given back in the 30 days before `now`, per currency;
 * never added up over currencies.
 */
export async function readCurrencyFigures(db: Db, now: Date): Promise<CurrencyRow[]> {
  // Plain SQL: a full join of three sets of filtered sums, some of them rounded to months.
  const { rows } = await sql<CurrencyRow>`
    with recurring as (
      select currency, round(sum(arr) / 12.0)::bigint as mrr,
        round(coalesce(sum(arr) filter (where status = 'past_due'), 0) / 12.0)::bigint as at_risk,
        round(coalesce(sum(coalesce(period_amount, per_seat_amount * seats) * case cycle when 'year' then 1 else 12 end)
          filter (where status = 'trialing'), 0) / 12.0)::bigint as trial,
        count(distinct tenant_id) filter (where arr > 0)::int as paying
      from subscription_history where valid_to is null and status in ('active', 'past_due', 'trialing') group by currency),
    invoiced as (
      select currency,
        count(*) filter (where status = 'open' and amount_remaining > 0)::int as open_count,
        coalesce(sum(amount_remaining) filter (where status = 'open'), 0) as open_amount,
        count(*) filter (where status = 'open' and amount_remaining > 0 and (attempt_count > 0 or due_date < ${now}))::int as overdue_count,
        coalesce(sum(amount_remaining) filter (where status = 'open' and (attempt_count > 0 or due_date < ${now})), 0) as overdue_amount,
        coalesce(sum(amount_paid) filter (where paid_at > ${now}::timestamptz - interval '30 days'), 0) as paid_amount,
        count(*) filter (where attempt_count > 0 and status in ('open', 'uncollectible')
          and finalized_at > ${now}::timestamptz - interval '30 days')::int as failed
      from invoices where status = 'open' or paid_at > ${now}::timestamptz - interval '30 days'
        or finalized_at > ${now}::timestamptz - interval '30 days'
      group by currency),
    gone as (
      select i.currency, sum(r.amount) as amount from invoice_reversals r join invoices i on i.id = r.invoice_id
      where r.kind in ('refund', 'dispute') and r.effective and r.created_at > ${now}::timestamptz - interval '30 days'
      group by i.currency)
    select currency, coalesce(r.mrr, 0)::text as mrr, coalesce(r.at_risk, 0)::text as "atRiskMrr", coalesce(r.trial, 0)::text as "trialMrr",
      coalesce(r.paying, 0) as "payingTenants", coalesce(i.open_count, 0) as "openInvoices", coalesce(i.open_amount, 0)::text as open,
      coalesce(i.overdue_count, 0) as "overdueInvoices", coalesce(i.overdue_amount, 0)::text as overdue,
      coalesce(i.paid_amount, 0)::text as paid, coalesce(g.amount, 0)::text as returned,
      coalesce(i.failed, 0) as "failedPayments"
    from recurring r full join invoiced i using (currency) full join gone g using (currency)
    order by currency`.execute(db)
  return rows
}

export interface PastDueRow {
  tenantId: string
  slug: string
  name: string
  partnerSlug: string | null
  status: SubscriptionStatus
  pastDueSince: Date | null
  currency: string
  amount: string
}

/** Tenants that owe, those for longest first, also for a subscription that has ended. */
export async function listPastDueTenants(db: Db, now: Date, limit: number): Promise<PastDueRow[]> {
  // Plain SQL: it continues the statement of `overdueInvoices` in a lateral join.
  const { rows } = await sql<PastDueRow>`
    select t.id as "tenantId", t.slug, t.name, p.slug as "partnerSlug", s.status, coalesce(s.past_due_since, o.since) as "pastDueSince",
      s.currency,
      coalesce((select sum(i.amount_remaining) from invoices i where i.tenant_id = t.id and i.status = 'open' and i.currency = s.currency), 0)::text
        as amount
    from subscriptions s join tenants t on t.id = s.tenant_id left join partners p on p.id = t.partner_id
      left join lateral (select min(since) as since from (${overdueInvoices(now)} and i.tenant_id = t.id and i.status = 'open') d
        where s.status = 'canceled' and d.stripe_subscription_id = s.stripe_subscription_id) o on true
    where t.status <> 'deleted' and (s.status in ('past_due', 'unpaid') or s.status = 'canceled' and coalesce(s.past_due_since, o.since) is not null)
    order by coalesce(s.past_due_since, o.since) nulls last, t.slug limit ${limit}`.execute(db)
  return rows
}

export interface ReconciliationRow {
  id: string
  startedAt: Date
  finishedAt: Date | null
  tenants: number
  failed: number
  error: string | null
  differences: number
  repaired: number
  lostEvents: number
}

export async function findLastReconciliation(db: Db): Promise<ReconciliationRow | undefined> {
  return db
    .selectFrom('billing_reconciliations as r')
    .select(({ cast, selectFrom }) => {
      const differences = selectFrom('billing_differences as d')
        .whereRef('d.reconciliation_id', '=', 'r.id')
        .select(({ fn }) => cast<number>(fn.countAll(), 'integer').as('count'))
      return [
        'r.id',
        'r.started_at as startedAt',
        'r.finished_at as finishedAt',
        'r.tenants',
        'r.failed',
        'r.error',
        'r.lost_events as lostEvents',
        differences.$asScalar().$notNull().as('differences'),
        differences.where('d.repaired', '=', true).$asScalar().$notNull().as('repaired'),
      ]
    })
    .orderBy('r.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export type DifferenceRow = Omit<BillingDifference, 'foundAt'> & { foundAt: Date }

/** The newest differences of one comparison. */
export async function listDifferences(
  db: Db,
  reconciliationId: string,
  limit: number,
): Promise<DifferenceRow[]> {
  return db
    .selectFrom('billing_differences as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .select([
      'd.id',
      't.slug as tenantSlug',
      'd.object_type as objectType',
      'd.object_id as objectId',
      'd.kind',
      sql<DifferenceRow['fields']>`d.fields`.as('fields'),
      'd.repaired',
      'd.found_at as foundAt',
    ])
    .where('d.reconciliation_id', '=', reconciliationId)
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute()
}

export async function startReconciliation(db: Db): Promise<string> {
  const { id } = await db
    .insertInto('billing_reconciliations')
    .defaultValues()
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function saveReconciliation(
  db: Db | Trx,
  id: string,
  fields: { tenants: number; failed: number; error: string | null; finished: boolean },
): Promise<void> {
  await db
    .updateTable('billing_reconciliations')
    .set({
      tenants: fields.tenants,
      failed: fields.failed,
      error: fields.error,
      ...(fields.finished ? { finished_at: sql<Date>`clock_timestamp()` } : {}),
    })
    .where('id', '=', id)
    .execute()
}

/** Up to when the processor's events are known to be here; undefined before the first reading. */
export async function findEventsSince(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('billing_reconciliations')
    .select(({ fn }) => fn.max('events_since').as('since'))
    .executeTakeFirst()
  return row?.since ?? undefined
}

export async function saveLostEvents(
  db: Db,
  id: string,
  { lost, since }: { lost: number; since: Date },
): Promise<void> {
  await db
    .updateTable('billing_reconciliations')
    .set({ lost_events: lost, events_since: since })
    .where('id', '=', id)
    .execute()
}

export interface NewDifference {
  tenantId: string
  objectType: 'subscription' | 'invoice'
  objectId: string
  kind: 'missing_here' | 'missing_there' | 'differs'
  fields: Record<string, [unknown, unknown]>
  repaired: boolean
}

export async function insertDifference(
  db: Db,
  reconciliationId: string,
  difference: NewDifference,
): Promise<void> {
  await db
    .insertInto('billing_differences')
    .values({
      reconciliation_id: reconciliationId,
      tenant_id: difference.tenantId,
      object_type: difference.objectType,
      object_id: difference.objectId,
      kind: difference.kind,
      fields: JSON.stringify(difference.fields),
      repaired: difference.repaired,
    })
    .execute()
}

/** What comparisons found is kept for `days`. */
export async function deleteOldReconciliations(db: Db, days: number): Promise<void> {
  await db
    .deleteFrom('billing_reconciliations')
    .where('started_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .execute()
}

export async function tenantOfStripeSubscription(
  db: Db | Trx,
  stripeSubscriptionId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('subscriptions')
    .select('tenant_id')
    .where('stripe_subscription_id', '=', stripeSubscriptionId)
    .executeTakeFirst()
  return row?.tenant_id
}

export async function tenantExists(db: Db | Trx, tenantId: string): Promise<boolean> {
  return (
    (await db.selectFrom('tenants').select('id').where('id', '=', tenantId).executeTakeFirst()) !==
    undefined
  )
}

/**
 * The partner that earns from what is invoiced to a tenant at `at`: the one it belonged to then,
 * unless that was terminated before. The payment processor counts in whole seconds, so a tenant
 * that changed partners within the second belongs to the later one.
 */
export async function findEarningPartner(
  db: Db | Trx,
  tenantId: string,
  at: Date,
): Promise<string | undefined> {
  const partner = await db
    .selectFrom('tenant_partners as h')
    .innerJoin('partners as p', 'p.id', 'h.partner_id')
    .select('p.id')
    .where('h.tenant_id', '=', tenantId)
    .where(sql<Date>`date_trunc('second', h.valid_from)`, '<=', at)
    .where((eb) => eb.or([eb('h.valid_to', 'is', null), eb('h.valid_to', '>', at)]))
    .where((eb) => eb.or([eb('p.terminated_at', 'is', null), eb('p.terminated_at', '>', at)]))
    .orderBy('h.valid_from', 'desc')
    .limit(1)
    .executeTakeFirst()
  return partner?.id
}

export interface StripeSubscriptionRow {
  id: string
  stripeSubscriptionId: string
  stripePriceId: string | null
  stripeStatus: string | null
  status: SubscriptionStatus
  currency: string
  cycle: BillingCycle
  seats: number
  currentPeriodEnd: Date | null
  cancelAtPeriodEnd: boolean
}

/**
 * A tenant's subscriptions at the payment processor, ended ones too, for comparing them with the
 * processor's.
 */
export async function listStripeSubscriptions(
  db: Db,
  tenantId: string,
): Promise<StripeSubscriptionRow[]> {
  return db
    .selectFrom('subscriptions')
    .select([
      'id',
      'stripe_subscription_id as stripeSubscriptionId',
      'stripe_price_id as stripePriceId',
      'stripe_status as stripeStatus',
      'status',
      'currency',
      'cycle',
      'seats',
      'current_period_end as currentPeriodEnd',
      'cancel_at_period_end as cancelAtPeriodEnd',
    ])
    .where('tenant_id', '=', tenantId)
    .where('stripe_subscription_id', 'is not', null)
    .orderBy('id')
    .$narrowType<{ stripeSubscriptionId: string }>()
    .execute()
}

export async function isCatalogPrice(db: Db, stripePriceId: string): Promise<boolean> {
  const row = await db
    .selectFrom('price_amounts')
    .select('price_id')
    .where('stripe_price_id', '=', stripePriceId)
    .executeTakeFirst()
  return row !== undefined
}
