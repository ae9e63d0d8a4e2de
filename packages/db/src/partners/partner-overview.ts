import type { HealthBand } from '@atrium/core/health-scores/health'
import type { attentionReasons } from '@atrium/core/partners/partner-overview'
import type { TenantStatus } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/**
 * The partner's customers by status, and those that are not suspended by health, in one statement.
 */
export function countCustomers(db: Db, partnerId: string) {
  return db
    .selectFrom('tenants as t')
    .leftJoin('tenant_health as h', 'h.tenant_id', 't.id')
    .select(({ eb, and, fn, val }) => {
      const all = fn.countAll<number>()
      const status = (name: TenantStatus) => all.filterWhere('t.status', '=', name)
      const band = fn.coalesce('h.band', val('unknown' as const))
      const unsuspended = eb('t.status', '<>', 'suspended')
      const scored = (name: HealthBand) =>
        all.filterWhere(and([unsuspended, eb('h.band', '=', name)]))
      return [
        all.as('total'),
        status('active').as('active'),
        status('pending').as('pending'),
        status('suspended').as('suspended'),
        scored('healthy').as('healthy'),
        scored('watch').as('watch'),
        scored('at_risk').as('atRisk'),
        all
          .filterWhere(and([unsuspended, eb(band, 'not in', ['healthy', 'watch', 'at_risk'])]))
          .as('unscored'),
      ]
    })
    .where('t.partner_id', '=', partnerId)
    .where('t.status', '<>', 'deleted')
    .executeTakeFirstOrThrow()
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
  // Plain SQL: five conditions of one `case`, which the order names again as an array.
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
export function earnedSince(
  db: Db,
  partnerId: string,
  since: Date,
): Promise<{ currency: string; amount: string }[]> {
  return db
    .selectFrom('partner_ledger')
    .select(({ cast, fn }) => ['currency', cast<string>(fn.sum('amount'), 'text').as('amount')])
    .where('partner_id', '=', partnerId)
    .where('created_at', '>=', since)
    .where('type', 'in', [
      'accrual',
      'clawback',
      'clawback_reversal',
      'dispute_hold',
      'dispute_release',
    ])
    .groupBy('currency')
    .orderBy('currency')
    .execute()
}
