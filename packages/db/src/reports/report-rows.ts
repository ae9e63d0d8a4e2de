import type { BillingCycle, SubscriptionStatus } from '@atrium/core/billing/subscriptions'
import type { Movement, MrrFigure } from '@atrium/core/reports/reports'
import type { Plan } from '@atrium/core/tenants/tenants'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import { type Moment, platformScope } from './reports.ts'

/** A tenant that is part of a figure of a report. Yearly amounts. */
export interface FigureRow {
  tenantId: string
  slug: string
  name: string
  partnerSlug: string | null
  currency: string | null
  plan: Plan | null
  cycle: BillingCycle | null
  status: SubscriptionStatus | null
  seats: number | null
  /** The tenant's part of the figure. */
  arr: number
  startArr: number | null
  endArr: number | null
  reason: string | null
  since: Date | null
}

/** Largest first, then by tenant; `after` is the last row of the page before. */
export interface RowsPage {
  after: { arr: number; tenantId: string } | undefined
  limit: number
}

const amounts: Record<MrrFigure, RawBuilder<unknown>> = {
  mrr: sql`h.arr`,
  atRisk: sql`case when h.status = 'past_due' then h.arr else 0 end`,
  committed: sql`case when h.cancel_at_period_end then 0 else h.arr end`,
  trial: sql`case when h.status = 'trialing' then coalesce(h.period_amount, h.per_seat_amount * h.seats) * case h.cycle when 'year' then 1 else 12 end else 0 end`,
  paused: sql`case when h.status = 'paused' then coalesce(h.period_amount, h.per_seat_amount * h.seats) * case h.cycle when 'year' then 1 else 12 end else 0 end`,
  suspended: sql`case when t.status in ('suspended', 'deleted') then h.arr else 0 end`,
}
const none = sql`null`
const moved = sql`c.start_arr as "startArr", c.end_arr as "endArr", c.reason`

/**
 * What a figure of the report on recurring revenue is made of; with a plan and a cycle, what a row
 * of revenue by plan is.
 */
export async function listMrrRows(
  db: Db,
  scope: string,
  requested: {
    moment: Moment
    currency: string
    figure: MrrFigure
    plan?: Plan
    cycle?: BillingCycle
  },
  page: RowsPage,
): Promise<FigureRow[]> {
  const { moment, currency, figure, plan, cycle } = requested
  return listed(
    db,
    page,
    sql`
    select t.id as "tenantId", t.slug, t.name, p.slug as "partnerSlug", h.currency, h.plan, h.cycle, h.status, h.seats,
      ${amounts[figure]} as arr, ${none}::bigint as "startArr", ${none}::bigint as "endArr", ${none}::text as reason, f.first_paid_at as since
    from (${untilOf(moment)}) as b join subscription_history h
      on h.currency = ${currency} and h.valid_from < b.until and (h.valid_to is null or h.valid_to >= b.until)
    join tenants t on t.id = h.tenant_id left join partners p on p.id = h.partner_id
    left join report_tenants f on f.tenant_id = h.tenant_id and f.scope = ${scope}
    where ${inScope(scope)} and ${plan ? sql`h.plan = ${plan} and h.cycle = ${cycle}` : sql`true`} and ${amounts[figure]} > 0`,
  )
}

/** The tenants behind one movement of a month. Churned ones come with the reason. */
export async function listMovementRows(
  db: Db,
  scope: string,
  requested: {
    month: string
    movement: Movement
    currency?: string | undefined
    reason?: string | undefined
  },
  page: RowsPage,
): Promise<FigureRow[]> {
  const { month, movement, currency, reason } = requested
  return listed(
    db,
    page,
    sql`
    select t.id as "tenantId", t.slug, t.name, p.slug as "partnerSlug", c.currency, ${none}::text as plan, ${none}::text as cycle,
      ${none}::text as status, ${none}::integer as seats, abs(c.end_arr - c.start_arr) as arr, ${moved}, f.first_paid_at as since
    from report_months c join tenants t on t.id = c.tenant_id left join partners p on p.id = t.partner_id
    left join report_tenants f on f.tenant_id = c.tenant_id and f.scope = c.scope
    where c.scope = ${scope} and c.month = ${`${month}-01`}::date and c.movement = ${movement}
      and ${currency ? sql`c.currency = ${currency}` : sql`true`} and ${reason ? sql`c.reason = ${reason}` : sql`true`}`,
  )
}

/** The tenants whose first paid day was in a month, with what they paid at another moment. */
export async function listCohortRows(
  db: Db,
  scope: string,
  requested: { month: string; moment: Moment },
  page: RowsPage,
): Promise<FigureRow[]> {
  return listed(
    db,
    page,
    sql`
    select t.id as "tenantId", t.slug, t.name, p.slug as "partnerSlug", h.currency, h.plan, h.cycle, h.status, h.seats,
      coalesce(h.arr, 0) as arr, ${none}::bigint as "startArr", ${none}::bigint as "endArr", ${none}::text as reason, f.first_paid_at as since
    from (${untilOf(requested.moment)}) as b cross join report_tenants f join tenants t on t.id = f.tenant_id
    left join partners p on p.id = t.partner_id
    left join subscription_history h on h.tenant_id = f.tenant_id and h.arr > 0 and h.valid_from < b.until
      and (h.valid_to is null or h.valid_to >= b.until) and ${inScope(scope)}
    where f.scope = ${scope} and f.first_paid_at >= ${`${requested.month}-01`}::timestamp at time zone 'UTC'
      and f.first_paid_at < (${`${requested.month}-01`}::timestamp + interval '1 month') at time zone 'UTC'`,
  )
}

function untilOf({ at, past }: Moment): RawBuilder<unknown> {
  return past
    ? sql`select ${at}::timestamptz as until`
    : sql`select greatest(${at}::timestamptz, s.folded_to) + interval '1 microsecond' as until from report_state s`
}

function inScope(scope: string): RawBuilder<unknown> {
  return scope === platformScope ? sql`true` : sql`h.partner_id = ${scope}`
}

async function listed(
  db: Db,
  { after, limit }: RowsPage,
  rows: RawBuilder<unknown>,
): Promise<FigureRow[]> {
  const from = after
    ? sql`where (-r.arr, r."tenantId") > (${-after.arr}::bigint, ${after.tenantId}::uuid)`
    : sql``
  // Plain SQL: rows are compared as a whole, over statements that differ by report.
  const found =
    await sql<FigureRow>`select * from (${rows}) as r ${from} order by r.arr desc, r."tenantId" limit ${limit + 1}`.execute(
      db,
    )
  return found.rows
}
