import { keptHealthDays } from '@atrium/api/health-scores/compute'
import pg from 'pg'
import { loadWithoutIndexes, makeId, seed } from './bulk-load.ts'

export interface SubscriptionSize {
  tenants: number
  partners: number
  /** Without the health of past days, which only the report on health reads. */
  withoutHealth?: boolean
}

/** What was loaded. */
export interface Subscriptions {
  states: number
  /** Of the largest partner. */
  customers: number
  largestPartner: string
  /** The moment that counts as now: every state began before it. */
  now: Date
  loadSeconds: number
  /** Of computing the sums that reports read from nothing. */
  sumSeconds: number
}

const begin = '2023-11-01'
export const end = '2026-11-21T09:41:17.123Z'
/**
 * The health of every n-th day is loaded: as deep an index as of every day, in a fraction of the
 * time.
 */
export const daysBetweenMoments = 20

/**
 * Fills a migrated database with tenants whose subscriptions have three years of history, or gives
 * the tenants of `loadPopulation` that history:
 * signups spread over the time, two to thirteen states each, sizes after a power law, a third of
 * the tenants with partners, the largest partner with a tenth of those, and the health of the days
 * that are kept. The same for the same size. Computes the sums, and ends with VACUUM ANALYZE.
 */
export async function loadSubscriptions(
  adminUrl: string,
  { tenants, partners, withoutHealth = false }: SubscriptionSize,
): Promise<Subscriptions> {
  const started = performance.now()
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(`set work_mem = '256MB'`)
    // The rows are right by construction; checking each against its neighbours would take most of
    // the time.
    await client.query('set session_replication_role = replica')
    await client.query('set synchronous_commit = on')
    await client.query(makeId)
    const tables = [
      'partners',
      'tenants',
      'subscriptions',
      'subscription_history',
      'tenant_health',
      'tenant_health_days',
    ]
    await loadWithoutIndexes(client, tables, async () => {
      for (const statement of statements(tenants, partners)) await client.query(statement)
      if (!withoutHealth) for (const statement of healthOf(tenants)) await client.query(statement)
    })
    await client.query('set session_replication_role = origin')
    for (const table of tables) await client.query(`vacuum analyze ${table}`)
    const loaded = performance.now()
    await client.query('select report_rebuild($1)', [end])
    for (const table of [
      'report_cells',
      'report_months',
      'report_tenants',
      'report_movements',
      'report_churn',
      'report_cohorts',
      'report_balances',
      'report_changes',
      'report_state',
      'report_quality',
      'report_cell_keys',
    ])
      await client.query(`vacuum analyze ${table}`)
    const summed = performance.now()
    const { rows } = await client.query<{ states: number; partner: string; customers: number }>(`
      select (select count(*)::int from subscription_history) as states, partner_id as partner, count(*)::int as customers
      from tenants where partner_id is not null group by partner_id order by 3 desc limit 1`)
    return {
      states: rows[0]?.states ?? 0,
      customers: rows[0]?.customers ?? 0,
      largestPartner: rows[0]?.partner ?? '',
      now: new Date(end),
      loadSeconds: (loaded - started) / 1000,
      sumSeconds: (summed - loaded) / 1000,
    }
  } finally {
    await client.end()
  }
}

/** From 0 to 1, evenly, by tenant `n`; each `kind` draws its own numbers. */
const draw = (kind: number, of = 'n') =>
  `((hashint8extended(${of}, ${seed} + ${kind}) & 2147483647) / 2147483648::float8)`

function statements(tenants: number, partners: number): string[] {
  /** The same by tenant and state. */
  const drawState = (kind: number) => draw(kind, '(n * 64 + i)')
  const partner = `case when ${draw(2)} < 0.33 then pg_temp.bench_id('partner', 1 + floor(${partners} * ${draw(3)} ^ 2)::bigint) end`
  return [
    `insert into partners (id, slug, name)
      select pg_temp.bench_id('partner', n), 'bench-partner-' || n, 'Partner ' || n from generate_series(1, ${partners}) as n
      on conflict do nothing`,
    `insert into tenants (id, slug, name, status, plan, partner_id, seats)
      select pg_temp.bench_id('tenant', n), 'bench-tenant-' || n, 'Workplace ' || n, 'active', 'starter', ${partner}, 5
      from generate_series(1, ${tenants}) as n on conflict do nothing`,
    `insert into subscriptions (id, tenant_id, source, plan, cycle, currency, per_seat_amount, seats, status, state_since, cancel_reason)
      select pg_temp.bench_id('subscription', n), pg_temp.bench_id('tenant', n), 'manual', 'starter', 'month', 'eur', 0, 1, 'active', now(),
        (array['too_expensive', 'unused', 'switched_service', null])[1 + floor(4 * ${draw(4)})::int]
      from generate_series(1, ${tenants}) as n`,
    `insert into subscription_history (subscription_id, tenant_id, partner_id, plan, cycle, currency, status, per_seat_amount, seats,
        cancel_at_period_end, valid_from, valid_to)
      select pg_temp.bench_id('subscription', n), pg_temp.bench_id('tenant', n), ${partner},
        (array['starter', 'starter', 'business', 'enterprise'])[1 + floor(4 * ${draw(5)})::int],
        case when ${draw(6)} < 0.35 then 'year' else 'month' end,
        case when ${drawState(7)} < 0.01 then 'chf' else (array['eur', 'eur', 'usd', 'gbp'])[1 + floor(4 * ${draw(8)})::int] end,
        case when i = 0 and ${draw(9)} < 0.4 then 'trialing' when i = count and ${draw(10)} < 0.3 then 'canceled'
          when ${drawState(11)} < 0.05 then 'past_due' when ${drawState(11)} < 0.08 then 'paused' when ${drawState(11)} < 0.09 then 'unpaid'
          else 'active' end,
        500 + 100 * floor(40 * ${draw(12)})::bigint, 1 + floor((1 + 0.15 * i) * 3 / (0.004 + ${draw(13)}))::int,
        ${drawState(14)} < 0.03, at, lead(at) over (partition by n order by i)
      from (
        select n, i, count, date_trunc('milliseconds', signup + (timestamptz '${end}' - signup) * ((i + 0.9 * ${drawState(15)}) / (count + 1))) as at
        from (
          select n, 1 + floor(12 * ${draw(16)})::int as count,
            timestamptz '${begin}' + (timestamptz '${end}' - timestamptz '${begin}') * (0.999 * ${draw(17)}) as signup
          from generate_series(1, ${tenants}) as n) as signups
        cross join lateral generate_series(0, count) as i) as states
      order by at`,
  ]
}

function healthOf(tenants: number): string[] {
  return [
    `insert into tenant_health (tenant_id, score, band, factors, gathered, computed_at)
      select pg_temp.bench_id('tenant', n), floor(101 * ${draw(18)})::int,
        (array['healthy', 'healthy', 'watch', 'at_risk', 'new'])[1 + floor(5 * ${draw(18)})::int], '[]', '{}', timestamptz '${end}'
      from generate_series(1, ${tenants}) as n where ${draw(19)} < 0.98`,
    `insert into tenant_health_days (day, tenant_id, score, band)
      select (timestamptz '${end}' at time zone 'UTC')::date - ${daysBetweenMoments} * i, tenant_id, score, band
      from tenant_health cross join generate_series(0, ${keptHealthDays / daysBetweenMoments}) as i`,
  ]
}
