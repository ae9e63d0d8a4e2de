import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  currencyCode,
  divideRounded,
  formatAmount,
  minorAmount,
  minorUnitDigits,
  percentOf,
  toBasisPoints,
  toMinorNumber,
} from '../../src/billing/money.ts'
import { percentage } from '../../src/billing/percentage.ts'

describe('a rounded division', () => {
  it.each([
    [0n, 7n, 0n],
    [7n, 2n, 4n],
    [-7n, 2n, -4n],
    [10n, 3n, 3n],
    [11n, 3n, 4n],
    [-10n, 3n, -3n],
    [-11n, 3n, -4n],
    [9_007_199_254_740_993n, 1n, 9_007_199_254_740_993n],
  ])('of %d by %d is %d', (numerator, denominator, expected) => {
    expect(divideRounded(numerator, denominator)).toBe(expected)
  })

  it.each([0n, -1n])('rejects the denominator %d', (denominator) => {
    expect(() => divideRounded(1n, denominator)).toThrow(RangeError)
  })

  test.prop([fc.bigInt(-1_000_000n, 1_000_000n), fc.bigInt(1n, 1_000n)])(
    'is off by half a unit at most, and has no direction',
    (numerator, denominator) => {
      const rounded = divideRounded(numerator, denominator)
      const off = 2n * (rounded * denominator - numerator)
      expect(off <= denominator && -off <= denominator).toBe(true)
      expect(divideRounded(-numerator, denominator)).toBe(-rounded)
    },
  )
})

describe('a share in percent', () => {
  it.each([
    [10_000n, 17.5, 1_750n],
    [10_000n, 0.01, 1n],
    [3n, 50, 2n],
    [-3n, 50, -2n],
    [1_999n, 100, 1_999n],
    [1_999n, 0, 0n],
  ])('of %d at %d %% is %d', (amount, percent, expected) => {
    expect(percentOf(amount, percent)).toBe(expected)
  })

  it('is counted in hundredths of a percent', () => {
    expect([toBasisPoints(17.5), toBasisPoints(0.29), toBasisPoints(8.2)]).toEqual([
      1_750n,
      29n,
      820n,
    ])
  })

  it.each([
    [0, true],
    [0.01, true],
    [17.25, true],
    [8.29, true],
    [100, true],
    [-0.01, false],
    [100.01, false],
    [17.255, false],
    [99.999, false],
    ['17.5', false],
    [Number.NaN, false],
  ])('takes %s as input: %s', (value, taken) => {
    expect(percentage.safeParse(value).success).toBe(taken)
  })
})

describe('a stored amount', () => {
  it('is a number as long as that is exact', () => {
    expect(toMinorNumber(9_007_199_254_740_991n)).toBe(Number.MAX_SAFE_INTEGER)
    expect(toMinorNumber('-1050')).toBe(-1050)
    expect(() => toMinorNumber(9_007_199_254_740_992n)).toThrow(RangeError)
    expect(() => toMinorNumber(-9_007_199_254_740_992n)).toThrow(RangeError)
  })

  it.each([
    [0, true],
    [Number.MAX_SAFE_INTEGER, true],
    [Number.MIN_SAFE_INTEGER, true],
    [Number.MAX_SAFE_INTEGER + 1, false],
    [Number.MIN_SAFE_INTEGER - 1, false],
    [0.5, false],
  ])('may be %d: %s', (value, taken) => {
    expect(minorAmount.safeParse(value).success).toBe(taken)
  })
})

describe('a currency', () => {
  it.each([
    ['eur', 'eur'],
    [' EUR ', 'eur'],
    ['eu', undefined],
    ['euro', undefined],
    ['e1r', undefined],
    ['zzz', undefined],
    ['', undefined],
    [`${' '.repeat(18)}eur`, undefined],
  ])('%j is read as %s', (text, code) => {
    expect(currencyCode.safeParse(text).data).toBe(code)
  })

  it.each([
    ['eur', 2],
    ['jpy', 0],
    ['ugx', 2],
    ['isk', 2],
    ['kwd', 3],
    ['tnd', 3],
  ])('%s has %d digits behind the point', (currency, digits) => {
    expect(minorUnitDigits(currency)).toBe(digits)
  })

  it.each([
    [0n, 'eur', '€0.00'],
    [-5n, 'eur', '-€0.05'],
    [0n, 'jpy', 'JP¥0'],
    [-500n, 'jpy', '-JP¥500'],
    [1_234n, 'kwd', 'KWD\u00a01.234'],
    [-1n, 'kwd', '-KWD\u00a00.001'],
  ])('writes %d in %s as %s', (minor, currency, expected) => {
    expect(formatAmount(minor, currency)).toBe(expected)
  })

  it('in the language of its reader', () => {
    expect(formatAmount(124_050n, 'eur', 'de')).toBe('1.240,50\u00a0€')
  })
})
