import { describe, expect, it } from 'vitest'
import { Invitation, UpdateUser } from '../../src/users/users.ts'

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
