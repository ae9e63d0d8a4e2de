import { randomUUID } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import { nothingGathered } from '@atrium/core/health-scores/health'
import { saveHealth } from '@atrium/db/health-scores/health'
import { personClaims } from '@atrium/testing/issuer'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReports, refreshReports } from '../src/reports/jobs.ts'
import { type PartnersTestApp, startPartnersTestApp } from './partners-test-app.ts'

const now = new Date('2026-11-21T12:00:00.000Z')
const clock = { now: () => now }
let testApp: PartnersTestApp
let operator: string
let staff: string
let north: string
const tenants: Record<string, string> = {}

interface State {
  status?: string
  plan?: string
  cycle?: 'month' | 'year'
  currency?: string
  per_seat_amount?: number
  seats?: number
  cancel_at_period_end?: boolean
  cancel_reason?: string
}

const get = (path: string, token = operator, headers: Record<string, string> = {}) =>
  testApp.request('GET', path, { token, headers })
async function read(path: string, token = operator) {
  const { status, body } = await get(path, token)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function tenant(slug: string, partner: string | null = null): Promise<string> {
  const known = tenants[slug]
  if (known !== undefined) return known
  const { id } = await testApp.newCustomer(partner)
  await testApp.database.db
    .updateTable('tenants')
    .set({ slug, name: slug })
    .where('id', '=', id)
    .execute()
  tenants[slug] = id
  return id
}

async function asOwner(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testApp.ownerUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** A subscription that was sold at one time and changed at others. */
async function subscription(
  slug: string,
  since: string,
  state: State,
  changes: [string, State][] = [],
): Promise<void> {
  const { db } = testApp.database
  const id = randomUUID()
  await db
    .insertInto('subscriptions')
    .values({
      id,
      tenant_id: await tenant(slug),
      source: 'manual',
      plan: 'starter',
      cycle: 'month',
      currency: 'eur',
      per_seat_amount: 1000,
      seats: 10,
      status: 'active',
      state_since: new Date(since),
      ...state,
    } as never)
    .execute()
  for (const [at, change] of changes) {
    await db
      .updateTable('subscriptions')
      .set({ ...change, state_since: new Date(at) } as never)
      .where('id', '=', id)
      .execute()
  }
}

beforeAll(async () => {
  testApp = await startPartnersTestApp({ clock })
  operator = await testApp.issuer.sign({
    ...personClaims('operator@atrium.test'),
    aud: demoClients.operator.clientId,
  })
  staff = await testApp.demoToken('partner@north.test')
  const partners = testApp.database.db.selectFrom('partners').select('id')
  north = (await partners.where('slug', '=', 'north').executeTakeFirstOrThrow()).id
  await tenant('alpha', north)
  await tenant('delta', north)
  // What the demo sold would be in every figure.
  await asOwner('delete from subscription_history')
  // 100.00 a month from January, 150.00 from March on, yearly from August on: 1,200.00 a year then.
  await subscription('alpha', '2026-01-15T08:30:00Z', {}, [
    ['2026-03-10T00:00:00Z', { seats: 15 }],
    ['2026-08-01T00:00:00Z', { cycle: 'year', per_seat_amount: 8000 }],
  ])
  // Left in June for another system, came back in September.
  await subscription(
    'beta',
    '2026-02-01T00:00:00Z',
    { plan: 'business', per_seat_amount: 2000, seats: 3 },
    [['2026-06-20T00:00:00Z', { status: 'canceled', cancel_reason: 'cancellation_requested' }]],
  )
  await subscription('beta', '2026-09-05T00:00:00Z', {
    plan: 'business',
    per_seat_amount: 2000,
    seats: 4,
  })
  // From one currency to the other, within a month.
  await subscription('gamma', '2026-05-05T00:00:00Z', { currency: 'usd', seats: 2 }, [
    ['2026-10-10T00:00:00Z', { status: 'canceled' }],
  ])
  await subscription('gamma', '2026-10-12T00:00:00Z', {
    currency: 'eur',
    seats: 2,
    status: 'past_due',
  })
  await subscription('delta', '2026-11-02T00:00:00Z', { status: 'trialing', seats: 5 })
  await subscription('epsilon', '2026-04-01T00:00:00Z', { cancel_at_period_end: true }, [
    ['2026-07-01T00:00:00Z', { status: 'paused' }],
  ])
}, 60_000)
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
})

describe('recurring revenue', () => {
  it('is told per currency, with what is at risk, committed, on trial and paused', async () => {
    const { asOf, currencies } = await read('/reports/mrr')
    expect(asOf).toBe(now.toISOString())
    // alpha 1,200.00 and beta 960.00 and gamma 240.00 a year.
    expect(currencies).toEqual([
      {
        currency: 'eur',
        arrMinor: 240_000,
        mrrMinor: 20_000,
        atRiskMrrMinor: 2_000,
        committedMrrMinor: 20_000,
        trialMrrMinor: 5_000,
        pausedMrrMinor: 10_000,
        payingTenants: 3,
        paidSeats: 21,
        arpaMinor: 6_667,
      },
    ])
  })

  it('can be asked for any past moment: what changes at that moment is left out', async () => {
    const at = async (asOf: string) =>
      (await read(`/reports/mrr?asOf=${asOf}`)).currencies.map(
        (one: { currency: string; mrrMinor: number }) => [one.currency, one.mrrMinor],
      )
    expect(await at('2026-01-15T08:30:00Z')).toEqual([])
    expect(await at('2026-01-15T08:30:00.001Z')).toEqual([['eur', 10_000]])
    expect(await at('2026-01-31')).toEqual([['eur', 10_000]])
    expect(await at('2026-05-31')).toEqual([
      ['eur', 15_000 + 6_000 + 10_000],
      ['usd', 2_000],
    ])
    expect(await at('2026-10-11T00:00:00Z')).toEqual([['eur', 10_000 + 8_000]])
    expect(await at('2026-11-21')).toEqual([['eur', 20_000]])
    expect(await get('/reports/mrr?asOf=2026-11-22')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'asOf' }] },
    })
    expect(await get('/reports/mrr?asOf=yesterday')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'asOf' }] },
    })
  })

  it('counts a change immediately, and a late report at its own time', async () => {
    await subscription('late', '2026-11-20T00:00:00Z', { seats: 1 })
    expect((await read('/reports/mrr')).currencies[0].mrrMinor).toBe(21_000)
    expect((await read('/reports/mrr?asOf=2026-11-19')).currencies[0].mrrMinor).toBe(20_000)
    await subscription('later', '2026-02-02T00:00:00Z', { seats: 1 }, [
      ['2026-02-20T00:00:00Z', { status: 'canceled' }],
    ])
    expect((await read('/reports/mrr?asOf=2026-02-10')).currencies[0].mrrMinor).toBe(17_000)
    const { db } = testApp.database
    await db
      .updateTable('subscriptions')
      .set({ status: 'canceled', state_since: new Date('2026-11-20T00:00:00Z') } as never)
      .where('tenant_id', '=', tenants.late ?? '')
      .execute()
    expect((await read('/reports/mrr')).currencies[0].mrrMinor).toBe(20_000)
  })

  it('is split by plan, and its largest tenants are named', async () => {
    const { rows } = await read('/reports/revenue-by-plan')
    expect(rows).toEqual([
      {
        currency: 'eur',
        plan: 'starter',
        cycle: 'year',
        tenants: 1,
        seats: 15,
        arrMinor: 120_000,
        mrrMinor: 10_000,
        share: 0.5,
      },
      {
        currency: 'eur',
        plan: 'business',
        cycle: 'month',
        tenants: 1,
        seats: 4,
        arrMinor: 96_000,
        mrrMinor: 8_000,
        share: 0.4,
      },
      {
        currency: 'eur',
        plan: 'starter',
        cycle: 'month',
        tenants: 1,
        seats: 2,
        arrMinor: 24_000,
        mrrMinor: 2_000,
        share: 0.1,
      },
    ])
    const top = await read('/reports/top-tenants?limit=2')
    expect(top.rows).toMatchObject([
      {
        rank: 1,
        slug: 'alpha',
        partnerSlug: 'north',
        mrrMinor: 10_000,
        share: 0.5,
        since: '2026-01-15T08:30:00.000Z',
      },
      { rank: 2, slug: 'beta', partnerSlug: null, mrrMinor: 8_000 },
    ])
    expect(
      (await read('/reports/top-tenants?asOf=2026-02-28')).rows.map(
        (row: { slug: string }) => row.slug,
      ),
    ).toEqual(['alpha', 'beta'])
  })

  it('tells the health of the day that it is asked about, as far as days are kept', async () => {
    const told = { tenantId: tenants.alpha ?? '', factors: [], gathered: nothingGathered }
    const days = [
      ['2026-02-10T08:00:00Z', 'watch', 60],
      ['2026-02-10T20:00:00Z', 'at_risk', 30],
      ['2026-02-11T00:00:00Z', 'healthy', 90],
    ] as const
    for (const [at, band, score] of days)
      await saveHealth(testApp.database.db, [{ ...told, band, score }], new Date(at))
    const bandOf = async (query: string) =>
      (await read(`/reports/top-tenants${query}`)).rows.find(
        (row: { slug: string }) => row.slug === 'alpha',
      ).healthBand
    expect(await bandOf('?asOf=2026-02-10')).toBe('at_risk')
    expect(await bandOf('?asOf=2026-02-11T12:00:00Z')).toBe('healthy')
    expect(await bandOf('?asOf=2026-02-12')).toBeNull()
    expect(await bandOf('')).toBe('healthy')
  })
})

describe('growth', () => {
  it('explains every month to the cent', async () => {
    const { months } = await read('/reports/growth?from=2026-01&to=2026-11&currency=eur')
    const seen = Object.fromEntries(months.map((month: { month: string }) => [month.month, month]))
    expect(seen['2026-01']).toMatchObject({
      startArrMinor: 0,
      newArrMinor: 120_000,
      endArrMinor: 120_000,
      newTenants: 1,
      partial: false,
    })
    expect(seen['2026-03']).toMatchObject({ expansionArrMinor: 60_000, endArrMinor: 252_000 })
    expect(seen['2026-06']).toMatchObject({
      churnArrMinor: 72_000,
      churnedTenants: 1,
      startTenants: 3,
      endTenants: 2,
    })
    expect(seen['2026-06'].rates).toMatchObject({
      customerChurn: 0.3333,
      grossChurn: 0.1935,
      growth: -0.1935,
    })
    expect(seen['2026-07']).toMatchObject({ churnArrMinor: 120_000, pausedChurnArrMinor: 120_000 })
    expect(seen['2026-08']).toMatchObject({ contractionArrMinor: 60_000, rates: { quickRatio: 0 } })
    expect(seen['2026-09']).toMatchObject({
      reactivationArrMinor: 96_000,
      reactivatedTenants: 1,
      rates: { quickRatio: null },
    })
    expect(seen['2026-10']).toMatchObject({
      currencySwitchArrMinor: 24_000,
      newArrMinor: 0,
      endArrMinor: 240_000,
    })
    expect(seen['2026-11']).toMatchObject({
      partial: true,
      startArrMinor: 240_000,
      endArrMinor: 240_000,
    })
    for (const month of months) {
      const gained =
        month.newArrMinor +
        month.reactivationArrMinor +
        month.expansionArrMinor +
        month.currencySwitchArrMinor
      expect(month.startArrMinor + gained - month.contractionArrMinor - month.churnArrMinor).toBe(
        month.endArrMinor,
      )
    }
    const dollars = await read('/reports/growth?from=2026-10&to=2026-10&currency=usd')
    expect(dollars.months).toMatchObject([
      { currencySwitchArrMinor: -24_000, churnArrMinor: 0, churnedTenants: 0, endArrMinor: 0 },
    ])
  })

  it('rejects months that are no range', async () => {
    for (const [query, path] of [
      ['to=2026-12', 'to'],
      ['from=2026-05&to=2026-04', 'from'],
      ['from=1999-01', 'from'],
      ['to=1900-01', 'to'],
      ['from=2026-13', 'from'],
    ] as const) {
      for (const report of ['growth', 'churn-cohorts', 'signup-cohorts'])
        expect(await get(`/reports/${report}?${query}`)).toMatchObject({
          status: 400,
          body: { issues: [{ path }] },
        })
    }
  })

  it('is never answered with figures that do not add up: a fault, logged and counted', async () => {
    await asOwner(`update report_movements set new_arr = new_arr + 1 where month = '2026-01-01'`)
    const { status, body } = await get('/reports/growth?from=2026-01')
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' })
    expect(testApp.logLines.some((line) => line.includes('leave 1 unexplained'))).toBe(true)
    expect(await testApp.app.services.metrics.registry.metrics()).toContain('report_faults_total 1')
    expect(await checkReports(testApp.app.services)).toBeGreaterThan(0)
    expect((await get('/reports/growth?from=2026-01')).status).toBe(200)
    const { dataQuality } = await read('/reports/mrr')
    expect(dataQuality).toMatchObject([{ kind: 'drift', checkedAt: now.toISOString() }])
    expect(await checkReports(testApp.app.services)).toBe(0)
    expect((await read('/reports/mrr')).dataQuality).toEqual([])
  })
})

describe('cohorts', () => {
  it('follow tenants from the month of their first payment', async () => {
    const { cohorts } = await read('/reports/signup-cohorts?from=2026-01&to=2026-11')
    const of = (month: string) =>
      cohorts.find((cohort: { month: string }) => cohort.month === month)
    expect(of('2026-01')).toMatchObject({ size: 1, partial: true, active: Array(11).fill(1) })
    expect(of('2026-02')).toMatchObject({ size: 2, active: [1, 1, 1, 1, 0, 0, 0, 1, 1, 1] })
    expect(of('2026-02').money).toEqual([
      { currency: 'eur', mrrMinor: [6000, 6000, 6000, 6000, 0, 0, 0, 8000, 8000, 8000] },
    ])
    // Alive whatever the currency; money is told in each.
    expect(of('2026-05')).toMatchObject({
      active: [1, 1, 1, 1, 1, 1, 1],
      money: [
        { currency: 'eur', mrrMinor: [0, 0, 0, 0, 0, 2000, 2000] },
        { currency: 'usd', mrrMinor: [2000, 2000, 2000, 2000, 2000, 0, 0] },
      ],
    })
  })

  it('tell who left, after how long and why, also when the reason is told later', async () => {
    const june = async () => (await read('/reports/churn-cohorts?from=2026-06&to=2026-07')).months
    expect(await june()).toEqual([
      {
        month: '2026-06',
        partial: false,
        tenants: 1,
        averageTenureDays: 139,
        reasons: [{ reason: 'cancellation_requested', tenants: 1 }],
        money: [{ currency: 'eur', tenants: 1, lostArrMinor: 72_000, lostMrrMinor: 6_000 }],
      },
      {
        month: '2026-07',
        partial: false,
        tenants: 1,
        averageTenureDays: 91,
        reasons: [{ reason: 'paused', tenants: 1 }],
        money: [{ currency: 'eur', tenants: 1, lostArrMinor: 120_000, lostMrrMinor: 10_000 }],
      },
    ])
    await testApp.database.db
      .updateTable('subscriptions')
      .set({ cancel_reason: 'payment_disputed' } as never)
      .where('tenant_id', '=', tenants.beta ?? '')
      .where('status', '=', 'canceled')
      .execute()
    expect((await june())[0].reasons).toEqual([{ reason: 'payment_disputed', tenants: 1 }])
  })
})

describe('the rows behind a figure', () => {
  it('add up to it, page by page', async () => {
    const first = await read('/reports/mrr/rows?currency=eur&limit=2')
    expect(first.items).toMatchObject([
      {
        slug: 'alpha',
        arrMinor: 120_000,
        plan: 'starter',
        cycle: 'year',
        seats: 15,
        status: 'active',
      },
      { slug: 'beta', arrMinor: 96_000 },
    ])
    const second = await read(`/reports/mrr/rows?currency=eur&limit=2&cursor=${first.nextCursor}`)
    expect(second).toMatchObject({
      items: [{ slug: 'gamma', arrMinor: 24_000, status: 'past_due' }],
      nextCursor: null,
    })
    expect(await get('/reports/mrr/rows?currency=eur&cursor=x')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'cursor' }] },
    })
  })

  it('are returned for each figure, movement and cohort', async () => {
    const slugs = async (path: string) =>
      (await read(`/reports/${path}`)).items.map((row: { slug: string }) => row.slug)
    expect(await slugs('mrr/rows?currency=eur&figure=atRisk')).toEqual(['gamma'])
    expect(await slugs('mrr/rows?currency=eur&figure=trial')).toEqual(['delta'])
    expect(await slugs('mrr/rows?currency=eur&figure=paused')).toEqual(['epsilon'])
    expect(await slugs('mrr/rows?currency=eur&asOf=2026-05-31')).toEqual([
      'alpha',
      'epsilon',
      'beta',
    ])
    expect(await slugs('revenue-by-plan/rows?currency=eur&plan=business&cycle=month')).toEqual([
      'beta',
    ])
    expect(await slugs('growth/rows?month=2026-10&currency=usd&movement=switch_out')).toEqual([
      'gamma',
    ])
    expect(await slugs('signup-cohorts/rows?month=2026-02&n=4')).toHaveLength(2)
    expect((await read('/reports/churn-cohorts/rows?month=2026-07')).items).toMatchObject([
      {
        slug: 'epsilon',
        reason: 'paused',
        startArrMinor: 120_000,
        endArrMinor: 0,
        since: '2026-04-01T00:00:00.000Z',
      },
    ])
    expect(await slugs('churn-cohorts/rows?month=2026-07&reason=not_told')).toEqual([])
  })
})

describe('a partner', () => {
  it('sees its own customers while they were its own', async () => {
    const base = '/partners/north/reports'
    expect((await read(`${base}/mrr`, staff)).currencies).toMatchObject([
      { currency: 'eur', mrrMinor: 10_000, trialMrrMinor: 5_000 },
    ])
    expect(
      (await read(`${base}/top-customers`, staff)).rows.map((row: { slug: string }) => row.slug),
    ).toEqual(['alpha'])
    expect((await read(`${base}/signup-cohorts`, staff)).cohorts).toMatchObject([
      { month: '2026-01', size: 1 },
    ])
    expect((await read(`${base}/growth?from=2026-01`, staff)).months.at(-1)).toMatchObject({
      endArrMinor: 120_000,
    })
    expect((await read(`${base}/mrr/rows?currency=eur`, staff)).items).toHaveLength(1)
    expect(
      (await read(`${base}/revenue-by-plan/rows?currency=eur&plan=business&cycle=month`, staff))
        .items,
    ).toEqual([])
  })

  it('keeps the past of a customer that moved on', async () => {
    const { db } = testApp.database
    const moved = await tenant('moved', north)
    await subscription('moved', '2026-03-03T00:00:00Z', { seats: 1 })
    await db.updateTable('tenants').set({ partner_id: null }).where('id', '=', moved).execute()
    const at = async (asOf: string) =>
      (await read(`/partners/north/reports/mrr?asOf=${asOf}`, staff)).currencies[0].mrrMinor
    expect(await at('2026-04-30')).toBe(16_000)
    await db
      .updateTable('subscriptions')
      .set({ status: 'canceled' } as never)
      .where('tenant_id', '=', moved)
      .execute()
  })
})

describe('as CSV', () => {
  it('the same rows stand under a header, and no cell is a formula', async () => {
    const { status, headers, body } = await get(
      '/reports/revenue-by-plan?asOf=2026-02-28',
      operator,
      { accept: 'text/csv' },
    )
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="revenue-by-plan.csv"')
    expect(body.split('\r\n').slice(0, 2)).toEqual([
      'asOf,currency,plan,cycle,tenants,seats,mrrMinor,arrMinor,share',
      '2026-03-01T00:00:00.000Z,eur,starter,month,1,10,10000,120000,0.625',
    ])
    await testApp.database.db
      .updateTable('tenants')
      .set({ name: '=HYPERLINK("x")' })
      .where('slug', '=', 'alpha')
      .execute()
    const top = await get('/reports/top-tenants', operator, { accept: 'text/csv' })
    expect(top.body).toContain(`"'=HYPERLINK(""x"")"`)
    for (const path of ['mrr', 'growth', 'signup-cohorts', 'churn-cohorts', 'invoiced-revenue']) {
      expect((await get(`/reports/${path}`, operator, { accept: 'text/csv' })).body).toMatch(
        /^[a-zA-Z]+,[^{]+\r\n/,
      )
    }
  })

  it('leaves cohorts of fewer than three tenants out of what a partner takes away', async () => {
    const csv = async (path: string, token: string) =>
      (await get(path, token, { accept: 'text/csv' })).body
    expect(await csv('/partners/north/reports/signup-cohorts', staff)).not.toContain('2026-01')
    expect(await csv('/reports/signup-cohorts', operator)).toContain('2026-01,1,0,')
  })

  it('is not what a rejection is', async () => {
    const { status, headers } = await get('/reports/mrr', staff, { accept: 'text/csv' })
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 403,
      type: 'application/problem+json',
    })
  })
})

describe('the jobs', () => {
  it('count in what waits, and name what people should know', async () => {
    await testApp.database.db
      .updateTable('tenants')
      .set({ status: 'suspended' })
      .where('slug', '=', 'alpha')
      .execute()
    await refreshReports(testApp.app.services)
    const { rows } = await sql<{
      waiting: number
    }>`select count(*)::int as waiting from report_changes where at <= ${now}`.execute(
      testApp.database.db,
    )
    expect(rows).toEqual([{ waiting: 0 }])
    expect((await read('/reports/mrr')).dataQuality).toMatchObject([
      { kind: 'suspended_paying', tenants: 1 },
    ])
    expect((await read('/partners/north/reports/mrr', staff)).dataQuality).toMatchObject([
      { kind: 'suspended_paying', tenants: 1 },
    ])
    expect((await read('/reports/mrr/rows?currency=eur&figure=suspended')).items).toMatchObject([
      { slug: 'alpha' },
    ])
    expect((await read('/reports/mrr?asOf=2026-05-01')).dataQuality).toEqual([])
  })
})

describe('revenue by month', () => {
  interface Stored {
    id: string
    currency: string
    status?: 'paid' | 'open' | 'void'
    /** Total with tax, total without, paid. */
    amounts: [total: number, net: number, paid: number]
    finalizedAt: string
    paidAt?: string
    voidedAt?: string
    lines?: { amount: number; periodStart: string; periodEnd: string }[]
  }
  const store = async (invoice: Stored): Promise<string> => {
    const { id, currency, status = 'paid', finalizedAt, paidAt, voidedAt } = invoice
    const [total, net, paid] = invoice.amounts
    const { rows } = await sql<{ id: string }>`
      insert into invoices (tenant_id, stripe_invoice_id, status, currency, subtotal, total, total_excluding_tax, amount_due, amount_paid,
        amount_remaining, finalized_at, paid_at, voided_at, created_at, lines)
      values (${tenants.alpha}, ${id}, ${status}, ${currency}, ${net}, ${total}, ${net}, ${total}, ${paid},
        0, ${finalizedAt}, ${paidAt ?? null}, ${voidedAt ?? null}, ${finalizedAt}, ${JSON.stringify(invoice.lines ?? [])})
      returning id`.execute(testApp.database.db)
    return rows[0]?.id ?? ''
  }
  const reverse = (
    invoiceId: string,
    kind: string,
    at: string,
    amount: number,
    net: number | null,
  ) =>
    sql`insert into invoice_reversals (id, invoice_id, kind, amount, amount_excluding_tax, status, effective, created_at, read_at)
      values (${`${kind}_${at}`}, ${invoiceId}, ${kind}, ${amount}, ${net}, ${kind === 'credit_note' ? 'issued' : 'succeeded'},
        ${kind !== 'credit_note'}, ${at}, ${at})`.execute(testApp.database.db)
  // Rows cannot be deleted, so each test has currencies of its own.
  const months = async (from: string, currency: string) =>
    (await read(`/reports/invoiced-revenue?from=${from}&to=2026-11&currency=${currency}`)).months
  const nothing = {
    invoices: 0,
    billedMinor: 0,
    creditedMinor: 0,
    collectedMinor: 0,
    refundedMinor: 0,
    disputedMinor: 0,
    recognizedMinor: 0,
  }

  it('counts each figure on its own day, without tax, and currencies apart', async () => {
    const id = await store({
      id: 'in_1',
      currency: 'eur',
      amounts: [11_900, 10_000, 11_900],
      finalizedAt: '2026-09-30T23:59:59Z',
      paidAt: '2026-10-01T00:00:00Z',
    })
    await store({
      id: 'in_2',
      currency: 'usd',
      amounts: [500, 500, 250],
      finalizedAt: '2026-10-02T00:00:00Z',
      paidAt: '2026-10-02T00:00:00Z',
    })
    await reverse(id, 'refund', '2026-10-05T00:00:00Z', 1_190, null)
    await reverse(id, 'dispute', '2026-11-01T00:00:00Z', 2_380, null)
    const recognized = { recognizedMinor: 0 }
    expect([...(await months('2026-09', 'eur')), ...(await months('2026-09', 'usd'))]).toEqual([
      {
        ...nothing,
        month: '2026-09',
        currency: 'eur',
        partial: false,
        invoices: 1,
        billedMinor: 10_000,
        ...recognized,
      },
      {
        ...nothing,
        month: '2026-10',
        currency: 'eur',
        partial: false,
        collectedMinor: 10_000,
        refundedMinor: 1_000,
        ...recognized,
      },
      {
        ...nothing,
        month: '2026-11',
        currency: 'eur',
        partial: true,
        disputedMinor: 2_000,
        ...recognized,
      },
      {
        ...nothing,
        month: '2026-10',
        currency: 'usd',
        partial: false,
        invoices: 1,
        billedMinor: 500,
        collectedMinor: 250,
        ...recognized,
      },
    ])
  })

  it('takes a void invoice back in the month in which it is voided', async () => {
    await store({
      id: 'in_3',
      currency: 'gbp',
      status: 'void',
      amounts: [100, 100, 0],
      finalizedAt: '2026-08-01T00:00:00Z',
      voidedAt: '2026-10-03T00:00:00Z',
      lines: [
        { amount: 100, periodStart: '2026-08-01T00:00:00Z', periodEnd: '2026-09-01T00:00:00Z' },
      ],
    })
    const gbp = { ...nothing, currency: 'gbp', partial: false }
    expect(await months('2026-08', 'gbp')).toEqual([
      { ...gbp, month: '2026-08', invoices: 1, billedMinor: 100, recognizedMinor: 100 },
      { ...gbp, month: '2026-10', billedMinor: -100, recognizedMinor: -100 },
    ])
  })

  it('takes back of a void invoice only what its credit notes had left', async () => {
    const id = await store({
      id: 'in_credited_and_void',
      currency: 'nok',
      status: 'void',
      amounts: [125, 100, 0],
      finalizedAt: '2026-08-01T00:00:00Z',
      voidedAt: '2026-10-03T00:00:00Z',
      lines: [
        { amount: 100, periodStart: '2026-08-01T00:00:00Z', periodEnd: '2026-09-01T00:00:00Z' },
      ],
    })
    await reverse(id, 'credit_note', '2026-09-05T00:00:00Z', 25, 20)
    await reverse(id, 'credit_note', '2026-09-06T00:00:00Z', 25, null)
    const nok = { ...nothing, currency: 'nok', partial: false }
    expect(await months('2026-08', 'nok')).toEqual([
      { ...nok, month: '2026-08', invoices: 1, billedMinor: 100, recognizedMinor: 100 },
      { ...nok, month: '2026-09', creditedMinor: 40, recognizedMinor: -40 },
      { ...nok, month: '2026-10', billedMinor: -60, recognizedMinor: -60 },
    ])
  })

  it('recognizes a period by the time that has passed, to the last cent', async () => {
    const lines = [
      { amount: 333, periodStart: '2026-07-16T12:00:00Z', periodEnd: '2026-10-16T12:00:00Z' },
      { amount: -33, periodStart: '2026-07-01T00:00:00Z', periodEnd: '2026-07-16T12:00:00Z' },
    ]
    const id = await store({
      id: 'in_4',
      currency: 'chf',
      amounts: [301, 253, 301],
      finalizedAt: '2026-07-16T12:00:00Z',
      paidAt: '2026-07-16T12:00:00Z',
      lines,
    })
    await reverse(id, 'credit_note', '2026-09-20T00:00:00Z', 12, 10)
    const found: { month: string; recognizedMinor: number; creditedMinor: number }[] = await months(
      '2026-06',
      'chf',
    )
    // 281 over 92 days from the middle of July, and -28 that were over when it was issued.
    expect(found.map(({ month, recognizedMinor }) => [month, recognizedMinor])).toEqual([
      ['2026-07', 47 - 28],
      ['2026-08', 95],
      ['2026-09', 92 - 10],
      ['2026-10', 47],
    ])
    const sum = found.reduce((all, { recognizedMinor }) => all + recognizedMinor, 0)
    expect(sum).toBe(253 - 10)
  })

  it('recognizes only the part of the present month that has passed', async () => {
    await store({
      id: 'in_5',
      currency: 'sek',
      status: 'open',
      amounts: [3_000, 3_000, 0],
      finalizedAt: '2026-11-01T00:00:00Z',
      lines: [
        { amount: 3_000, periodStart: '2026-11-01T00:00:00Z', periodEnd: '2026-12-01T00:00:00Z' },
      ],
    })
    const part = (new Date(now).getTime() - Date.parse('2026-11-01T00:00:00Z')) / 86_400_000 / 30
    expect(await months('2026-11', 'sek')).toMatchObject([
      { partial: true, billedMinor: 3_000, recognizedMinor: Math.round(3_000 * part) },
    ])
  })
})
