import type {
  ExportAudit,
  exportFormats,
  QueryAudit,
  QueryTenantAudit,
} from '@atrium/core/audit/audit'
import { auditOutcomes } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import { stringifySearch } from '@atrium/ui/query-string'
import {
  auditAction,
  auditCursor,
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  slugText,
  timeWord,
  words,
} from '@atrium/ui/search-params'

export const pageSizes = ['50', '100', '200', '500'] as const

/** Fields of a log's address: every filter of `GET /audit`, and the cursor history. */
export const auditParams = {
  since: timeWord,
  until: timeWord,
  action: auditAction,
  tenantSlug: slugText,
  partnerSlug: slugText,
  actorEmail: words,
  outcome: oneOf(auditOutcomes),
  actorIpTrusted: oneOf(['true', 'false']),
  grantId: recordId,
  q: words,
  limit: oneOf(pageSizes),
  cursors: cursorHistoryOf(auditCursor),
}

/** The search parameters of the audit page. */
export const readAuditSearch = searchReader(auditParams)
export type AuditSearch = ReturnType<typeof readAuditSearch>

export const auditPerPage = 100

/** The filters of the log: its search without page size and cursor history. */
export type AuditFilters = Omit<AuditSearch, 'cursors' | 'limit'>

function filtersOf({ cursors: _, limit: __, ...filters }: AuditSearch): AuditFilters {
  return filters
}

/** The query of the page in the address. */
export function auditQuery(search: AuditSearch): QueryAudit {
  return {
    ...filtersOf(search),
    before: currentCursor(search.cursors),
    limit: search.limit ? Number(search.limit) : auditPerPage,
  }
}

/** The same within one tenant. */
export function tenantAuditQuery(
  slug: string,
  { since, until, action, actorEmail, outcome, grantId, q, cursors, limit }: AuditSearch,
): QueryTenantAudit {
  return {
    slug,
    since,
    until,
    action,
    actorEmail,
    outcome,
    grantId,
    q,
    before: currentCursor(cursors),
    limit: limit ? Number(limit) : auditPerPage,
  }
}

/** The address of a file with all entries that match the filters, on every page. */
export function exportAddress(search: AuditSearch, format: ExportAudit['format']): string {
  return `/api/audit/export${stringifySearch({ format, ...filtersOf(search) })}`
}

/** The names of the formats. */
export const formatNames: Readonly<Record<(typeof exportFormats)[number], string>> = {
  csv: 'CSV',
  ndjson: 'NDJSON',
}
