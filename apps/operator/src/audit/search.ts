import { auditOutcome, type ExportAudit, type exportFormats, QueryAudit, type QueryTenantAudit } from '@atrium/core/audit'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, slugWord, stringifySearch, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

export const pageSizes = ['50', '100', '200', '500'] as const

/** What the address of the audit explorer carries: every filter of `GET /audit`, and the way through the pages. */
export const AuditSearch = z.object({
  since: lenient(z.iso.datetime({ offset: true })),
  until: lenient(z.iso.datetime({ offset: true })),
  action: lenient(QueryAudit.shape.action.unwrap()),
  tenantSlug: slugWord,
  partnerSlug: slugWord,
  actorEmail: words,
  outcome: lenient(auditOutcome),
  actorIpTrusted: lenient(QueryAudit.shape.actorIpTrusted.unwrap()),
  q: words,
  limit: lenient(z.enum(pageSizes)),
  trail: trailOf(QueryAudit.shape.before),
})
export type AuditSearch = z.infer<typeof AuditSearch>

export const auditPerPage = 100

/** What narrows the log: the search without the way through its pages. */
export type AuditFilters = Omit<AuditSearch, 'trail' | 'limit'>

function filtersOf({ trail: _, limit: __, ...filters }: AuditSearch): AuditFilters {
  return filters
}

/** The query of the page that an address names. */
export function auditQuery(search: AuditSearch): QueryAudit {
  return { ...filtersOf(search), before: currentCursor(search.trail), limit: search.limit ? Number(search.limit) : auditPerPage }
}

/** The same, inside one tenant. */
export function tenantAuditQuery(
  slug: string,
  { since, until, action, actorEmail, outcome, q, trail, limit }: AuditSearch,
): QueryTenantAudit {
  return { slug, since, until, action, actorEmail, outcome, q, before: currentCursor(trail), limit: limit ? Number(limit) : auditPerPage }
}

/** Where the browser fetches all entries that the filters let through, from the first one on and not only the page shown. */
export function exportAddress(search: AuditSearch, format: ExportAudit['format']): string {
  return `/api/audit/export${stringifySearch({ format, ...filtersOf(search) })}`
}

/** How a format is named to people. */
export const formatNames: Readonly<Record<(typeof exportFormats)[number], string>> = { csv: 'CSV', ndjson: 'NDJSON' }
