import type { ListPartners } from '@atrium/core/partners/partners'
import { partnerStatuses, tenantStatuses } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import {
  auditCursor,
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  words,
} from '@atrium/ui/search-params'
import { auditParams } from '../audit/search.ts'

/** What the address of the partners list carries. */
export const readPartnersSearch = searchReader({
  q: words,
  status: oneOf(partnerStatuses),
  cursors: cursorHistoryOf(recordId),
})
export type PartnersSearch = ReturnType<typeof readPartnersSearch>

export const partnersPerPage = 25

/** The query of the page that an address names. */
export function partnersQuery({ cursors, ...filters }: PartnersSearch): ListPartners {
  return { ...filters, cursor: currentCursor(cursors), limit: partnersPerPage }
}

const partnerTabs = ['overview', 'customers', 'staff', 'margins', 'audit'] as const

const { partnerSlug: _, ...logParams } = auditParams

/** What the address of one partner carries: the tab, and the filters of the list inside it. */
export const readPartnerSearch = searchReader({
  ...logParams,
  tab: oneOf(partnerTabs),
  status: oneOf(tenantStatuses),
  // Customers and staff are paged by id, the log by time and id.
  cursors: cursorHistoryOf((text) => recordId(text) ?? auditCursor(text)),
})
