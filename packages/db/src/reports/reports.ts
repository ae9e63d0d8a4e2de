import { CompiledQuery } from 'kysely'
import type { Database, Trx } from '../platform/connect.ts'
import type { KeyPart, NamedStatement } from '../platform/keyed-read.ts'
import { parseRows } from '../platform/shown-numbers.ts'

/** The scope of figures of the whole platform; every other scope is the id of a partner. */
export const platformScope = '00000000-0000-0000-0000-000000000000'

/**
 * A moment asked about. `past`: the end of the period that ends then, so that what changes at that
 * very moment is left out. Else now, and everything up to it counts, also what another process with
 * a faster clock has counted already.
 */
export interface Moment {
  at: Date
  past: boolean
}

/** Runs the same read as one statement, or in a transaction that has folded the queue in. */
export type RunReport = <Row extends Record<string, unknown>>(
  statement: NamedStatement,
  values: readonly KeyPart[],
) => Promise<Row[]>

/**
 * What every read of a report tells beside its figures. `unfolded`: changes wait in the queue, and
 * the figures are without them.
 */
type BalanceColumns = {
  unfolded: boolean
  /** Applies to the result. */
  moment: Date
}

const parts = [
  'arr',
  'at_risk_arr',
  'committed_arr',
  'trial_arr',
  'paused_arr',
  'tenants',
  'seats',
] as const
const each = (render: (part: string) => string, of: readonly string[] = parts) =>
  of.map(render).join(', ')

/**
 * $1 scope, $2 the moment, $3 whether it is past. `until` is the first moment that does not count
 * any more.
 */
const bound = `bound as (
  select case when $3::boolean then $2::timestamptz else greatest($2::timestamptz, s.folded_to) end as moment,
    case when $3::boolean then $2::timestamptz else greatest($2::timestamptz, s.folded_to) + interval '1 microsecond' end as until,
    exists (select from report_changes c where c.at <= case when $3::boolean then $2::timestamptz else greatest($2::timestamptz, s.folded_to) end)
      as unfolded
  from report_state s)`

type Keys = 'total' | 'plans'
const ofKeys = (keys: Keys) => (keys === 'total' ? `k.plan = ''` : `k.plan > ''`)

/**
 * State now: the last sums. Whatever began by now is in them, or waits in the queue, and then
 * `unfolded` says so.
 */
function stateNow(keys: Keys): string {
  return `state as (
    select k.currency, k.plan, k.cycle, ${each((part) => `c.${part}`)} from report_cell_keys k cross join lateral (
      select * from report_cells c where c.cell = k.id order by c.hour desc limit 1) as c
    where k.scope = $1::uuid and ${ofKeys(keys)})`
}

/**
 * State at a past moment: the sums up to its hour, and what the history says of the part of the
 * hour that had passed.
 */
function stateAt(partner: boolean, keys: Keys, of: readonly string[] = parts): string {
  const kept = partner ? 'and p.partner_id = $1::uuid' : ''
  const [plan, cycle] = keys === 'total' ? [`''`, `''`] : ['p.plan', 'p.cycle']
  const tail = (column: string, sign: string) => `
      select p.currency, ${plan}, ${cycle}, ${each((part) => `${sign}p.${part}`, of)} from bound b join report_parts p
        on p.${column} >= date_trunc('hour', b.until, 'UTC') and p.${column} < b.until ${kept}`
  return `state as (
    select currency, plan, cycle, ${each((part) => `sum(${part})::bigint as ${part}`, of)} from (
      select k.currency, k.plan, k.cycle, ${each((part) => `c.${part}`, of)} from bound b
      join report_cell_keys k on k.scope = $1::uuid and ${ofKeys(keys)}
      cross join lateral (
        select * from report_cells c where c.cell = k.id and c.hour < date_trunc('hour', b.until, 'UTC') order by c.hour desc limit 1) as c
      union all ${tail('valid_from', '')}
      union all ${tail('valid_to', '-')}) as sums (currency, plan, cycle, ${of.join(', ')})
    group by currency, plan, cycle)`
}

/** One statement for a scope and for now or a past moment: each reads only what it needs. */
function perMoment(
  name: string,
  text: (partner: boolean, past: boolean) => string,
): (scope: string, moment: Moment) => NamedStatement {
  const one = (partner: boolean, past: boolean): NamedStatement => ({
    name: `reports.${name}.${partner ? 'partner' : 'platform'}.${past ? 'past' : 'now'}`,
    text: text(partner, past),
  })
  const platform = { now: one(false, false), past: one(false, true) }
  const partner = { now: one(true, false), past: one(true, true) }
  return (scope, { past }) => (scope === platformScope ? platform : partner)[past ? 'past' : 'now']
}
const state = (partner: boolean, past: boolean, keys: Keys) =>
  past ? stateAt(partner, keys) : stateNow(keys)

// Many rows as one text of arrays, which are rendered when they are written (migration 0022): to
// the server and to us a fraction of the work that as many rows are.
const asLines = (from: string) => `(select string_agg(line, ',') from ${from})`
const fromLines = <Line>(text: string | null): Line[] => parseRows(`[${text ?? ''}]`) as Line[]

const names = new Map<number, string>()
/** The month of an index that counts from the year 0. */
function nameOf(index: number): string {
  const known = names.get(index)
  if (known !== undefined) return known
  const name = `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`
  names.set(index, name)
  return name
}
const byMonth =
  <Row extends { currency: string }>(key: (row: Row) => string) =>
  (a: Row, b: Row) =>
    order(key(a), key(b)) || order(a.currency, b.currency)
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const asRows = (from: string) => `(select coalesce(json_agg(r), '[]') from (${from}) as r)`
const valuesOf = (scope: string, { at, past }: Moment): KeyPart[] => [scope, at.toISOString(), past]

export interface StateRow {
  currency: string
  plan: string
  cycle: string
  arr: number
  at_risk_arr: number
  committed_arr: number
  trial_arr: number
  paused_arr: number
  tenants: number
  seats: number
}
export interface QualityRow {
  kind: 'suspended_paying' | 'unknown_status' | 'drift'
  tenants: number
  checked_at: string
}

const mrr = perMoment(
  'mrr',
  (partner, past) => `with ${bound}, ${state(partner, past, 'total')}
  select b.unfolded, b.moment, ${asRows(`select * from state order by currency`)} as rows,
    ${asRows(`select kind, tenants, checked_at from report_quality where scope = $1::uuid and tenants > 0 order by kind`)} as quality
  from bound b`,
)
/** One row per currency with its whole. */
export async function readMrr(
  run: RunReport,
  scope: string,
  moment: Moment,
): Promise<BalanceColumns & { rows: StateRow[]; quality: QualityRow[] }> {
  return only(run, mrr(scope, moment), valuesOf(scope, moment))
}

const byPlan = perMoment(
  'by-plan',
  (partner, past) => `with ${bound}, ${state(partner, past, 'plans')}
  select b.unfolded, b.moment, ${asRows(`select * from state where tenants <> 0 order by currency, arr desc, plan, cycle`)} as rows
  from bound b`,
)
/** One row per currency, plan and cycle with paying tenants, the largest first. */
export async function readRevenueByPlan(
  run: RunReport,
  scope: string,
  moment: Moment,
): Promise<BalanceColumns & { rows: StateRow[] }> {
  return only(run, byPlan(scope, moment), valuesOf(scope, moment))
}

export interface TopRow {
  currency: string
  slug: string
  name: string
  partnerSlug: string | null
  plan: 'free' | 'starter' | 'business' | 'enterprise'
  cycle: 'month' | 'year'
  seats: number
  arr: number
  /** Of the whole currency. */
  total: number
  healthBand: 'healthy' | 'watch' | 'at_risk' | 'new' | 'inactive' | 'unknown' | null
  since: string
}

const inForce = 'h.valid_from < b.until and (h.valid_to is null or h.valid_to >= b.until)'

/** One row by its key for each row before it, whatever the planner thinks of their number. */
const lookUp = (columns: string, from: string) =>
  `lateral (select ${columns} from ${from} offset 0)`

const healthOfDay = `tenant_health_days where $5::boolean and tenant_id = l.tenant_id
  and day = (select ((until - interval '1 microsecond') at time zone 'UTC')::date from bound)`

const top = perMoment(
  'top',
  (
    partner,
    past,
  ) => `with ${bound}, ${past ? stateAt(partner, 'total', ['arr']) : stateNow('total')},
  ranked as materialized (
    select h.*, s.arr as total from bound b cross join state s cross join lateral (
      select h.tenant_id, h.partner_id, h.currency, h.plan, h.cycle, h.seats, h.arr from subscription_history h
      where h.currency = s.currency and h.arr > 0 and ${inForce} ${partner ? 'and h.partner_id = $1::uuid' : ''}
      order by h.arr desc fetch first ($4::integer) rows with ties) as h)
  select b.unfolded, b.moment, (
    select json_agg(json_build_array(l.currency, t.slug, t.name, l.partner_id, l.plan, l.cycle, l.seats, l.arr, l.total, th.band, f.first_paid_at))
    from ranked l cross join ${lookUp('slug, name', 'tenants where id = l.tenant_id')} as t
    cross join ${lookUp('first_paid_at', 'report_tenants where tenant_id = l.tenant_id and scope = $1::uuid')} as f
    left join ${lookUp('band', past ? healthOfDay : 'tenant_health where $5::boolean and tenant_id = l.tenant_id')} as th on true) as rows,
    (select json_object_agg(id, slug) from partners where id = any(array(select distinct partner_id from ranked where partner_id is not null))) as partners
  from bound b`,
)
type TopLine = [
  ...[
    currency: string,
    slug: string,
    name: string,
    partnerId: string | null,
    plan: TopRow['plan'],
    cycle: TopRow['cycle'],
  ],
  ...[seats: number, arr: number, total: number, healthBand: TopRow['healthBand'], since: string],
]
type TopResult = BalanceColumns & {
  rows: TopLine[] | null
  /** Slugs by id. */
  partners: Record<string, string> | null
}
/**
 * At least `limit` tenants of each currency, the largest first; more where several are equal at the
 * end. Their health is as it was computed last on the day of a past moment, null where that day is
 * not kept; `healthKept` false saves looking for it.
 */
export async function readTop(
  run: RunReport,
  scope: string,
  moment: Moment,
  { limit, healthKept }: { limit: number; healthKept: boolean },
): Promise<BalanceColumns & { rows: TopRow[] }> {
  const {
    unfolded,
    moment: reported,
    rows,
    partners,
  } = await only<TopResult>(run, top(scope, moment), [
    ...valuesOf(scope, moment),
    limit,
    healthKept,
  ])
  const named = (rows ?? []).map(
    ([
      currency,
      slug,
      name,
      partnerId,
      plan,
      cycle,
      seats,
      arr,
      total,
      healthBand,
      since,
    ]): TopRow => ({
      currency,
      slug,
      name,
      partnerSlug: (partnerId && partners?.[partnerId]) ?? null,
      plan,
      cycle,
      seats,
      arr,
      total,
      healthBand,
      since,
    }),
  )
  return {
    unfolded,
    moment: reported,
    rows: named.sort(
      (a, b) => order(a.currency, b.currency) || b.arr - a.arr || order(a.slug, b.slug),
    ),
  }
}

export interface BalanceRow {
  /** The month that begins with this balance; one more than asked, which is the end of the last. */
  month: string
  currency: string
  arr: number
  tenants: number
}
export interface MovementRow {
  month: string
  currency: string
  new_arr: number
  new_tenants: number
  reactivation_arr: number
  reactivated_tenants: number
  expansion_arr: number
  contraction_arr: number
  churn_arr: number
  paused_churn_arr: number
  churned_tenants: number
  switch_arr: number
}

const growth: NamedStatement = {
  name: 'reports.growth',
  text: `with ${bound}
  select b.unfolded, b.moment,
    ${asLines(`report_balances where scope = $1::uuid and month <= $5::text::date and month >=
      least($4::text::date, (select max(month) from report_balances where scope = $1::uuid))`)} as balances,
    ${asLines(`report_movements where scope = $1::uuid and month >= $4::text::date and month < $5::text::date`)} as movements
  from bound b`,
}
type BalanceLine = [month: number, currency: string, arr: number, tenants: number]
type MovementLine = [month: number, currency: string, ...sums: number[]]
/**
 * Balances at the start of every month from the first to the one after the last, and what moved
 * within each. Months as `2027-01`.
 */
export async function readGrowth(
  run: RunReport,
  scope: string,
  now: Date,
  months: { from: string; after: string },
): Promise<BalanceColumns & { balances: BalanceRow[]; movements: MovementRow[] }> {
  const values = [
    ...valuesOf(scope, { at: now, past: false }),
    `${months.from}-01`,
    `${months.after}-01`,
  ]
  const reported = await only<
    BalanceColumns & { balances: string | null; movements: string | null }
  >(run, growth, values)
  return {
    ...reported,
    balances: toBalances(fromLines(reported.balances), months.after),
    movements: fromLines<MovementLine>(reported.movements).map(toMovement),
  }
}

/** What the newest rows say holds from then on. */
function toBalances(lines: readonly BalanceLine[], after: string): BalanceRow[] {
  const rows = lines.map(([month, currency, arr, tenants]) => ({
    month: nameOf(month),
    currency,
    arr,
    tenants,
  }))
  const newest = lines.reduce((last, [month]) => Math.max(last, month), 0)
  const last = rows.filter((row) => row.month === nameOf(newest))
  for (let index = newest + 1; last.length > 0 && nameOf(index) <= after; index++)
    for (const row of last) rows.push({ ...row, month: nameOf(index) })
  return rows
}

function toMovement([month, currency, ...sums]: MovementLine): MovementRow {
  const [
    new_arr = 0,
    new_tenants = 0,
    reactivation_arr = 0,
    reactivated_tenants = 0,
    expansion_arr = 0,
    ...more
  ] = sums
  const [
    contraction_arr = 0,
    churn_arr = 0,
    paused_churn_arr = 0,
    churned_tenants = 0,
    switch_arr = 0,
  ] = more
  return {
    month: nameOf(month),
    currency,
    new_arr,
    new_tenants,
    reactivation_arr,
    reactivated_tenants,
    expansion_arr,
    contraction_arr,
    churn_arr,
    paused_churn_arr,
    churned_tenants,
    switch_arr,
  }
}

export interface CohortRow {
  cohort: string
  /** Empty: tenants, not money. */
  currency: string
  size: number
  changes: number[]
}
const cohortLines = `report_cohorts where scope = $1::uuid and cohort between $4::text::date and $5::text::date`
const signupCohorts: NamedStatement = {
  name: 'reports.signup-cohorts',
  text: `with ${bound} select b.unfolded, b.moment, ${asLines(cohortLines)} as rows from bound b`,
}
type CohortLine = [cohort: number, currency: string, size: number, ...changes: number[]]
export interface ChurnRow {
  month: string
  currency: string
  reason: string
  tenants: number
  arr: number
  tenure_seconds: number
}
const churnLines = `report_churn where scope = $1::uuid and month between $4::text::date and $5::text::date and tenants <> 0`
const churnCohorts: NamedStatement = {
  name: 'reports.churn-cohorts',
  text: `with ${bound} select b.unfolded, b.moment, ${asLines(churnLines)} as rows from bound b`,
}
type ChurnLine = [
  month: number,
  currency: string,
  reason: string,
  tenants: number,
  arr: number,
  tenureSeconds: number,
]
interface Months {
  from: string
  to: string
}
const valuesOfMonths = (scope: string, now: Date, { from, to }: Months): KeyPart[] => [
  ...valuesOf(scope, { at: now, past: false }),
  `${from}-01`,
  `${to}-01`,
]
export async function readSignupCohorts(
  run: RunReport,
  scope: string,
  now: Date,
  months: Months,
): Promise<BalanceColumns & { rows: CohortRow[] }> {
  const reported = await only<BalanceColumns & { rows: string | null }>(
    run,
    signupCohorts,
    valuesOfMonths(scope, now, months),
  )
  const rows = fromLines<CohortLine>(reported.rows).map(
    ([cohort, currency, size, ...changes]): CohortRow => ({
      cohort: nameOf(cohort),
      currency,
      size,
      changes,
    }),
  )
  return { ...reported, rows: rows.sort(byMonth((row) => row.cohort)) }
}
export async function readChurnCohorts(
  run: RunReport,
  scope: string,
  now: Date,
  months: Months,
): Promise<BalanceColumns & { rows: ChurnRow[] }> {
  const reported = await only<BalanceColumns & { rows: string | null }>(
    run,
    churnCohorts,
    valuesOfMonths(scope, now, months),
  )
  const rows = fromLines<ChurnLine>(reported.rows).map(
    ([month, currency, reason, tenants, arr, tenure_seconds]): ChurnRow => ({
      month: nameOf(month),
      currency,
      reason,
      tenants,
      arr,
      tenure_seconds,
    }),
  )
  return { ...reported, rows: rows.sort(byMonth((row) => row.month)) }
}

async function only<Row extends Record<string, unknown>>(
  run: RunReport,
  statement: NamedStatement,
  values: readonly KeyPart[],
): Promise<Row> {
  const [row] = await run<Row>(statement, values)
  if (!row) throw new Error('a report has one row')
  return row
}

/** Reads in one statement, which is one snapshot. */
export function pipelined(database: Database): RunReport {
  return (statement, values) => database.readReport(statement, values)
}

/** Reads in a transaction. */
export function within(trx: Trx): RunReport {
  return async <Row>(statement: NamedStatement, values: readonly KeyPart[]) =>
    (await trx.executeQuery<Row>(CompiledQuery.raw(statement.text, [...values]))).rows
}
