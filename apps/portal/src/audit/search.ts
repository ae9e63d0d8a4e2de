import type { QueryTenantAudit } from '@atrium/core/audit/audit'
import { auditOutcomes } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import {
  auditAction,
  cursors,
  oneOf,
  recordId,
  searchReader,
  timeWord,
  words,
} from '@atrium/ui/search-params'

/**
 * What the address of a workplace's audit log carries: every filter of `GET /tenants/{slug}/audit`,
 * and the way through the pages.
 */
export const readAuditSearch = searchReader({
  q: words,
  action: auditAction,
  outcome: oneOf(auditOutcomes),
  actorIpTrusted: oneOf(['true', 'false']),
  actorEmail: words,
  grantId: recordId,
  since: timeWord,
  before: timeWord,
  cursors,
})
export type AuditSearch = ReturnType<typeof readAuditSearch>

/**
 * The query of the page that an address names. The cursor of a later page is older than `before`,
 * so it takes its place.
 */
export function auditQuery(
  slug: string,
  { cursors, before, ...filters }: AuditSearch,
): QueryTenantAudit {
  return { slug, ...filters, before: currentCursor(cursors) ?? before, limit: 50 }
}
