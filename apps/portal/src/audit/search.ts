import { auditOutcome, QueryAudit, type QueryTenantAudit } from '@atrium/core/audit'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail, words } from '@atrium/ui/search-params'
import { z } from 'zod'

const instant = lenient(z.iso.datetime({ offset: true }))

/** What the address of a workplace's audit log carries: every filter of `GET /tenants/{slug}/audit`, and the way through the pages. */
export const AuditSearch = z.object({
  q: words,
  action: lenient(QueryAudit.shape.action.unwrap()),
  outcome: lenient(auditOutcome),
  actorIpTrusted: lenient(QueryAudit.shape.actorIpTrusted.unwrap()),
  actorEmail: words,
  since: instant,
  before: instant,
  trail,
})
export type AuditSearch = z.infer<typeof AuditSearch>

/** The query of the page that an address names. The cursor of a later page is older than `before`, so it takes its place. */
export function auditQuery(slug: string, { trail, before, ...filters }: AuditSearch): QueryTenantAudit {
  return { slug, ...filters, before: currentCursor(trail) ?? before, limit: 50 }
}
