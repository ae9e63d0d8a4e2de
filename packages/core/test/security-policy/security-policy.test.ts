import { describe, expect, it } from 'vitest'
import { countryCode } from '../../src/billing/countries.ts'
import {
  defaultSecurityPolicy,
  idleExceedsAbsolute,
  UpdateSecurityPolicy,
} from '../../src/security-policy/security-policy.ts'

const issuesOf = (fields: object) =>
  UpdateSecurityPolicy.safeParse({ slug: 'acme', ...fields }).error?.issues.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  )

describe('a security policy', () => {
  it.each([
    [{}, ': Include at least one field to change.'],
    [{ sessionIdleMinutes: 4 }, 'sessionIdleMinutes: Enter between 5 and 1,440 minutes.'],
    [{ sessionIdleMinutes: 1_441 }, 'sessionIdleMinutes: Enter between 5 and 1,440 minutes.'],
    [{ sessionIdleMinutes: 7.5 }, 'sessionIdleMinutes: This must be a whole number.'],
    [
      { sessionAbsoluteMinutes: 43_201 },
      'sessionAbsoluteMinutes: Enter between 15 and 43,200 minutes.',
    ],
    [
      { allowedCountries: ['DE', 'germany'] },
      'allowedCountries.1: This is not a two-letter country code.',
    ],
    [
      { allowedCountries: ['UK'] },
      'allowedCountries.0: UK is not a country of ISO 3166-1. Write GB.',
    ],
    [{ allowedCountries: ['AA'] }, 'allowedCountries.0: AA is not a country of ISO 3166-1.'],
  ])('refuses %j with the reason', (fields, issue) => expect(issuesOf(fields)).toEqual([issue]))

  it('takes the bounds themselves, and null for no limit', () => {
    expect(issuesOf({ sessionIdleMinutes: 5, sessionAbsoluteMinutes: 43_200 })).toBeUndefined()
    expect(issuesOf({ sessionIdleMinutes: null, sessionAbsoluteMinutes: null })).toBeUndefined()
  })

  it('does not let a session stand idle for longer than it may last', () => {
    const limits = (sessionIdleMinutes: number | null, sessionAbsoluteMinutes: number | null) =>
      idleExceedsAbsolute({ ...defaultSecurityPolicy, sessionIdleMinutes, sessionAbsoluteMinutes })
    expect(limits(60, 59)).toBe(true)
    expect(limits(60, 60)).toBe(false)
    expect(limits(60, null)).toBe(false)
    expect(limits(null, 60)).toBe(false)
  })
})

it('reads a country in any case', () => expect(countryCode.parse(' de ')).toBe('DE'))
