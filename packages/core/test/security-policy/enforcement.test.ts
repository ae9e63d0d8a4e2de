import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type EnforcedPolicy,
  mfaRequiredFrom,
  rejectionsBy,
  type SignInFacts,
} from '../../src/security-policy/enforcement.ts'
import { effectOf, lastingRejections } from '../../src/security-policy/preview.ts'

const start = Date.UTC(2026, 0, 1)
const minute = 60_000
const instants = fc
  .integer({ min: 0, max: 200_000 })
  .map((value) => new Date(start + value * minute))
const countries = ['DE', 'FR', 'US'] as const
const networks = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] as const
const addresses = [
  '203.0.113.9',
  '2001:db8::5',
  '198.51.100.7',
  '198.51.100.8',
  '::ffff:203.0.113.1',
]

const policies: fc.Arbitrary<EnforcedPolicy> = fc.record({
  mfaRequiredFrom: fc.option(instants),
  sessionAbsoluteMinutes: fc.option(fc.integer({ min: 15, max: 43_200 })),
  allowedCountries: fc.subarray([...countries]),
  ipAllowlist: fc.subarray([...networks]),
})
const facts: fc.Arbitrary<SignInFacts> = fc.record({
  secondFactor: fc.boolean(),
  signedInAt: fc.option(instants),
  address: fc.option(fc.constantFrom(...addresses)),
  country: fc.option(fc.constantFrom(...countries)),
})
const none: EnforcedPolicy = {
  mfaRequiredFrom: null,
  sessionAbsoluteMinutes: null,
  allowedCountries: [],
  ipAllowlist: [],
}

describe('a policy', () => {
  it('without restrictions rejects nobody, whatever is known', () => {
    fc.assert(
      fc.property(facts, instants, (known, at) => rejectionsBy(none, known, at).length === 0),
    )
  })

  it('rejects what it restricts and is unknown', () => {
    const unknown = { secondFactor: false, signedInAt: null, address: null, country: null }
    fc.assert(
      fc.property(policies, instants, (policy, at) => {
        expect(rejectionsBy(policy, unknown, at)).toEqual([
          ...(policy.ipAllowlist.length > 0 ? ['network_not_allowed'] : []),
          ...(policy.allowedCountries.length > 0 ? ['country_not_allowed'] : []),
          ...(policy.sessionAbsoluteMinutes === null ? [] : ['sign_in_too_old']),
          ...(policy.mfaRequiredFrom !== null && at >= policy.mfaRequiredFrom
            ? ['mfa_required']
            : []),
        ])
      }),
    )
  })

  it('rejects for a reason exactly when that part of it alone would', () => {
    fc.assert(
      fc.property(policies, facts, instants, (policy, known, at) => {
        const parts: EnforcedPolicy[] = [
          { ...none, ipAllowlist: policy.ipAllowlist },
          { ...none, allowedCountries: policy.allowedCountries },
          { ...none, sessionAbsoluteMinutes: policy.sessionAbsoluteMinutes },
          { ...none, mfaRequiredFrom: policy.mfaRequiredFrom },
        ]
        expect(rejectionsBy(policy, known, at)).toEqual(
          parts.flatMap((part) => rejectionsBy(part, known, at)),
        )
      }),
    )
  })

  it.each([
    ['203.0.113.9', 'DE', []],
    ['203.0.114.9', 'DE', ['network_not_allowed']],
    ['203.0.113.9', 'US', ['country_not_allowed']],
    ['203.0.114.9', 'US', ['network_not_allowed', 'country_not_allowed']],
  ])('with networks and countries lets in those alone: %s from %s', (address, country, reasons) => {
    const policy = { ...none, ipAllowlist: ['203.0.113.0/24'], allowedCountries: ['DE', 'FR'] }
    const known = { secondFactor: false, signedInAt: null, address, country }
    expect(rejectionsBy(policy, known, new Date(start))).toEqual(reasons)
  })

  it('asks for a second factor from its day on and for ever', () => {
    fc.assert(
      fc.property(instants, instants, facts, (from, at, known) => {
        const rejected = rejectionsBy({ ...none, mfaRequiredFrom: from }, known, at)
        expect(rejected).toEqual(at >= from && !known.secondFactor ? ['mfa_required'] : [])
      }),
    )
  })

  it('lets a sign-in in until its last millisecond, and never again after it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 15, max: 43_200 }), instants, (most, signedInAt) => {
        const policy = { ...none, sessionAbsoluteMinutes: most }
        const known = { secondFactor: true, signedInAt, address: null, country: null }
        const end = signedInAt.getTime() + most * minute
        expect(rejectionsBy(policy, known, new Date(end))).toEqual([])
        expect(rejectionsBy(policy, known, new Date(end + 1))).toEqual(['sign_in_too_old'])
      }),
    )
  })

  it('does not become laxer by another tenant’s: each decides alone', () => {
    fc.assert(
      fc.property(policies, policies, facts, instants, (strict, lax, known, at) => {
        const before = rejectionsBy(strict, known, at)
        rejectionsBy(lax, known, at)
        expect(rejectionsBy(strict, known, at)).toEqual(before)
      }),
    )
  })
})

describe('the days of grace', () => {
  it('count from the moment at which the second factor was required, 24 hours each', () => {
    const since = new Date('2026-03-28T12:00:00Z')
    expect(
      mfaRequiredFrom({ mfaMode: 'required', mfaRequiredSince: since, mfaGraceDays: 14 }),
    ).toEqual(new Date('2026-04-11T12:00:00Z'))
  })

  it.each(['off', 'optional'] as const)('mean nothing in the mode %s', (mfaMode) => {
    expect(mfaRequiredFrom({ mfaMode, mfaRequiredSince: new Date(), mfaGraceDays: 0 })).toBeNull()
  })

  it('mean nothing while it is not known since when', () => {
    const policy = { mfaMode: 'required', mfaRequiredSince: null, mfaGraceDays: 14 } as const
    expect(mfaRequiredFrom(policy)).toBeNull()
  })
})

describe('a preview', () => {
  const signIn = { secondFactor: false, address: '203.0.113.9', country: 'DE' }
  const groups = [
    { ...signIn, count: 3, lastAt: new Date(start) },
    { ...signIn, country: 'US', count: 2, lastAt: new Date(start + minute) },
  ]

  it('counts what would have been rejected, and names the last one', () => {
    expect(effectOf({ ...none, allowedCountries: ['DE'] }, groups)).toEqual({
      reasons: ['country_not_allowed'],
      signIns: 5,
      rejected: 2,
      last: groups[1],
    })
    expect(effectOf(none, groups)).toEqual({
      reasons: [],
      signIns: 5,
      rejected: 0,
      last: undefined,
    })
  })

  it('names the latest one, in whatever order they come', () => {
    const policy = { ...none, allowedCountries: ['FR'] }
    expect(effectOf(policy, groups).last).toBe(groups[1])
    expect(effectOf(policy, groups.toReversed()).last).toBe(groups[1])
  })

  it('looks behind the days of grace', () => {
    const policy = { ...none, mfaRequiredFrom: new Date(start + 1_000 * minute) }
    expect(effectOf(policy, groups)).toMatchObject({ reasons: ['mfa_required'], rejected: 5 })
  })

  it('names a person as shut out for good only where signing in again does not help', () => {
    fc.assert(
      fc.property(policies, facts, (policy, known) => {
        const lasting = lastingRejections(policy, known)
        const again = policy.mfaRequiredFrom ?? new Date(start)
        const signedInAt = known.signedInAt && again
        expect([...lasting].sort()).toEqual(
          rejectionsBy(policy, { ...known, signedInAt }, again).sort(),
        )
      }),
    )
  })
})
