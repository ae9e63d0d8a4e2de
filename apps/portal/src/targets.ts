import type { Target } from '@atrium/ui/links'
import type { AliasesSearch } from './aliases/search.ts'
import type { AuditSearch } from './audit/search.ts'
import type { ListsSearch } from './lists/search.ts'
import type { ImportSearch, MembersSearch } from './members/search.ts'
import type { MfaSearch } from './mfa/search.ts'
import type { StorageSearch } from './storage/search.ts'

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

export function memberImport(slug: string, search: ImportSearch = {}): Target {
  return { to: '/t/$slug/members/import', params: { slug }, search }
}

export function mfa(slug: string, search: MfaSearch = {}): Target {
  return { to: '/t/$slug/mfa', params: { slug }, search }
}

export function storage(slug: string, search: StorageSearch = {}): Target {
  return { to: '/t/$slug/storage', params: { slug }, search }
}

export function account(slug: string): Target {
  return { to: '/t/$slug/account', params: { slug } }
}

export function devices(slug: string): Target {
  return { to: '/t/$slug/devices', params: { slug } }
}

export function auditLog(slug: string, search: AuditSearch = {}): Target {
  return { to: '/t/$slug/audit', params: { slug }, search }
}

export function settings(slug: string): Target {
  return { to: '/t/$slug/settings', params: { slug } }
}

export function domains(slug: string): Target {
  return { to: '/t/$slug/domains', params: { slug } }
}

export function domain(slug: string, name: string): Target {
  return { to: '/t/$slug/domains/$domain', params: { slug, domain: name } }
}

export function aliases(slug: string, search: AliasesSearch = {}): Target {
  return { to: '/t/$slug/aliases', params: { slug }, search }
}

export function lists(slug: string, search: ListsSearch = {}): Target {
  return { to: '/t/$slug/lists', params: { slug }, search }
}

export function list(slug: string, listId: string): Target {
  return { to: '/t/$slug/lists/$listId', params: { slug, listId } }
}

export function ssoApps(slug: string): Target {
  return { to: '/t/$slug/sso', params: { slug } }
}

export function branding(slug: string): Target {
  return { to: '/t/$slug/branding', params: { slug } }
}

export function mailTexts(slug: string, template?: string): Target {
  return { to: '/t/$slug/branding/texts', params: { slug }, ...(template ? { search: { template } } : {}) }
}

export function securityPolicy(slug: string): Target {
  return { to: '/t/$slug/security', params: { slug } }
}

export function billingInfo(slug: string): Target {
  return { to: '/t/$slug/billing-details', params: { slug } }
}
