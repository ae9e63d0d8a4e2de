import { QueryAudit } from '@atrium/core/audit'
import { cursor } from '@atrium/core/paging'
import { type ListTenants, plan, tenantRole, tenantStatus } from '@atrium/core/tenants'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, slugWord, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { AuditSearch } from '../audit/search.ts'
import { trailOf } from '../parts/trail.ts'

/** What the address of the tenants list carries. */
export const TenantsSearch = z.object({
  q: words,
  status: lenient(tenantStatus),
  plan: lenient(plan),
  partnerSlug: slugWord,
  trail: trailOf(cursor),
})
export type TenantsSearch = z.infer<typeof TenantsSearch>

export const tenantsPerPage = 25

/** The query of the page that an address names. */
export function tenantsQuery({ trail, ...filters }: TenantsSearch): ListTenants {
  return { ...filters, cursor: currentCursor(trail), limit: tenantsPerPage }
}

export const tenantTabs = ['overview', 'members', 'audit'] as const

/** What the address of one tenant carries: the tab, and the filters of the list inside it. */
export const TenantSearch = AuditSearch.omit({ tenantSlug: true, partnerSlug: true }).extend({
  tab: z.enum(tenantTabs).optional().catch(undefined),
  role: lenient(tenantRole),
  // Members are paged by id, the log by time and id.
  trail: trailOf(z.union([cursor, QueryAudit.shape.before])),
})
export type TenantSearch = z.infer<typeof TenantSearch>
