import { describe, expect, it } from 'vitest'
import {
  CreateSubscription,
  effectOf,
  isEnded,
  mayMoveByHand,
  periodAt,
  periodTotal,
  subscriptionStatuses,
  toSubscriptionStatus,
  yearlyTotal,
} from '../../src/billing/subscriptions.ts'

const at = (text: string) => new Date(text)

describe('a period', () => {
  it.each([
    [
      '2026-01-31T10:00:00Z',
      'month',
      '2026-02-15T00:00:00Z',
      '2026-01-31T10:00:00Z',
      '2026-02-28T10:00:00Z',
    ],
    [
      '2026-01-31T10:00:00Z',
      'month',
      '2026-02-28T10:00:00Z',
      '2026-02-28T10:00:00Z',
      '2026-03-31T10:00:00Z',
    ],
    [
      '2026-01-31T10:00:00Z',
      'month',
      '2026-02-28T09:59:59Z',
      '2026-01-31T10:00:00Z',
      '2026-02-28T10:00:00Z',
    ],
    [
      '2024-02-29T00:00:00Z',
      'year',
      '2027-03-01T00:00:00Z',
      '2027-02-28T00:00:00Z',
      '2028-02-29T00:00:00Z',
    ],
    [
      '2026-11-21T12:00:00Z',
      'month',
      '2026-11-21T12:00:00Z',
      '2026-11-21T12:00:00Z',
      '2026-12-21T12:00:00Z',
    ],
    [
      '2026-11-21T12:00:00Z',
      'year',
      '2030-11-21T11:59:59Z',
      '2029-11-21T12:00:00Z',
      '2030-11-21T12:00:00Z',
    ],
    [
      '2026-11-21T12:00:00Z',
      'month',
      '2026-11-20T00:00:00Z',
      '2026-10-21T12:00:00Z',
      '2026-11-21T12:00:00Z',
    ],
  ] as const)('from %s by %s holds %s', (anchor, cycle, moment, start, end) => {
    expect(periodAt(at(anchor), cycle, at(moment))).toEqual({ start: at(start), end: at(end) })
  })

  it('follows the one before without a gap, from any anchor', () => {
    for (let anchorDay = 1; anchorDay <= 31; anchorDay += 1) {
      const anchor = new Date(Date.UTC(2026, 0, anchorDay, 7, 30))
      let { start, end } = periodAt(anchor, 'month', anchor)
      expect(start).toEqual(anchor)
      for (let month = 0; month < 30; month += 1) {
        const next = periodAt(anchor, 'month', end)
        expect(next.start).toEqual(end)
        expect(next.end > next.start).toBe(true)
        ;({ start, end } = next)
      }
      expect(start < end).toBe(true)
    }
  })
})

describe('amounts of a subscription', () => {
  it('are seats times price, unless the whole period is agreed', () => {
    expect(periodTotal({ perSeatAmount: 800n, periodAmount: null, seats: 3 })).toBe(2_400n)
    expect(periodTotal({ perSeatAmount: 800n, periodAmount: 0n, seats: 3 })).toBe(0n)
  })
  it('of a year are twelve months or one year', () => {
    expect([yearlyTotal(100n, 'month'), yearlyTotal(100n, 'year')]).toEqual([1_200n, 100n])
  })
})

describe('a change', () => {
  const standing = { cycle: 'month', status: 'active', total: 1_000n } as const
  it.each([
    ['more goes at once', standing, { cycle: 'month', total: 1_001n }, 'now'],
    ['the same goes at once', standing, { cycle: 'month', total: 1_000n }, 'now'],
    ['less waits', standing, { cycle: 'month', total: 999n }, 'period_end'],
    [
      'from month to year goes at once, cheaper or not',
      standing,
      { cycle: 'year', total: 1n },
      'now',
    ],
    [
      'from year to month waits, dearer or not',
      { ...standing, cycle: 'year' },
      { cycle: 'month', total: 99_999n },
      'period_end',
    ],
    [
      'in a trial everything goes at once',
      { ...standing, status: 'trialing' },
      { cycle: 'month', total: 1n },
      'now',
    ],
  ] as const)('%s', (_, before, after, effect) => {
    expect(effectOf(before, after)).toBe(effect)
  })
})

describe('a status', () => {
  it('that came later is unknown', () => {
    expect([toSubscriptionStatus('past_due'), toSubscriptionStatus('hibernating')]).toEqual([
      'past_due',
      'unknown',
    ])
  })
  it('that has ended is left by nobody', () => {
    for (const from of subscriptionStatuses.filter(isEnded)) {
      for (const to of subscriptionStatuses)
        expect(mayMoveByHand(from, to), `${from} to ${to}`).toBe(from === to)
    }
  })
  it('is never moved to an end by hand: canceling is an act of its own', () => {
    for (const from of subscriptionStatuses) {
      expect([mayMoveByHand(from, 'canceled'), mayMoveByHand(from, 'incomplete_expired')]).toEqual([
        from === 'canceled',
        from === 'incomplete_expired',
      ])
    }
  })
})

describe('a new subscription', () => {
  const base = { tenantSlug: 'acme', plan: 'business', cycle: 'month', currency: 'eur', seats: 4 }
  const issuesOf = (input: unknown) =>
    CreateSubscription.safeParse(input).error?.issues.map(({ path }) => path.join('.'))
  it.each([
    ['negative seats', { ...base, seats: -1 }, ['seats']],
    ['no seats', { ...base, seats: 0 }, ['seats']],
    ['a part of a seat', { ...base, seats: 1.5 }, ['seats']],
    ['seats as text', { ...base, seats: '4' }, ['seats']],
    ['a currency that is none', { ...base, currency: 'e1' }, ['currency']],
    [
      'agreed amounts at the payment processor',
      { ...base, source: 'stripe', perSeatAmount: 1, startAt: '2026-01-01T00:00:00Z' },
      ['perSeatAmount', 'startAt'],
    ],
  ])('refuses %s', (_, input, paths) => {
    expect(issuesOf(input)).toEqual(paths)
  })
})
