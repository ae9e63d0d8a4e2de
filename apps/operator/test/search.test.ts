import { ExportAudit, QueryAudit, QueryTenantAudit } from '@atrium/core/audit/audit'
import { ListTenants } from '@atrium/core/tenants/tenants'
import { ListUsers } from '@atrium/core/users/users'
import { parseSearch, stringifySearch } from '@atrium/ui/query-string'
import { countFilters } from '@atrium/ui/search-params'
import { describe, expect, it } from 'vitest'
import {
  auditQuery,
  exportAddress,
  readAuditSearch,
  tenantAuditQuery,
} from '../src/audit/search.ts'
import { readTenantSearch, readTenantsSearch, tenantsQuery } from '../src/tenants/search.ts'
import { readUsersSearch, usersQuery } from '../src/users/search.ts'

const id = '0196f1d2-aaaa-7bbb-8ccc-000000000001'
const entry = `2026-11-21T10:00:00.123456Z_${id}`

describe('the address', () => {
  it('keeps what looks like a number or a flag as the text it is', () => {
    expect(parseSearch('?q=42&platformAdmin=true')).toEqual({ q: '42', platformAdmin: 'true' })
    expect(stringifySearch({ q: '42', status: undefined, plan: '' })).toBe('?q=42')
    expect(stringifySearch({ q: undefined })).toBe('')
  })

  it('reads back what it wrote', () => {
    const search = { q: 'a&b=c é', cursors: `${id}*${id}` }
    expect(parseSearch(stringifySearch(search))).toEqual(search)
  })

  it('drops what does not fit and keeps the rest', () => {
    expect(readTenantsSearch({ q: 'acme', status: 'broken', unknown: 'x' })).toEqual({ q: 'acme' })
    expect(readAuditSearch({ since: 'yesterday', outcome: 'denied', action: 'DROP' })).toEqual({
      outcome: 'denied',
    })
    expect(readTenantSearch({ tab: 'nowhere' })).toEqual({})
  })

  it('opens the first page when a cursor is none of ours', () => {
    expect(readTenantsSearch({ q: 'acme', cursors: `${id}*zzz` })).toEqual({ q: 'acme' })
    expect(readAuditSearch({ cursors: id })).toEqual({})
    expect(readAuditSearch({ cursors: entry })).toEqual({ cursors: entry })
  })

  it('pages members by id and the log of a tenant by time', () => {
    expect(readTenantSearch({ tab: 'members', cursors: id })).toEqual({
      tab: 'members',
      cursors: id,
    })
    expect(readTenantSearch({ tab: 'audit', cursors: entry })).toEqual({
      tab: 'audit',
      cursors: entry,
    })
  })

  it('counts filters without the page and the tab', () => {
    expect(countFilters({ q: 'acme', cursors: id, tab: 'audit', status: undefined })).toBe(1)
  })
})

describe('the queries that an address represents', () => {
  it('asks for tenants as the API takes them', () => {
    const query = tenantsQuery({ q: 'acme', status: 'pending', cursors: `${id}*${id}` })
    expect(ListTenants.parse(query)).toEqual({
      q: 'acme',
      status: 'pending',
      cursor: id,
      limit: 25,
    })
  })

  it('asks for users as the API takes them, with the flag as a boolean', () => {
    expect(
      ListUsers.parse(usersQuery(readUsersSearch({ platformAdmin: 'false', role: 'owner' }))),
    ).toEqual({
      platformAdmin: false,
      role: 'owner',
      limit: 25,
    })
  })

  it('asks for audit entries as the API takes them', () => {
    const search = readAuditSearch({
      action: 'tenant.*',
      partnerSlug: 'north',
      since: '2026-11-01T00:00:00Z',
      cursors: entry,
      limit: '200',
    })
    expect(QueryAudit.parse(auditQuery(search))).toEqual({
      action: 'tenant.*',
      partnerSlug: 'north',
      since: '2026-11-01T00:00:00Z',
      before: entry,
      limit: 200,
    })
  })

  it('asks inside a tenant without the filters that the tenant fixes', () => {
    const query = tenantAuditQuery('acme', {
      tenantSlug: 'globex',
      partnerSlug: 'north',
      outcome: 'denied',
    })
    expect(QueryTenantAudit.parse(query)).toEqual({ slug: 'acme', outcome: 'denied', limit: 100 })
  })

  it('exports every entry of the filters, not only the page shown', () => {
    const address = exportAddress(
      { action: 'tenant.*', q: 'a b', cursors: entry, limit: '50' },
      'csv',
    )
    const [path, query] = address.split('?')
    expect(path).toBe('/api/audit/export')
    expect(ExportAudit.parse(Object.fromEntries(new URLSearchParams(query)))).toEqual({
      format: 'csv',
      action: 'tenant.*',
      q: 'a b',
    })
  })
})
