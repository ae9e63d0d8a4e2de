import { randomUUID } from 'node:crypto'
import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import fc from 'fast-check'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countDrift, rebuildReports, rollUpReports } from '../../src/reports/report-rollup.ts'
import {
  pipelined,
  platformScope,
  readChurnCohorts,
  readGrowth,
  readMrr,
  readRevenueByPlan,
  readSignupCohorts,
  readTop,
} from '../../src/reports/reports.ts'
import { readSpans, recompute } from './report-history.ts'

let database: TestDatabase
let owner: pg.Client
const partners = [randomUUID(), randomUUID()]
const tenants: string[] = Array.from({ length: 5 }, () => randomUUID())
const now = new Date('2026-11-21T10:20:30.400Z')
const begin = Date.parse('2026-03-01T00:00:00.000Z')

beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  for (const [n, id] of partners.entries())
    await owner.query('insert into partners (id, slug, name) values ($1, $2, $2)', [
      id,
      `partner-${n}`,
    ])
  for (const [n, id] of tenants.entries()) {
    await owner.query('begin')
    await owner.query(
      `insert into users (id, idp_subject_id, email, name) values ($1, $2, $2 || '@example.test', $2)`,
      [id, `owner-${n}`],
    )
    await owner.query('insert into tenants (id, slug, name) values ($1, $2, $2)', [
      id,
      `tenant-${n}`,
    ])
    await owner.query(
      `insert into memberships (tenant_id, user_id, role) values ($1, $1, 'owner')`,
      [id],
    )
    await owner.query(
      `insert into subscriptions (id, tenant_id, source, plan, cycle, currency, per_seat_amount, seats, status, state_since)
        values ($1, $1, 'manual', 'free', 'month', 'eur', 0, 0, 'incomplete', '2026-01-01')`,
      [id],
    )
    await owner.query('commit')
  }
})
afterAll(async () => {
  await owner.end()
  await database[Symbol.asyncDispose]()
})

const step = fc.record({
  tenant: fc.nat({ max: tenants.length - 1 }),
  /** Minutes after the tenant's last change; none gives a state that is never in force. */
  after: fc.oneof(
    fc.constant(0),
    fc.nat({ max: 300 }),
    fc.nat({ max: 90 * 1440 }),
    fc.constantFrom(60, 1440, 31 * 1440),
  ),
  status: fc.constantFrom(
    'active',
    'active',
    'active',
    'past_due',
    'trialing',
    'paused',
    'unpaid',
    'canceled',
    'unknown',
  ),
  plan: fc.constantFrom('starter', 'business'),
  cycle: fc.constantFrom('month', 'year'),
  currency: fc.constantFrom('eur', 'eur', 'usd'),
  seats: fc.nat({ max: 20 }),
  perSeat: fc.constantFrom(0, 700, 1299),
  ending: fc.boolean(),
  partner: fc.constantFrom(null, ...partners),
  /** Fold after this step, so that what follows is late. */
  fold: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function write(steps: readonly Step[]): Promise<void> {
  const last = new Map<string, number>()
  for (const { tenant, after, fold, ...state } of steps) {
    const id = tenants[tenant] ?? ''
    const at = new Date((last.get(id) ?? begin) + after * 60_000)
    last.set(id, at.getTime())
    await owner.query(
      'update subscription_history set valid_to = $2 where tenant_id = $1 and valid_to is null',
      [id, at],
    )
    await owner.query(
      `insert into subscription_history (subscription_id, tenant_id, partner_id, plan, cycle, currency, status, per_seat_amount, seats,
        cancel_at_period_end, valid_from) values ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        id,
        state.partner,
        state.plan,
        state.cycle,
        state.currency,
        state.status,
        state.perSeat,
        state.seats,
        state.ending,
        at,
      ],
    )
    if (fold) await rollUpReports(database.db, now, async () => undefined)
  }
}

const months = [
  '2026-03',
  '2026-04',
  '2026-05',
  '2026-06',
  '2026-07',
  '2026-08',
  '2026-09',
  '2026-10',
  '2026-11',
]
const startOf = (month: string) => Date.parse(`${month}-01T00:00:00.000Z`)
const endOf = (month: string) =>
  month === '2026-11' ? now.getTime() + 1 : startOf(months[months.indexOf(month) + 1] ?? '')
const figures = [
  'arr',
  'at_risk_arr',
  'committed_arr',
  'trial_arr',
  'paused_arr',
  'tenants',
  'seats',
] as const
const range = { from: '2026-03', to: '2026-11' }

/** Everything that is read about one scope, against what the states themselves give. */
async function compare(partner: string | null, moments: readonly number[]): Promise<void> {
  const run = pipelined(database)
  const scope = partner ?? platformScope
  const expected = recompute(await readSpans(database.db), partner, now.getTime())
  for (const at of [...moments, null]) {
    const moment = at === null ? { at: now, past: false } : { at: new Date(at), past: true }
    const until = at ?? now.getTime() + 1
    const picked = (
      rows: readonly Record<string, unknown>[],
      key: (row: Record<string, unknown>) => string,
    ) =>
      Object.fromEntries(
        rows
          .filter((row) => figures.some((figure) => row[figure] !== 0))
          .map((row) => [
            key(row),
            Object.fromEntries(figures.map((figure) => [figure, row[figure]])),
          ]),
      )
    const total = await readMrr(run, scope, moment)
    expect(total.unfolded).toBe(false)
    expect(picked(total.rows as never, (row) => `${row.currency}`)).toEqual(
      expected.state(until, (span) => span.currency),
    )
    const plans = await readRevenueByPlan(run, scope, moment)
    const byPlan = expected.state(until, (span) => `${span.currency} ${span.plan} ${span.cycle}`)
    expect(
      picked(plans.rows as never, (row) => `${row.currency} ${row.plan} ${row.cycle}`),
    ).toEqual(Object.fromEntries(Object.entries(byPlan).filter(([, sums]) => sums.tenants > 0)))
    const top = await readTop(run, scope, moment, { limit: 10, healthKept: true })
    const paying = expected.inForce(until).filter((span) => expected.arrOf(span) > 0)
    const slugOf = (id: string) => `tenant-${tenants.indexOf(id)}`
    const ranked = paying
      .map((span) => ({
        currency: span.currency,
        arr: expected.arrOf(span),
        slug: slugOf(span.tenantId),
      }))
      .sort(
        (a, b) =>
          a.currency.localeCompare(b.currency) || b.arr - a.arr || a.slug.localeCompare(b.slug),
      )
    expect(top.rows.map(({ currency, arr, slug }) => ({ currency, arr, slug }))).toEqual(ranked)
  }
  await compareMonths(partner, expected)
}

async function compareMonths(
  partner: string | null,
  expected: ReturnType<typeof recompute>,
): Promise<void> {
  const run = pipelined(database)
  const scope = partner ?? platformScope
  const growth = await readGrowth(run, scope, now, { from: '2026-03', after: '2026-12' })
  const cohorts = await readSignupCohorts(run, scope, now, range)
  const churn = await readChurnCohorts(run, scope, now, range)
  for (const month of months) {
    const moves = expected.movements(startOf(month), endOf(month))
    for (const currency of expected.currencies) {
      const of = (kind: string) =>
        moves.filter((move) => move.currency === currency && move.movement === kind)
      const by = (kind: string) =>
        of(kind).reduce((sum, move) => sum + Math.abs(move.end - move.start), 0)
      const row = growth.movements.find((one) => one.month === month && one.currency === currency)
      expect({
        new: row?.new_arr ?? 0,
        reactivation: row?.reactivation_arr ?? 0,
        expansion: row?.expansion_arr ?? 0,
        contraction: row?.contraction_arr ?? 0,
        churn: row?.churn_arr ?? 0,
        switched: row?.switch_arr ?? 0,
        churned: row?.churned_tenants ?? 0,
        arrived: (row?.new_tenants ?? 0) + (row?.reactivated_tenants ?? 0),
      }).toEqual({
        new: by('new'),
        reactivation: by('reactivation'),
        expansion: by('expansion'),
        contraction: by('contraction'),
        churn: by('churn'),
        switched: by('switch_in') - by('switch_out'),
        churned: of('churn').length,
        arrived: of('new').length + of('reactivation').length,
      })
      const start = growth.balances.find((one) => one.month === month && one.currency === currency)
      const then = expected.state(startOf(month), (span) => span.currency)[currency]
      expect([start?.arr ?? 0, start?.tenants ?? 0]).toEqual([then?.arr ?? 0, then?.tenants ?? 0])
      const lost = churn.rows.filter((one) => one.month === month && one.currency === currency)
      expect(lost.reduce((sum, one) => sum + one.arr, 0)).toBe(by('churn'))
      expect(lost.reduce((sum, one) => sum + one.tenants, 0)).toBe(of('churn').length)
    }
    const members = [...expected.firstPaid]
      .filter(([, at]) => at >= startOf(month) && at < endOf(month))
      .map(([id]) => id)
    const ofCohort = cohorts.rows.filter((row) => row.cohort === month)
    expect(ofCohort.find((row) => row.currency === '')?.size ?? 0).toBe(members.length)
    for (const currency of ['', ...expected.currencies]) {
      let sum = 0
      for (const [n, later] of months.slice(months.indexOf(month)).entries()) {
        sum += ofCohort.find((row) => row.currency === currency)?.changes[n] ?? 0
        const arr = (id: string, of: string) => expected.arrAt(endOf(later), id, of)
        const paying = members.filter((id) =>
          expected.currencies.some((one) => arr(id, one) > 0),
        ).length
        expect(sum).toBe(
          currency === '' ? paying : members.reduce((total, id) => total + arr(id, currency), 0),
        )
      }
    }
  }
}

it('counts every figure of any time like the history, even for late reports, for the platform and each partner', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      await owner.query('delete from subscription_history')
      await write(steps)
      await rollUpReports(database.db, now, async () => undefined)
      const spans = await readSpans(database.db)
      const edges = spans.map((span) => span.from).filter((at) => at <= now.getTime())
      const moments = [
        ...edges.slice(0, 4),
        ...edges.slice(0, 2).map((at) => at + 60_000),
        startOf('2026-07'),
        now.getTime() - 1,
      ]
      for (const partner of [null, ...partners]) await compare(partner, moments)
    }),
    { numRuns: 40 },
  )
}, 120_000)

it('gives the same when everything is computed again, and finds what was changed behind its back', async () => {
  await owner.query('delete from subscription_history')
  await write(fc.sample(step, { numRuns: 60, seed: 7 }))
  expect(await countDrift(database.db, now, [new Date('2026-06-15T12:00:00Z'), now])).toBe(0)
  const tables = [
    'report_movements',
    'report_churn',
    'report_cohorts',
    'report_months',
    'report_tenants',
  ]
  const filled = (table: string) =>
    sql`select * from ${sql.table(table)} t where to_jsonb(t)::text ~ '[1-9]' order by t::text`
  const read = async () =>
    Promise.all(tables.map(async (table) => (await filled(table).execute(database.db)).rows))
  const folded = await read()
  await owner.query(
    `update report_cells set arr = arr + 1 where cell in (select id from report_cell_keys where plan > '')`,
  )
  expect(await countDrift(database.db, now, [])).toBe(0)
  await owner.query('update report_balances set tenants = tenants + 1')
  expect(await countDrift(database.db, now, [])).toBeGreaterThan(0)
  await owner.query('update report_balances set tenants = tenants - 1')
  await owner.query('update report_movements set new_arr = new_arr + 12')
  expect(await countDrift(database.db, now, [now])).toBeGreaterThan(0)
  await rebuildReports(database.db, now)
  expect(await countDrift(database.db, now, [new Date('2026-06-15T12:00:00Z'), now])).toBe(0)
  for (const partner of [null, ...partners]) await compare(partner, [startOf('2026-07')])
  const rebuilt = await read()
  expect(rebuilt[3]).toEqual(folded[3])
  expect(rebuilt[4]).toEqual(folded[4])
})

it('is right while many write and many read at once', async () => {
  await owner.query('delete from subscription_history')
  const at = (minute: number) => new Date(begin + minute * 60_000)
  const work = tenants.map(async (id, n) => {
    const client = new pg.Client({ connectionString: database.ownerUrl })
    await client.connect()
    for (let minute = 1; minute <= 12; minute++) {
      await client.query('begin')
      await client.query(
        'update subscription_history set valid_to = $2 where tenant_id = $1 and valid_to is null',
        [id, at(minute * 50)],
      )
      await client.query(
        `insert into subscription_history (subscription_id, tenant_id, partner_id, plan, cycle, currency, status, per_seat_amount, seats,
          cancel_at_period_end, valid_from) values ($1, $1, $2, 'starter', 'month', 'eur', 'active', 700, $3, false, $4)`,
        [id, partners[n % 2], minute + n, at(minute * 50)],
      )
      await client.query('commit')
    }
    await client.end()
  })
  const readers = Array.from({ length: 3 }, async () => {
    for (let i = 0; i < 12; i++) {
      const seen = await rollUpReports(database.db, now, async (trx) => {
        const { rows } = await sql<{ kept: number; counted: number }>`select
          (select coalesce(sum(arr), 0)::int from (select distinct on (cell) arr from report_cells join report_cell_keys k on k.id = cell
            where k.scope = ${platformScope} and k.plan = '' order by cell, hour desc) as newest) as kept,
          (select coalesce(sum(arr), 0)::int from subscription_history where valid_to is null) as counted`.execute(
          trx,
        )
        return rows[0]
      })
      expect(seen?.kept).toBe(seen?.counted)
    }
  })
  await Promise.all([...work, ...readers])
  await rollUpReports(database.db, now, async () => undefined)
  for (const partner of [null, ...partners]) await compare(partner, [begin + 100 * 60_000])
})
