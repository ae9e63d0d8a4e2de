import {
  hasPartnerRight,
  partnerAccesses,
  partnerRights,
} from '@atrium/core/partners/partner-access'
import {
  marginPct,
  UpdateCustomer,
  UpdatePartner,
  UpdatePartnerSettings,
} from '@atrium/core/partners/partners'
import { SaveReport, savedReportKinds } from '@atrium/core/reports/saved-reports'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zodIssues } from '../zod-issues.ts'

describe('access levels', () => {
  it('may what the table of the contract says', () => {
    const table = partnerAccesses.map((access) =>
      partnerRights.filter((right) => hasPartnerRight(access, right)),
    )
    expect(table).toEqual([
      ['customers', 'reports'],
      ['customers'],
      ['customers', 'manageCustomers', 'reports', 'finance'],
      ['customers', 'manageCustomers', 'reports', 'finance', 'manageStaff'],
    ])
  })
})

describe('a margin', () => {
  it('is any share with at most two decimals from 0 to 100', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000 }),
        (hundredths) => marginPct.safeParse(hundredths / 100).success,
      ),
    )
  })

  it.each([-0.01, 100.01, 12.345, 0.001, Number.NaN, Number.POSITIVE_INFINITY, '20'])(
    'is not %s',
    (value) => {
      expect(marginPct.safeParse(value).success).toBe(false)
    },
  )

  it('has no first day without itself', () => {
    expect(
      UpdatePartner.safeParse({ slug: 'north', marginEffectiveFrom: '2027-01-01' }).success,
    ).toBe(false)
    expect(
      UpdatePartner.safeParse({ slug: 'north', marginPct: 5, marginEffectiveFrom: '2027-01-01' })
        .success,
    ).toBe(true)
    expect(
      UpdatePartner.safeParse({ slug: 'north', marginPct: 5, marginEffectiveFrom: '2027-02-30' })
        .success,
    ).toBe(false)
  })
})

describe('a change', () => {
  const slug = 'north'
  const tenantSlug = 'acme'

  it('of a partner names at least one field', () => {
    const accepts = (fields: object) => UpdatePartner.safeParse({ slug, ...fields }).success
    expect(accepts({})).toBe(false)
    expect(accepts({ name: undefined, reason: 'Renamed', expectedVersion: 'v1' })).toBe(false)
    expect(accepts({ name: 'North', domain: undefined })).toBe(true)
    expect(accepts({ domain: null })).toBe(true)
  })

  it('of a customer names at least one field', () => {
    const accepts = (fields: object) =>
      UpdateCustomer.safeParse({ slug, tenantSlug, ...fields }).success
    expect(accepts({})).toBe(false)
    expect(accepts({ name: undefined, expectedVersion: 'v1' })).toBe(false)
    expect(accepts({ seats: 0, name: undefined })).toBe(true)
    expect(accepts({ industry: null })).toBe(true)
  })
})

describe('the address of a partner’s support', () => {
  const issuesOf = (supportUrl: string) =>
    zodIssues(UpdatePartnerSettings, { slug: 'north', supportUrl })
  const longest = 'https://help.example/'.padEnd(500, 'x')

  it.each(['https://help.example/contact?from=atrium#form', longest])('may be %s', (address) => {
    expect(issuesOf(address)).toEqual([])
  })

  it.each(['help.example', 'https://', 'http://help.example/', 'javascript:alert(1)'])(
    'may not be %j',
    (address) => {
      expect(issuesOf(address)).toEqual(['supportUrl: This is not an https:// address.'])
    },
  )

  it('has 500 characters at most', () => {
    expect(issuesOf(`${longest}x`)).toHaveLength(1)
  })
})

describe('a saved report', () => {
  it.each(savedReportKinds)(
    'of kind %s needs no parameters and takes none that it does not know',
    (kind) => {
      expect(SaveReport.safeParse({ slug: 'north', name: 'Mine', kind }).success).toBe(true)
      const rejected = SaveReport.safeParse({
        slug: 'north',
        name: 'Mine',
        kind,
        params: { colour: 'red' },
      })
      expect(rejected.error?.issues.map(({ path }) => path.join('.'))).toEqual(['params.colour'])
    },
  )

  it.each([
    [{ band: 'ill' }, 'params.band'],
    [{ colour: 'red', size: 7 }, 'params.colour'],
  ])('is rejected with the parameters %j at the first wrong one', (params, path) => {
    const { error } = SaveReport.safeParse({ slug: 'north', name: 'Mine', kind: 'health', params })
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })
})
