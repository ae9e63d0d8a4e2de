import { describe, expect, it } from 'vitest'
import { GetTenant } from '../../src/tenants/tenant-detail.ts'
import {
  largestTenantLimit,
  SetTenantLimits,
  tenantLimitNames,
} from '../../src/tenants/tenant-limits.ts'
import { accessIn, DeleteTenant } from '../../src/tenants/tenants.ts'
import { zodIssues } from '../zod-issues.ts'

const slug = 'acme'

describe('what is read along with a tenant', () => {
  it('is named with commas, each word once', () => {
    const { expand } = GetTenant.parse({ slug, expand: 'members, domains,members' })
    expect(expand).toEqual(['members', 'domains'])
  })

  it('is nothing without a word', () => {
    expect(GetTenant.parse({ slug }).expand).toBeUndefined()
  })

  it.each([
    ['owner', '"owner"'],
    ['domains,owner,Members', '"owner", "Members"'],
    ['', '""'],
  ])('has no other words: %j is rejected', (expand, named) => {
    expect(GetTenant.safeParse({ slug, expand }).error?.issues).toMatchObject([
      {
        path: ['expand'],
        message: expect.stringContaining(`${named} cannot be expanded here.`),
      },
    ])
  })
})

describe('the limits of a tenant', () => {
  const issuesOf = (limits: readonly object[]) => zodIssues(SetTenantLimits, { slug, limits })
  const [name, other] = tenantLimitNames

  it.each([0, 1, largestTenantLimit, null])('may be %s', (most) => {
    expect(issuesOf([{ name, most }])).toEqual([])
  })

  it.each([-1, largestTenantLimit + 1, 1.5, '1'])('may not be %j', (most) => {
    expect(issuesOf([{ name, most }])).toEqual([expect.stringMatching(/^limits\.0\.most: /)])
  })

  it('are set once each', () => {
    expect(
      issuesOf([
        { name, most: 1 },
        { name: other, most: 1 },
      ]),
    ).toEqual([])
    expect(issuesOf(tenantLimitNames.map((each) => ({ name: each, most: 1 })))).toEqual([])
    const fault = ['limits: Each one can be named only once.']
    expect(
      issuesOf([
        { name, most: 1 },
        { name, most: 2 },
      ]),
    ).toEqual(fault)
    expect(issuesOf([])).toHaveLength(1)
  })

  it('are those that count inside one tenant', () => {
    expect(tenantLimitNames).toContain('sso_apps')
    expect(issuesOf([{ name: 'workplaces_person', most: 1 }])).toHaveLength(1)
  })
})

describe('the domains of a deleted tenant', () => {
  it.each([
    ['true', true],
    [true, true],
    ['false', false],
    [false, false],
  ])('are released with %j: %s', (releaseDomains, released) => {
    expect(DeleteTenant.parse({ slug, releaseDomains }).releaseDomains).toBe(released)
  })

  it.each(['yes', '', 1, null])('are not released by %j, which is rejected', (releaseDomains) => {
    expect(DeleteTenant.safeParse({ slug, releaseDomains }).success).toBe(false)
  })
})

describe('access to the upstream systems', () => {
  it.each([
    ['active', null, 'open'],
    ['pending', null, 'open'],
    ['suspended', 'read_only', 'read_only'],
    ['suspended', 'no_sign_in', 'shut'],
    // A suspension of before there were modes changed nothing there.
    ['suspended', null, 'open'],
    ['active', 'read_only', 'open'],
    ['deleted', null, 'shut'],
    ['deleted', 'read_only', 'shut'],
  ] as const)('of a tenant that is %s with the mode %s is %s', (status, suspensionMode, access) => {
    expect(accessIn({ status, suspensionMode })).toBe(access)
  })
})
