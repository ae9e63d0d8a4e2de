import { CompiledQuery } from 'kysely'
import type { Database, Trx } from './connect.ts'
import type { KeyPart, NamedStatement } from './keyed-read.ts'

/** The scope of figures of the whole platform; every other scope is the id of a partner. */
export const platformScope = '00000000-0000-0000-0000-000000000000'

/**
 * A moment asked about. `past`: the end of the period that ends then, so that what changes at that very moment is left out. Else now, and
 * everything up to it counts, also what another process with a faster clock has counted already.
 */
export interface Moment {
  at: Date
  past: boolean
}

/** Runs the same read as one statement, or in a transaction that has folded the queue in. */
export type RunReport = <Row extends Record<string, unknown>>(statement: NamedStatement, values: readonly KeyPart[]) => Promise<Row[]>

/** What every read of a report tells beside its figures. `unfolded`: changes wait in the queue, and the figures are without them. */
type Told = {
  unfolded: boolean
  /** Of the answer. */
  moment: Date
}

const parts = ['arr', 'at_risk_arr', 'committed_arr', 'trial_arr', 'paused_arr', 'tenants', 'seats'] as const
const each = (render: (part: string) => string) => parts.map(render).join(', ')

/** $1 scope, $2 the moment, $3 whether it is past. `until` is the first moment that does not count any more. */
const bound = `bound as (
  select case when $3::boolean then $2::timestamptz else greatest($2::timestamptz, s.folded_to) end as moment,
    case when $3::boolean then $2::timestamptz else greatest($2::timestamptz, s.folded_to) + interval '1 microsecond' end as until,
    exists (select from report_changes c where c.at <= case when $3::boolean then $2::timestamptz else greatest($2::timestamptz, s.folded_to) end)
      as unfolded
  from report_state s)`

/** State at a moment: the sums up to its hour, and what the history says of the part of the hour that had passed. */
function stateAt(partner: boolean, keys: 'total' | 'plans'): string {
  const kept = partner ? 'and p.partner_id = $1::uuid' : ''
  const [plan, cycle] = keys === 'total' ? [`''`, `''`] : ['p.plan', 'p.cycle']
  const tail = (column: string, sign: string) => `
      select p.currency, ${plan}, ${cycle}, ${each((part) => `${sign}p.${part}`)} from bound b join report_parts p
        on p.${column} >= date_trunc('hour', b.until, 'UTC') and p.${column} < b.until ${kept}`
  return `state as (
    select currency, plan, cycle, ${each((part) => `sum(${part})::bigint as ${part}`)} from (
      select k.currency, k.plan, k.cycle, ${each((part) => `c.${part}`)} from bound b
      join report_cell_keys k on k.scope = $1::uuid and ${keys === 'total' ? `k.plan = ''` : `k.plan > ''`}
      cross join lateral (
        select * from report_cells c where c.cell = k.id and c.hour < date_trunc('hour', b.until, 'UTC') order by c.hour desc limit 1) as c
      union all ${tail('valid_from', '')}
      union all ${tail('valid_to', '-')}) as sums (currency, plan, cycle, ${parts.join(', ')})
    group by currency, plan, cycle)`
}

function perScope(name: string, text: (partner: boolean) => string): (scope: string) => NamedStatement {
  const platform = { name: `reports.${name}.platform`, text: text(false) }
  const partner = { name: `reports.${name}.partner`, text: text(true) }
  return (scope) => (scope === platformScope ? platform : partner)
}

// Many rows as one text of lines: to the server and to us a fraction of the work that as many objects of JSON are.
const between = '|'
const asLines = (columns: readonly string[]) => `string_agg(${columns.join(` || '${between}' || `)}, E'\\n')`
const fromLines = (text: string | null) =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(between))
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

const mrr = perScope(
  'mrr',
  (partner) => `with ${bound}, ${stateAt(partner, 'total')}
  select b.unfolded, b.moment, ${asRows(`select * from state order by currency`)} as rows,
    ${asRows(`select kind, tenants, checked_at from report_quality where scope = $1::uuid and tenants > 0 order by kind`)} as quality
  from bound b`,
)
/** One row per currency with its whole. */
export async function readMrr(run: RunReport, scope: string, moment: Moment): Promise<Told & { rows: StateRow[]; quality: QualityRow[] }> {
  return only(run, mrr(scope), valuesOf(scope, moment))
}

const byPlan = perScope(
  'by-plan',
  (partner) => `with ${bound}, ${stateAt(partner, 'plans')}
  select b.unfolded, b.moment, ${asRows(`select * from state where tenants <> 0 order by currency, arr desc, plan, cycle`)} as rows
  from bound b`,
)
/** One row per currency, plan and cycle that somebody pays for, the largest first. */
export async function readRevenueByPlan(run: RunReport, scope: string, moment: Moment): Promise<Told & { rows: StateRow[] }> {
  return only(run, byPlan(scope), valuesOf(scope, moment))
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

const top = perScope(
  'top',
  (partner) => `with ${bound}, ${stateAt(partner, 'total')},
  ranked as (
    select h.* from bound b cross join state s cross join lateral (
      select h.tenant_id, h.partner_id, h.currency, h.plan, h.cycle, h.seats, h.arr, s.arr as total from subscription_history h
      where h.currency = s.currency and h.arr > 0 and h.valid_from < b.until and (h.valid_to is null or h.valid_to >= b.until)
        ${partner ? 'and h.partner_id = $1::uuid' : ''}
      order by h.arr desc fetch first ($4::integer) rows with ties) as h)
  select b.unfolded, b.moment, ${asRows(`
    select l.currency, t.slug, t.name, p.slug as "partnerSlug", l.plan, l.cycle, l.seats, l.arr, l.total, th.band as "healthBand",
      f.first_paid_at as since
    from ranked l join tenants t on t.id = l.tenant_id join report_tenants f on f.tenant_id = l.tenant_id and f.scope = $1::uuid
    left join partners p on p.id = l.partner_id left join tenant_health th on th.tenant_id = l.tenant_id
    order by l.currency, l.arr desc, t.slug`)} as rows
  from bound b`,
)
/** At least `limit` tenants of each currency, the largest first; more where several are equal at the end. */
export async function readTop(run: RunReport, scope: string, moment: Moment, limit: number): Promise<Told & { rows: TopRow[] }> {
  return only(run, top(scope), [...valuesOf(scope, moment), limit])
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

const movementSums = [
  ...(['new_arr', 'new_tenants', 'reactivation_arr', 'reactivated_tenants', 'expansion_arr', 'contraction_arr', 'churn_arr'] as const),
  ...(['paused_churn_arr', 'churned_tenants', 'switch_arr'] as const),
]
const inMonth = (column: string) => `to_char(${column}, 'YYYY-MM')`
const balanceColumns = [inMonth('month'), 'currency', 'arr', 'tenants']
const movementColumns = [inMonth('month'), 'currency', ...movementSums]

function movementOf(sums: readonly string[]): Omit<MovementRow, 'month' | 'currency'> {
  const [
    new_arr,
    new_tenants,
    reactivation_arr,
    reactivated_tenants,
    expansion_arr,
    contraction_arr,
    churn_arr,
    paused,
    churned,
    switched,
  ] = sums.map(Number)
  return {
    ...{ new_arr: new_arr ?? 0, new_tenants: new_tenants ?? 0, reactivation_arr: reactivation_arr ?? 0 },
    ...{ reactivated_tenants: reactivated_tenants ?? 0, expansion_arr: expansion_arr ?? 0, contraction_arr: contraction_arr ?? 0 },
    ...{ churn_arr: churn_arr ?? 0, paused_churn_arr: paused ?? 0, churned_tenants: churned ?? 0, switch_arr: switched ?? 0 },
  }
}

const growth = perScope(
  'growth',
  (partner) => `with ${bound}, ${stateAt(partner, 'total')},
  balances as (
    select m.month, k.currency, c.arr, c.tenants from bound b
    cross join lateral generate_series($4::text::timestamp, $5::text::timestamp, interval '1 month') as m (month)
    join report_cell_keys k on k.scope = $1::uuid and k.plan = ''
    cross join lateral (
      select c.arr, c.tenants from report_cells c where c.cell = k.id and c.hour < m.month at time zone 'UTC' order by c.hour desc limit 1) as c
    where m.month at time zone 'UTC' < b.until
    union all
    select m.month, s.currency, s.arr, s.tenants from bound b
    cross join lateral generate_series($4::text::timestamp, $5::text::timestamp, interval '1 month') as m (month) cross join state s
    where m.month at time zone 'UTC' >= b.until)
  select b.unfolded, b.moment,
    (select ${asLines(balanceColumns)} from balances) as balances,
    (select ${asLines(movementColumns)} from report_movements
      where scope = $1::uuid and month >= $4::text::date and month < $5::text::date) as movements
  from bound b`,
)
/** Balances at the start of every month from the first to the one after the last, and what moved within each. Months as `2027-01`. */
export async function readGrowth(
  run: RunReport,
  scope: string,
  now: Date,
  months: { from: string; after: string },
): Promise<Told & { balances: BalanceRow[]; movements: MovementRow[] }> {
  const values = [...valuesOf(scope, { at: now, past: false }), `${months.from}-01`, `${months.after}-01`]
  const told = await only<Told & { balances: string | null; movements: string | null }>(run, growth(scope), values)
  return {
    ...told,
    balances: fromLines(told.balances).map(([month = '', currency = '', arr, tenants]) => ({
      month,
      currency,
      arr: Number(arr),
      tenants: Number(tenants),
    })),
    movements: fromLines(told.movements).map(([month = '', currency = '', ...sums]) => ({ month, currency, ...movementOf(sums) })),
  }
}

export interface CohortRow {
  cohort: string
  /** Empty: tenants, not money. */
  currency: string
  size: number
  changes: number[]
}
const signupCohorts = perScope(
  'signup-cohorts',
  () => `with ${bound}
  select b.unfolded, b.moment, (
    select ${asLines(['cohort', 'currency', 'size', `array_to_string(changes, '${between}')`])} from report_cohorts
    where scope = $1::uuid and cohort between $4::text::date and $5::text::date) as rows
  from bound b`,
)
export interface ChurnRow {
  month: string
  currency: string
  reason: string
  tenants: number
  arr: number
  tenure_seconds: number
}
const churnCohorts = perScope(
  'churn-cohorts',
  () => `with ${bound}
  select b.unfolded, b.moment, (
    select ${asLines(['month', 'currency', 'tenants', 'arr', 'tenure_seconds', `translate(reason, E'${between}\n', '  ')`])} from report_churn
    where scope = $1::uuid and month between $4::text::date and $5::text::date and tenants <> 0) as rows
  from bound b`,
)
interface Months {
  from: string
  to: string
}
const valuesOfMonths = (scope: string, now: Date, { from, to }: Months): KeyPart[] => [
  ...valuesOf(scope, { at: now, past: false }),
  `${from}-01`,
  `${to}-01`,
]
export async function readSignupCohorts(run: RunReport, scope: string, now: Date, months: Months): Promise<Told & { rows: CohortRow[] }> {
  const told = await only<Told & { rows: string | null }>(run, signupCohorts(scope), valuesOfMonths(scope, now, months))
  const rows = fromLines(told.rows).map(([cohort = '', currency = '', size, ...changes]) => ({
    ...{ cohort: cohort.slice(0, 7), currency, size: Number(size), changes: changes.map(Number) },
  }))
  return { ...told, rows: rows.sort((a, b) => order(a.cohort, b.cohort) || order(a.currency, b.currency)) }
}
export async function readChurnCohorts(run: RunReport, scope: string, now: Date, months: Months): Promise<Told & { rows: ChurnRow[] }> {
  const told = await only<Told & { rows: string | null }>(run, churnCohorts(scope), valuesOfMonths(scope, now, months))
  const rows = fromLines(told.rows).map(([month = '', currency = '', tenants, arr, seconds, reason = '']) => ({
    ...{ month: month.slice(0, 7), currency, reason, tenants: Number(tenants), arr: Number(arr), tenure_seconds: Number(seconds) },
  }))
  return { ...told, rows: rows.sort((a, b) => order(a.month, b.month) || order(a.currency, b.currency)) }
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
