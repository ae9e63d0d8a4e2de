import { type Kysely, sql } from 'kysely'
import { reportFunctions } from './0015-report-functions.ts'

/**
 * Sums of the subscription history that reports read instead of the history itself
 * (docs/explanation/reports.md): running sums per hour, the monthly movements of every tenant, and
 * their sums by month and by cohort. What changes in the history is queued in its own transaction,
 * so that writers never wait for each other, and is folded in by a job or by whoever reads first.
 * Scope is a partner, or all zeros for the platform.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table report_changes (
      id bigint generated always as identity primary key,
      tenant_id uuid not null,
      partner_id uuid,
      -- Without a currency: nothing is to be added, only the tenant is to be looked at again.
      currency text,
      plan text,
      cycle text,
      at timestamptz not null,
      arr bigint not null default 0,
      at_risk_arr bigint not null default 0,
      committed_arr bigint not null default 0,
      trial_arr bigint not null default 0,
      paused_arr bigint not null default 0,
      tenants bigint not null default 0,
      seats bigint not null default 0
    )`.execute(db)
  await sql`create index report_changes_at on report_changes (at)`.execute(db)

  // Plan and cycle are empty in the sums over all of them.
  await sql`
    create table report_cell_keys (
      id integer primary key generated always as identity,
      scope uuid not null,
      plan text not null,
      cycle text not null,
      currency text not null,
      unique (scope, plan, cycle, currency)
    )`.execute(db)
  // Each row holds the sum of everything up to the end of its hour.
  await sql`
    create table report_cells (
      cell integer not null,
      hour timestamptz not null,
      arr bigint not null,
      at_risk_arr bigint not null,
      committed_arr bigint not null,
      trial_arr bigint not null,
      paused_arr bigint not null,
      tenants bigint not null,
      seats bigint not null,
      primary key (cell, hour)
    )`.execute(db)

  await sql`
    create table report_tenants (
      tenant_id uuid not null references tenants on delete cascade,
      scope uuid not null,
      first_paid_at timestamptz not null,
      primary key (tenant_id, scope)
    )`.execute(db)
  await sql`create index report_tenants_cohort on report_tenants (scope, first_paid_at)`.execute(db)

  // Months in which the yearly amount of a tenant at the end is another than at the start.
  await sql`
    create table report_months (
      tenant_id uuid not null references tenants on delete cascade,
      scope uuid not null,
      month date not null,
      currency text not null,
      start_arr bigint not null,
      end_arr bigint not null,
      movement text not null check (movement in ('new', 'reactivation', 'expansion', 'contraction', 'churn', 'switch_in', 'switch_out')),
      reason text not null,
      tenure_seconds bigint not null,
      primary key (tenant_id, scope, month, currency)
    )`.execute(db)
  await sql`create index report_months_movement on report_months (scope, month, currency, movement)`.execute(
    db,
  )

  await sql`
    create table report_movements (
      scope uuid not null,
      month date not null,
      currency text not null,
      new_arr bigint not null default 0,
      new_tenants bigint not null default 0,
      reactivation_arr bigint not null default 0,
      reactivated_tenants bigint not null default 0,
      expansion_arr bigint not null default 0,
      contraction_arr bigint not null default 0,
      churn_arr bigint not null default 0,
      paused_churn_arr bigint not null default 0,
      churned_tenants bigint not null default 0,
      switch_arr bigint not null default 0,
      primary key (scope, month, currency)
    )`.execute(db)
  await sql`
    create table report_churn (
      scope uuid not null,
      month date not null,
      currency text not null,
      reason text not null,
      tenants bigint not null default 0,
      arr bigint not null default 0,
      tenure_seconds bigint not null default 0,
      primary key (scope, month, currency, reason)
    )`.execute(db)

  // Entry n of the list is what changed in the (n - 1)th month after the cohort's own. Without a
  // currency: tenants, not money.
  await sql`
    create table report_cohorts (
      scope uuid not null,
      cohort date not null,
      currency text not null,
      size bigint not null default 0,
      changes bigint[] not null default array_fill(0::bigint, array[24]),
      primary key (scope, cohort, currency)
    )`.execute(db)

  await sql`
    create table report_state (
      id boolean primary key default true check (id),
      -- No answer is about an earlier moment than the newest change that is folded in.
      folded_to timestamptz,
      checked_at timestamptz
    )`.execute(db)
  await sql`insert into report_state default values`.execute(db)
  await sql`
    create table report_quality (
      scope uuid not null,
      kind text not null check (kind in ('suspended_paying', 'unknown_status', 'drift')),
      tenants bigint not null,
      checked_at timestamptz not null,
      primary key (scope, kind)
    )`.execute(db)

  await sql`create index subscription_history_from on subscription_history (valid_from)`.execute(db)
  await sql`create index subscription_history_to on subscription_history (valid_to) where valid_to is not null`.execute(
    db,
  )
  await sql`create index subscription_history_top on subscription_history (currency, arr desc) include (valid_from, valid_to)
    where arr > 0`.execute(db)
  await sql`create index subscription_history_partner_top on subscription_history (partner_id, currency, arr desc)
    include (valid_from, valid_to) where arr > 0 and partner_id is not null`.execute(db)

  for (const statement of reportFunctions) await sql.raw(statement).execute(db)
  const [{ now } = { now: new Date() }] = (
    await sql<{ now: Date }>`select now() as now`.execute(db)
  ).rows
  await sql`select report_rebuild(${now})`.execute(db)

  await sql`grant select on report_changes, report_cells, report_cell_keys, report_tenants, report_months, report_movements,
    report_churn, report_cohorts, report_state, report_quality, report_parts to atrium_app`.execute(
    db,
  )
  await sql`grant insert, update, delete on report_quality to atrium_app`.execute(db)
  // Without the right to write it, who folds could not lock it.
  await sql`grant update on report_state to atrium_app`.execute(db)
  for (const name of ['report_fold(timestamptz)', 'report_rebuild(timestamptz)']) {
    await sql.raw(`revoke execute on function ${name} from public`).execute(db)
    await sql.raw(`grant execute on function ${name} to atrium_app`).execute(db)
  }
}
