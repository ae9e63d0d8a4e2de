import { type ListTenantUsers, tenantRole } from '@atrium/core/tenants'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail, words } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the members page carries. */
export const MembersSearch = z.object({ q: words, role: lenient(tenantRole), trail })
export type MembersSearch = z.infer<typeof MembersSearch>

export function membersQuery(slug: string, { q, role, trail }: MembersSearch): ListTenantUsers {
  return { slug, q, role, cursor: currentCursor(trail), limit: 50 }
}
