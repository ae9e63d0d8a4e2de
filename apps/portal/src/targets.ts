import type { Target } from '@atrium/ui/links'
import type { AuditSearch } from './audit/search.ts'
import type { MembersSearch } from './members/search.ts'

/** Where the portal's links lead. Every path is written here and in router.tsx, and nowhere else. */
export const home: Target = { to: '/' }
export const newTenant: Target = { to: '/new' }
export const profile: Target = { to: '/profile' }

export function overview(slug: string): Target {
  return { to: '/t/$slug', params: { slug } }
}

export function members(slug: string, search: MembersSearch = {}): Target {
  return { to: '/t/$slug/members', params: { slug }, search }
}

export function auditLog(slug: string, search: AuditSearch = {}): Target {
  return { to: '/t/$slug/audit', params: { slug }, search }
}

export function settings(slug: string): Target {
  return { to: '/t/$slug/settings', params: { slug } }
}
