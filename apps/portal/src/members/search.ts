import type { ListTenantUsers } from '@atrium/core/members/members'
import { memberStatuses, tenantRoles } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, oneOf, recordId, searchReader, words } from '@atrium/ui/search-params'

/**
 * What the address of the members page carries: filters, the way through the pages, and whose
 * details are open.
 */
export const readMembersSearch = searchReader({
  q: words,
  role: oneOf(tenantRoles),
  status: oneOf(memberStatuses),
  cursors,
  member: recordId,
})
export type MembersSearch = ReturnType<typeof readMembersSearch>

export function membersQuery(
  slug: string,
  { q, role, status, cursors }: MembersSearch,
): ListTenantUsers {
  return { slug, q, role, status, cursor: currentCursor(cursors), limit: 50 }
}

/**
 * What the address of the import page carries: the import being followed, so that its page can be
 * left and opened again.
 */
export const readImportSearch = searchReader({ import: recordId })
export type ImportSearch = ReturnType<typeof readImportSearch>
