import { describe, expect, it } from 'vitest'
import {
  CreatePrice,
  faultOfTiers,
  faultsOfPrice,
  PricePath,
  type PriceSettings,
  type PriceTerms,
  type PriceTier,
  snapshotOf,
  totalOf,
  UpdatePrice,
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
    ['per seat without seats', { scheme: 'per_seat', unitAmount: 800, tiers: null }, 0, 0n],
    [
      'per seat where a tiered price has lost its tiers',
      { scheme: 'volume', unitAmount: 7, tiers: null },
      3,
      21n,
    ],
    [
      'per seat, whatever tiers are left of before',
      { ...volume(tiers), scheme: 'per_seat' },
      3,
      0n,
    ],
    ['as nothing beyond the last tier of a volume', volume(tiers.slice(0, 1)), 11, 0n],
    ['up to the end of the last tier', graduated(tiers.slice(0, 1)), 11, 10_000n],
  ] satisfies [string, PriceTerms, number, bigint][])(
    'is computed %s',
    (_, terms, seats, total) => {
      expect(totalOf(terms, seats)).toBe(total)
    },
  )

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

  it('may have several currencies, each once', () => {
    const amounts = [
      { currency: 'eur', unitAmount: 800 },
      { currency: 'usd', unitAmount: 900 },
    ]
    expect(CreatePrice.parse({ ...base, amounts }).amounts).toEqual(amounts)
  })

  it('keeps each partner once', () => {
    expect(
      CreatePrice.parse({ ...base, partnerSlugs: ['north', 'south', 'north'] }).partnerSlugs,
    ).toEqual(['north', 'south'])
  })

  it('may have tiers that ascend, and writes moments in UTC', () => {
    const amounts = [{ currency: 'eur', unitAmount: 0, tiers }]
    expect(
      CreatePrice.parse({ ...base, amounts, visibleFrom: '2026-01-01T01:00:00+01:00' }),
    ).toMatchObject({ amounts, visibleFrom: '2026-01-01T00:00:00.000Z' })
  })

  it('is found by its id in any case, and by no other text', () => {
    const id = '3F2504E0-4F89-41D3-9A0C-0305E82C3301'
    expect(PricePath.parse({ id }).id).toBe(id.toLowerCase())
    expect(PricePath.parse({ id: 'price_1' }).id).toBe('00000000-0000-0000-0000-000000000000')
  })

  it.each([
    [{ note: null }, true],
    [{ minSeats: 2 }, true],
    [{}, false],
    [{ expectedVersion: 2 }, false],
    [{ note: undefined }, false],
  ])('is changed in a field that is named: %o is taken: %s', (fields, taken) => {
    const id = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    expect(UpdatePrice.safeParse({ id, ...fields }).success).toBe(taken)
  })

  const settings = {
    scheme: 'flat',
    minSeats: 5,
    maxSeats: null,
    visibleFrom: null,
    visibleUntil: null,
    amounts: [{ currency: 'eur', unitAmount: 500 }],
  } as const
  it.each([
    [{}, []],
    [{ maxSeats: 5 }, []],
    [{ maxSeats: 4 }, ['maxSeats']],
    [{ visibleFrom: '2026-01-02' }, []],
    [{ visibleUntil: '2026-01-01' }, []],
    [{ visibleFrom: '2026-01-01', visibleUntil: '2026-01-02' }, []],
    [{ visibleFrom: '2026-01-01', visibleUntil: '2026-01-01' }, ['visibleUntil']],
    [{ scheme: 'graduated' }, ['amounts.0.tiers']],
    [
      { amounts: [...settings.amounts, { currency: 'usd', unitAmount: 0, tiers }] },
      ['amounts.1.tiers'],
    ],
    [{ scheme: 'graduated', amounts: [{ currency: 'usd', unitAmount: 0, tiers }] }, []],
  ] satisfies [Partial<PriceSettings>, string[]][])('with %o has faults at %o', (fields, paths) => {
    expect(faultsOfPrice({ ...settings, ...fields }).map(({ path }) => path)).toEqual(paths)
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
