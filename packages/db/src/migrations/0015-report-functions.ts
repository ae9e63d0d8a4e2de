const platformScope = '00000000-0000-0000-0000-000000000000'

const parts = [
  'arr',
  'at_risk_arr',
  'committed_arr',
  'trial_arr',
  'paused_arr',
  'tenants',
  'seats',
] as const

const each = (render: (part: string) => string) => parts.map(render).join(', ')

/**
 * What a row of the history (alias `h`) adds to the sums while it is in force: yearly amounts,
 * whether it pays, and its seats.
 */
const partsOfHistory = `
  h.arr,
  case when h.status = 'past_due' then h.arr else 0 end as at_risk_arr,
  case when h.cancel_at_period_end then 0 else h.arr end as committed_arr,
  case when h.status = 'trialing'
    then coalesce(h.period_amount, h.per_seat_amount * h.seats) * case h.cycle when 'year' then 1 else 12 end else 0 end as trial_arr,
  case when h.status = 'paused'
    then coalesce(h.period_amount, h.per_seat_amount * h.seats) * case h.cycle when 'year' then 1 else 12 end else 0 end as paused_arr,
  case when h.arr > 0 then 1 else 0 end as tenants,
  case when h.arr > 0 then h.seats else 0 end as seats`

const scopes = (partner: string) =>
  `cross join lateral (values ('${platformScope}'::uuid), (${partner})) as s (scope)`
const keys = `cross join lateral (values ('', ''), (c.plan, c.cycle)) as k (plan, cycle)`
const monthAt = (at: string) => `(date_trunc('month', ${at}, 'UTC') at time zone 'UTC')::date`
const hourAt = (at: string) => `date_trunc('hour', ${at}, 'UTC')`

const queue = [
  `create view report_parts as
    select h.partner_id, h.tenant_id, h.currency, h.plan, h.cycle, h.valid_from, h.valid_to, ${partsOfHistory}
    from subscription_history h`,
  `create function report_change(h subscription_history, sign integer, at timestamptz) returns void language sql as $$
    insert into report_changes (tenant_id, partner_id, currency, plan, cycle, at, ${parts.join(', ')})
    select h.tenant_id, h.partner_id, h.currency, h.plan, h.cycle, at, ${each((part) => `sign * p.${part}`)}
    from (select ${partsOfHistory}) as p
  $$`,
  // A row that closes, which is what nearly every update is, takes back what it added from then on;
  // any other update is told as a whole.
  `create function queue_report_changes() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      if tg_op = 'UPDATE' then
        if old.valid_to is null and new.valid_to is not null
          and to_jsonb(old) - 'valid_to' = to_jsonb(new) - 'valid_to' then
          perform report_change(new, -1, new.valid_to);
          return null;
        end if;
      end if;
      if tg_op in ('UPDATE', 'DELETE') then
        perform report_change(old, -1, old.valid_from);
        if old.valid_to is not null then perform report_change(old, 1, old.valid_to); end if;
      end if;
      if tg_op in ('INSERT', 'UPDATE') then
        perform report_change(new, 1, new.valid_from);
        if new.valid_to is not null then perform report_change(new, -1, new.valid_to); end if;
      end if;
      return null;
    end $$`,
  `create trigger queue_report_changes after insert or update or delete on subscription_history
    for each row execute function queue_report_changes()`,
  // Why a tenant left is told by the subscription, sometimes later than that it left.
  `create function queue_report_reason() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      insert into report_changes (tenant_id, at) values (new.tenant_id, new.state_since);
      return null;
    end $$`,
  `create trigger queue_report_reason after update of cancel_reason on subscriptions
    for each row when (old.cancel_reason is distinct from new.cancel_reason) execute function queue_report_reason()`,
]

const perTenant = [
  // Rows that were never in force, because the next state began at the same moment, count for
  // nothing anywhere.
  `create function report_spans_of(ids uuid[], p_now timestamptz)
    returns table (scope uuid, tenant_id uuid, currency text, arr bigint, valid_from timestamptz, valid_to timestamptz)
    language sql stable as $$
    select s.scope, h.tenant_id, h.currency, h.arr, h.valid_from, case when h.valid_to <= p_now then h.valid_to end
    from unnest(ids) as t (id) join subscription_history h on h.tenant_id = t.id ${scopes('h.partner_id')}
    where s.scope is not null and h.arr > 0 and h.valid_from <= p_now and (h.valid_to is null or h.valid_to > h.valid_from)
  $$`,
  `create function report_tenants_of(ids uuid[], p_now timestamptz)
    returns table (tenant_id uuid, scope uuid, first_paid_at timestamptz) language sql stable as $$
    select tenant_id, scope, min(valid_from) from report_spans_of(ids, p_now) group by tenant_id, scope
  $$`,
  // By the state at the end of the month, or now while the month is not over.
  `create function report_reason(tenant uuid, p_scope uuid, p_month date, p_now timestamptz) returns text language sql stable as $$
    select coalesce((
      select case
        when p_scope <> '${platformScope}' and h.partner_id is distinct from p_scope then 'transferred'
        when h.status = 'canceled' then coalesce(s.cancel_reason, 'not_told')
        when h.status = 'unpaid' then 'payment_failed'
        when h.status in ('active', 'past_due') then 'free'
        else h.status end
      from subscription_history h join subscriptions s on s.id = h.subscription_id
      where h.tenant_id = tenant and h.valid_from <= p_now
        and h.valid_from < (p_month + interval '1 month') at time zone 'UTC'
      order by h.valid_from desc, h.id desc limit 1), 'not_told')
  $$`,
  `create function report_months_of(ids uuid[], p_now timestamptz)
    returns table (tenant_id uuid, scope uuid, month date, currency text, start_arr bigint, end_arr bigint, movement text, reason text,
      tenure_seconds bigint)
    language sql stable as $$
    with spans as materialized (select * from report_spans_of(ids, p_now)),
    edges as (
      select tenant_id, scope, currency, ${monthAt('valid_from')} as month, arr, null::timestamptz as ended from spans
      union all
      select tenant_id, scope, currency, ${monthAt('valid_to')}, -arr, valid_to from spans where valid_to is not null),
    changes as (
      select tenant_id, scope, currency, month, sum(arr)::bigint as change, max(ended) as ended
      from edges group by tenant_id, scope, currency, month),
    balances as (
      select *, (sum(change) over (partition by tenant_id, scope, currency order by month))::bigint as end_arr from changes),
    firsts as (select tenant_id, scope, min(valid_from) as first_paid_at from spans group by tenant_id, scope),
    moves as (
      select b.tenant_id, b.scope, b.month, b.currency, b.end_arr - b.change as start_arr, b.end_arr, b.ended, f.first_paid_at,
        case when b.end_arr = b.change then case when f.first_paid_at < b.month::timestamp at time zone 'UTC' then 'reactivation' else 'new' end
          when b.end_arr = 0 then 'churn' when b.change > 0 then 'expansion' else 'contraction' end as movement
      from balances b join firsts f using (tenant_id, scope) where b.change <> 0),
    paired as (
      select *, bool_or(movement = 'churn') over month_of_tenant and bool_or(movement = 'reactivation') over month_of_tenant as switched
      from moves window month_of_tenant as (partition by tenant_id, scope, month))
    select p.tenant_id, p.scope, p.month, p.currency, p.start_arr, p.end_arr,
      case when switched and movement = 'churn' then 'switch_out' when switched and movement = 'reactivation' then 'switch_in' else movement end,
      case when movement = 'churn' and not switched then report_reason(p.tenant_id, p.scope, p.month, p_now) else '' end,
      case when movement = 'churn' and not switched then extract(epoch from p.ended - p.first_paid_at)::bigint else 0 end
    from paired p
  $$`,
]

const movementParts = {
  new_arr: `sum(end_arr) filter (where movement = 'new')`,
  new_tenants: `count(*) filter (where movement = 'new')`,
  reactivation_arr: `sum(end_arr) filter (where movement = 'reactivation')`,
  reactivated_tenants: `count(*) filter (where movement = 'reactivation')`,
  expansion_arr: `sum(end_arr - start_arr) filter (where movement = 'expansion')`,
  contraction_arr: `sum(start_arr - end_arr) filter (where movement = 'contraction')`,
  churn_arr: `sum(start_arr) filter (where movement = 'churn')`,
  paused_churn_arr: `sum(start_arr) filter (where movement = 'churn' and reason = 'paused')`,
  churned_tenants: `count(*) filter (where movement = 'churn')`,
  switch_arr: `sum(end_arr - start_arr) filter (where movement in ('switch_in', 'switch_out'))`,
} as const
const movementColumns = Object.keys(movementParts)
const added = (columns: readonly string[]) =>
  columns.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ')

const sums = [
  `create function report_sum(a bigint[], b bigint[]) returns bigint[] language sql immutable as $$
    select array_agg(x + y order by n) from unnest(a, b) with ordinality as u (x, y, n)
  $$`,
  // Takes the months of these tenants into the sums, or, with sign -1, out of them.
  `create function report_add(ids uuid[], sign integer) returns void language plpgsql set plan_cache_mode = force_custom_plan as $$
    begin
      insert into report_movements as t (scope, month, currency, ${movementColumns.join(', ')})
      select m.scope, m.month, m.currency, ${Object.values(movementParts)
        .map((sum) => `sign * coalesce(${sum}, 0)`)
        .join(', ')}
      from unnest(ids) as i (id) join report_months m on m.tenant_id = i.id group by m.scope, m.month, m.currency
      on conflict (scope, month, currency) do update set ${added(movementColumns)};

      insert into report_churn as t (scope, month, currency, reason, tenants, arr, tenure_seconds)
      select m.scope, m.month, m.currency, m.reason, sign * count(*), sign * sum(m.start_arr), sign * sum(m.tenure_seconds)
      from unnest(ids) as i (id) join report_months m on m.tenant_id = i.id
      where m.movement = 'churn' group by m.scope, m.month, m.currency, m.reason
      on conflict (scope, month, currency, reason) do update set ${added(['tenants', 'arr', 'tenure_seconds'])};

      insert into report_cohorts as t (scope, cohort, currency, size)
      select r.scope, ${monthAt('r.first_paid_at')}, '', sign * count(*)
      from unnest(ids) as i (id) join report_tenants r on r.tenant_id = i.id group by 1, 2
      on conflict (scope, cohort, currency) do update set size = t.size + excluded.size;

      insert into report_cohorts as t (scope, cohort, currency, changes)
      select scope, cohort, currency, array_agg(change order by n) from (
        select k.scope, k.cohort, k.currency, g.n, coalesce(sum(k.change) filter (where k.n = g.n), 0)::bigint as change
        from (
          select m.scope, ${monthAt('r.first_paid_at')} as cohort, v.currency, sign * sum(v.change) as change,
            (extract(year from age(m.month, ${monthAt('r.first_paid_at')})) * 12
              + extract(month from age(m.month, ${monthAt('r.first_paid_at')})))::integer as n
          from unnest(ids) as i (id) join report_months m on m.tenant_id = i.id
          join report_tenants r on r.tenant_id = m.tenant_id and r.scope = m.scope
          cross join lateral (values (m.currency, m.end_arr - m.start_arr),
            ('', case when m.movement in ('new', 'reactivation', 'switch_in') then 1 when m.movement in ('churn', 'switch_out') then -1 else 0 end)
          ) as v (currency, change)
          group by 1, 2, 3, 5) as k cross join generate_series(0, 23) as g (n)
        group by k.scope, k.cohort, k.currency, g.n) as filled (scope, cohort, currency, n, change)
      group by scope, cohort, currency
      on conflict (scope, cohort, currency) do update set changes = report_sum(t.changes, excluded.changes);
    end $$`,
]

const hours = `
  select s.scope, c.currency, k.plan, k.cycle, ${hourAt('c.at')} as hour, ${each((part) => `sum(c.${part})::bigint as ${part}`)}`

const folding = [
  `create function report_hours(p_now timestamptz)
    returns table (scope uuid, currency text, plan text, cycle text, hour timestamptz, ${each((part) => `${part} bigint`)})
    language sql stable as $$
    ${hours} from report_changes c ${scopes('c.partner_id')} ${keys}
    where c.at <= p_now and c.currency is not null and s.scope is not null group by 1, 2, 3, 4, 5
  $$`,
  // Asks for one snapshot: what is counted in must be exactly what leaves the queue.
  `create function report_fold(p_now timestamptz) returns integer
    language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
    declare ids uuid[]; newest timestamptz;
    begin
      if current_setting('transaction_isolation') = 'read committed' then
        raise exception 'reports are folded in one snapshot only';
      end if;
      select array_agg(distinct tenant_id), max(at) into ids, newest from report_changes where at <= p_now;
      if ids is null then return 0; end if;
      insert into report_cell_keys (scope, plan, cycle, currency)
      select distinct scope, plan, cycle, currency from report_hours(p_now)
      except select scope, plan, cycle, currency from report_cell_keys;

      insert into report_cells (cell, hour, ${parts.join(', ')})
      select k.id, d.hour, ${each((part) => `coalesce(b.${part}, 0)`)}
      from report_hours(p_now) d join report_cell_keys k using (scope, plan, cycle, currency) left join lateral (
        select c.* from report_cells c where c.cell = k.id and c.hour < d.hour order by c.hour desc limit 1) as b on true
      on conflict do nothing;
      update report_cells c set ${each((part) => `${part} = c.${part} + x.${part}`)} from (
        select r.cell, r.hour, ${each((part) => `sum(d.${part})::bigint as ${part}`)}
        from report_hours(p_now) d join report_cell_keys k using (scope, plan, cycle, currency)
        join report_cells r on r.cell = k.id and r.hour >= d.hour
        group by r.cell, r.hour) as x
      where c.cell = x.cell and c.hour = x.hour;

      perform report_add(ids, -1);
      delete from report_months where tenant_id = any(ids);
      delete from report_tenants where tenant_id = any(ids);
      insert into report_tenants select * from report_tenants_of(ids, p_now);
      insert into report_months select * from report_months_of(ids, p_now);
      perform report_add(ids, 1);
      delete from report_changes where at <= p_now;
      update report_state set folded_to = greatest(folded_to, newest);
      return cardinality(ids);
    end $$`,
  // Everything anew from the history. What is dated later than now stays queued.
  `create function report_rebuild(p_now timestamptz) returns void
    language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
    declare ids uuid[];
    begin
      delete from report_changes;
      delete from report_cells;
      delete from report_cell_keys;
      delete from report_movements;
      delete from report_churn;
      delete from report_cohorts;
      delete from report_months;
      delete from report_tenants;
      perform report_change(h, 1, h.valid_from) from subscription_history h where h.valid_from > p_now;
      perform report_change(h, -1, h.valid_to) from subscription_history h where h.valid_to > p_now;
      insert into report_cell_keys (scope, plan, cycle, currency)
      select distinct s.scope, k.plan, k.cycle, c.currency from subscription_history c ${scopes('c.partner_id')} ${keys}
      where s.scope is not null;
      insert into report_cells
      select k.id, hour, ${each((part) => `(sum(${part}) over one)::bigint`)} from (${hours} from (
          select partner_id, currency, plan, cycle, valid_from as at, ${parts.join(', ')} from report_parts where valid_from <= p_now
          union all
          select partner_id, currency, plan, cycle, valid_to, ${each((part) => `-${part}`)} from report_parts where valid_to <= p_now
        ) as c ${scopes('c.partner_id')} ${keys} where s.scope is not null group by 1, 2, 3, 4, 5) as per_hour
      join report_cell_keys k using (scope, plan, cycle, currency) window one as (partition by k.id order by hour);
      select array_agg(distinct tenant_id) into ids from subscription_history;
      if ids is null then return; end if;
      insert into report_tenants select * from report_tenants_of(ids, p_now);
      insert into report_months select * from report_months_of(ids, p_now);
      perform report_add(ids, 1);
      update report_state set folded_to = (
        select max(at) from (select max(valid_from) as at from subscription_history where valid_from <= p_now
          union all select max(valid_to) from subscription_history where valid_to <= p_now) as newest);
    end $$`,
]

/** The view and the functions of the reports, in the order in which they need each other. */
export const reportFunctions: readonly string[] = [...queue, ...perTenant, ...sums, ...folding]
