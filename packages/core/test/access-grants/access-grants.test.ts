import { describe, expect, it } from 'vitest'
import { AskForAccess, BreakGlass } from '../../src/access-grants/access-grants.ts'
import { type Delegable, grantOpens } from '../../src/access-grants/scopes.ts'

describe('a grant', () => {
  const reader = { role: 'reader', scopes: ['mail', 'sso'] } as const
  const admin = { ...reader, role: 'admin' } as const
  const read = (delegable: Delegable | undefined) => ({ delegable, changes: false })
  const change = (delegable: Delegable | undefined) => ({ delegable, changes: true })

  it('opens what one of its scopes opens, and nothing of other scopes', () => {
    expect(grantOpens(reader, read(['mail']))).toBe(true)
    expect(grantOpens(reader, read(['members', 'sso']))).toBe(true)
    expect(grantOpens(reader, read(['members', 'security']))).toBe(false)
    expect(grantOpens(admin, change(['members']))).toBe(false)
    expect(grantOpens(admin, change([]))).toBe(false)
  })

  it('opens what any grant opens, also without a scope', () => {
    expect(grantOpens({ role: 'reader', scopes: [] }, read('any'))).toBe(true)
  })

  it.each(['never', undefined] as const)('opens nothing where the procedure says %s', (says) => {
    expect(grantOpens(reader, read(says))).toBe(false)
    expect(grantOpens(admin, change(says))).toBe(false)
  })

  it('opens changes to an admin alone', () => {
    expect(grantOpens(admin, change(['mail']))).toBe(true)
    expect(grantOpens(admin, change('any'))).toBe(true)
    expect(grantOpens(reader, change(['mail']))).toBe(false)
    expect(grantOpens(reader, change('any'))).toBe(false)
  })
})

describe('a request for access', () => {
  const asked = {
    slug: 'acme',
    role: 'reader',
    scopes: ['mail'],
    reason: 'Mails do not arrive',
    endsAt: '2026-03-01T00:00:00Z',
  }

  it('has each scope once, however often it is named', () => {
    const { scopes } = AskForAccess.parse({ ...asked, scopes: ['mail', 'sso', 'mail'] })
    expect(scopes).toEqual(['mail', 'sso'])
  })

  it.each([{ scopes: [] }, { reason: ' ' }, { reason: undefined }, { scopes: ['billing'] }])(
    'is rejected with %j',
    (change) => {
      const { error } = AskForAccess.safeParse({ ...asked, ...change })
      expect(error?.issues.map(({ path }) => path[0])).toEqual(Object.keys(change))
    },
  )
})

it.each([
  [0, false],
  [1, true],
  [4, true],
  [5, false],
  [1.5, false],
])('access without consent for %s hours is accepted: %s', (hours, accepted) => {
  const { success } = BreakGlass.safeParse({ slug: 'acme', reason: 'Outage', hours })
  expect(success).toBe(accepted)
})
