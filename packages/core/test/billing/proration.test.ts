import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prorate } from '../../src/billing/proration.ts'

const day = 86_400_000
const start = new Date('2026-11-01T00:00:00Z')
const end = new Date(start.getTime() + 30 * day)
const after = (days: number) => new Date(start.getTime() + days * day)

describe('the estimate of a change', () => {
  it.each([
    [
      'from 10 to 14 seats at 8.00 with 10 of 30 days left',
      8_000n,
      11_200n,
      20,
      { credit: -2_667n, charge: 3_733n, net: 1_066n },
    ],
    [
      'from 5.00 to 20.00 after 1 of 30 days',
      500n,
      2_000n,
      1,
      { credit: -483n, charge: 1_933n, net: 1_450n },
    ],
    ['at the very start', 500n, 2_000n, 0, { credit: -500n, charge: 2_000n, net: 1_500n }],
    ['at the very end', 500n, 2_000n, 30, { credit: 0n, charge: 0n, net: 0n }],
    ['before the period', 500n, 2_000n, -3, { credit: -500n, charge: 2_000n, net: 1_500n }],
    ['after the period', 500n, 2_000n, 31, { credit: 0n, charge: 0n, net: 0n }],
    ['half a unit, away from zero', 1n, 1n, 15, { credit: -1n, charge: 1n, net: 0n }],
  ])('is two lines, each rounded by itself: %s', (_, before, later, days, expected) => {
    expect(prorate(before, later, { start, end, at: after(days) })).toEqual(expected)
  })

  it.each([start, new Date(start.getTime() - 1), after(-1)])(
    'rejects a period without a second: until %s',
    (until) => {
      expect(() => prorate(1n, 2n, { start, end: until, at: start })).toThrow(RangeError)
    },
  )

  it('goes by whole seconds', () => {
    const tenSeconds = new Date(start.getTime() + 10_000)
    const creditAt = (milliseconds: number) =>
      prorate(1_000n, 0n, {
        start,
        end: tenSeconds,
        at: new Date(start.getTime() + milliseconds),
      }).credit
    expect([0, 999, 1_000, 9_999, 10_000].map(creditAt)).toEqual([
      -1_000n,
      -1_000n,
      -900n,
      -100n,
      0n,
    ])
  })

  it('gives back never more than was paid, and charges never more than the new price; no change costs nothing', () => {
    const amount = fc.bigInt({ min: 0n, max: 1_000_000_000_000n })
    const moment = fc.integer({ min: 0, max: 30 * day })
    fc.assert(
      fc.property(amount, amount, moment, (before, later, passed) => {
        const at = new Date(start.getTime() + passed)
        const { credit, charge, net } = prorate(before, later, { start, end, at })
        expect(credit <= 0n && -credit <= before).toBe(true)
        expect(charge >= 0n && charge <= later).toBe(true)
        expect(net).toBe(credit + charge)
        expect(later >= before ? net >= 0n : net <= 0n).toBe(true)
        expect(prorate(before, before, { start, end, at }).net).toBe(0n)
        expect(prorate(later, before, { start, end, at }).net).toBe(-net)
      }),
    )
  })
})
