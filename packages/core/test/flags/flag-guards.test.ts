import {
  breaksGuard,
  FlagGuards,
  failureRate,
  guardWindowStart,
  isFailing,
} from '@atrium/core/flags/flag-guards'
import { CreateFlag } from '@atrium/core/flags/flags'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { zodIssues } from '../zod-issues.ts'

const rule = { signal: 'server_errors', windowMinutes: 30, threshold: 5, minimum: 100 } as const
const issuesOf = (guards: unknown) => zodIssues(CreateFlag, { key: 'new_flag', guards })

describe('guard rules', () => {
  it('take each signal over several windows', () => {
    const guards = [
      rule,
      { ...rule, windowMinutes: 5, threshold: 12.25 },
      { ...rule, signal: 'payment_failures' },
    ]
    expect(FlagGuards.parse(guards)).toEqual(guards)
  })

  it('are rejected at their own field', () => {
    expect(issuesOf([{ ...rule, signal: 'mood' }])).toEqual([
      'guards.0.signal: Use one of: provisioning_errors, payment_failures, webhook_failures, server_errors.',
    ])
    expect(issuesOf([{ ...rule, windowMinutes: 0, threshold: 100, minimum: 1.5 }])).toEqual([
      'guards.0.windowMinutes: Enter a whole number between 1 and 1,440.',
      'guards.0.threshold: This must be below 100: no share is larger than that.',
      'guards.0.minimum: Enter a whole number between 1 and 1,000,000.',
    ])
    expect(issuesOf([{ ...rule, windowMinutes: 1_441, threshold: -1 }])).toHaveLength(2)
    expect(issuesOf([{ ...rule, threshold: 1.005 }])).toEqual([
      'guards.0.threshold: Enter at most two decimals.',
    ])
    expect(issuesOf([{ ...rule, action: 'page somebody' }])[0]).toContain('guards.0')
    expect(issuesOf([rule, { ...rule, threshold: 9 }])).toEqual([
      'guards.1.signal: Another rule watches this signal over the same time.',
    ])
    expect(
      issuesOf(Array.from({ length: 6 }, (_, index) => ({ ...rule, windowMinutes: index + 1 }))),
    ).toEqual(['guards: Enter at most 5 items.'])
  })
})

/** Tenants that had a hundred events together. */
const group = (tenants: number, failingTenants: number) => ({
  events: 100,
  failures: failingTenants,
  tenants,
  failingTenants,
})

describe('a guard', () => {
  it.each([
    ['is broken by a tenth of the tenants', group(30, 3), group(0, 0), true],
    ['is not broken by less than a tenth', group(30, 2), group(0, 0), false],
    [
      'is not broken by one tenant of several, whatever happens there',
      group(2, 1),
      group(0, 0),
      false,
    ],
    ['is broken by two of two', group(2, 2), group(0, 0), true],
    ['is broken by the only one', group(1, 1), group(500, 0), true],
    ['says nothing about too few events', { ...group(5, 5), events: 99 }, group(0, 0), false],
    [
      'is not broken when as many tenants without the flag are failing',
      group(10, 5),
      group(100, 50),
      false,
    ],
    ['is broken when fewer of them are', group(10, 5), group(100, 49), true],
    ['is not broken without a tenant', { ...group(0, 0), events: 100 }, group(0, 0), false],
  ])('%s', (_, on, off, broken) => {
    expect(breaksGuard(rule, on, off)).toBe(broken)
  })

  it('calls a tenant failing by more than the threshold', () => {
    expect(isFailing(rule, { events: 100, failures: 6 })).toBe(true)
    expect(isFailing(rule, { events: 100, failures: 5 })).toBe(false)
    expect(isFailing({ threshold: 0 }, { events: 1_000_000, failures: 1 })).toBe(true)
    expect(isFailing({ threshold: 0 }, { events: 1, failures: 0 })).toBe(false)
  })

  const count = fc
    .record({
      tenants: fc.nat(10_000),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      events: fc.nat(1_000_000),
    })
    .map(({ tenants, share, events }) => ({
      tenants,
      failingTenants: Math.round(tenants * share),
      events,
      failures: 0,
    }))
  test.prop([fc.integer({ min: 1, max: 1_000 }), count, count])(
    'is never broken for both sides, never by success, and stays broken by one more failing tenant',
    (minimum, on, without) => {
      const broken = breaksGuard({ minimum }, on, without)
      expect(broken && breaksGuard({ minimum }, without, on)).toBe(false)
      expect(breaksGuard({ minimum }, { ...on, failingTenants: 0 }, without)).toBe(false)
      if (broken && on.failingTenants < on.tenants)
        expect(
          breaksGuard({ minimum }, { ...on, failingTenants: on.failingTenants + 1 }, without),
        ).toBe(true)
    },
  )

  it('tells rates in percent with two decimals, and none without events', () => {
    expect(failureRate({ events: 3, failures: 1 })).toBe(33.33)
    expect(failureRate({ events: 800, failures: 1 })).toBe(0.13)
    expect(failureRate({ events: 0, failures: 0 })).toBeNull()
  })

  it('looks back over its window, and not to before the flag reached who it reaches', () => {
    const now = Date.parse('2026-11-21T12:34:56.789Z')
    const start = (reachedSince: string) =>
      new Date(guardWindowStart(now, 30, Date.parse(reachedSince))).toISOString()
    expect(start('2026-11-20T00:00:00Z')).toBe('2026-11-21T12:04:00.000Z')
    expect(start('2026-11-21T12:20:00.001Z')).toBe('2026-11-21T12:21:00.000Z')
    expect(start('2026-11-21T12:34:10Z')).toBe('2026-11-21T12:35:00.000Z')
  })
})
