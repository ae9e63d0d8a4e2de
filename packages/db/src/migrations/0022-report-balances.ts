import { type Kysely, sql } from 'kysely'

const monthAt = (at: string) => `(date_trunc('month', ${at}, 'UTC') at time zone 'UTC')::date`
const nextMonth = (at: string) => `(${monthAt(at)} + interval '1 month')::date`
/** Months since the year 0, which a reader counts with. */
const monthIndex = (column: string) =>
  `(extract(year from ${column})::integer * 12 + extract(month from ${column})::integer - 1)`
const line = (month: string, columns: readonly string[]) =>
  `'[' || ${[monthIndex(month), ...columns].join(` || ',' || `)} || ']'`
const currency = `('"' || currency || '"')`

const movements = [
  ...[
    'new_arr',
    'new_tenants',
    'reactivation_arr',
    'reactivated_tenants',
    'expansion_arr',
    'contraction_arr',
    'churn_arr',
  ],
  ...['paused_churn_arr', 'churned_tenants', 'switch_arr'],
]

/** What a reader gets: each row as an array of JSON, rendered when it is written. */
const lines = [
  // Neither depends on a setting for values of these types, so what is written stays right.
  `create function report_list(bigint[]) returns text language sql immutable as $$ select array_to_string($1, ',') $$`,
  `create function report_text(text) returns text language sql immutable as $$ select to_json($1)::text $$`,
  `alter table report_movements add column line text generated always as (${line('month', [currency, ...movements])}) stored`,
  `alter table report_churn add column line text generated always as (
    ${line('month', [currency, 'report_text(reason)', 'tenants', 'arr', 'tenure_seconds'])}) stored`,
  `alter table report_cohorts add column line text generated always as (
    ${line('cohort', [currency, 'size', 'report_list(changes)'])}) stored`,
]

/**
 * Balances at the start of every month, for each currency of a scope, from the month after its
 * first change to the month after the newest change of the scope: what comes later is what stands
 * there. Taken from the running sums, never from the movements, which growth holds against them.
 */
const balances = [
  `create table report_balances (
    scope uuid not null,
    month date not null,
    currency text not null,
    arr bigint not null,
    tenants bigint not null,
    line text generated always as (${line('month', [currency, 'arr', 'tenants'])}) stored,
    primary key (scope, month, currency)
  )`,
  // In three lists of one length: what changed, and the first hour in which it did.
  `create function report_keep_balances(scopes uuid[], currencies text[], hours timestamptz[]) returns void
    language sql set plan_cache_mode = force_custom_plan as $$
    with touched as (select * from unnest(scopes, currencies, hours) as t (scope, currency, hour)),
    ends as (
      select k.scope, max(newest.month) as month from (select distinct scope from touched) as t
      join report_cell_keys k on k.scope = t.scope and k.plan = ''
      cross join lateral (
        select ${nextMonth('c.hour')} as month from report_cells c where c.cell = k.id order by c.hour desc limit 1) as newest
      group by k.scope)
    insert into report_balances (scope, month, currency, arr, tenants)
    select k.scope, m.month::date, k.currency, c.arr, c.tenants
    from ends e join report_cell_keys k on k.scope = e.scope and k.plan = ''
    left join touched t on t.scope = k.scope and t.currency = k.currency
    cross join lateral (
      select max(b.month) as month from report_balances b where b.scope = k.scope and b.currency = k.currency) as kept
    cross join lateral generate_series(
      least(${nextMonth('t.hour')}, (kept.month + interval '1 month')::date)::timestamp, e.month::timestamp, interval '1 month') as m (month)
    cross join lateral (
      select c.arr, c.tenants from report_cells c where c.cell = k.id and c.hour < m.month at time zone 'UTC' order by c.hour desc limit 1) as c
    on conflict (scope, month, currency) do update set arr = excluded.arr, tenants = excluded.tenants
  $$`,
  `alter function report_fold(timestamptz) rename to report_fold_sums`,
  `create function report_fold(p_now timestamptz) returns integer
    language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
    declare scopes uuid[]; currencies text[]; hours timestamptz[]; folded integer;
    begin
      select array_agg(h.scope), array_agg(h.currency), array_agg(h.hour) into scopes, currencies, hours from (
        select r.scope, r.currency, min(r.hour) as hour from report_hours(p_now) r where r.plan = '' group by 1, 2) as h;
      folded := report_fold_sums(p_now);
      perform report_keep_balances(scopes, currencies, hours);
      return folded;
    end $$`,
  `alter function report_rebuild(timestamptz) rename to report_rebuild_sums`,
  `create function report_rebuild(p_now timestamptz) returns void
    language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
    begin
      delete from report_balances;
      perform report_rebuild_sums(p_now);
      perform report_keep_all_balances();
    end $$`,
  `create function report_keep_all_balances() returns void language sql as $$
    select report_keep_balances(array_agg(scope), array_agg(currency), array_agg(hour)) from (
      select k.scope, k.currency, min(c.hour) as hour from report_cell_keys k join report_cells c on c.cell = k.id
      where k.plan = '' group by k.scope, k.currency) as begun
  $$`,
]

export async function up(db: Kysely<never>): Promise<void> {
  // Nobody folds between the filling and the commit.
  await sql`lock table report_state in share row exclusive mode`.execute(db)
  for (const statement of [...lines, ...balances]) await sql.raw(statement).execute(db)
  await sql`select report_keep_all_balances()`.execute(db)
  await sql`grant select on report_balances to atrium_app`.execute(db)
  for (const name of ['report_fold_sums(timestamptz)', 'report_rebuild_sums(timestamptz)']) {
    await sql.raw(`revoke execute on function ${name} from public, atrium_app`).execute(db)
  }
  for (const name of ['report_fold(timestamptz)', 'report_rebuild(timestamptz)']) {
    await sql.raw(`revoke execute on function ${name} from public`).execute(db)
    await sql.raw(`grant execute on function ${name} to atrium_app`).execute(db)
  }
}
