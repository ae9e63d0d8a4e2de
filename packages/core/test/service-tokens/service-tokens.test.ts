import { describe, expect, it } from 'vitest'
import { scopesNeeded, scopesOfKind, serviceScopes } from '../../src/service-tokens/scopes.ts'
import {
  CreateServiceToken,
  mostNetworks,
  RotateServiceToken,
  serviceTokenDays,
} from '../../src/service-tokens/service-tokens.ts'
import { zodIssuePaths } from '../zod-issues.ts'

describe('the scopes of a kind of token', () => {
  it('are all for the platform, and fewer for a partner and a tenant', () => {
    const missing = (kind: 'tenant' | 'partner' | 'platform') =>
      serviceScopes.filter((scope) => !scopesOfKind[kind].includes(scope))
    expect(missing('platform')).toEqual([])
    expect(missing('partner')).toEqual([
      'flags:read',
      'flags:write',
      'scim:read',
      'scim:write',
      'security:read',
      'security:write',
      'system:read',
      'system:write',
      'users:read',
    ])
    expect(missing('tenant')).toEqual([
      'flags:read',
      'flags:write',
      'partners:read',
      'partners:write',
      'reports:read',
      'system:read',
      'system:write',
      'users:read',
    ])
  })
})

describe('what a call needs', () => {
  it.each(['never', undefined] as const)('is a person where the procedure says %s', (access) => {
    expect(scopesNeeded(access, false)).toBeUndefined()
    expect(scopesNeeded(access, true)).toBeUndefined()
  })

  it('is the scope of the procedure, or none where any token may call it', () => {
    expect(scopesNeeded('mail:read', false)).toEqual(['mail:read'])
    expect(scopesNeeded('any', false)).toEqual([])
  })

  it('is the scope for secrets besides, where the response has one', () => {
    expect(scopesNeeded('members:write', true)).toEqual(['members:write', 'secrets:read'])
    expect(scopesNeeded('any', true)).toEqual(['secrets:read'])
  })
})

describe('a new service token', () => {
  const token = { slug: 'acme', name: 'Backup', scopes: ['mail:read'], expiresInDays: 90 }
  const { most } = serviceTokenDays
  const issuesOf = (change: object) => zodIssuePaths(CreateServiceToken, { ...token, ...change })

  it('is accepted from every address unless it names networks', () => {
    expect(CreateServiceToken.parse(token).networks).toEqual([])
  })

  it.each([
    { scopes: [...serviceScopes] },
    { networks: Array.from({ length: mostNetworks }, () => '192.0.2.1') },
    { networks: ['x'.repeat(64)] },
    { expiresInDays: 1 },
    { expiresInDays: most },
  ])('may have the bounds themselves: %j', (change) => {
    expect(issuesOf(change)).toEqual([])
  })

  it.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: [...serviceScopes, 'mail:read'] }, 'scopes'],
    [{ scopes: ['mail'] }, 'scopes.0'],
    [{ networks: Array.from({ length: mostNetworks + 1 }, () => '192.0.2.1') }, 'networks'],
    [{ networks: ['x'.repeat(65)] }, 'networks.0'],
    [{ expiresInDays: 0 }, 'expiresInDays'],
    [{ expiresInDays: most + 1 }, 'expiresInDays'],
    [{ expiresInDays: 1.5 }, 'expiresInDays'],
    [{ expiresInDays: undefined }, 'expiresInDays'],
  ])('is rejected with %j', (change, path) => {
    expect(issuesOf(change)).toEqual([path])
  })

  it('keeps its end when its secret is replaced, unless another is named', () => {
    const id = '01a1ffa0-915e-7644-aaf6-d11f66e35098'
    const rotate = (change: object) =>
      RotateServiceToken.safeParse({ slug: 'acme', id, ...change }).data
    expect(rotate({})).toEqual({ slug: 'acme', id, overlapHours: 24 })
    expect(rotate({ expiresInDays: most })?.expiresInDays).toBe(most)
    expect(rotate({ expiresInDays: most + 1 })).toBeUndefined()
    expect(rotate({ expiresInDays: 0 })).toBeUndefined()
  })
})
