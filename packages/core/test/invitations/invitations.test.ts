import { describe, expect, it } from 'vitest'
import {
  AcceptedInvitation,
  InviteMembers,
  mostInvitations,
} from '../../src/invitations/invitations.ts'

describe('an invitation of members', () => {
  const slug = 'acme'
  const invitees = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ email: `p${n}@acme.example` }))
  const listIds = (count: number) =>
    Array.from({ length: count }, (_, n) => `01a1ffa0-915e-7644-aaf6-d11f66e350${10 + n}`)
  const issuesOf = (input: object) =>
    (InviteMembers.safeParse({ slug, ...input }).error?.issues ?? []).map(({ path }) => path[0])

  it('is to the role of a plain member and to no list unless it names others', () => {
    const invited = InviteMembers.parse({ slug, invitees: invitees(1) })
    expect(invited).toMatchObject({ role: 'member', listIds: [] })
  })

  it('is for one address to the most that one call may have', () => {
    expect(issuesOf({ invitees: invitees(0) })).toEqual(['invitees'])
    expect(issuesOf({ invitees: invitees(1) })).toEqual([])
    expect(issuesOf({ invitees: invitees(mostInvitations) })).toEqual([])
    expect(issuesOf({ invitees: invitees(mostInvitations + 1) })).toEqual(['invitees'])
  })

  it('is to 20 lists at most', () => {
    expect(issuesOf({ invitees: invitees(1), listIds: listIds(20) })).toEqual([])
    expect(issuesOf({ invitees: invitees(1), listIds: listIds(21) })).toEqual(['listIds'])
  })
})

describe('an accepted invitation', () => {
  const accepted = { email: 'mira@acme.example', joined: 'Acme', path: '/acme' }
  const link = 'https://id.example/recovery/1'
  const tempPassword = 'x'

  it.each([
    { handoff: 'link', link },
    { handoff: 'tempPassword', tempPassword },
    { handoff: 'existing' },
  ])('hands over what it says: %j', (handedOver) => {
    expect(AcceptedInvitation.safeParse({ ...accepted, ...handedOver }).success).toBe(true)
  })

  it.each([
    { handoff: 'link' },
    { handoff: 'link', tempPassword },
    { handoff: 'link', link, tempPassword },
    { handoff: 'tempPassword' },
    { handoff: 'tempPassword', link },
    { handoff: 'tempPassword', link, tempPassword },
    { handoff: 'existing', link },
    { handoff: 'existing', tempPassword },
  ])('hands over nothing else: %j is rejected', (handedOver) => {
    expect(AcceptedInvitation.safeParse({ ...accepted, ...handedOver }).success).toBe(false)
  })
})
