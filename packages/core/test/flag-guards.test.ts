import { breaksGuard, FlagGuards, failureRate, guardWindowStart } from '@atrium/core/flag-guards'
import { CreateFlag } from '@atrium/core/flags'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

const rule = { signal: 'server_errors', windowMinutes: 30, threshold: 5, minimum: 100 } as const
const issuesOf = (guards: unknown) =>
  CreateFlag.safeParse({ key: 'new_flag', guards }).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

describe('guard rules', () => {
  it('take each signal over several windows', () => {
    const guards = [rule, { ...rule, windowMinutes: 5, threshold: 12.25 }, { ...rule, signal: 'payment_failures' }]
    expect(FlagGuards.parse(guards)).toEqual(guards)
  })

  it('are refused at their own field', () => {
    expect(issuesOf([{ ...rule, signal: 'mood' }])).toEqual([
      'guards.0.signal: One of provisioning_errors, payment_failures, webhook_failures, server_errors.',
    ])
    expect(issuesOf([{ ...rule, windowMinutes: 0, threshold: 100, minimum: 1.5 }])).toEqual([
      'guards.0.windowMinutes: A whole number between 1 and 1440.',
      'guards.0.threshold: Below 100: no share is larger than that.',
      'guards.0.minimum: A whole number between 1 and 1000000.',
    ])
    expect(issuesOf([{ ...rule, windowMinutes: 1_441, threshold: -1 }])).toHaveLength(2)
    expect(issuesOf([{ ...rule, threshold: 1.005 }])).toEqual(['guards.0.threshold: At most two decimals.'])
    expect(issuesOf([{ ...rule, action: 'page somebody' }])[0]).toContain('guards.0')
    expect(issuesOf([rule, { ...rule, threshold: 9 }])).toEqual(['guards.1.signal: Another rule watches this signal over the same time.'])
    expect(issuesOf(Array.from({ length: 6 }, (_, index) => ({ ...rule, windowMinutes: index + 1 })))).toEqual([
      'guards: At most 5 guard rules.',
    ])
  })
})

describe('a guard', () => {
  const off = { events: 1_000, failures: 10 }
  it.each([
    ['is broken by more than the threshold', { events: 100, failures: 6 }, off, true],
    ['is not broken by exactly the threshold', { events: 100, failures: 5 }, off, false],
    ['says nothing about too few events', { events: 99, failures: 99 }, off, false],
    ['is not broken when tenants without the flag fail as often', { events: 100, failures: 50 }, { events: 10, failures: 5 }, false],
    ['is not broken when tenants without the flag fail more often', { events: 100, failures: 50 }, { events: 10, failures: 6 }, false],
    ['needs no events without the flag', { events: 100, failures: 50 }, { events: 0, failures: 0 }, true],
  ])('%s', (_name, on, without, broken) => {
    expect(breaksGuard(rule, on, without)).toBe(broken)
  })

  it('at a threshold of nothing is broken by one failure, and by none without it', () => {
    expect(breaksGuard({ threshold: 0, minimum: 1 }, { events: 1, failures: 1 }, { events: 0, failures: 0 })).toBe(true)
    expect(breaksGuard({ threshold: 0, minimum: 1 }, { events: 1, failures: 0 }, { events: 0, failures: 0 })).toBe(false)
  })

  const count = fc.record({ events: fc.nat(1_000_000), share: fc.double({ min: 0, max: 1, noNaN: true }) }).map(({ events, share }) => ({
    events,
    failures: Math.round(events * share),
  }))
  test.prop([fc.integer({ min: 0, max: 9_999 }), fc.integer({ min: 1, max: 1_000 }), count, count])(
    'is never broken for both sides, never by success, and stays broken by one more failure',
    (hundredths, minimum, on, without) => {
      const guard = { threshold: hundredths / 100, minimum }
      const broken = breaksGuard(guard, on, without)
      expect(broken && breaksGuard(guard, without, on)).toBe(false)
      expect(breaksGuard(guard, { ...on, failures: 0 }, without)).toBe(false)
      if (broken && on.failures < on.events) expect(breaksGuard(guard, { ...on, failures: on.failures + 1 }, without)).toBe(true)
    },
  )

  it('tells rates in percent with two decimals, and none without events', () => {
    expect(failureRate({ events: 3, failures: 1 })).toBe(33.33)
    expect(failureRate({ events: 800, failures: 1 })).toBe(0.13)
    expect(failureRate({ events: 0, failures: 0 })).toBeNull()
  })

  it('looks back over its window, and not to before the flag reached who it reaches', () => {
    const now = Date.parse('2026-11-21T12:34:56.789Z')
    const start = (reachedSince: string) => new Date(guardWindowStart(now, 30, Date.parse(reachedSince))).toISOString()
    expect(start('2026-11-20T00:00:00Z')).toBe('2026-11-21T12:04:00.000Z')
    expect(start('2026-11-21T12:20:00.001Z')).toBe('2026-11-21T12:21:00.000Z')
    expect(start('2026-11-21T12:34:10Z')).toBe('2026-11-21T12:35:00.000Z')
  })
})
