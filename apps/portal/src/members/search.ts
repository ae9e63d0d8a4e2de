import type { ListTenantUsers } from '@atrium/core/members'
import { memberStatus, tenantRole } from '@atrium/core/memberships'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail, words } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the members page carries: filters, the way through the pages, and whose details are open. */
export const MembersSearch = z.object({
  q: words,
  role: lenient(tenantRole),
  status: lenient(memberStatus),
  trail,
  member: lenient(z.uuid()),
})
export type MembersSearch = z.infer<typeof MembersSearch>

export function membersQuery(slug: string, { q, role, status, trail }: MembersSearch): ListTenantUsers {
  return { slug, q, role, status, cursor: currentCursor(trail), limit: 50 }
}

/** What the address of the import page carries: the import being followed, so that its page can be left and opened again. */
export const ImportSearch = z.object({ import: lenient(z.uuid()) })
export type ImportSearch = z.infer<typeof ImportSearch>
