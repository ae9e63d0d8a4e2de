import { describe, expect, it } from 'vitest'
import { Invitation, isPartnerStaff, ListUsers, UpdateUser } from '../../src/users/users.ts'

const id = '01a1ffa0-915e-7644-aaf6-d11f66e35098'

describe('an invited operator', () => {
  const invited = { subject: 's', userId: id }
  const link = 'https://id.example/recovery/1'

  it('gets exactly one of link and temporary password', () => {
    expect(Invitation.parse({ ...invited, link })).toEqual({ ...invited, link })
    expect(Invitation.safeParse({ ...invited, tempPassword: 'x' }).success).toBe(true)
    expect(Invitation.safeParse(invited).success).toBe(false)
    expect(Invitation.safeParse({ ...invited, link, tempPassword: 'x' }).success).toBe(false)
  })
})

describe('a change of a person', () => {
  it('names at least one field', () => {
    expect(UpdateUser.safeParse({ id }).success).toBe(false)
    expect(UpdateUser.safeParse({ id, phone: undefined }).success).toBe(false)
    expect(UpdateUser.safeParse({ id, phone: null }).success).toBe(true)
  })

  it.each(['+49 (30) 123-45/67', '030.1234'])('takes the telephone number %j', (phone) => {
    expect(UpdateUser.parse({ id, phone }).phone).toBe(phone)
  })

  it.each(['12', '1234 ext', '++49301', `1${'2'.repeat(31)}`])('rejects %j', (phone) => {
    expect(UpdateUser.safeParse({ id, phone }).success).toBe(false)
  })
})

describe('staff of a partner', () => {
  const partner = { id, slug: 'north', name: 'North', access: 'viewer' } as const

  it.each(['active', 'suspended'] as const)('are those of one that is %s', (status) => {
    expect(isPartnerStaff({ partner: { ...partner, status } })).toBe(true)
  })

  it('are neither those of a terminated one nor people without a partner', () => {
    expect(isPartnerStaff({ partner: { ...partner, status: 'terminated' } })).toBe(false)
    expect(isPartnerStaff({ partner: null })).toBe(false)
  })
})

describe('a list of people', () => {
  it.each([
    ['true', true],
    [true, true],
    ['false', false],
    [false, false],
    [undefined, undefined],
  ])('is filtered by operators with %j: %s', (platformAdmin, filter) => {
    expect(ListUsers.parse({ platformAdmin }).platformAdmin).toBe(filter)
  })

  it.each(['yes', '', 1, null])('is not filtered by operators with %j', (platformAdmin) => {
    expect(ListUsers.safeParse({ platformAdmin }).success).toBe(false)
  })
})
