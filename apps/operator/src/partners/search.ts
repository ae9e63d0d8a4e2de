import { QueryAudit } from '@atrium/core/audit'
import { cursor } from '@atrium/core/paging'
import { partnerStatus } from '@atrium/core/partner-access'
import type { ListPartners } from '@atrium/core/partners'
import { tenantStatus } from '@atrium/core/tenants'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { AuditSearch } from '../audit/search.ts'
import { trailOf } from '../parts/trail.ts'

/** What the address of the partners list carries. */
export const PartnersSearch = z.object({ q: words, status: lenient(partnerStatus), trail: trailOf(cursor) })
export type PartnersSearch = z.infer<typeof PartnersSearch>

export const partnersPerPage = 25

/** The query of the page that an address names. */
export function partnersQuery({ trail, ...filters }: PartnersSearch): ListPartners {
  return { ...filters, cursor: currentCursor(trail), limit: partnersPerPage }
}

export const partnerTabs = ['overview', 'customers', 'staff', 'margins', 'audit'] as const

/** What the address of one partner carries: the tab, and the filters of the list inside it. */
export const PartnerSearch = AuditSearch.omit({ partnerSlug: true }).extend({
  tab: z.enum(partnerTabs).optional().catch(undefined),
  status: lenient(tenantStatus),
  // Customers and staff are paged by id, the log by time and id.
  trail: trailOf(z.union([cursor, QueryAudit.shape.before])),
})
export type PartnerSearch = z.infer<typeof PartnerSearch>
