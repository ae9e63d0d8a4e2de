import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEnded } from '../../src/billing/subscription-life.ts'
import {
  ChangeSubscription,
  CreateSubscription,
  effectOf,
  mayMoveByHand,
  PreviewSubscriptionChange,
  periodAt,
  periodTotal,
  ReadSubscription,
  subscriptionStatuses,
  toSubscriptionStatus,
  UpdateSubscription,
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

  it('holds its moment, from any anchor', () => {
    const moment = fc.date({ min: at('2000-01-01'), max: at('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, fc.constantFrom('month', 'year'), moment, (anchor, cycle, held) => {
        const { start, end } = periodAt(anchor, cycle, held)
        expect(start <= held && held < end).toBe(true)
        const days = (end.getTime() - start.getTime()) / 86_400_000
        expect(cycle === 'year' ? [365, 366] : [28, 29, 30, 31]).toContain(days)
      }),
    )
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
  const terms = {
    plan: 'business',
    cycle: 'month',
    seats: 10,
    total: 1_200n,
    taxBehavior: 'exclusive',
  } as const
  const standing = { ...terms, status: 'active' } as const
  const yearly = { ...terms, cycle: 'year', total: 12_000n } as const
  it.each([
    ['that costs more goes at once', standing, { ...terms, total: 1_201n }, 'now'],
    ['that costs the same goes at once', standing, { ...terms, total: 1_200n }, 'now'],
    ['that costs less waits', standing, { ...terms, total: 1_199n }, 'period_end'],
    ['from month to year goes at once, with a discount too', standing, yearly, 'now'],
    [
      'from month to year with more seats goes at once',
      standing,
      { ...yearly, seats: 11, total: 13_200n },
      'now',
    ],
    [
      'from month to year with fewer seats waits when it costs less per time',
      standing,
      { ...yearly, seats: 9, total: 10_800n },
      'period_end',
    ],
    [
      'from month to year to another plan waits when it costs less per time',
      standing,
      { ...yearly, plan: 'starter', total: 14_399n },
      'period_end',
    ],
    [
      'from month to year to another plan goes at once when it costs more per time',
      standing,
      { ...yearly, plan: 'enterprise', total: 14_400n },
      'now',
    ],
    [
      'from year to year goes at once when it costs no less',
      { ...yearly, status: 'active' },
      { ...yearly, seats: 11, total: 13_200n },
      'now',
    ],
    [
      'from year to year waits when it costs less',
      { ...yearly, status: 'active' },
      { ...yearly, seats: 9, total: 10_800n },
      'period_end',
    ],
    [
      'from year to month waits, dearer or not',
      { ...yearly, status: 'active' },
      { ...terms, total: 99_999n },
      'period_end',
    ],
    [
      'to a price that contains tax waits, dearer or not',
      { ...standing },
      { ...terms, taxBehavior: 'inclusive', total: 99_999n },
      'period_end',
    ],
    [
      'in a trial goes at once',
      { ...standing, status: 'trialing' },
      { ...terms, total: 1n },
      'now',
    ],
    ['in a pause goes at once', { ...standing, status: 'paused' }, { ...terms, total: 1n }, 'now'],
  ] as const)('%s', (_, before, after, effect) => {
    expect(effectOf(before, after)).toBe(effect)
  })
})

describe('a status', () => {
  it('ends a subscription where it is never left', () => {
    expect(subscriptionStatuses.filter(isEnded).toSorted()).toEqual([
      'canceled',
      'incomplete_expired',
    ])
  })
  it.each([
    ['trialing', 'active', true],
    ['trialing', 'past_due', false],
    ['active', 'paused', true],
    ['active', 'trialing', false],
    ['past_due', 'unpaid', true],
    ['unpaid', 'past_due', true],
    ['paused', 'active', true],
    ['paused', 'past_due', false],
    ['unknown', 'active', true],
    ['incomplete', 'active', false],
  ] as const)('is moved by hand from %s to %s: %s', (from, to, allowed) => {
    expect(mayMoveByHand(from, to)).toBe(allowed)
  })
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
    [
      'an agreed period at the payment processor',
      { ...base, source: 'stripe', periodAmount: 1 },
      ['periodAmount'],
    ],
  ])('refuses %s', (_, input, paths) => {
    expect(issuesOf(input)).toEqual(paths)
  })

  it('is a manual one with what was agreed, unless the payment processor has it', () => {
    expect(CreateSubscription.parse({ ...base, currency: 'EUR' })).toEqual({
      ...base,
      source: 'manual',
    })
    const agreed = {
      ...base,
      perSeatAmount: 0,
      periodAmount: 12,
      startAt: '2026-01-01T01:00:00+01:00',
    }
    expect(CreateSubscription.parse(agreed)).toEqual({
      ...agreed,
      source: 'manual',
      startAt: '2026-01-01T00:00:00.000Z',
    })
    expect(CreateSubscription.parse({ ...base, source: 'stripe', trialDays: 14 })).toMatchObject({
      source: 'stripe',
    })
  })
})

describe('the input of a change', () => {
  const id = '3F2504E0-4F89-41D3-9A0C-0305E82C3301'
  const quote = {
    prorationDate: '2026-01-01T00:00:00.000Z',
    validUntil: '2026-01-01T00:10:00.000Z',
    version: 1,
    priceId: null,
  }
  const nothing = '00000000-0000-0000-0000-000000000000'

  it('finds an id in any case, and nothing under what is none', () => {
    expect(ReadSubscription.parse({ id }).id).toBe(id.toLowerCase())
    expect(ReadSubscription.parse({ id: 'sub_1' }).id).toBe(nothing)
  })

  it.each([
    [{ seats: 3 }, true],
    [{ plan: 'business' }, true],
    [{ status: 'active' }, true],
    [{ periodAmount: null }, true],
    [{}, false],
    [{ version: 2 }, false],
    [{ seats: undefined }, false],
  ])('by an operator names a field: %o is taken: %s', (fields, taken) => {
    expect(UpdateSubscription.safeParse({ id, ...fields }).success).toBe(taken)
  })

  it.each([
    [{ plan: 'business' }, true],
    [{ cycle: 'year' }, true],
    [{ seats: 3 }, true],
    [{ currency: 'eur' }, true],
    [{}, false],
    [{ seats: undefined }, false],
    [{ seats: 0 }, false],
  ])('by a tenant names what changes: %o is taken: %s', (change, taken) => {
    expect(PreviewSubscriptionChange.safeParse({ slug: 'acme', ...change }).success).toBe(taken)
    expect(ChangeSubscription.safeParse({ slug: 'acme', ...change, quote }).success).toBe(taken)
  })
})
