import { describe, expect, it } from 'vitest'
import {
  CreatePrice,
  faultOfTiers,
  faultsOfPrice,
  type PriceTerms,
  type PriceTier,
  snapshotOf,
  totalOf,
} from '../../src/billing/prices.ts'

const tiers: PriceTier[] = [
  { upTo: 10, unitAmount: 1000, flatAmount: 0 },
  { upTo: null, unitAmount: 800, flatAmount: 0 },
]
const withFlat: PriceTier[] = [
  { upTo: 5, unitAmount: 0, flatAmount: 2500 },
  { upTo: 20, unitAmount: 400, flatAmount: 100 },
  { upTo: null, unitAmount: 300, flatAmount: 50 },
]
const graduated = (steps: PriceTier[]): PriceTerms => ({
  scheme: 'graduated',
  unitAmount: 0,
  tiers: steps,
})
const volume = (steps: PriceTier[]): PriceTerms => ({
  scheme: 'volume',
  unitAmount: 0,
  tiers: steps,
})

describe('the total of a price', () => {
  it.each([
    ['per seat', { scheme: 'per_seat', unitAmount: 800, tiers: null } as PriceTerms, 14, 11_200n],
    [
      'flat, whatever the seats',
      { scheme: 'flat', unitAmount: 9900, tiers: null } as PriceTerms,
      14,
      9_900n,
    ],
    ['graduated', graduated(tiers), 14, 13_200n],
    ['volume', volume(tiers), 14, 11_200n],
    ['graduated at the edge of a tier', graduated(tiers), 10, 10_000n],
    ['volume at the edge of a tier', volume(tiers), 10, 10_000n],
    [
      'graduated with flat parts of every tier entered',
      graduated(withFlat),
      21,
      2500n + 15n * 400n + 100n + 300n + 50n,
    ],
    ['graduated without the flat part of a tier not entered', graduated(withFlat), 5, 2_500n],
    ['volume with its flat part', volume(withFlat), 21, 21n * 300n + 50n],
    ['graduated without seats', graduated(withFlat), 0, 0n],
    ['volume without seats', volume(withFlat), 0, 0n],
  ])('is computed %s', (_, terms, seats, total) => {
    expect(totalOf(terms, seats)).toBe(total)
  })

  it('of a graduated price never falls with more seats, and grows by what the next seat costs', () => {
    let before = 0n
    for (let seats = 1; seats <= 60; seats += 1) {
      const total = totalOf(graduated(withFlat), seats)
      const tier = withFlat.find(({ upTo }) => upTo === null || seats <= upTo)
      const first = [1, 6, 21].includes(seats) ? (tier?.flatAmount ?? 0) : 0
      expect(total - before).toBe(BigInt((tier?.unitAmount ?? 0) + first))
      before = total
    }
  })

  it('stays exact beyond what a number holds', () => {
    expect(totalOf({ scheme: 'per_seat', unitAmount: 1_000_000_000, tiers: null }, 1_000_000)).toBe(
      1_000_000_000_000_000n,
    )
    expect(
      totalOf(graduated([{ upTo: null, unitAmount: 999_999_999, flatAmount: 1 }]), 999_999),
    ).toBe(999_999_999n * 999_999n + 1n)
  })
})

describe('the snapshot of a price', () => {
  it('needs no amount of the whole period where seats times price is exact', () => {
    expect(snapshotOf({ scheme: 'per_seat', unitAmount: 799, tiers: null }, 7)).toEqual({
      perSeatAmount: 799n,
      periodAmount: null,
    })
  })
  it('keeps the whole period of tiers and flat prices, with the rounded average', () => {
    expect(snapshotOf(graduated(tiers), 14)).toEqual({ perSeatAmount: 943n, periodAmount: 13_200n })
    expect(snapshotOf({ scheme: 'flat', unitAmount: 1000, tiers: null }, 3)).toEqual({
      perSeatAmount: 333n,
      periodAmount: 1_000n,
    })
    expect(snapshotOf({ scheme: 'flat', unitAmount: 1000, tiers: null }, 0)).toEqual({
      perSeatAmount: 1_000n,
      periodAmount: 1_000n,
    })
  })
})

describe('tiers', () => {
  const tier = (upTo: number | null): PriceTier => ({ upTo, unitAmount: 1, flatAmount: 0 })
  it.each([
    ['ascend to one without end', [tier(1), tier(2), tier(null)], undefined],
    ['may be one', [tier(null)], undefined],
    ['need a last one without end', [tier(1), tier(2)], 1],
    ['have an end but for the last', [tier(null), tier(2), tier(null)], 0],
    ['do not stand still', [tier(5), tier(5), tier(null)], 1],
    ['do not fall', [tier(5), tier(3), tier(null)], 1],
  ])('%s', (_, steps, index) => {
    expect(faultOfTiers(steps)?.index).toBe(index)
  })
})

describe('a price that is written', () => {
  const base = { plan: 'business', cycle: 'month', amounts: [{ currency: 'EUR', unitAmount: 800 }] }
  const issuesOf = (input: unknown) =>
    CreatePrice.safeParse(input).error?.issues.map(({ path }) => path.join('.'))

  it('is a draft whose currency is lower-cased', () => {
    expect(CreatePrice.parse(base)).toMatchObject({
      state: 'draft',
      amounts: [{ currency: 'eur', unitAmount: 800 }],
    })
  })
  it.each([
    [
      'fractions',
      { ...base, amounts: [{ currency: 'eur', unitAmount: 8.5 }] },
      'amounts.0.unitAmount',
    ],
    [
      'negative amounts',
      { ...base, amounts: [{ currency: 'eur', unitAmount: -1 }] },
      'amounts.0.unitAmount',
    ],
    [
      'a currency twice',
      { ...base, amounts: [base.amounts[0], { currency: 'eur', unitAmount: 1 }] },
      'amounts',
    ],
    ['no currency at all', { ...base, amounts: [] }, 'amounts'],
    [
      'what is no currency',
      { ...base, amounts: [{ currency: 'euro', unitAmount: 1 }] },
      'amounts.0.currency',
    ],
    [
      'tiers without an end',
      { ...base, amounts: [{ currency: 'eur', unitAmount: 0, tiers: [{ ...tiers[0] }] }] },
      'amounts.0.tiers.0.upTo',
    ],
    ['no seats', { ...base, minSeats: 0 }, 'minSeats'],
    ['unknown fields', { ...base, discount: 1 }, ''],
  ])('refuses %s at the field', (_, input, path) => {
    expect(issuesOf(input)).toEqual([path])
  })

  it('is held together between its fields', () => {
    const price = {
      scheme: 'per_seat',
      minSeats: 5,
      maxSeats: 3,
      visibleFrom: '2027-01-01',
      visibleUntil: '2026-01-01',
    } as const
    expect(
      faultsOfPrice({ ...price, amounts: [{ currency: 'eur', unitAmount: 0, tiers }] }).map(
        ({ path }) => path,
      ),
    ).toEqual([...['amounts.0.tiers', 'maxSeats', 'visibleUntil']])
    const tiered = {
      scheme: 'volume',
      minSeats: 1,
      maxSeats: null,
      visibleFrom: null,
      visibleUntil: null,
    } as const
    expect(
      faultsOfPrice({ ...tiered, amounts: [{ currency: 'eur', unitAmount: 5 }] }),
    ).toMatchObject([{ path: 'amounts.0.tiers' }])
    expect(
      faultsOfPrice({ ...tiered, amounts: [{ currency: 'eur', unitAmount: 0, tiers }] }),
    ).toEqual([])
  })
})
