import type { Plan } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

export interface Charge {
  subscriptionId: string
  tenantId: string
  partnerId: string | null
  plan: Plan
  /** The end of the period, with which the next one is charged. */
  at: Date
}

/**
 * Subscriptions at the payment processor that are charged with the end of a period after `now` and
 * not after `until`.
 */
const charged = (now: Date, until: Date) => sql`
  from subscriptions s join tenants t on t.id = s.tenant_id
  where s.source = 'stripe' and s.status in ('active', 'past_due', 'trialing') and not s.cancel_at_period_end
    and s.cancel_at is null and s.current_period_end > ${now} and s.current_period_end <= ${until} and t.status <> 'deleted'`

/** No mail of this template for the charge. Its keys begin as `sendBillingMail` writes them. */
const notMailed = (template: string) => sql`
  not exists (select from outbox o where o.key in (
    ${template}::text || ':' || s.id || ':' || (extract(epoch from s.current_period_end) * 1000)::bigint || ':owner',
    ${template}::text || ':' || s.id || ':' || (extract(epoch from s.current_period_end) * 1000)::bigint || ':billing'))`

/** Names the charge in the keys of its mails. */
export function chargeKey({ subscriptionId, at }: Pick<Charge, 'subscriptionId' | 'at'>): string {
  return `${subscriptionId}:${at.getTime()}`
}

/** Yearly subscriptions that renew before `until` and whose customer got no mail yet. */
export async function findRenewalsAhead(
  db: Db,
  { now, until, after, limit }: { now: Date; until: Date; after?: string; limit: number },
): Promise<Charge[]> {
  // Plain SQL: it shares the conditions `charged` and `notMailed` with the statements below.
  const { rows } = await sql<Charge>`
    select s.id as "subscriptionId", s.tenant_id as "tenantId", t.partner_id as "partnerId", s.plan, s.current_period_end as at
    ${charged(now, until)} and s.cycle = 'year' and s.status <> 'trialing' and ${notMailed('subscription.renewal')}
      ${after === undefined ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`.execute(db)
  return rows
}

export interface ExpiringCard extends Charge {
  brand: string
  last4: string
  expMonth: number
  expYear: number
}

/**
 * Cards that expire before the charge that comes before `until`, and whose customer got no mail
 * yet. A card is good until the end of its month (UTC).
 */
export async function findExpiringCards(
  db: Db,
  { now, until, after, limit }: { now: Date; until: Date; after?: string; limit: number },
): Promise<ExpiringCard[]> {
  // Plain SQL: it shares `charged` and `notMailed`, and builds the card's expiry from JSON fields.
  const { rows } = await sql<ExpiringCard>`
    select s.id as "subscriptionId", s.tenant_id as "tenantId", t.partner_id as "partnerId", s.plan, s.current_period_end as at,
      coalesce(c.card ->> 'displayBrand', c.card ->> 'brand') as brand, c.card ->> 'last4' as last4,
      (c.card ->> 'expMonth')::int as "expMonth", (c.card ->> 'expYear')::int as "expYear"
    from (select s.* ${charged(now, until)}) s join tenants t on t.id = s.tenant_id
      join payment_customers c on c.tenant_id = s.tenant_id and c.card is not null
    where make_timestamptz((c.card ->> 'expYear')::int, (c.card ->> 'expMonth')::int, 1, 0, 0, 0, 'UTC')
        + interval '1 month' <= s.current_period_end
      and ${notMailed('card.expiring')} ${after === undefined ? sql`` : sql`and s.id > ${after}`}
    order by s.id limit ${limit}`.execute(db)
  return rows
}
