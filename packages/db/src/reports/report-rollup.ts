import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { platformScope } from './reports.ts'

// Plain SQL in this file: SQL functions write the tables of the reports, which are not in our
// types.

/**
 * Takes the queued changes up to now into the sums of the reports, then runs `then` in the same
 * snapshot: what it reads is exact, whatever is written meanwhile. One at a time.
 */
export async function rollUpReports<Result>(
  db: Db,
  now: Date,
  then: (trx: Trx) => Promise<Result>,
): Promise<Result> {
  return inOneSnapshot(db, async (trx) => {
    await sql`select report_fold(greatest(${now}, folded_to)) from report_state`.execute(trx)
    return then(trx)
  })
}

/**
 * Computes every sum again from the history. For repair: reading goes on meanwhile, folding waits.
 */
export async function rebuildReports(db: Db, now: Date): Promise<void> {
  await inOneSnapshot(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`select report_rebuild(${now})`.execute(trx)
  })
}

async function inOneSnapshot<Result>(db: Db, work: (trx: Trx) => Promise<Result>): Promise<Result> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      // A lock takes no snapshot: what the one before us folded is seen by the first statement
      // after it.
      await sql`lock table report_state in share row exclusive mode`.execute(trx)
      return work(trx)
    })
}

/** How many changes wait, and since when the oldest of them holds; null when none waits. */
export async function waitingChanges(
  db: Db,
  now: Date,
): Promise<{ waiting: number; oldest: Date | null }> {
  const { rows } = await sql<{ waiting: number; oldest: Date | null }>`
    select count(*)::int as waiting, min(at) as oldest from report_changes where at <= ${now}`.execute(
    db,
  )
  return rows[0] ?? { waiting: 0, oldest: null }
}

/**
 * Figures of the sums that differ from what the history gives: sums per plan at each of these
 * moments, balances and movements of every month, and tenants that paid twice at once. Folds first.
 * Reads the whole history: minutes for many tenants.
 */
export async function countDrift(db: Db, now: Date, times: readonly Date[]): Promise<number> {
  return rollUpReports(db, now, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    let drift = 0
    for (const moment of times) drift += await differencesAt(trx, moment)
    return drift + (await differentMonths(trx, now))
  })
}

async function differencesAt(trx: Trx, at: Date): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    with kept as (
      select k.scope, k.currency, k.plan, k.cycle, c.arr, c.tenants, c.seats from report_cell_keys k
      cross join lateral (
        select * from report_cells c where c.cell = k.id
          and c.hour < date_trunc('hour', ${at}::timestamptz, 'UTC') order by c.hour desc limit 1) as c
      where k.plan > '' and (c.arr, c.tenants, c.seats) <> (0, 0, 0)),
    counted as (
      select s.scope, h.currency, h.plan, h.cycle, sum(h.arr)::bigint, count(distinct h.tenant_id), sum(h.seats)::bigint
      from subscription_history h cross join lateral (values (${platformScope}::uuid), (h.partner_id)) as s (scope)
      where s.scope is not null and h.arr > 0 and h.valid_from < date_trunc('hour', ${at}::timestamptz, 'UTC')
        and (h.valid_to is null or h.valid_to >= date_trunc('hour', ${at}::timestamptz, 'UTC'))
      group by s.scope, h.currency, h.plan, h.cycle)
    select count(*)::int as differences from (
      (table kept except table counted) union all (table counted except table kept)) as differing`.execute(
    trx,
  )
  return rows[0]?.differences ?? 0
}

async function differentMonths(trx: Trx, now: Date): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    with fresh as materialized (
      select * from report_months_of((select array_agg(distinct tenant_id) from subscription_history), ${now})),
    moved as (
      select scope, month, currency, sum(end_arr - start_arr)::bigint as net, count(*) filter (where movement = 'churn') as churned
      from fresh group by scope, month, currency),
    summed as (
      select scope, month, currency,
        new_arr + reactivation_arr + expansion_arr - contraction_arr - churn_arr + switch_arr as net, churned_tenants as churned
      from report_movements)
    select ((select count(*) from ((select * from report_months except select * from fresh)
        union all (select * from fresh except select * from report_months)) as months)
      + (select count(*) from (select * from moved except select * from summed) as sums)
      + (select count(*) from report_cell_keys k join report_balances b on b.scope = k.scope and b.currency = k.currency and k.plan = ''
        cross join lateral (select c.arr, c.tenants from report_cells c where c.cell = k.id
          and c.hour < b.month at time zone 'UTC' order by c.hour desc limit 1) as c
        where (b.arr, b.tenants) <> (c.arr, c.tenants)))::int as differences`.execute(trx)
  return rows[0]?.differences ?? 0
}

/**
 * Counts afresh what people should know of the data behind the figures, for the platform and for
 * every partner.
 */
export async function checkReportQuality(db: Db, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`delete from report_quality where kind <> 'drift'`.execute(trx)
    await sql`
      insert into report_quality (scope, kind, tenants, checked_at)
      select s.scope, k.kind, count(distinct t.id), ${now}
      from subscriptions u join tenants t on t.id = u.tenant_id
      cross join lateral (values (${platformScope}::uuid), (t.partner_id)) as s (scope)
      cross join lateral (values
        ('suspended_paying', u.status in ('active', 'past_due') and t.status in ('suspended', 'deleted')),
        ('unknown_status', u.status = 'unknown')) as k (kind, holds)
      where s.scope is not null and k.holds group by s.scope, k.kind`.execute(trx)
  })
}

/** Keeps how many figures the last comparison found wrong. */
export async function setReportDrift(db: Db, differences: number, now: Date): Promise<void> {
  await sql`
    insert into report_quality (scope, kind, tenants, checked_at) values (${platformScope}, 'drift', ${differences}, ${now})
    on conflict (scope, kind) do update set tenants = excluded.tenants, checked_at = excluded.checked_at`.execute(
    db,
  )
  await sql`update report_state set checked_at = ${now}`.execute(db)
}
