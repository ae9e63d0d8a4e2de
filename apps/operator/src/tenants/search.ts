import { plans } from '@atrium/core/billing/plans'
import { tenantRoles, tenantStatuses } from '@atrium/core/platform/choices'
import type { ListTenants } from '@atrium/core/tenants/tenants'
import { currentCursor } from '@atrium/ui/paging'
import {
  auditCursor,
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  slugText,
  words,
} from '@atrium/ui/search-params'
import { auditParams } from '../audit/search.ts'

/** What the address of the tenants list carries. */
export const readTenantsSearch = searchReader({
  q: words,
  status: oneOf(tenantStatuses),
  plan: oneOf(plans),
  partnerSlug: slugText,
  cursors: cursorHistoryOf(recordId),
})
export type TenantsSearch = ReturnType<typeof readTenantsSearch>

export const tenantsPerPage = 25

/** The query of the page that an address names. */
export function tenantsQuery({ cursors, ...filters }: TenantsSearch): ListTenants {
  return { ...filters, cursor: currentCursor(cursors), limit: tenantsPerPage }
}

const tenantTabs = ['overview', 'members', 'access', 'audit'] as const

const { tenantSlug: _, partnerSlug: __, ...logParams } = auditParams

/** What the address of one tenant carries: the tab, and the filters of the list inside it. */
export const readTenantSearch = searchReader({
  ...logParams,
  tab: oneOf(tenantTabs),
  role: oneOf(tenantRoles),
  // Members are paged by id, the log by time and id.
  cursors: cursorHistoryOf((text) => recordId(text) ?? auditCursor(text)),
})
export type TenantSearch = ReturnType<typeof readTenantSearch>
