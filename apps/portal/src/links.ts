import type { LinkTarget } from '@atrium/ui/links'
import type { ReportsSearch } from '@atrium/ui/reports/search'
import type { AliasesSearch } from './aliases/search.ts'
import type { AuditSearch } from './audit/search.ts'
import type { BillingSearch, CardSearch } from './billing/search.ts'
import type { MailTextsSearch } from './branding/search.ts'
import type { ListsSearch } from './lists/search.ts'
import type { ImportSearch, MembersSearch } from './members/search.ts'
import type { MfaSearch } from './mfa/search.ts'
import type { LedgerSearch, PartnerPayoutsSearch } from './partner/money-search.ts'
import type { CustomersSearch } from './partner/search.ts'
import type { OffersSearch } from './scheduling/search.ts'
import type { StorageSearch } from './storage/search.ts'

/**
 * Where the portal's links lead. Every path is written here and in router.tsx, and nowhere else.
 */
export const home: LinkTarget = { to: '/' }
export const newTenant: LinkTarget = { to: '/new' }
export const profile: LinkTarget = { to: '/profile' }
export const accountSecurity: LinkTarget = { to: '/profile/security' }

export const partner: LinkTarget = { to: '/partner' }
export const partnerStaff: LinkTarget = { to: '/partner/staff' }
export const partnerBranding: LinkTarget = { to: '/partner/branding' }
export const partnerSettings: LinkTarget = { to: '/partner/settings' }

export const partnerAccess: LinkTarget = { to: '/partner/access' }
export const partnerTokens: LinkTarget = { to: '/partner/service-tokens' }
export const partnerWebhooks: LinkTarget = { to: '/partner/webhooks' }

export function partnerBilling(search: LedgerSearch = {}): LinkTarget {
  return { to: '/partner/billing', search }
}

export function partnerReports(search: ReportsSearch = {}): LinkTarget {
  return { to: '/partner/reports', search }
}

export function partnerPayouts(search: PartnerPayoutsSearch = {}): LinkTarget {
  return { to: '/partner/payouts', search }
}

export function partnerCustomers(search: CustomersSearch = {}): LinkTarget {
  return { to: '/partner/customers', search }
}

export function overview(slug: string): LinkTarget {
  return { to: '/t/$slug', params: { slug } }
}

export function serviceTokens(slug: string): LinkTarget {
  return { to: '/t/$slug/service-tokens', params: { slug } }
}

export function webhooks(slug: string): LinkTarget {
  return { to: '/t/$slug/webhooks', params: { slug } }
}

export function members(slug: string, search: MembersSearch = {}): LinkTarget {
  return { to: '/t/$slug/members', params: { slug }, search }
}

export function invitations(slug: string): LinkTarget {
  return { to: '/t/$slug/invitations', params: { slug } }
}

export function memberImport(slug: string, search: ImportSearch = {}): LinkTarget {
  return { to: '/t/$slug/members/import', params: { slug }, search }
}

export function mfa(slug: string, search: MfaSearch = {}): LinkTarget {
  return { to: '/t/$slug/mfa', params: { slug }, search }
}

export function storage(slug: string, search: StorageSearch = {}): LinkTarget {
  return { to: '/t/$slug/storage', params: { slug }, search }
}

export function card(slug: string, search: CardSearch = {}): LinkTarget {
  return { to: '/t/$slug/billing/card', params: { slug }, search }
}

export function account(slug: string): LinkTarget {
  return { to: '/t/$slug/account', params: { slug } }
}

export function devices(slug: string): LinkTarget {
  return { to: '/t/$slug/devices', params: { slug } }
}

export function auditLog(slug: string, search: AuditSearch = {}): LinkTarget {
  return { to: '/t/$slug/audit', params: { slug }, search }
}

export function settings(slug: string): LinkTarget {
  return { to: '/t/$slug/settings', params: { slug } }
}

export function domains(slug: string): LinkTarget {
  return { to: '/t/$slug/domains', params: { slug } }
}

export function domain(slug: string, name: string): LinkTarget {
  return { to: '/t/$slug/domains/$domain', params: { slug, domain: name } }
}

export function aliases(slug: string, search: AliasesSearch = {}): LinkTarget {
  return { to: '/t/$slug/aliases', params: { slug }, search }
}

export function lists(slug: string, search: ListsSearch = {}): LinkTarget {
  return { to: '/t/$slug/lists', params: { slug }, search }
}

export function list(slug: string, listId: string): LinkTarget {
  return { to: '/t/$slug/lists/$listId', params: { slug, listId } }
}

export function ssoApps(slug: string): LinkTarget {
  return { to: '/t/$slug/sso', params: { slug } }
}

export function branding(slug: string): LinkTarget {
  return { to: '/t/$slug/branding', params: { slug } }
}

export function mailTexts(slug: string, search: MailTextsSearch = {}): LinkTarget {
  return { to: '/t/$slug/branding/texts', params: { slug }, search }
}

export function securityPolicy(slug: string): LinkTarget {
  return { to: '/t/$slug/security', params: { slug } }
}

export function access(slug: string): LinkTarget {
  return { to: '/t/$slug/security/access', params: { slug } }
}

export function billing(slug: string, search: BillingSearch = {}): LinkTarget {
  return { to: '/t/$slug/billing', params: { slug }, search }
}

export function billingInfo(slug: string): LinkTarget {
  return { to: '/t/$slug/billing-details', params: { slug } }
}

export function scheduling(slug: string): LinkTarget {
  return { to: '/t/$slug/scheduling', params: { slug } }
}

export function bookings(slug: string, search: Record<string, unknown> = {}): LinkTarget {
  return { to: '/t/$slug/scheduling/bookings', params: { slug }, search }
}

export function hosts(slug: string, search: Record<string, unknown> = {}): LinkTarget {
  return { to: '/t/$slug/scheduling/hosts', params: { slug }, search }
}

export function availability(slug: string, search: OffersSearch = {}): LinkTarget {
  return { to: '/t/$slug/scheduling/availability', params: { slug }, search }
}

export function eventTypes(slug: string, search: OffersSearch = {}): LinkTarget {
  return { to: '/t/$slug/scheduling/event-types', params: { slug }, search }
}

export function eventType(slug: string, eventTypeId: string): LinkTarget {
  return { to: '/t/$slug/scheduling/event-types/$eventTypeId', params: { slug, eventTypeId } }
}

export function bookingPage(slug: string): LinkTarget {
  return { to: '/t/$slug/scheduling/page', params: { slug } }
}
