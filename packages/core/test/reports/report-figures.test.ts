import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { divideRounded } from '../../src/billing/money.ts'
import {
  growthCsv,
  partnerChurnCohortsCsv,
  partnerSignupCohortsCsv,
} from '../../src/reports/report-csv.ts'
import {
  amountEach,
  growthRates,
  type Movements,
  monthAfter,
  monthly,
  monthOf,
  monthStart,
  monthsBetween,
  monthsFromTo,
  ratio,
  signupCohort,
  unexplained,
} from '../../src/reports/report-figures.ts'

const empty: Movements = {
  month: '2026-11',
  currency: 'eur',
  startArrMinor: 0,
  newArrMinor: 0,
  reactivationArrMinor: 0,
  expansionArrMinor: 0,
  contractionArrMinor: 0,
  churnArrMinor: 0,
  pausedChurnArrMinor: 0,
  currencySwitchArrMinor: 0,
  endArrMinor: 0,
  startTenants: 0,
  newTenants: 0,
  reactivatedTenants: 0,
  churnedTenants: 0,
  endTenants: 0,
}

describe('monthly', () => {
  it('rounds half away from zero, once', () => {
    expect([0, 6, 5, -6, -5, 120, 1_000_000_000_006].map(monthly)).toEqual([
      0, 1, 0, -1, 0, 10, 83_333_333_334,
    ])
  })
})

describe('dividing', () => {
  const amount = fc.oneof(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.maxSafeInteger())
  property.prop([
    amount,
    fc.oneof(
      fc.integer({ min: 1, max: 50_000 }),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    ),
  ])('gives what whole numbers of any size give', (part, among) => {
    expect(amountEach(part, among)).toBe(Number(divideRounded(BigInt(part), BigInt(among))))
    expect(monthly(part)).toBe(Number(divideRounded(BigInt(part), 12n)))
    expect(ratio(part, among)).toBe(
      Number(divideRounded(BigInt(part) * 10_000n, BigInt(among))) / 10_000,
    )
  })
})

describe('ratio', () => {
  it('has four decimals and nothing to say of nothing', () => {
    expect([
      ratio(1, 3),
      ratio(2, 3),
      ratio(-1, 3),
      ratio(5, 0),
      ratio(0, 7),
      ratio(3, -2),
    ]).toEqual([0.3333, 0.6667, -0.3333, null, 0, -1.5])
  })

  it('has the sign of both, however large they are', () => {
    const most = Number.MAX_SAFE_INTEGER
    expect([ratio(most, -most), ratio(-most, -most), ratio(-most, most)]).toEqual([-1, 1, -1])
  })
})

describe('growth', () => {
  it('has the rates that are written down for it', () => {
    const month: Movements = {
      ...empty,
      startArrMinor: 100_000,
      newArrMinor: 20_000,
      reactivationArrMinor: 5_000,
      expansionArrMinor: 10_000,
      contractionArrMinor: 4_000,
      churnArrMinor: 6_000,
      endArrMinor: 125_000,
      startTenants: 10,
      churnedTenants: 1,
      endTenants: 12,
    }
    expect(unexplained(month)).toBe(0)
    const before = { ...empty, startTenants: 10, churnedTenants: 3 }
    expect(growthRates(month, [before, month])).toEqual({
      customerChurn: 0.1,
      grossChurn: 0.1,
      netChurn: -0.05,
      netRetention: 1.05,
      quickRatio: 3.5,
      growth: 0.25,
      // 10,417 a month among 12, which 4 of 20 leave each month.
      arpaMinor: 868,
      ltvMinor: 4_340,
    })
  })

  it('has the lifetime value only with tenants that pay and tenants that left', () => {
    const paying = { ...empty, endArrMinor: 1_200, endTenants: 1, startTenants: 2 }
    const left = { ...paying, churnedTenants: 1 }
    expect(growthRates(left, [left]).ltvMinor).toBe(200)
    expect(growthRates(paying, [paying]).ltvMinor).toBeNull()
    expect(growthRates({ ...left, endTenants: 0 }, [left]).ltvMinor).toBeNull()
  })

  it('has an exact lifetime value of any size', () => {
    const large = {
      ...empty,
      endArrMinor: 12 * 700_000_000_000_001,
      endTenants: 1,
      startTenants: 23,
      churnedTenants: 3,
    }
    expect(growthRates(large, [large]).ltvMinor).toBe(5_366_666_666_666_674)
  })

  it('has no rate where there is nothing to divide by', () => {
    expect(growthRates(empty, [empty])).toEqual({
      customerChurn: null,
      grossChurn: null,
      netChurn: null,
      netRetention: null,
      quickRatio: null,
      growth: null,
      arpaMinor: null,
      ltvMinor: null,
    })
  })

  it('leaves unexplained exactly what one figure is off by', () => {
    expect(unexplained({ ...empty, newArrMinor: 12 })).toBe(12)
    expect(unexplained({ ...empty, endArrMinor: 1 })).toBe(-1)
    expect(unexplained({ ...empty, startArrMinor: 24, currencySwitchArrMinor: -24 })).toBe(0)
  })
})

describe('months', () => {
  property.prop([
    fc.integer({ min: 1990, max: 2100 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: -200, max: 200 }),
  ])('are counted back as they are counted on', (year, number, n) => {
    const month = `${year}-${String(number).padStart(2, '0')}`
    expect(monthsBetween(month, monthAfter(month, n))).toBe(n)
    expect(monthAfter(monthAfter(month, n), -n)).toBe(month)
    expect(monthAfter(month, n)).toMatch(/^\d{4}-(0[1-9]|1[0-2])$/)
  })
  it('begin and end in UTC', () => {
    expect(monthOf(new Date('2026-02-28T23:59:59.999Z'))).toBe('2026-02')
    expect(monthOf(new Date('2026-03-01T00:30:00+01:00'))).toBe('2026-02')
    expect(monthStart('2026-02')).toEqual(new Date('2026-02-01T00:00:00Z'))
  })
  it('go over the end of a year', () => {
    expect(monthsFromTo('2025-11', '2026-02')).toEqual(['2025-11', '2025-12', '2026-01', '2026-02'])
    expect(monthsFromTo('2026-02', '2026-01')).toEqual([])
  })
})

describe('a signup cohort', () => {
  it('stays as it is after its last change, up to now or two years', () => {
    const changes = {
      month: '2026-08',
      size: 3,
      active: [3, -1],
      money: [{ currency: 'eur', arr: [1200, 0, -600] }],
    }
    expect(signupCohort(changes, '2026-11')).toEqual({
      month: '2026-08',
      size: 3,
      partial: true,
      active: [3, 2, 2, 2],
      money: [{ currency: 'eur', mrrMinor: [100, 100, 50, 50] }],
    })
    const old = signupCohort({ ...changes, month: '2024-01' }, '2026-11')
    expect({ months: old.active.length, partial: old.partial }).toEqual({
      months: 24,
      partial: false,
    })
  })
})

describe('what a partner takes away', () => {
  it('says nothing about fewer than three customers', () => {
    const cohort = { partial: false, active: [1], money: [{ currency: 'eur', mrrMinor: [100] }] }
    const cohorts = [2, 3].map((size) => ({ ...cohort, size, month: `2026-0${size}` }))
    expect(partnerSignupCohortsCsv({ asOf: '', cohorts })).toBe(
      'cohort,size,n,partial,active,retention,currency,mrrMinor,mrrRetention\r\n2026-03,3,0,false,1,0.3333,eur,100,1\r\n',
    )
    const lost = {
      partial: false,
      averageTenureDays: 10,
      reasons: [{ reason: '=1+1', tenants: 3 }],
      money: [],
    }
    const months = [0, 2, 3].map((tenants) => ({ ...lost, tenants, month: `2026-0${tenants + 1}` }))
    const lines = partnerChurnCohortsCsv({ asOf: '', months }).split('\r\n')
    expect(lines.filter((line) => line.startsWith('2026-03'))).toEqual([])
    expect(lines).toContain("2026-04,false,10,reason,'=1+1,3,,")
  })
})

it('writes a header also without a row', () => {
  expect(growthCsv({ asOf: '', months: [] })).toMatch(
    /^month,currency,partial,startArrMinor,.*,ltvMinor\r\n$/,
  )
})
