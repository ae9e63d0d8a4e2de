import type { HealthReport } from '@atrium/core/health-scores/health-reports'
import type {
  ChurnMonth,
  GrowthMonth,
  MrrReport,
  RevenueByPlan,
  SignupCohort,
  TopTenants,
} from '@atrium/core/reports/reports'
import type pg from 'pg'

// What the reports have to say, from the subscription history alone and by the plainest SQL there
// is: nothing here reads a sum.

const inForce = `h.valid_from < $1::timestamptz and (h.valid_to is null or h.valid_to >= $1::timestamptz)`
const ofScope = `($2::uuid is null or h.partner_id = $2::uuid)`
const yearly = `coalesce(h.period_amount, h.per_seat_amount * h.seats) * case h.cycle when 'year' then 1 else 12 end`

export async function recomputeMrr(
  client: pg.Client,
  at: Date,
  partner: string | null,
): Promise<MrrReport['currencies']> {
  const { rows } = await client.query(
    `select currency, round(sum(arr) / 12.0)::float8 as "mrrMinor", sum(arr)::float8 as "arrMinor",
      round(coalesce(sum(arr) filter (where status = 'past_due'), 0) / 12.0)::float8 as "atRiskMrrMinor",
      round(coalesce(sum(arr) filter (where not cancel_at_period_end), 0) / 12.0)::float8 as "committedMrrMinor",
      round(coalesce(sum(${yearly}) filter (where status = 'trialing'), 0) / 12.0)::float8 as "trialMrrMinor",
      round(coalesce(sum(${yearly}) filter (where status = 'paused'), 0) / 12.0)::float8 as "pausedMrrMinor",
      count(distinct tenant_id) filter (where arr > 0)::int as "payingTenants",
      coalesce(sum(seats) filter (where arr > 0), 0)::int as "paidSeats",
      round(round(sum(arr) / 12.0) / nullif(count(distinct tenant_id) filter (where arr > 0), 0))::float8 as "arpaMinor"
    from subscription_history h where ${inForce} and ${ofScope}
    group by currency having sum(arr) > 0 or bool_or(status in ('trialing', 'paused') and ${yearly} > 0) order by currency`,
    [at, partner],
  )
  return rows
}

export async function recomputePlans(
  client: pg.Client,
  at: Date,
  partner: string | null,
): Promise<RevenueByPlan['rows']> {
  const { rows } = await client.query(
    `select currency, plan, cycle, count(distinct tenant_id)::int as tenants, sum(seats)::int as seats, sum(arr)::float8 as "arrMinor",
      round(sum(arr) / 12.0)::float8 as "mrrMinor", round(sum(arr) / sum(sum(arr)) over (partition by currency), 4)::float8 as share
    from subscription_history h where arr > 0 and ${inForce} and ${ofScope}
    group by currency, plan, cycle order by currency, sum(arr) desc, plan, cycle`,
    [at, partner],
  )
  return rows
}

export async function recomputeTop(
  client: pg.Client,
  at: Date,
  partner: string | null,
): Promise<Partial<TopTenants['rows'][number]>[]> {
  const { rows } = await client.query(
    `select currency, rank, slug, "arrMinor" from (
      select h.currency, row_number() over (partition by h.currency order by h.arr desc, t.slug)::int as rank, t.slug, h.arr::float8 as "arrMinor"
      from subscription_history h join tenants t on t.id = h.tenant_id where h.arr > 0 and ${inForce} and ${ofScope}) as ranked
    where rank <= 10 order by currency, rank`,
    [at, partner],
  )
  return rows
}

/**
 * Yearly amounts of every tenant at the start of each month and now, and when each paid first; read
 * by the two below.
 */
export async function prepareMonths(
  client: pg.Client,
  from: string,
  now: Date,
  partner: string | null,
): Promise<void> {
  await client.query('drop table if exists pg_temp.balances, pg_temp.firsts')
  await client.query(
    `create temp table firsts (tenant_id uuid primary key, first_paid timestamptz)`,
  )
  await client.query(
    `insert into firsts select tenant_id, min(valid_from) from subscription_history h
      where arr > 0 and ($1::uuid is null or partner_id = $1::uuid) group by tenant_id`,
    [partner],
  )
  await client.query(
    'create temp table balances (month date, tenant_id uuid, currency text, arr bigint)',
  )
  await client.query(
    `insert into balances select m.month, h.tenant_id, h.currency, sum(h.arr)
      from generate_series($1::date, date_trunc('month', $2::timestamptz, 'UTC') at time zone 'UTC' + interval '1 month', interval '1 month') as m (month)
      join subscription_history h on h.arr > 0 and h.valid_from < least(m.month at time zone 'UTC', $2::timestamptz + interval '1 microsecond')
        and (h.valid_to is null or h.valid_to >= least(m.month at time zone 'UTC', $2::timestamptz + interval '1 microsecond'))
      where $3::uuid is null or h.partner_id = $3::uuid group by 1, 2, 3`,
    [`${from}-01`, now, partner],
  )
  await client.query('create index on balances (month, tenant_id, currency)')
  await client.query('analyze balances, firsts')
}

const moves = `moves as (
  select coalesce(a.month, (b.month - interval '1 month')::date) as month, coalesce(a.tenant_id, b.tenant_id) as tenant_id,
    coalesce(a.currency, b.currency) as currency, coalesce(a.arr, 0) as a0, coalesce(b.arr, 0) as a1
  from balances a full join balances b on b.month = (a.month + interval '1 month')::date and b.tenant_id = a.tenant_id and b.currency = a.currency),
told as (
  select m.*, f.first_paid < m.month::timestamp at time zone 'UTC' as before,
    bool_or(a0 > 0 and a1 = 0) over tm and bool_or(a0 = 0 and a1 > 0 and f.first_paid < m.month::timestamp at time zone 'UTC') over tm as switched
  from moves m join firsts f using (tenant_id) window tm as (partition by m.tenant_id, m.month))`

/** The months up to now, without rates. */
export async function recomputeGrowth(
  client: pg.Client,
  from: string,
  now: Date,
): Promise<Partial<GrowthMonth>[]> {
  const { rows } = await client.query(
    `with ${moves}
    select to_char(month, 'YYYY-MM') as month, currency, sum(a0)::float8 as "startArrMinor",
      coalesce(sum(a1) filter (where a0 = 0 and not before), 0)::float8 as "newArrMinor",
      coalesce(sum(a1) filter (where a0 = 0 and before and not switched), 0)::float8 as "reactivationArrMinor",
      coalesce(sum(a1 - a0) filter (where a0 > 0 and a1 > a0), 0)::float8 as "expansionArrMinor",
      coalesce(sum(a0 - a1) filter (where a1 > 0 and a1 < a0), 0)::float8 as "contractionArrMinor",
      coalesce(sum(a0) filter (where a0 > 0 and a1 = 0 and not switched), 0)::float8 as "churnArrMinor",
      coalesce(sum(a1 - a0) filter (where switched and (a0 = 0 and before or a1 = 0)), 0)::float8 as "currencySwitchArrMinor",
      sum(a1)::float8 as "endArrMinor", count(*) filter (where a0 > 0)::int as "startTenants",
      count(*) filter (where a0 > 0 and a1 = 0 and not switched)::int as "churnedTenants", count(*) filter (where a1 > 0)::int as "endTenants"
    from told where month >= $1::date and month <= $2::timestamptz group by month, currency order by month, currency`,
    [`${from}-01`, now],
  )
  return rows
}

/** Per month: tenants lost, what was lost with them and their average tenure in days. */
export async function recomputeChurn(
  client: pg.Client,
  from: string,
  now: Date,
  partner: string | null,
): Promise<Partial<ChurnMonth>[]> {
  const { rows } = await client.query(
    `with ${moves},
    lost as (
      select t.month, t.currency, t.a0, extract(epoch from (
        select max(h.valid_to) from subscription_history h where h.tenant_id = t.tenant_id and h.currency = t.currency and h.arr > 0
          and h.valid_to >= t.month::timestamp at time zone 'UTC' and h.valid_to < (t.month + interval '1 month') at time zone 'UTC'
          and ($3::uuid is null or h.partner_id = $3::uuid)) - f.first_paid)::bigint as tenure
      from told t join firsts f using (tenant_id) where a0 > 0 and a1 = 0 and not switched)
    select to_char(m.month, 'YYYY-MM') as month, count(l.a0)::int as tenants,
      round(sum(l.tenure) / (86400.0 * nullif(count(l.a0), 0)))::float8 as "averageTenureDays", coalesce(sum(l.a0), 0)::float8 as lost
    from generate_series($1::date, $2::timestamptz at time zone 'UTC', interval '1 month') as m (month) left join lost l on l.month = m.month
    group by m.month order by m.month`,
    [`${from}-01`, now, partner],
  )
  return rows
}

/**
 * Per cohort: its size, and at the end of each month the tenants that pay and the yearly amounts by
 * currency.
 */
export async function recomputeCohorts(
  client: pg.Client,
  from: string,
): Promise<
  { month: string; n: number; size: number; active: number; mrr: Record<string, number> | null }[]
> {
  const { rows } = await client.query(
    `with cohorts as (
      select tenant_id, date_trunc('month', first_paid at time zone 'UTC')::date as cohort from firsts
      where first_paid >= $1::date::timestamp at time zone 'UTC'),
    sizes as (select cohort, count(*)::int as size from cohorts group by cohort),
    cells as (
      select c.cohort, (extract(year from age(b.month, c.cohort)) * 12 + extract(month from age(b.month, c.cohort)))::int - 1 as n, b.currency,
        count(distinct b.tenant_id)::int as tenants, round(sum(b.arr) / 12.0)::float8 as mrr
      from cohorts c join balances b on b.tenant_id = c.tenant_id and b.month > c.cohort group by 1, 2, 3)
    select to_char(s.cohort, 'YYYY-MM') as month, c.n, s.size, sum(c.tenants)::int as active, jsonb_object_agg(c.currency, c.mrr) as mrr
    from sizes s join cells c using (cohort) where c.n between 0 and 23 group by s.cohort, c.n, s.size order by 1, 2`,
    [`${from}-01`],
  )
  return rows
}

/**
 * A report's cohorts in the shape of `recomputeCohorts`; months without payments are left out
 * there.
 */
export function cellsOf(cohorts: readonly SignupCohort[]) {
  return cohorts.flatMap(({ month, size, active, money }) =>
    active.flatMap((tenants, n) => {
      if (tenants === 0) return []
      const mrr = Object.fromEntries(
        money.flatMap(({ currency, mrrMinor }) => (mrrMinor[n] ? [[currency, mrrMinor[n]]] : [])),
      )
      return [{ month, n, size, active: tenants, mrr }]
    }),
  )
}

/** Tenants and their payments by health band; empty bands are left out. */
export async function recomputeHealth(
  client: pg.Client,
  partner: string | null,
): Promise<Partial<HealthReport['rows'][number]>[]> {
  const { rows } = await client.query(
    `with present as (
      select t.id, coalesce(h.band, 'unknown') as band from tenants t left join tenant_health h on h.tenant_id = t.id
      where t.status <> 'deleted' and ($1::uuid is null or t.partner_id = $1::uuid)),
    paid as (
      select p.band, s.currency, round(sum(s.arr) / 12.0)::bigint as mrr from present p
      join subscription_history s on s.tenant_id = p.id and s.valid_to is null and s.arr > 0 group by p.band, s.currency)
    select band, count(*)::int as tenants, coalesce((select jsonb_agg(jsonb_build_object('currency', m.currency, 'mrrMinor', m.mrr)
      order by m.currency) from paid m where m.band = p.band), '[]') as mrr from present p group by band order by band`,
    [partner],
  )
  return rows
}
