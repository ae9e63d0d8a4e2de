import { describe, expect, it } from 'vitest'
import {
  churnCohortsCsv,
  growthCsv,
  invoicedCsv,
  mrrCsv,
  partnerChurnCohortsCsv,
  partnerSignupCohortsCsv,
  revenueByPlanCsv,
  signupCohortsCsv,
  topTenantsCsv,
} from '../../src/reports/report-csv.ts'

const asOf = '2026-11-21T12:00:00Z'
/** The rows under the header, each as its cells by the names of their columns. */
function rowsOf(csv: string): Record<string, string>[] {
  const [head = [], ...rows] = csv
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(','))
  return rows.map((cells) => {
    expect(cells).toHaveLength(head.length)
    return Object.fromEntries(head.map((name, index) => [name, cells[index] ?? '']))
  })
}

/** What a line says of these values. */
const cellsOf = (values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? '' : String(value)]),
  )

it('has a line of recurring revenue for each currency', () => {
  const revenue = {
    currency: 'eur',
    mrrMinor: 1_000,
    arrMinor: 12_000,
    atRiskMrrMinor: 100,
    committedMrrMinor: 900,
    trialMrrMinor: 50,
    pausedMrrMinor: 25,
    payingTenants: 4,
    paidSeats: 40,
    arpaMinor: 250,
  }
  const none = { ...revenue, currency: 'usd', payingTenants: 0, arpaMinor: null }
  const csv = mrrCsv({ asOf, currencies: [revenue, none], dataQuality: [] })
  expect(rowsOf(csv)).toEqual([cellsOf({ asOf, ...revenue }), cellsOf({ asOf, ...none })])
})

it('has a line of growth for each month, with its rates', () => {
  const month = {
    month: '2026-10',
    currency: 'eur',
    partial: false,
    startArrMinor: 1,
    newArrMinor: 2,
    reactivationArrMinor: 3,
    expansionArrMinor: 4,
    contractionArrMinor: 5,
    churnArrMinor: 6,
    pausedChurnArrMinor: 7,
    currencySwitchArrMinor: -8,
    endArrMinor: 9,
    startMrrMinor: 10,
    endMrrMinor: 11,
    startTenants: 12,
    newTenants: 13,
    reactivatedTenants: 14,
    churnedTenants: 15,
    endTenants: 16,
    rates: {
      customerChurn: 0.1,
      grossChurn: 0.2,
      netChurn: -0.3,
      netRetention: 0.4,
      quickRatio: 0.5,
      growth: 0.6,
      arpaMinor: 7,
      ltvMinor: null,
    },
  }
  const { rates, ...movements } = month
  expect(rowsOf(growthCsv({ asOf, months: [month] }))).toEqual([
    cellsOf({ ...movements, ...rates }),
  ])
})

const share = { mrrMinor: 1_000, arrMinor: 12_000, share: 0.5 }

it('has a line of revenue for each currency, plan and cycle', () => {
  const plan = {
    currency: 'eur',
    plan: 'business',
    cycle: 'year',
    tenants: 2,
    seats: 20,
  } as const
  expect(revenueByPlanCsv({ asOf, rows: [{ ...plan, ...share }] })).toBe(
    'asOf,currency,plan,cycle,tenants,seats,mrrMinor,arrMinor,share\r\n' +
      `${asOf},eur,business,year,2,20,1000,12000,0.5\r\n`,
  )
})

it('has a line for each of the top tenants', () => {
  const tenant = {
    currency: 'eur',
    rank: 1,
    slug: 'acme',
    name: '=Acme',
    partnerSlug: null,
    plan: 'business',
    cycle: 'month',
    seats: 20,
    healthBand: 'watch',
    since: '2025-01-01T00:00:00Z',
  } as const
  expect(rowsOf(topTenantsCsv({ asOf, rows: [{ ...tenant, ...share }] }))).toEqual([
    // No spreadsheet takes the name for a formula.
    cellsOf({ asOf, ...tenant, ...share, name: "'=Acme" }),
  ])
})

it('has a line of invoices for each month and currency', () => {
  const month = {
    month: '2026-10',
    currency: 'eur',
    partial: true,
    invoices: 1,
    billedMinor: 2,
    creditedMinor: 3,
    collectedMinor: 4,
    refundedMinor: 5,
    disputedMinor: 6,
    recognizedMinor: -7,
  }
  expect(rowsOf(invoicedCsv({ asOf, months: [month] }))).toEqual([cellsOf(month)])
})

describe('signup cohorts', () => {
  const cohort = { month: '2026-10', size: 2, partial: true, active: [2, 1] }

  it('have a line for each month and currency; only the last month may be partial', () => {
    const money = [
      { currency: 'eur', mrrMinor: [200, 100] },
      { currency: 'usd', mrrMinor: [0, 50] },
    ]
    const csv = signupCohortsCsv({ asOf, cohorts: [{ ...cohort, money }] })
    expect(csv.split('\r\n').slice(1, -1)).toEqual([
      '2026-10,2,0,false,2,1,eur,200,1',
      '2026-10,2,0,false,2,1,usd,0,',
      '2026-10,2,1,true,1,0.5,eur,100,0.5',
      '2026-10,2,1,true,1,0.5,usd,50,',
    ])
    const over = signupCohortsCsv({ asOf, cohorts: [{ ...cohort, partial: false, money }] })
    expect(rowsOf(over).map(({ partial }) => partial)).toEqual(Array(4).fill('false'))
  })

  it('have a line for each month without a currency where nobody paid', () => {
    const csv = signupCohortsCsv({ asOf, cohorts: [{ ...cohort, money: [] }] })
    expect(csv.split('\r\n').slice(1, -1)).toEqual([
      '2026-10,2,0,false,2,1,,,',
      '2026-10,2,1,true,1,0.5,,,',
    ])
  })

  it('have no money in months of which none is known', () => {
    const money = [{ currency: 'eur', mrrMinor: [200] }]
    const rows = rowsOf(signupCohortsCsv({ asOf, cohorts: [{ ...cohort, money }] }))
    expect(rows.map(({ mrrMinor, mrrRetention }) => [mrrMinor, mrrRetention])).toEqual([
      ['200', '1'],
      ['', ''],
    ])
  })

  it('are left out for partners when they have fewer than three tenants', () => {
    const cohorts = [2, 3].map((size) => ({ ...cohort, size, money: [] }))
    expect(rowsOf(partnerSignupCohortsCsv({ asOf, cohorts })).map(({ size }) => size)).toEqual([
      '3',
      '3',
    ])
  })
})

describe('churn', () => {
  const month = {
    month: '2026-10',
    partial: false,
    tenants: 3,
    averageTenureDays: 90,
    reasons: [{ reason: 'price', tenants: 2 }],
    money: [{ currency: 'eur', tenants: 3, lostMrrMinor: 100, lostArrMinor: 1_200 }],
  }

  it('has a line for each month as a whole, for its currencies and for its reasons', () => {
    expect(churnCohortsCsv({ asOf, months: [month] })).toBe(
      'month,partial,averageTenureDays,split,of,tenants,lostMrrMinor,lostArrMinor\r\n' +
        '2026-10,false,90,all,,3,,\r\n' +
        '2026-10,false,90,currency,eur,3,100,1200\r\n' +
        '2026-10,false,90,reason,price,2,,\r\n',
    )
  })

  it('is shown to partners for months in which nobody left or at least three did', () => {
    const months = [0, 1, 2, 3].map((tenants) => ({
      ...month,
      tenants,
      averageTenureDays: tenants === 0 ? null : 90,
      reasons: [],
      money: [],
    }))
    const shown = rowsOf(partnerChurnCohortsCsv({ asOf, months }))
    expect(shown.map(({ tenants, averageTenureDays }) => [tenants, averageTenureDays])).toEqual([
      ['0', ''],
      ['3', '90'],
    ])
  })
})
