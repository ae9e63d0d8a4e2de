import type { SubscriptionSource, SubscriptionStatus } from '@atrium/core/billing/subscriptions'
import type { Plan } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { overdueInvoices } from './entitlements.ts'

export interface DunningCase {
  id: string
  subscriptionId: string
  tenantId: string
  pastDueSince: Date
  remindedDays: number[]
  limitedAt: Date | null
  suspendedAt: Date | null
}

const columns = [
  'id',
  'subscription_id as subscriptionId',
  'tenant_id as tenantId',
  'past_due_since as pastDueSince',
  'reminded_days as remindedDays',
  'limited_at as limitedAt',
  'suspended_at as suspendedAt',
] as const

/** The case under a row lock, while it is open. */
export function lockDunningCase(
  trx: Trx,
  subscriptionId: string,
): Promise<DunningCase | undefined> {
  return trx
    .selectFrom('dunning_cases')
    .select(columns)
    .where('subscription_id', '=', subscriptionId)
    .where('closed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Opens a case unless one is open. */
export async function openDunningCase(
  trx: Trx,
  fields: { subscriptionId: string; tenantId: string; pastDueSince: Date },
): Promise<void> {
  await trx
    .insertInto('dunning_cases')
    .values({
      subscription_id: fields.subscriptionId,
      tenant_id: fields.tenantId,
      past_due_since: fields.pastDueSince,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function saveDunningCase(
  trx: Trx,
  id: string,
  fields: {
    remindedDays?: number[]
    limitedAt?: Date
    suspendedAt?: Date
    closedAt?: Date
    outcome?: 'recovered' | 'ended'
  },
): Promise<void> {
  await trx
    .updateTable('dunning_cases')
    .set({
      ...(fields.remindedDays ? { reminded_days: fields.remindedDays } : {}),
      ...(fields.limitedAt ? { limited_at: fields.limitedAt } : {}),
      ...(fields.suspendedAt ? { suspended_at: fields.suspendedAt } : {}),
      ...(fields.closedAt ? { closed_at: fields.closedAt, outcome: fields.outcome ?? null } : {}),
    })
    .where('id', '=', id)
    .execute()
}

/**
 * Subscriptions that dunning has to check: past due, ended with an amount due, or with an open
 * case. Sorted by id, after `after`.
 */
export async function findDunningWork(
  db: Db,
  now: Date,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  // Plain SQL: it continues the statement of `overdueInvoices`.
  const { rows } = await sql<{ id: string }>`
    select s.id from subscriptions s
    where (s.past_due_since is not null
        or s.status = 'canceled' and s.stripe_subscription_id in (
          select o.stripe_subscription_id from (${overdueInvoices(now)} and i.status = 'open') o)
        or exists (select from dunning_cases d where d.subscription_id = s.id and d.closed_at is null))
      ${after === undefined ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

export interface DunnedSubscription {
  id: string
  tenantId: string
  tenantSlug: string
  tenantName: string
  tenantStatus: 'pending' | 'active' | 'suspended' | 'deleted'
  partnerSlug: string | null
  billingEmail: string | null
  ownerEmail: string | null
  ownerName: string | null
  source: SubscriptionSource
  plan: Plan
  status: SubscriptionStatus
  /** Since when a payment is missing, also after the end of the subscription; null when none is. */
  owedSince: Date | null
  currency: string
}

/** Under a lock of the subscription's row, so that two processes do not remind twice. */
export async function lockDunnedSubscription(
  trx: Trx,
  id: string,
  now: Date,
): Promise<DunnedSubscription | undefined> {
  // Plain SQL: it continues the statement of `overdueInvoices`, within a case expression.
  const { rows } = await sql<DunnedSubscription>`
    select s.id, s.tenant_id as "tenantId", t.slug as "tenantSlug", t.name as "tenantName", t.status as "tenantStatus",
      p.slug as "partnerSlug", t.billing_email as "billingEmail", o.email as "ownerEmail", o.name as "ownerName",
      s.source, s.plan, s.status, s.currency,
      case when s.status in ('past_due', 'unpaid') then s.past_due_since
        when s.status <> 'canceled' then null
        when s.source = 'stripe' then (
          select min(o.since) from (${overdueInvoices(now)} and i.tenant_id = s.tenant_id) o
          where o.stripe_subscription_id = s.stripe_subscription_id)
        when not exists (select from plan_grants g where g.tenant_id = s.tenant_id and g.revoked_at is null and g.created_at > s.ended_at)
          and not exists (select from subscriptions n where n.tenant_id = s.tenant_id and n.id > s.id
            and n.status not in ('incomplete', 'incomplete_expired')) then s.past_due_since end as "owedSince"
    from subscriptions s join tenants t on t.id = s.tenant_id left join partners p on p.id = t.partner_id
      left join lateral (select u.email, u.name from memberships m join users u on u.id = m.user_id
        where m.tenant_id = t.id and m.role = 'owner' limit 1) o on true
    where s.id = ${id} for update of s`.execute(trx)
  return rows[0]
}

/** Deletes the amount due of an ended subscription. */
export async function clearPastDue(trx: Trx, subscriptionId: string): Promise<void> {
  await trx
    .updateTable('subscriptions')
    .set({ past_due_since: null })
    .where('id', '=', subscriptionId)
    .execute()
}
