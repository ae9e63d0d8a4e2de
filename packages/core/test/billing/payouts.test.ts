import { describe, expect, it } from 'vitest'
import {
  CreateAdjustment,
  leastPayout,
  mostAdjustedAlone,
  openPayoutStatuses,
  payoutMoves,
  payoutStatuses,
  thousandthsOf,
} from '../../src/billing/payouts.ts'

describe('limits of payouts', () => {
  it.each([
    ['eur', 5_000n, 100_000n],
    ['jpy', 50n, 1_000n],
    ['kwd', 50_000n, 1_000_000n],
  ])('are counted in units of %s', (currency, least, alone) => {
    expect(leastPayout(currency)).toBe(least)
    expect(thousandthsOf(alone, currency)).toBe(mostAdjustedAlone)
    expect(thousandthsOf(-alone, currency)).toBe(mostAdjustedAlone)
  })
})

describe('the states of a payout', () => {
  it('all lead somewhere but the canceled one', () => {
    expect(payoutStatuses.filter((status) => payoutMoves[status].length === 0)).toEqual([
      'canceled',
    ])
  })
  it('end by canceling only while no money moved', () => {
    expect(payoutStatuses.filter((status) => payoutMoves[status].includes('canceled'))).toEqual([
      'draft',
      'held',
      'approved',
      'failed',
    ])
  })
  it('keep their entries until it is paid or canceled', () => {
    expect(
      payoutStatuses.filter((status) => !openPayoutStatuses.some((open) => open === status)),
    ).toEqual(['paid', 'canceled'])
  })
})

describe('an adjustment', () => {
  const base = { partnerSlug: 'north', currency: 'EUR', reason: 'A correction by hand.' }
  it.each([
    [1, true],
    [-1, true],
    [100_000_000_000, true],
    [-100_000_000_000, true],
    [100_000_000_001, false],
    [-100_000_000_001, false],
    [0, false],
    [0.5, false],
  ])('of %d is taken: %s', (amountMinor, taken) => {
    expect(CreateAdjustment.safeParse({ ...base, amountMinor }).success).toBe(taken)
  })
  it('says why in ten characters or more', () => {
    expect(CreateAdjustment.safeParse({ ...base, amountMinor: 1, reason: 'short' }).success).toBe(
      false,
    )
  })
})
