import type {
  EntitlementFacts,
  EntitlingSubscription,
  PlanGrant,
} from '@atrium/core/billing/entitlements'
import type { Plan } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

interface DetailRow {
  tenantId: string
  subscription: Omit<
    EntitlingSubscription,
    'trialEnd' | 'pastDueSince' | 'pausedAt' | 'endedAt'
  > | null
  trialEnd: Date | null
  pastDueSince: Date | null
  pausedAt: Date | null
  endedAt: Date | null
  overdueNumber: string | null
  overdueAmount: string | null
  overdueCurrency: string | null
  overdueSince: Date | null
  grantPlan: Plan | null
  grantSeats: number | null
  grantEndsAt: Date | null
  grantCreatedAt: Date | null
}

/**
 * What a tenant's entitlements are computed from, in one statement. A subscription that never gave
 * its plan is no subscription here: its first payment was never made, and its invoice is no debt
 * either.
 */
export async function findEntitlementFacts(
  db: Db | Trx,
  tenantId: string,
  now: Date,
): Promise<EntitlementFacts> {
  const facts = (await findEntitlementFactsOf(db, [tenantId], now)).get(tenantId)
  if (!facts) throw new Error(`the tenant ${tenantId} is gone`)
  return facts
}

/** As `findEntitlementFacts` for several tenants, by their ids. */
export async function findEntitlementFactsOf(
  db: Db | Trx,
  tenantIds: readonly string[],
  now: Date,
): Promise<Map<string, EntitlementFacts>> {
  // Plain SQL: `distinct on`, and the statement of `overdueInvoices`. Each part names the tenants,
  // so that a database distributed by tenant plans it.
  const { rows } = await sql<DetailRow>`
    select t.id as "tenantId", case when s.id is not null then json_build_object('source', s.source, 'plan', s.plan, 'seats', s.seats, 'status', s.status,
        'currency', s.currency) end as subscription,
      s.trial_end as "trialEnd", s.past_due_since as "pastDueSince", s.paused_at as "pausedAt", s.ended_at as "endedAt",
      i.number as "overdueNumber", i.amount_remaining::text as "overdueAmount", i.currency as "overdueCurrency", i.since as "overdueSince",
      g.plan as "grantPlan", g.seats as "grantSeats", g.ends_at as "grantEndsAt", g.created_at as "grantCreatedAt"
    from tenants t
      left join (
        select distinct on (s.tenant_id) s.* from subscriptions s
        where s.tenant_id = any(${tenantIds}) and s.status not in ('incomplete', 'incomplete_expired')
          and (s.status <> 'canceled' or exists (select from subscription_history h where h.tenant_id = s.tenant_id and h.subscription_id = s.id
            and h.status in ('trialing', 'active', 'past_due', 'unpaid', 'unknown')))
        order by s.tenant_id, (s.status <> 'canceled') desc, s.ended_at desc nulls last, s.id desc) s on s.tenant_id = t.id
      left join (
        select distinct on (tenant_id) * from (${overdueInvoices(now)} and i.tenant_id = any(${tenantIds})) i
        order by tenant_id, since, id) i on i.tenant_id = t.id
      left join plan_grants g on g.tenant_id = t.id and g.tenant_id = any(${tenantIds}) and g.revoked_at is null
    where t.id = any(${tenantIds})`.execute(db)
  return new Map(rows.map((row) => [row.tenantId, factsOf(row)]))
}

function factsOf(row: DetailRow): EntitlementFacts {
  const { trialEnd, pastDueSince, pausedAt, endedAt } = row
  const subscription = row.subscription && {
    ...row.subscription,
    trialEnd,
    pastDueSince,
    pausedAt,
    endedAt,
  }
  return { subscription, overdue: overdueOf(row, subscription), grant: grantOf(row) }
}

/**
 * A manual subscription has no invoices: what was unpaid at its end stays due until an operator
 * grants a plan after it.
 */
function overdueOf(
  row: DetailRow,
  subscription: EntitlingSubscription | null,
): EntitlementFacts['overdue'] {
  if (row.overdueSince && row.overdueCurrency !== null && row.overdueAmount !== null) {
    const { overdueNumber: number, overdueCurrency: currency, overdueSince: since } = row
    return { number, currency, since, amount: BigInt(row.overdueAmount) }
  }
  if (subscription?.source !== 'manual' || subscription.status !== 'canceled') return null
  const { pastDueSince: since, endedAt, currency } = subscription
  const granted = row.grantCreatedAt !== null && endedAt !== null && row.grantCreatedAt > endedAt
  return since === null || granted ? null : { number: null, amount: null, currency, since }
}

function grantOf({
  grantPlan: plan,
  grantSeats: seats,
  grantCreatedAt: createdAt,
  grantEndsAt: endsAt,
}: DetailRow): PlanGrant | null {
  return plan === null || seats === null || createdAt === null
    ? null
    : { plan, seats, createdAt, endsAt }
}

/**
 * Invoices that are overdue: their date or the first try to charge them has passed, and something
 * remains to be paid. First invoices of subscriptions and those of a pause that is to be left are
 * offers, not debts. Ends in a `where`.
 */
export function overdueInvoices(now: Date) {
  return sql`
    select i.id, i.tenant_id, i.stripe_subscription_id, i.number, i.amount_remaining, i.currency,
      case when i.due_date < ${now} then i.due_date else coalesce(i.finalized_at, i.created_at) end as since
    from invoices i
    where i.status in ('open', 'uncollectible') and i.amount_remaining > 0 and (i.attempt_count > 0 or i.due_date < ${now})
      and i.billing_reason is distinct from 'subscription_create'
      and not exists (select from subscriptions p where p.tenant_id = i.tenant_id and p.stripe_subscription_id = i.stripe_subscription_id
        and p.status = 'paused' and p.latest_invoice_id = i.stripe_invoice_id)`
}

/**
 * Replaces the grant in force; without a new grant only ends it. Requires the tenant's row lock.
 */
export async function replaceGrant(
  trx: Trx,
  tenantId: string,
  grant: {
    plan: Plan
    seats: number
    grantedBy: 'operator' | 'partner'
    grantedByUser: string | null
  } | null,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('plan_grants')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tenantId)
    .where('revoked_at', 'is', null)
    .execute()
  if (!grant) return
  const { plan, seats, grantedBy, grantedByUser } = grant
  await trx
    .insertInto('plan_grants')
    .values({
      tenant_id: tenantId,
      plan,
      seats,
      given_by: grantedBy,
      given_by_user: grantedByUser,
      created_at: now,
    })
    .execute()
}

/** Writes what a tenant has now, and when to look again. */
export async function saveEntitlements(
  trx: Trx,
  tenantId: string,
  {
    plan,
    seats,
    dueAt,
    changed,
  }: { plan: Plan; seats: number; dueAt: Date | null; changed: boolean },
): Promise<void> {
  await trx
    .updateTable('tenants')
    .set({
      plan,
      seats,
      entitlements_due_at: dueAt,
      ...(changed ? { updated_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', tenantId)
    .execute()
}

/** Tenants whose plan or seats may change by the clock, those due for longest first. */
export async function findDueEntitlements(db: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('tenants')
    .select('id')
    .where('entitlements_due_at', '<=', now)
    .orderBy('entitlements_due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
