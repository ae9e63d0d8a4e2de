import type { attentionReasons } from '@atrium/core/partners/partner-overview'
import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

export interface CustomerCounts {
  total: number
  active: number
  pending: number
  suspended: number
  healthy: number
  watch: number
  atRisk: number
  unscored: number
}

/**
 * The partner's customers by status, and those that are not suspended by health, in one statement.
 */
export async function countCustomers(db: Db, partnerId: string): Promise<CustomerCounts> {
  const { rows } = await sql<CustomerCounts>`
    select count(*) as total, count(*) filter (where t.status = 'active') as active, count(*) filter (where t.status = 'pending') as pending,
      count(*) filter (where t.status = 'suspended') as suspended,
      count(*) filter (where t.status <> 'suspended' and h.band = 'healthy') as healthy,
      count(*) filter (where t.status <> 'suspended' and h.band = 'watch') as watch,
      count(*) filter (where t.status <> 'suspended' and h.band = 'at_risk') as "atRisk",
      count(*) filter (where t.status <> 'suspended' and coalesce(h.band, 'unknown') not in ('healthy', 'watch', 'at_risk')) as unscored
    from tenants t left join tenant_health h on h.tenant_id = t.id
    where t.partner_id = ${partnerId} and t.status <> 'deleted'`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('a count has a row')
  return counts
}

export interface Attention {
  reason: (typeof attentionReasons)[number]
  tenantSlug: string
  name: string
}

/** Customers that are worth a look, each with its most urgent reason, most urgent first. */
export async function listAttention(
  db: Db,
  partnerId: string,
  limit: number,
): Promise<Attention[]> {
  const { rows } = await sql<Attention>`
    select reason, slug as "tenantSlug", name from (
      select t.id, t.slug, t.name, case
        when exists (select from subscriptions s where s.tenant_id = t.id and s.status in ('past_due', 'unpaid')) then 'past_due'
        when exists (select from provisioning_steps p where p.tenant_id = t.id and p.state = 'error') then 'provisioning_failed'
        when t.status = 'suspended' then 'suspended'
        when h.band = 'at_risk' then 'at_risk'
        when t.seats > 0 and t.seats <= (select count(*) from memberships m where m.tenant_id = t.id and m.status <> 'removing')
          then 'seats_exhausted' end as reason
      from tenants t left join tenant_health h on h.tenant_id = t.id
      where t.partner_id = ${partnerId} and t.status <> 'deleted') as watched
    where reason is not null
    order by array_position(array['past_due', 'provisioning_failed', 'suspended', 'at_risk', 'seats_exhausted'], reason), name, id
    limit ${limit}`.execute(db)
  return rows
}

/**
 * What the partner earned since a moment, by currency: payouts and corrections by hand are no
 * earnings.
 */
export async function earnedSince(
  db: Db,
  partnerId: string,
  since: Date,
): Promise<{ currency: string; amount: string }[]> {
  const { rows } = await sql<{ currency: string; amount: string }>`
    select currency, sum(amount)::text as amount from partner_ledger
    where partner_id = ${partnerId} and created_at >= ${since}
      and type in ('accrual', 'clawback', 'clawback_reversal', 'dispute_hold', 'dispute_release')
    group by currency order by currency`.execute(db)
  return rows
}
