import { describe, expect, it } from 'vitest'
import { auditQuery, readAuditSearch } from '../src/audit/search.ts'
import { membersQuery, readMembersSearch } from '../src/members/search.ts'

const at = '2026-11-21T12:00:00.000Z'

describe('addresses of the audit log', () => {
  it('drop what does not fit and keep the rest', () => {
    const search = readAuditSearch({
      q: '  ',
      action: 'Tenant Created',
      outcome: 'maybe',
      actorEmail: 'a@b.test',
      since: 'yesterday',
      before: at,
    })
    expect(Object.entries(search).filter(([, value]) => value !== undefined)).toEqual([
      ['actorEmail', 'a@b.test'],
      ['before', at],
    ])
  })

  it('go on from the cursor of the page before, which is older than the chosen time', () => {
    const cursor = '2026-11-20T08:00:00.000Z_019aa7a0-1111-7222-8333-944455556666'
    expect(auditQuery('acme', { before: at }).before).toBe(at)
    expect(auditQuery('acme', { before: at, cursors: cursor }).before).toBe(cursor)
  })
})

it('reads the filters and the page of the members list from the address', () => {
  const cursor = '019aa7a0-1111-7222-8333-944455556666'
  expect(
    membersQuery(
      'acme',
      readMembersSearch({
        q: 'ada',
        role: 'boss',
        status: 'suspended',
        member: 'x',
        cursors: cursor,
      }),
    ),
  ).toEqual({
    slug: 'acme',
    q: 'ada',
    role: undefined,
    status: 'suspended',
    cursor,
    limit: 50,
  })
})
