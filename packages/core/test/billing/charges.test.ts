import { describe, expect, it } from 'vitest'
import { chargeStep, isCharged, leastCharge } from '../../src/billing/charges.ts'

// The values are those of docs.stripe.com/currencies.
describe('what the payment processor charges', () => {
  it.each([
    ['eur', true],
    ['kwd', true],
    ['xcg', true],
    ['zzz', false],
    ['xxx', false],
    ['xau', false],
    ['dem', false],
  ])('%s: %s', (currency, charged) => expect(isCharged(currency)).toBe(charged))

  it.each([
    ['eur', 1],
    ['jpy', 1],
    ['huf', 1],
    ['kwd', 10],
    ['tnd', 10],
    ['isk', 100],
    ['ugx', 100],
  ])('%s in steps of %i', (currency, step) => expect(chargeStep(currency)).toBe(step))

  it.each([
    ['eur', 50],
    ['gbp', 30],
    ['jpy', 50],
    ['huf', 17_500],
    ['mxn', 1000],
    ['kwd', 10],
    ['isk', 100],
    ['try', 1],
  ])('%s from %i on', (currency, least) => expect(leastCharge(currency)).toBe(least))
})
